"""Topic configs: what they come to for a log, and what is refused."""

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakka.options.option import OptionError
from snakka.options.precedence import resolve
from snakka.protocol.errors import ApiError
from snakka.storage.log_config import LogConfig, topic_options, validate_topic_configs

INVALID_CONFIG = 40


def test_the_defaults_are_those_of_the_declarations() -> None:
    written = LogConfig()
    parsed = LogConfig().with_overrides(
        {
            name: option.default_text
            for name, option in topic_options().items()
            if option.default_text is not None
        }
    )
    assert parsed == written
    assert len(topic_options()) == 34


def test_every_topic_config_has_its_attribute() -> None:
    attributes = {field.name for field in dataclasses.fields(LogConfig)}
    special = {"cleanup.policy", "message.timestamp.type", "internal.segment.bytes"}
    assert attributes == {name.replace(".", "_") for name in topic_options() if name not in special} | {
        "compact",
        "delete",
        "log_append_time",
    }


def test_overrides_go_over_the_broker_s_options_and_these_over_defaults() -> None:
    config = LogConfig.from_overrides(
        {
            "log.retention.hours": "2",
            "log.segment.bytes": "2097152",
            "message.max.bytes": "5",
            "num.partitions": "3",
        },
        {
            "segment.bytes": "3145728",
            "cleanup.policy": "compact, delete",
            "message.timestamp.type": "LogAppendTime",
        },
    )
    assert config.retention_ms == 7_200_000
    assert config.segment_bytes == 3_145_728
    assert config.max_message_bytes == 5
    assert config.compact
    assert config.delete
    assert config.log_append_time
    assert config.index_interval_bytes == 4096


@pytest.mark.parametrize(
    ("broker", "retention_ms", "segment_ms", "flush_ms"),
    [
        ({}, 604_800_000, 604_800_000, 2**63 - 1),
        ({"log.retention.minutes": "1", "log.roll.hours": "1"}, 60_000, 3_600_000, 2**63 - 1),
        ({"log.retention.ms": "-1", "log.roll.ms": "7", "log.roll.hours": "1"}, -1, 7, 2**63 - 1),
        ({"log.retention.hours": "-5", "log.flush.scheduler.interval.ms": "3"}, -1, 604_800_000, 3),
        ({"log.flush.interval.ms": "2", "log.flush.scheduler.interval.ms": "3"}, 604_800_000, 604_800_000, 2),
    ],
)
def test_times_in_several_units(
    broker: dict[str, str], retention_ms: int, segment_ms: int, flush_ms: int
) -> None:
    config = LogConfig.from_broker(broker)
    assert (config.retention_ms, config.segment_ms, config.flush_ms) == (retention_ms, segment_ms, flush_ms)


def test_topics_without_overrides_share_one_object() -> None:
    shared = LogConfig.from_broker({"log.segment.bytes": "2097152"})
    assert shared.with_overrides({}) is shared
    assert LogConfig.from_broker({}) is LogConfig.from_broker({"num.partitions": "3"})


def test_an_empty_cleanup_policy_removes_nothing() -> None:
    config = LogConfig().with_overrides({"cleanup.policy": ""})
    assert not config.compact
    assert not config.delete


def test_the_internal_segment_size_has_precedence_in_any_order() -> None:
    for overrides in (
        {"internal.segment.bytes": "100", "segment.bytes": "2097152"},
        {"segment.bytes": "2097152", "internal.segment.bytes": "100"},
    ):
        assert LogConfig().with_overrides(overrides).segment_bytes == 100


def test_what_is_stored_stays_in_effect_though_it_would_not_be_accepted_today() -> None:
    config = LogConfig().with_overrides({"segment.bytes": "1024", "message.format.version": "2.0"})
    assert config.segment_bytes == 1024
    with pytest.raises(OptionError, match=r"segment\.bytes"):
        LogConfig().with_overrides({"segment.bytes": "many"})


@given(st.dictionaries(st.sampled_from(sorted(topic_options())), st.integers(0, 9).map(str)))
def test_a_log_config_is_what_each_config_resolves_to(overrides: dict[str, str]) -> None:
    integers = {
        name: text
        for name, text in overrides.items()
        if name.endswith((".ms", ".bytes", ".messages", ".level")) and not name.startswith("internal.")
    }
    config = LogConfig.from_overrides({}, integers)
    for name in integers:
        assert getattr(config, name.replace(".", "_")) == resolve(topic_options()[name], integers, {})


