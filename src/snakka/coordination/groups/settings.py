"""What the broker's options say of groups, read once for each change of an option."""

from dataclasses import dataclass

from snakka.options.option_set import OptionSet


@dataclass(frozen=True, slots=True)
class GroupSettings:
    """Every option of groups and offsets that a decision looks at; the names are the options' names."""

    group_min_session_timeout_ms: int = 6_000
    group_max_session_timeout_ms: int = 1_800_000
    group_initial_rebalance_delay_ms: int = 3_000
    group_max_size: int = 2**31 - 1
    offset_metadata_max_bytes: int = 4_096
    offsets_retention_ms: int = 7 * 24 * 3_600_000
    group_coordinator_rebalance_protocols: tuple[str, ...] = ("classic", "consumer", "streams")
    group_consumer_session_timeout_ms: int = 45_000
    group_consumer_min_session_timeout_ms: int = 45_000
    group_consumer_max_session_timeout_ms: int = 60_000
    group_consumer_heartbeat_interval_ms: int = 5_000
    group_consumer_min_heartbeat_interval_ms: int = 5_000
    group_consumer_max_heartbeat_interval_ms: int = 15_000
    group_consumer_max_size: int = 2**31 - 1
    group_consumer_assignors: tuple[str, ...] = ("uniform", "range")
    group_consumer_migration_policy: str = "bidirectional"
    group_consumer_assignment_interval_ms: int = 1_000
    group_consumer_min_assignment_interval_ms: int = 0
    group_consumer_max_assignment_interval_ms: int = 15_000
    group_consumer_regex_refresh_interval_ms: int = 600_000

    @classmethod
    def from_options(cls, options: OptionSet) -> "GroupSettings":
        integer, entries = options.integer, options.entries
        return cls(
            group_min_session_timeout_ms=integer("group.min.session.timeout.ms"),
            group_max_session_timeout_ms=integer("group.max.session.timeout.ms"),
            group_initial_rebalance_delay_ms=integer("group.initial.rebalance.delay.ms"),
            group_max_size=integer("group.max.size"),
            offset_metadata_max_bytes=integer("offset.metadata.max.bytes"),
            offsets_retention_ms=integer("offsets.retention.minutes") * 60_000,
            group_coordinator_rebalance_protocols=tuple(entries("group.coordinator.rebalance.protocols")),
            group_consumer_session_timeout_ms=integer("group.consumer.session.timeout.ms"),
            group_consumer_min_session_timeout_ms=integer("group.consumer.min.session.timeout.ms"),
            group_consumer_max_session_timeout_ms=integer("group.consumer.max.session.timeout.ms"),
            group_consumer_heartbeat_interval_ms=integer("group.consumer.heartbeat.interval.ms"),
            group_consumer_min_heartbeat_interval_ms=integer("group.consumer.min.heartbeat.interval.ms"),
            group_consumer_max_heartbeat_interval_ms=integer("group.consumer.max.heartbeat.interval.ms"),
            group_consumer_max_size=integer("group.consumer.max.size"),
            group_consumer_assignors=tuple(entries("group.consumer.assignors")),
            group_consumer_migration_policy=options.text("group.consumer.migration.policy").lower(),
            group_consumer_assignment_interval_ms=integer("group.consumer.assignment.interval.ms"),
            group_consumer_min_assignment_interval_ms=integer("group.consumer.min.assignment.interval.ms"),
            group_consumer_max_assignment_interval_ms=integer("group.consumer.max.assignment.interval.ms"),
            group_consumer_regex_refresh_interval_ms=integer("group.consumer.regex.refresh.interval.ms"),
        )
