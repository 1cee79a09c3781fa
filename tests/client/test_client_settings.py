"""Settings: names, kinds, what follows from what, and which mistakes are named."""

import doctest
import random

import pytest

from snakka.client import settings as settings_module
from snakka.client.authentication import peer_security
from snakka.client.broker_addresses import Address, parse_bootstrap
from snakka.client.errors import ClientConfigError
from snakka.client.setting_names import ELSEWHERE, SYNONYMS, parse_duration_ms
from snakka.client.setting_rules import dotted, rules_of
from snakka.client.settings import AdminSettings, ConsumerSettings, ProducerSettings, resolve
from snakka.runtime.clock import SystemClock

SERVERS = {"bootstrap_servers": "127.0.0.1:9092"}
KINDS = (ProducerSettings, ConsumerSettings, AdminSettings)


def test_the_examples_in_the_docstrings() -> None:
    assert doctest.testmod(settings_module).failed == 0


def test_keywords_and_kafka_s_names_mean_the_same() -> None:
    by_keyword = resolve(ProducerSettings, {**SERVERS, "linger_ms": 7, "compression_type": "zstd"})
    by_name = resolve(
        ProducerSettings,
        {},
        {"bootstrap.servers": ["127.0.0.1:9092"], "linger.ms": "7", "compression.type": "zstd"},
    )
    assert by_keyword == by_name
    assert by_keyword.bootstrap_servers == ("127.0.0.1:9092",)


def test_another_client_s_names_are_understood() -> None:
    consumer = resolve(
        ConsumerSettings, {}, {"metadata.broker.list": "a:1,b:2", "fetch.wait.max.ms": 9, "group.id": "g"}
    )
    assert consumer.bootstrap_servers == ("a:1", "b:2")
    assert consumer.fetch_max_wait_ms == 9


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"bootstrap_server": "a:1"}, "no setting bootstrap_server; did you mean bootstrap.servers?"),
        ({"linger.msec": 1}, "no setting linger.msec; did you mean linger.ms?"),
        ({"xyzzy": 1}, "there is no setting xyzzy"),
        ({"group.id": "g"}, "there is no setting group.id"),
        ({"linger_ms": "soon"}, "linger.ms: 'soon' must be a number"),
        ({"batch_size": 1.5}, "batch.size: 1.5 must be a whole number"),
        ({"batch_size": True}, "batch.size: True must be a whole number"),
        ({"batch_size": -1}, "batch.size: -1 must be at least 0"),
        ({"compression_gzip_level": 10}, "compression.gzip.level: 10 must be at most 9"),
        ({"acks": "most"}, "acks: 'most' must be one of all, -1, 0, 1"),
        ({"enable_idempotence": "yes"}, "enable.idempotence: 'yes' must be true or false"),
        ({"bootstrap_servers": [1]}, "must contain texts only"),
        ({"client_id": b"x"}, "client.id: b'x' must be a text"),
        ({"ssl.truststore.type": "JKS"}, "ssl.truststore.type: 'JKS' must be one of PEM"),
        ({"ssl.keystore.password": "hush"}, "ssl.keystore.password has no meaning here: only PEM"),
        ({"interceptor.classes": "a.B"}, "interceptor.classes has no meaning here"),
        ({"sasl_mechanism": "GSSAPI"}, "must be one of PLAIN, SCRAM-SHA-256"),
        ({"bootstrap_servers": ""}, "bootstrap.servers is needed"),
        ({"acks": 1, "enable_idempotence": True}, "enable.idempotence needs acks=all"),
        ({"retries": 0, "transactional_id": "t"}, "transactional.id needs retries above 0"),
        (
            {"max_in_flight_requests_per_connection": 6, "enable_idempotence": True},
            "max.in.flight.requests.per.connection of at most 5",
        ),
        ({"enable_idempotence": False, "transactional_id": "t"}, "transactional.id needs enable.idempotence"),
        ({"delivery_timeout_ms": 100}, "delivery.timeout.ms must be at least .* 30005"),
        ({"security_protocol": "SASL_SSL"}, "security.protocol=SASL_SSL needs sasl.mechanism"),
    ],
)
def test_a_mistake_is_named(given: dict[str, object], complaint: str) -> None:
    with pytest.raises(ClientConfigError, match=complaint) as caught:
        resolve(ProducerSettings, given if "bootstrap" in str(given) else {**SERVERS, **given})
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"group_protocol": "consumer", "session_timeout_ms": 1}, "session.timeout.ms can't be set"),
        ({"group_remote_assignor": "uniform"}, "needs group.protocol=consumer"),
        ({"heartbeat_interval_ms": 45_000}, "must be less than session.timeout.ms"),
        ({"group_id": ""}, "group.id must not be empty"),
        ({"enable_auto_commit": True}, "enable.auto.commit needs group.id"),
        ({"auto_offset_reset": "begin"}, "must be earliest, latest, none, or by_duration"),
        ({"auto_offset_reset": "by_duration:1h"}, "ISO 8601"),
        ({"partition_assignment_strategy": "best"}, "no assignor best; there are range"),
        ({"partition_assignment_strategy": []}, "at least one assignor"),
    ],
)
def test_a_consumer_s_mistake_is_named(given: dict[str, object], complaint: str) -> None:
    with pytest.raises(ClientConfigError, match=complaint):
        resolve(ConsumerSettings, {**SERVERS, **given})


def test_given_twice() -> None:
    assert resolve(AdminSettings, SERVERS, {"bootstrap.servers": "127.0.0.1:9092"})
    with pytest.raises(ClientConfigError, match=r"bootstrap\.servers is given twice"):
        resolve(AdminSettings, SERVERS, {"bootstrap.servers": "127.0.0.1:1"})


