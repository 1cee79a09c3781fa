"""TLS and a login, from Spark to Apache Kafka: the options are the client's own, on the driver and on executors."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from tests.client.kafka_broker import PASSWORD, USER, KafkaBroker, running_kafka_broker
from tests.kafka.nodes import kafka_libs
from tests.spark.source_topics import fill

from snakka.client.blocking import Admin

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow  # it waits for Kafka to start


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaBroker]:
    with running_kafka_broker(tmp_path_factory.mktemp("kafka"), kafka_libs()) as broker:
        yield broker


def test_a_login_over_tls(spark: "SparkSession", kafka: KafkaBroker) -> None:
    with Admin(bootstrap_servers=kafka.bootstrap) as admin:
        admin.create_topic("secret-orders", partitions=2)
    fill(kafka.bootstrap, "secret-orders", range(5))
    options = {
        "kafka.bootstrap.servers": kafka.sasl_tls,
        "kafka.security.protocol": "SASL_SSL",
        "kafka.ssl.truststore.type": "PEM",
        "kafka.ssl.truststore.location": kafka.certificates.ca,
        "kafka.sasl.mechanism": "SCRAM-SHA-512",
        "kafka.sasl.jaas.config": (
            "org.apache.kafka.common.security.scram.ScramLoginModule required"
            f' username="{USER}" password="{PASSWORD}";'
        ),
        "subscribe": "secret-orders",
    }
    assert spark.read.format("snakka").options(**options).load().count() == 5

    wrong = options | {
        "kafka.sasl.jaas.config": options["kafka.sasl.jaas.config"].replace(PASSWORD, "wrong-one")
    }
    with pytest.raises(Exception, match="can't log in at") as caught:
        spark.read.format("snakka").options(**wrong).load().count()
    assert "wrong-one" not in str(caught.value)
