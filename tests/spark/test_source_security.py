"""TLS and logins from Spark: the options are the client's own, and hold on the driver and on executors alike."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.client.certificates import Certificates
from tests.client.kafka_broker import PASSWORD, USER, KafkaBroker, running_kafka_broker
from tests.kafka.nodes import kafka_libs
from tests.spark.source_tls_proxy import TlsProxy
from tests.spark.source_topics import fill

from snakka.client.blocking import Admin
from snakka.testing import BlockingLocalBroker

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_only_tls_leads_to_the_broker(spark: "SparkSession", tmp_path: Path) -> None:
    certificates = Certificates(tmp_path)
    with (
        TlsProxy(certificates) as proxy,
        BlockingLocalBroker({"advertised.listeners": f"PLAINTEXT://localhost:{proxy.port}"}) as broker,
    ):
        proxy.target = broker.port
        bootstrap = f"localhost:{proxy.port}"
        trust = {"security.protocol": "SSL", "ssl.ca.location": certificates.ca}
        with Admin({"bootstrap.servers": bootstrap, **trust}) as admin:
            admin.create_topic("t", partitions=2)
            admin.create_topic("copy", partitions=2)
        fill(bootstrap, "t", range(5), settings=trust)
        before = proxy.connections
        options = {"kafka.bootstrap.servers": bootstrap, "kafka.security.protocol": "SSL", "subscribe": "t"}
        trusting = {
            **options,
            "kafka.ssl.truststore.type": "PEM",
            "kafka.ssl.truststore.location": certificates.ca,
        }
        frame = spark.read.format("snakka").options(**trusting)
        assert frame.load().count() == 5
        assert proxy.connections > before
        # Into another topic: a task looks where a partition ends when it begins, and would read what others write.
        copy = frame.load().select("value").write.format("snakka").options(**trusting, topic="copy")
        copy.option("deliveryGuarantee", "exactly-once").mode("append").save()
        assert (
            frame.options(**{"subscribe": "copy", "kafka.isolation.level": "read_committed"}).load().count()
            == 5
        )
        distrusted = spark.read.format("snakka").options(
            **options, **{"kafka.ssl.ca.location": certificates.other_ca, "fetchOffset.numRetries": "1"}
        )
        with pytest.raises(Exception, match="certificate"):
            distrusted.load().count()


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaBroker]:
    with running_kafka_broker(tmp_path_factory.mktemp("kafka"), kafka_libs()) as broker:
        yield broker


@pytest.mark.slow  # it waits for Kafka to start
def test_a_login_over_tls_at_apache_kafka(spark: "SparkSession", kafka: KafkaBroker) -> None:
    with Admin(bootstrap_servers=kafka.bootstrap) as admin:
        admin.create_topic("secret-orders", partitions=2)
    fill(kafka.bootstrap, "secret-orders", range(5))
    jaas = (
        "org.apache.kafka.common.security.scram.ScramLoginModule required"
        f' username="{USER}" password="{PASSWORD}";'
    )
    options = {
        "kafka.bootstrap.servers": kafka.sasl_tls,
        "kafka.security.protocol": "SASL_SSL",
        "kafka.ssl.truststore.type": "PEM",
        "kafka.ssl.truststore.location": kafka.certificates.ca,
        "kafka.sasl.mechanism": "SCRAM-SHA-512",
        "kafka.sasl.jaas.config": jaas,
        "subscribe": "secret-orders",
        "fetchOffset.numRetries": "1",
    }
    assert spark.read.format("snakka").options(**options).load().count() == 5

    wrong = {**options, "kafka.sasl.jaas.config": jaas.replace(PASSWORD, "wrong-one")}
    with pytest.raises(Exception, match="can't log in at") as caught:
        spark.read.format("snakka").options(**wrong).load().count()
    assert "wrong-one" not in str(caught.value)