def test_what_follows_from_other_settings() -> None:
    producer = resolve(ProducerSettings, {**SERVERS, "acks": 1, "linger_ms": 200_000})
    assert producer.required_acks == 1
    assert not producer.enable_idempotence
    assert producer.delivery_timeout_ms == 230_000
    assert resolve(ProducerSettings, {**SERVERS, "acks": "-1"}).acks == "all"
    consumer = resolve(ConsumerSettings, SERVERS)
    assert not consumer.enable_auto_commit
    assert resolve(ConsumerSettings, {**SERVERS, "group_id": "g"}).enable_auto_commit
    java = "org.apache.kafka.clients.consumer.CooperativeStickyAssignor"
    chosen = resolve(ConsumerSettings, {**SERVERS, "partition_assignment_strategy": [java, "range"]})
    assert chosen.partition_assignment_strategy == ("cooperative-sticky", "range")
    controllers = resolve(AdminSettings, {"bootstrap_controllers": "c:1"})
    assert controllers.bootstrap_servers == ("c:1",)


def test_case_does_not_matter_where_it_does_not_in_kafka() -> None:
    settings = resolve(
        ConsumerSettings, {**SERVERS, "group_protocol": "CONSUMER", "security_protocol": "ssl"}
    )
    assert (settings.group_protocol, settings.security_protocol) == ("consumer", "SSL")


def test_secrets_are_shown_nowhere() -> None:
    given = {
        **SERVERS,
        "sasl_password": "hush",
        "ssl_key_pem": "hush",
        "sasl_jaas_config": "hush",
        "sasl_username": "alice",
    }
    shown = repr(resolve(AdminSettings, given))
    assert "hush" not in shown
    assert "sasl_username='alice'" in shown
    assert "sasl_password=[hidden]" in shown
    assert "retry_backoff_ms" not in shown
    with pytest.raises(ClientConfigError, match=r"sasl\.password: \[hidden\] must be a text"):
        resolve(AdminSettings, {**SERVERS, "sasl_password": 12345})


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"sasl_mechanism": "PLAIN"}, "needs sasl.username and sasl.password"),
        ({"sasl_mechanism": "PLAIN", "sasl_jaas_config": "hush"}, r"sasl\.jaas\.config must look like"),
        ({"sasl_mechanism": "OAUTHBEARER"}, "needs sasl.oauthbearer.token.endpoint.url"),
        (
            {"sasl_mechanism": "PLAIN", "sasl_jaas_config": 'M required username="hush";'},
            r"sasl\.jaas\.config has no password, which sasl\.mechanism=PLAIN needs",
        ),
        (
            {
                "sasl_mechanism": "OAUTHBEARER",
                "sasl_oauthbearer_token": "t",
                "sasl_oauthbearer_extensions": "x",
            },
            "NAME=VALUE",
        ),
    ],
)
def test_credentials_that_are_missing(given: dict[str, object], complaint: str) -> None:
    settings = resolve(AdminSettings, {**SERVERS, "security_protocol": "SASL_PLAINTEXT", **given})
    with pytest.raises(ClientConfigError, match=complaint) as caught:
        peer_security(settings, SystemClock(), random.Random(1))
    assert "hush" not in str(caught.value)


def test_bootstrap_servers() -> None:
    assert parse_bootstrap(["a:1", " [::1]:9092 ", ""]) == [Address("a", 1), Address("::1", 9092)]
    assert str(Address("::1", 9092)) == "[::1]:9092"
    for wrong in (["a"], [":1"], ["a:0"], [""], ["a:99999"]):
        with pytest.raises(ClientConfigError, match=r"bootstrap\.servers"):
            parse_bootstrap(wrong)


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [("PT1H", 3_600_000), ("P1DT0.5S", 86_400_500), ("P", None), ("PT", None), ("1h", None), ("P1Y", None)],
)
def test_durations(text: str, milliseconds: int | None) -> None:
    assert parse_duration_ms(text) == milliseconds


def test_every_setting_says_what_it_is_for() -> None:
    for kind in KINDS:
        for keyword, rule in rules_of(kind).items():
            assert rule.doc.endswith("."), keyword
    declared = {dotted(keyword) for kind in KINDS for keyword in rules_of(kind)}
    assert not declared & set(ELSEWHERE)
    assert set(SYNONYMS.values()) <= declared


# Where we mean to differ: what Kafka has, and why.
OTHER_DEFAULTS = {
    "send.buffer.bytes",  # a fixed size keeps the system from adapting it to the network
    "receive.buffer.bytes",
    "client.id",  # "snakka" is sent
    "sasl.mechanism",  # there is no Kerberos
    "ssl.truststore.type",
    "ssl.keystore.type",
    "partition.assignment.strategy",  # Java's class names
    "auto.include.jmx.reporter",
}


def test_every_setting_of_kafka_is_known_with_its_default(kafka_facts: list[list[str]]) -> None:
    kinds = dict(zip(("producer", "consumer", "admin"), KINDS, strict=True))
    for kind, name, default in kafka_facts:
        if kind not in kinds or name in ELSEWHERE:
            continue
        keyword = name.replace(".", "_")
        assert keyword in rules_of(kinds[kind]), f"{kind} lacks {name}"
        if name in OTHER_DEFAULTS or "serializer" in name or default.startswith("java.lang.Object@"):
            continue
        ours = kinds[kind].__dataclass_fields__[keyword].default
        assert _as_java(ours).lower() == default.lower(), name


def _as_java(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, tuple):
        return f"[{', '.join(value)}]"
    return f"{value:g}" if isinstance(value, float) else str(value)