@pytest.mark.parametrize(
    ("overrides", "changed"),
    [
        ({}, {}),
        ({"cleanup.policy": ""}, {"delete": False}),
        ({"cleanup.policy": "compact , delete"}, {"compact": True}),
        ({"cleanup.policy": "compact,compact"}, {"compact": True, "delete": False}),
        ({"compression.gzip.level": "-1"}, {}),
        ({"min.cleanable.dirty.ratio": " 0.25 "}, {"min_cleanable_dirty_ratio": 0.25}),
        ({"preallocate": "TRUE"}, {"preallocate": True}),
        ({"remote.storage.enable": "false"}, {}),
        ({"remote.log.copy.disable": "true"}, {"remote_log_copy_disable": True}),
        ({"remote.log.delete.on.disable": "true"}, {"remote_log_delete_on_disable": True}),
        (
            {"retention.ms": "1000", "local.retention.ms": "2000"},
            {"retention_ms": 1000, "local_retention_ms": 2000},
        ),
        ({"local.retention.ms": "-1"}, {"local_retention_ms": -1}),
        ({"leader.replication.throttled.replicas": "*"}, {"leader_replication_throttled_replicas": ("*",)}),
        (
            {"leader.replication.throttled.replicas": "0:1,1:2"},
            {"leader_replication_throttled_replicas": ("0:1", "1:2")},
        ),
        ({"follower.replication.throttled.replicas": ""}, {}),
        ({"internal.segment.bytes": "1024"}, {"segment_bytes": 1024}),
        ({"retention.bytes": "-5"}, {"retention_bytes": -5}),
        ({"segment.bytes": "+2000000"}, {"segment_bytes": 2_000_000}),
        (
            {"min.compaction.lag.ms": "5", "max.compaction.lag.ms": "5"},
            {"min_compaction_lag_ms": 5, "max_compaction_lag_ms": 5},
        ),
    ],
)
def test_what_kafka_accepts_is_accepted(overrides: dict[str, str], changed: dict[str, Any]) -> None:
    validate_topic_configs(overrides)  # which would raise
    assert LogConfig().with_overrides(overrides) == dataclasses.replace(LogConfig(), **changed)


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"foo": "1"}, "Unknown topic config name: foo"),
        ({"message.format.version": "3.0"}, "Unknown topic config name"),
        ({"segment.bytes": "abc"}, "Invalid value abc for configuration segment.bytes"),
        ({"segment.bytes": "1"}, "must be at least 1048576"),
        ({"segment.bytes": "3000000000"}, "segment.bytes"),
        ({"segment.bytes": ""}, "segment.bytes"),
        ({"cleanup.policy": "none"}, "compact, delete"),
        ({"cleanup.policy": "Compact"}, "cleanup.policy"),
        ({"compression.type": "GZIP"}, "uncompressed, zstd, lz4, snappy, gzip, producer"),
        ({"compression.gzip.level": "0"}, "between 1 and 9 or -1"),
        ({"min.cleanable.dirty.ratio": "1.5"}, "min.cleanable.dirty.ratio"),
        ({"preallocate": "yes"}, "true or false"),
        ({"retention.ms": "-2"}, "retention.ms"),
        ({"local.retention.bytes": "-3"}, "local.retention.bytes"),
        ({"max.compaction.lag.ms": "0"}, "max.compaction.lag.ms"),
        ({"min.insync.replicas": "0"}, "min.insync.replicas"),
        ({"leader.replication.throttled.replicas": "0-1"}, "PARTITION:BROKER"),
        ({"min.compaction.lag.ms": "10", "max.compaction.lag.ms": "5"}, "min.compaction.lag.ms (10) > max"),
        ({"remote.storage.enable": "true"}, "tiered storage is disabled"),
        ({"retention.ms": None}, "Null value not supported for topic configs: retention.ms"),
    ],
)
def test_what_kafka_refuses_is_refused(overrides: dict[str, str | None], message: str) -> None:
    with pytest.raises(ApiError) as caught:
        validate_topic_configs(overrides)
    assert caught.value.code == INVALID_CONFIG
    assert message in caught.value.message


def test_configs_must_agree_with_what_the_broker_says() -> None:
    broker = LogConfig.from_broker({"log.cleaner.min.compaction.lag.ms": "100"})
    with pytest.raises(ApiError, match=r"min\.compaction\.lag\.ms \(100\)"):
        validate_topic_configs({"max.compaction.lag.ms": "50"}, broker)
