"""TLS and logins from Spark: the options are the client's own, and hold on the driver and on executors alike."""

import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.client.certificates import KEY_PASSWORD, Certificates
from tests.client.kafka_broker import PASSWORD, USER, KafkaBroker, running_kafka_broker
from tests.kafka.nodes import kafka_libs
from tests.spark.source_tls_proxy import TlsProxy
from tests.spark.source_token_endpoint import TokenServer
from tests.spark.source_topics import fill

from snakka.client.blocking import Admin
from snakka.client.settings import ConsumerSettings
from snakka.spark.client_settings import (
    REFUSED_READING,
    SparkOptionError,
    check_settings,
    client_settings,
)
from snakka.testing import BlockingLocalBroker

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


JAVA = "org.apache.kafka.common.security"
NEEDED = {"kafka.bootstrap.servers": "localhost:9092", "kafka.security.protocol": "SASL_SSL"}


def checked(options: dict[str, str]) -> dict[str, str]:
    """The settings that are left of the options of a reader."""
    settings = client_settings(options, REFUSED_READING, ConsumerSettings)
    check_settings(ConsumerSettings, settings)
    return settings


def test_what_jobs_for_java_s_client_say_of_it_may_stay(caplog: pytest.LogCaptureFixture) -> None:
    wanted = {
        **NEEDED,
        "kafka.sasl.mechanism": "OAUTHBEARER",
        "kafka.sasl.jaas.config": f"{JAVA}.oauthbearer.OAuthBearerLoginModule required clientId='me' clientSecret='x';",
        "kafka.sasl.oauthbearer.token.endpoint.url": "https://tokens.example.org/",
    }
    java = {
        "kafka.sasl.login.callback.handler.class": f"{JAVA}.oauthbearer.OAuthBearerLoginCallbackHandler",
        "kafka.sasl.client.callback.handler.class": (
            f"{JAVA}.oauthbearer.internals.OAuthBearerSaslClientCallbackHandler"
        ),
        "kafka.sasl.oauthbearer.jwt.retriever.class": f"{JAVA}.oauthbearer.ClientCredentialsJwtRetriever",
        "kafka.ssl.protocol": "TLSv1.3",
        "kafka.ssl.trustmanager.algorithm": "PKIX",
    }
    assert checked({**wanted, **java}) == checked(wanted)
    assert not caplog.records
    with caplog.at_level(logging.WARNING):
        assert checked({**wanted, "kafka.sasl.kerberos.service.name": "kafka"}) == checked(wanted)
    (record,) = caplog.records
    assert "kafka.sasl.kerberos.service.name has no effect here: there is no GSSAPI" in record.getMessage()


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("ssl.truststore.type", "JKS", r": JKS is not read.*keytool.*pkcs12 .*-nokeys"),
        ("ssl.keystore.type", "PKCS12", r": PKCS12 is not read.*pkcs12 .*-nodes"),
        ("ssl.context", "x", r" has no meaning here: .*kafka\.ssl\.truststore\.location"),
        ("ssl.engine.factory.class", "x", r" has no meaning here: .*kafka\.ssl\.truststore\.location"),
        ("sasl.oauthbearer.token.provider", "a:b", r" has no meaning here: tokens .*token\.endpoint\.url"),
        ("sasl.login.callback.handler.class", "x", r" has no meaning here: tokens .*token\.endpoint\.url"),
        ("sasl.jaas.config", "hush", r" must look like"),
        ("sasl.jaas.config", "M required username='hush';", r" has no password"),
    ],
)
def test_what_an_option_can_not_say_is_refused_with_what_can(name: str, value: str, complaint: str) -> None:
    with pytest.raises(SparkOptionError, match=rf"^kafka\.{re.escape(name)}{complaint}") as caught:
        checked({**NEEDED, "kafka.sasl.mechanism": "PLAIN", f"kafka.{name}": value})
    assert "hush" not in str(caught.value)


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


