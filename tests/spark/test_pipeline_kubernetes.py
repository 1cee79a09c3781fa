"""A declared pipeline on Kubernetes: Spark's own scheduler asks for pods, whose tasks have only what a container has."""

import json
import shutil
from pathlib import Path

import pytest
from kubernetes_api import HOST, POD_VARIABLE, KubernetesApi
from pipeline_commands import Terminal
from topic_sink_reading import values

from snakka.client.blocking import Admin, Producer
from snakka.testing import BlockingLocalBroker

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(shutil.which("java") is None, reason="needs Java 17"),
]

PIPELINE = """
name: shipping
trigger: available-now
kafka: {{bootstrap.servers: "{bootstrap}"}}
sources:
  parcels: {{topics: parcels, decode: json, schema: id BIGINT}}
steps:
  labelled: {{function: labelling:labelled}}
sinks:
  out: {{format: topic, topic: labels, guarantee: exactly-once, encode: json}}
"""
# Executors import it for `pod`. Whatever runs a task for the first time is killed: the first process of its pod.
MODULE = f"""
import os
import signal

from pyspark import TaskContext
from pyspark.sql.functions import udf


def labelled(parcels):
    return parcels.select("id", udf(pod, "string")("id").alias("pod"))


def pod(parcel):
    if TaskContext.get().attemptNumber() == 0:
        os.kill(os.getsid(0), signal.SIGKILL)
    return os.environ["{POD_VARIABLE}"]
"""
PODS = {
    "spark.kubernetes.container.image": "snakka",
    "spark.kubernetes.executor.apiPollingInterval": "1s",
    "spark.executor.instances": "2",
    "spark.executor.memory": "512m",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.driver.memory": "512m",
    "spark.driver.host": HOST,
    "spark.driver.bindAddress": HOST,
    # Each of the two has one of the two tasks then.
    "spark.scheduler.minRegisteredResourcesRatio": "1",
    "spark.scheduler.maxRegisteredResourcesWaitingTime": "300s",
}
# Else Spark waits for pods for a while before it has started.
NO_IMAGE = (
    "--conf",
    "spark.scheduler.maxRegisteredResourcesWaitingTime=0s",
    "--conf",
    f"spark.driver.host={HOST}",
)
PARCELS = range(1000)


def test_pods_have_the_modules_and_their_own_python_and_are_replaced_when_they_die(
    broker: BlockingLocalBroker, admin: Admin, tmp_path: Path
) -> None:
    for topic in ("parcels", "labels"):
        admin.create_topic(topic, partitions=2)
    with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        for number in PARCELS:
            producer.send("parcels", json.dumps({"id": number}).encode(), key=b"%d" % number)
        producer.flush()
    (tmp_path / "shipping.yaml").write_text(PIPELINE.format(bootstrap=broker.bootstrap_servers))
    (tmp_path / "labelling.py").write_text(MODULE)
    terminal = Terminal(tmp_path)
    terminal.environment.pop("PYSPARK_PYTHON", None)
    confs = [word for name, value in PODS.items() for word in ("--conf", f"{name}={value}")]
    with KubernetesApi(tmp_path / "kubernetes") as kubernetes:
        without_image = terminal.run("run", "shipping.yaml", "--master", kubernetes.master, *NO_IMAGE)
        assert without_image.returncode == 1
        assert "--conf spark.kubernetes.container.image=..." in without_image.stderr
        ran = terminal.run("run", "shipping.yaml", "--master", kubernetes.master, *confs)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert (kubernetes.names("pods"), kubernetes.names("configmaps")) == ([], [])
    assert kubernetes.unknown == []
    labels = [json.loads(value) for value in values(broker.bootstrap_servers, "labels")]
    assert sorted(label["id"] for label in labels) == list(PARCELS)
    _, _, *replacements = kubernetes.created_pods
    assert {label["pod"] for label in labels} <= set(replacements)
    for pod in kubernetes.created_pods.values():
        assert pod["metadata"]["labels"]["spark-app-name"] == "shipping"
        assert pod["spec"]["containers"][0]["image"] == "snakka"
