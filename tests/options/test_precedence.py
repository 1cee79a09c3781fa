"""What DescribeConfigs tells: values, sources and synonyms, as Apache Kafka 4.3 was seen to answer them."""

from snakka.options.option import declare
from snakka.options.option_set import ConfigSource, Layer, OptionSet
from snakka.options.precedence import (
    ConfigEntry,
    ConfigSynonym,
    describe_broker,
    describe_client_metrics,
    describe_cluster_default,
    describe_group,
    describe_topic,
    resolve,
)

BROKER = declare("""
log.retention.ms long null high cluster-wide
    .
log.retention.minutes int null high
    .
log.retention.hours int 168 high
    .
log.segment.bytes int 1073741824 high cluster-wide
    .
log.cleanup.policy list delete medium cluster-wide
    .
max.connections int 2147483647 medium cluster-wide
    .
num.partitions int 1 medium
    .
ssl.key.password password null medium per-broker
    .
group.consumer.session.timeout.ms int 45000 medium
    .
internal.thing int 1 low internal
    .
""")
TOPIC = declare("""
retention.ms long 604800000 medium <log.retention.ms,log.retention.minutes*60000,log.retention.hours*3600000
    .
segment.bytes int 1073741824 medium <log.segment.bytes
    .
cleanup.policy list delete medium <log.cleanup.policy
    .
remote.storage.enable boolean false medium
    .
internal.segment.bytes int null medium internal
    .
""")
GROUP = declare("""
consumer.session.timeout.ms int 45000 medium <group.consumer.session.timeout.ms
    .
share.isolation.level string read_uncommitted medium
    .
""")
TOPIC_CONFIG = ConfigSource.DYNAMIC_TOPIC_CONFIG
OF_BROKER = ConfigSource.DYNAMIC_BROKER_CONFIG
OF_CLUSTER = ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG
STATIC = ConfigSource.STATIC_BROKER_CONFIG
DEFAULT = ConfigSource.DEFAULT_CONFIG

START = OptionSet(
    BROKER,
    [
        Layer(
            STATIC,
            {
                "log.retention.hours": "24",
                "ssl.key.password": "geheim",
                "foo.bar": "geheim",
                "listener.name.plaintext.max.connections": "77",
            },
        )
    ],
)


def described(entries: object) -> dict[str, ConfigEntry]:
    return {entry.name: entry for entry in entries}  # type: ignore[attr-defined]


def test_a_broker_s_options_with_all_that_sets_them() -> None:
    options = START.with_dynamic({"log.segment.bytes": "2097152"}, {"log.segment.bytes": "3145728"}, print)
    entries = described(describe_broker(options))
    segment_bytes = entries["log.segment.bytes"]
    assert (segment_bytes.value, segment_bytes.source, segment_bytes.read_only) == (
        "3145728",
        OF_BROKER,
        False,
    )
    assert segment_bytes.synonyms == (
        ConfigSynonym("log.segment.bytes", "3145728", OF_BROKER),
        ConfigSynonym("log.segment.bytes", "2097152", OF_CLUSTER),
        ConfigSynonym("log.segment.bytes", "1073741824", DEFAULT),
    )
    assert entries["num.partitions"].read_only
    assert entries["num.partitions"].source is DEFAULT
    assert "internal.thing" not in entries


def test_units_of_the_same_thing_are_synonyms_from_its_own_name_on() -> None:
    entries = described(describe_broker(START))
    assert entries["log.retention.hours"].synonyms == (
        ConfigSynonym("log.retention.hours", "24", STATIC),
        ConfigSynonym("log.retention.hours", "168", DEFAULT),
    )
    assert entries["log.retention.ms"].synonyms == ()
    changed = described(describe_broker(START.with_dynamic({"log.retention.ms": "3600000"}, {}, print)))
    assert changed["log.retention.ms"].synonyms == (
        ConfigSynonym("log.retention.ms", "3600000", OF_CLUSTER),
        ConfigSynonym("log.retention.hours", "24", STATIC),
        ConfigSynonym("log.retention.hours", "168", DEFAULT),
    )


