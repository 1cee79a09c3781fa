"""Where Snakka's answers may differ from Apache Kafka's, and why.

Texts for people (messages of errors, documentation of configs) are Snakka's own words everywhere, and an error may come
with a text where Kafka's has none: they are not compared (see normal_form). Whatever else differs is listed here. An entry
that its cases do not need any more fails them, so that the list stays true.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

Judgement = Callable[[Any, Any], bool]


class Difference(NamedTuple):
    """Allows the answers in `cases` to differ for `reason`.

    `fields` are those that may: the API of the answer and the path within it, without positions. `only` narrows it to
    certain pairs of values, Kafka's and Snakka's.
    """

    cases: tuple[str, ...]
    fields: tuple[str, ...]
    reason: str
    only: Judgement | None = None

    def allows(self, case: str, field: str, kafka: Any, snakka: Any) -> bool:
        return case in self.cases and field in self.fields and (self.only is None or self.only(kafka, snakka))


def _are_served_alike(kafka: list[Any], snakka: list[Any]) -> bool:
    return all(served in kafka for served in snakka)


def _are_the_first(kafka: list[Any], snakka: list[Any]) -> bool:
    return kafka[: len(snakka)] == snakka


def _is_whole_part(kafka: list[Any], snakka: list[Any]) -> bool:
    return kafka[:-1] == snakka and "cut off after" in kafka[-1]


# What changes in the answer to a produce, and in what is read then, if one side has taken a batch and the other has not.
_TAKEN_OR_NOT = tuple(
    f"produce responses.partition_responses.{name}"
    for name in ("error_code", "base_offset", "log_start_offset", "error_message", "record_errors")
)
_READ = tuple(
    f"fetch responses.partitions.{name}" for name in ("high_watermark", "last_stable_offset", "records")
)
_ONE_ROW = tuple(
    f"fetch responses.partitions.{name}"
    for name in (
        *("error_code", "high_watermark", "last_stable_offset", "log_start_offset"),
        *("aborted_transactions", "records"),
    )
)

KAFKA_FAILS = "Kafka fails with an internal error (-1); Snakka answers"
KAFKA_HANGS = "Kafka never answers, and the client waits until it gives up; Snakka refuses"
ONCE = "Kafka keeps one of several entries for a partition, Snakka serves each; no client sends two"
HEADERS_ONLY = (
    "Snakka judges a batch by its header and checksum, and looks at single records only where the topic needs it: "
    "compaction, or another codec. What a producer says of its records in the header is its own affair"
)

DIFFERENCES = (
    Difference(
        (
            "api_versions:on_each_listener",
            "api_versions:software_names_that_are_none",
            "update_features:down_and_up_again",
        ),
        ("api_versions api_keys",),
        "Snakka does not serve all of Kafka's APIs yet: SUPPORTED_APIS.md lists them",
        _are_served_alike,
    ),
    Difference(
        ("fetch:within_limits_of_bytes",),
        ("fetch responses.partitions.records",),
        "where a limit of bytes ends within a batch, Kafka sends the part that fits, which no client can use",
        _is_whole_part,
    ),
    Difference(
        ("fetch:committed_records",),
        ("fetch responses.partitions.aborted_transactions",),
        "Kafka also names aborted transactions that begin behind what it sends; to a reader they mean nothing",
        _are_the_first,
    ),
    # Requests that Kafka answers with an internal error, or not at all.
    Difference(
        ("fetch:with_limits_that_are_none",),
        ("fetch error_code", "fetch responses", *_ONE_ROW),
        f"{KAFKA_FAILS} as to the smallest limit, and as to a reader of uncommitted records",
    ),
    Difference(
        ("produce:codecs_that_are_none",),
        _TAKEN_OR_NOT,
        f"{KAFKA_FAILS} that the record is invalid",
    ),
    Difference(
        ("incremental_alter_configs:operations_that_are_none",),
        ("incremental_alter_configs responses.error_code",),
        f"{KAFKA_FAILS} that the request is invalid",
    ),
    Difference(
        ("metadata:a_topic_without_name_and_id",),
        tuple(
            f"metadata {name}"
            for name in (
                *("brokers", "cluster_id", "controller_id", "error_code"),
                *("topics.error_code", "topics.name"),
            )
        ),
        f"{KAFKA_FAILS} that there is no topic with this id",
    ),
    Difference(
        ("describe_topic_partitions:a_topic_without_a_name",),
        (
            "describe_topic_partitions topics.error_code",
            "describe_topic_partitions topics.topic_authorized_operations",
        ),
        f"{KAFKA_FAILS} that the name is invalid, as it does for all other names",
    ),
    Difference(
        ("consumer_group_heartbeat:data_that_no_broker_understands",),
        ("consumer_group_heartbeat error_code",),
        f"{KAFKA_FAILS} that the group can not be of both kinds",
    ),
    Difference(("alter_configs:one_resource_twice",), ("alter_configs ",), KAFKA_HANGS),
    Difference(("produce:no_records_at_all",), ("produce ",), KAFKA_HANGS),
    Difference(
        ("add_partitions_to_txn:no_transactions_at_all",),
        ("add_partitions_to_txn ",),
        "Kafka never answers; to Snakka nothing is quickly done",
    ),
    Difference(
        ("join_group:a_first_member_that_is_refused",),
        tuple(f"describe_groups groups.{name}" for name in ("error_code", "error_message", "group_state")),
        "Kafka keeps an empty group of the one whom it has refused; Snakka keeps nothing",
    ),
    # Requests that no client sends.
    Difference(("produce:a_partition_twice",), ("produce responses.partition_responses", *_READ), ONCE),
    Difference(("fetch:a_partition_twice",), ("fetch responses.partitions",), ONCE),
    Difference(
        ("describe_producers:of_a_partition_twice",),
        ("describe_producers topics.partitions",),
        "a small request could ask for the same long list any number of times; Snakka gives it once",
    ),
    Difference(
        ("api_versions:text_that_is_not_utf_8",),
        ("bytes ",),
        "Kafka replaces what is not UTF-8, so that two names become one; Snakka takes it for damage",
    ),
    Difference(
        ("api_versions:lists_of_less_than_nothing",),
        ("bytes ",),
        "Kafka takes any negative length for null; to Snakka one below -1 is damage",
    ),
    # What Snakka does otherwise on purpose.
    Difference(
        ("list_offsets:by_timestamp_after_whole_segments_were_deleted",),
        tuple(f"list_offsets topics.partitions.{name}" for name in ("timestamp", "offset", "leader_epoch")),
        "Kafka stops at the first segment that is late enough, though its records are deleted, and finds nothing",
        lambda kafka, snakka: kafka == -1,
    ),
    Difference(
        ("metadata:a_topic_that_comes_into_being_by_being_asked_for",),
        tuple(f"metadata topics.{name}" for name in ("error_code", "partitions", "topic_id")),
        "Kafka says that the topic is unknown and creates it meanwhile; Snakka answers when it is there",
    ),
    Difference(
        ("create_topics:without_time_to_wait",),
        tuple(
            f"create_topics topics.{name}"
            for name in (
                *("error_code", "error_message", "topic_id"),
                *("num_partitions", "replication_factor", "configs"),
            )
        ),
        "Kafka gives up before it begins; to Snakka no time means as much as it takes",
    ),
    Difference(
        ("describe_configs:of_loggers",),
        ("describe_configs results.configs",),
        "the loggers are those of another program",
    ),
    Difference(
        ("alter_configs:through_the_controllers_listener",),
        ("alter_configs responses.error_code", "alter_configs responses.error_message"),
        "Kafka's controllers store options of brokers without a look at them; Snakka refuses what a broker cannot take",
    ),
    Difference(
        ("incremental_alter_configs:changes_through_the_controllers_listener",),
        (
            "incremental_alter_configs responses.error_code",
            "incremental_alter_configs responses.error_message",
        ),
        "as for AlterConfigs",
    ),
    Difference(
        ("produce:headers_that_lie_about_time",),
        ("fetch responses.partitions.records.max_timestamp",),
        HEADERS_ONLY,
    ),
    Difference(("produce:damaged_compressed_batches",), _TAKEN_OR_NOT, HEADERS_ONLY),
    Difference(("produce:a_time_out_of_bounds_after_none",), _TAKEN_OR_NOT, HEADERS_ONLY),
    Difference(
        ("produce:timestamps_out_of_bounds",),
        ("produce responses.partition_responses.record_errors",),
        "the batch is refused as a whole, by its header, so Snakka does not name the records",
    ),
    Difference(
        ("produce:log_append_time_from_a_client",),
        (*_TAKEN_OR_NOT, *_READ),
        "only brokers may set this mark; where the topic keeps the clients' times, Kafka clears it, Snakka refuses it",
    ),
)