@pytest.mark.slow
def test_a_client_s_certificate_as_texts_of_one_line(spark: "SparkSession", kafka: KafkaBroker) -> None:
    """As they are in Java's properties, and not readable for OpenSSL."""

    def on_one_line(path: str) -> str:
        return Path(path).read_text().replace("\n", " ")

    with Admin(bootstrap_servers=kafka.bootstrap) as admin:
        admin.create_topic("certified", partitions=2)
    fill(kafka.bootstrap, "certified", range(5))
    certificates = kafka.certificates
    options = {
        "kafka.bootstrap.servers": kafka.mutual_tls,
        "kafka.security.protocol": "SSL",
        "kafka.ssl.truststore.type": "PEM",
        "kafka.ssl.truststore.certificates": on_one_line(certificates.ca),
        "kafka.ssl.keystore.type": "PEM",
        "kafka.ssl.keystore.certificate.chain": on_one_line(certificates.client_chain),
        "kafka.ssl.keystore.key": on_one_line(certificates.client_key_encrypted),
        "kafka.ssl.key.password": KEY_PASSWORD,
        "subscribe": "certified",
        "fetchOffset.numRetries": "1",
    }
    assert spark.read.format("snakka").options(**options).load().count() == 5
    wrong = {**options, "kafka.ssl.key.password": "wrong-one"}
    with pytest.raises(Exception, match=r"ssl\.key\.password does not open it") as caught:
        spark.read.format("snakka").options(**wrong).load().count()
    assert "wrong-one" not in str(caught.value)


@pytest.mark.slow
def test_a_stream_by_tokens_over_tls_is_written_exactly_once(
    spark: "SparkSession", kafka: KafkaBroker, tmp_path: Path
) -> None:
    """Source, group, sink and decisions: the driver and the workers fetch tokens for themselves."""
    with Admin(bootstrap_servers=kafka.bootstrap) as admin:
        admin.create_topic("by-token", partitions=2)
        admin.create_topic("by-token-copy", partitions=2)
    fill(kafka.bootstrap, "by-token", range(20))
    module = f"{JAVA}.oauthbearer.OAuthBearerLoginModule required"
    with TokenServer("me", "hush-hush", subject=USER) as tokens:
        options = {
            "kafka.bootstrap.servers": kafka.sasl_tls,
            "kafka.security.protocol": "SASL_SSL",
            "kafka.ssl.truststore.location": kafka.certificates.ca,
            "kafka.sasl.mechanism": "OAUTHBEARER",
            "kafka.sasl.login.callback.handler.class": f"{JAVA}.oauthbearer.OAuthBearerLoginCallbackHandler",
            "kafka.sasl.oauthbearer.token.endpoint.url": tokens.url,
            "kafka.sasl.jaas.config": f'{module} clientId="me" clientSecret="hush-hush" scope="kafka";',
            "kafka.isolation.level": "read_committed",
        }
        rows = spark.readStream.format("snakka").options(**options, subscribe="by-token")
        query = (
            rows.option("startingOffsets", "earliest")
            .load()
            .select("value")
            .writeStream.format("snakka")
            .options(**options, topic="by-token-copy", deliveryGuarantee="exactly-once")
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
        copied = spark.read.format("snakka").options(**options, subscribe="by-token-copy")
        assert copied.load().distinct().count() == 20
        assert tokens.given
        assert not any(b"hush" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())

        wrong = {**options, "kafka.sasl.jaas.config": f'{module} clientId="me" clientSecret="wrong-one";'}
        with pytest.raises(Exception, match="answers 401") as caught:
            spark.read.format("snakka").options(**wrong, subscribe="by-token").load().count()
        assert "wrong-one" not in str(caught.value)


def test_spark_shows_no_private_key_of_a_query(spark: "SparkSession") -> None:
    """Plans have all options; Spark leaves out what looks like a secret to it, which a key as text does not by itself."""
    key = "-----BEGIN PRIVATE KEY-----MIIBVgIBADANBgkq-----END PRIVATE KEY-----"
    options = {
        "kafka.bootstrap.servers": "localhost:9092",
        "kafka.security.protocol": "SSL",
        "kafka.ssl.keystore.type": "PEM",
        "kafka.ssl.keystore.certificate.chain": "a certificate",
        "kafka.ssl.keystore.key": key,
        "kafka.client.id": "shown",
        "subscribe": "t",
    }
    shown = spark.readStream.format("snakka").options(**options).load()._jdf.queryExecution().toString()
    assert "kafka.client.id=shown" in shown
    assert "MIIBVgIBADANBgkq" not in shown