def test_secrets_and_unknown_names_have_no_value() -> None:
    entries = described(describe_broker(START))
    for name in ("ssl.key.password", "foo.bar"):
        assert entries[name].sensitive
        assert entries[name].value is None
        assert entries[name].synonyms == (ConfigSynonym(name, None, STATIC),)
    assert entries["foo.bar"].kind == 0
    assert entries["foo.bar"].doc is None
    assert "geheim" not in repr(entries)


def test_a_listener_s_own_option_falls_back_to_the_general_one() -> None:
    entry = described(describe_broker(START))["listener.name.plaintext.max.connections"]
    assert entry.value == "77"
    assert entry.read_only
    assert entry.synonyms == (
        ConfigSynonym("listener.name.plaintext.max.connections", "77", STATIC),
        ConfigSynonym("max.connections", "2147483647", DEFAULT),
    )


def test_the_cluster_default_tells_only_what_was_set_there() -> None:
    options = START.with_dynamic(
        {"log.segment.bytes": "2097152", "mine": "5"}, {"num.partitions": "2"}, print
    )
    entries = described(describe_cluster_default(options))
    assert set(entries) == {"log.segment.bytes", "mine"}
    assert entries["log.segment.bytes"].synonyms == (
        ConfigSynonym("log.segment.bytes", "2097152", OF_CLUSTER),
    )
    assert entries["mine"].value is None
    assert described(describe_cluster_default(START)) == {}


def test_a_topic_s_configs() -> None:
    entries = described(describe_topic(TOPIC, {"cleanup.policy": "delete,compact"}, START))
    policy = entries["cleanup.policy"]
    assert (policy.value, policy.source) == ("delete,compact", TOPIC_CONFIG)
    assert policy.synonyms == (
        ConfigSynonym("cleanup.policy", "delete,compact", TOPIC_CONFIG),
        ConfigSynonym("log.cleanup.policy", "delete", DEFAULT),
    )
    assert entries["segment.bytes"].synonyms == (ConfigSynonym("log.segment.bytes", "1073741824", DEFAULT),)
    assert entries["remote.storage.enable"].synonyms == ()
    assert "internal.segment.bytes" not in entries


def test_a_topic_s_retention_from_hours_is_called_a_default_without_synonyms() -> None:
    entry = described(describe_topic(TOPIC, {}, START))["retention.ms"]
    assert (entry.value, entry.source, entry.synonyms) == ("86400000", DEFAULT, ())


def test_a_group_s_configs_name_themselves_where_no_broker_option_does() -> None:
    entries = described(describe_group(GROUP, {"consumer.session.timeout.ms": "50000"}, START))
    assert entries["consumer.session.timeout.ms"].synonyms == (
        ConfigSynonym("consumer.session.timeout.ms", "50000", ConfigSource.GROUP_CONFIG),
        ConfigSynonym("group.consumer.session.timeout.ms", "45000", DEFAULT),
    )
    assert entries["share.isolation.level"].synonyms == (
        ConfigSynonym("share.isolation.level", "read_uncommitted", DEFAULT),
    )


def test_a_metrics_subscription_s_configs() -> None:
    declared = declare("interval.ms int 300000 medium\n  .\nmatch list '' medium\n  .")
    entries = described(describe_client_metrics(declared, {"interval.ms": "5000"}))
    assert entries["interval.ms"].source is ConfigSource.CLIENT_METRICS_CONFIG
    assert (entries["match"].value, entries["match"].source, entries["match"].synonyms) == ("", DEFAULT, ())


def test_units_are_converted_and_less_than_nothing_is_no_limit() -> None:
    retention = TOPIC["retention.ms"]
    assert resolve(retention, {}, {}) == 604_800_000
    assert resolve(retention, {}, {"log.retention.hours": "2"}) == 7_200_000
    assert resolve(retention, {}, {"log.retention.hours": "2", "log.retention.minutes": "3"}) == 180_000
    assert resolve(retention, {}, {"log.retention.minutes": "3", "log.retention.ms": "4"}) == 4
    assert resolve(retention, {}, {"log.retention.hours": "-3"}) == -1
    assert resolve(retention, {}, {"log.retention.ms": "-7"}) == -1
    assert resolve(retention, {"retention.ms": "9"}, {"log.retention.ms": "4"}) == 9
