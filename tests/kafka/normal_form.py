"""Answers as plain dicts and lists in which everything that two brokers can not have in common is replaced.

An id becomes a label that counts the different ones in the order in which they appear, so that it still matters whether two
fields name the same thing. Of a time, or a text that is meant for people, only its presence is kept.
"""

import re
from typing import Any

from snakka.protocol.api_keys import API_FACTS
from snakka.protocol.batch_reader import read_records
from snakka.protocol.message import Message
from snakka.protocol.record_batch import HEADER_SIZE, BatchHeader, crc_matches, read_header
from snakka.protocol.uuids import ZERO_UUID

# Fields that carry ids; the values that stay as they are mean "none".
LABELLED = {
    "topic_id": ZERO_UUID,
    "replica_directory_id": ZERO_UUID,
    "cluster_id": None,
    "session_id": 0,
    "producer_id": -1,
}
# Ids that both brokers give out in the same order, though not the same ones.
COUNTED = {"producer_id"}
# Ids within a text, as in those of members of groups.
UUID_TEXT = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
# Fields of which only the sign is compared: times, and offsets of a log that each broker writes for itself.
VAGUE = {
    "log_append_time_ms",
    "last_fetch_timestamp",
    "last_caught_up_timestamp",
    "finalized_features_epoch",
    "transaction_start_time_ms",
    "total_bytes",
    "usable_bytes",
    "describe_quorum.high_watermark",
    "describe_quorum.leader_epoch",
    "describe_quorum.log_end_offset",
}
# Texts for people: ours are our own.
TEXTS = {"error_message", "batch_index_error_message", "documentation"}
# Lists whose order Kafka takes from hash tables: what to sort them by.
UNORDERED = {
    "api_versions.supported_features": ("name",),
    "api_versions.finalized_features": ("name",),
    "add_partitions_to_txn.results_by_partition": ("partition_index",),
    "add_partitions_to_txn.results_by_topic_v3_and_below": ("name",),
    "add_partitions_to_txn.results_by_transaction": ("transactional_id",),
    "add_partitions_to_txn.topic_results": ("name",),
    "alter_configs.responses": ("resource_type", "resource_name"),
    "consumer_group_describe.groups": ("group_id",),
    "consumer_group_describe.members": ("instance_id", "member_id"),
    "consumer_group_describe.partitions": (),
    "consumer_group_describe.subscribed_topic_names": (),
    "consumer_group_describe.topic_partitions": ("topic_name",),
    "consumer_group_heartbeat.partitions": (),
    "consumer_group_heartbeat.topic_partitions": ("topic_id",),
    "create_partitions.results": ("name",),
    "create_topics.configs": ("name",),
    "create_topics.topics": ("name",),
    "delete_groups.results": ("group_id",),
    "delete_topics.responses": ("name", "topic_id", "error_code"),
    "delete_records.partitions": ("partition_index",),
    "delete_records.topics": ("name",),
    "describe_configs.configs": ("name",),
    "describe_groups.groups": ("group_id",),
    "describe_groups.members": ("group_instance_id", "member_metadata", "member_id"),
    "describe_transactions.partitions": (),
    "describe_transactions.topics": ("topic",),
    "describe_log_dirs.topics": ("name",),
    "describe_log_dirs.partitions": ("partition_index",),
    "describe_producers.active_producers": ("producer_id",),
    "fetch.partitions": ("partition_index",),
    "fetch.responses": ("topic", "topic_id"),
    "incremental_alter_configs.responses": ("resource_type", "resource_name"),
    "join_group.members": ("group_instance_id", "metadata", "member_id"),
    "list_groups.groups": ("group_id",),
    "list_offsets.partitions": ("partition_index",),
    "list_offsets.topics": ("name",),
    "list_transactions.transaction_states": ("transactional_id",),
    "list_transactions.unknown_state_filters": (),
    "offset_fetch.topics": ("name", "topic_id"),
    "offset_fetch.partitions": ("partition_index",),
    "produce.responses": ("name", "topic_id"),
    "produce.partition_responses": ("index",),
    "metadata.topics": ("name", "topic_id", "error_code"),
    "write_txn_markers.markers": ("producer_id",),
    "write_txn_markers.partitions": ("partition_index",),
    "write_txn_markers.topics": ("name",),
    "list_config_resources.config_resources": ("resource_type", "resource_name"),
}


class NormalForm:
    """Of the answers of one broker to one case: labels count from there."""

    def __init__(self, ports: dict[str, int], data: str, ignored: frozenset[str]) -> None:
        self._ignored = ignored
        self._replacements = {str(port): f"<{name} port>" for name, port in ports.items()} | {data: "<data>"}
        self._ports = {port: f"<{name} port>" for name, port in ports.items()}
        self._labels: dict[tuple[str, Any], str] = {}

    def of(self, message: Message) -> Any:
        return self._message(API_FACTS[message.API_KEY].module, message)

    def _message(self, api: str, message: Message) -> dict[str, Any]:
        fields = {name: self._field(api, name, getattr(message, name)) for name in message._fields()}
        if fields.get("error_code") and "error_message" in fields:
            fields["error_message"] = "<text or none>"
        return fields

    def _field(self, api: str, name: str, value: Any) -> Any:
        if name in self._ignored:
            return "<ignored>"
        if name == "port":
            return self._ports.get(value, value)
        for known in (name, f"{api}.{name}"):
            if known in LABELLED:
                return value if value == LABELLED[known] else self._label(name, value)
        if name in VAGUE or f"{api}.{name}" in VAGUE:
            return value if value <= 0 else "<positive>"
        if name in TEXTS:
            return "<text>" if value else value
        if name == "records":
            return self._batches(bytes(value or b""))
        if isinstance(value, Message):
            return self._message(api, value)
        if isinstance(value, list):
            return self._list(api, name, value)
        if isinstance(value, str):
            # Ids first: one of them may have the digits of a port.
            value = UUID_TEXT.sub(lambda found: self._label("uuid", found[0]), value)
            for text, label in self._replacements.items():
                value = value.replace(text, label)
        return value

    def _list(self, api: str, name: str, value: list[Any]) -> list[Any]:
        names = UNORDERED.get(f"{api}.{name}")
        if names is None:
            return [self._field(api, "", row) for row in value]
        if not names:
            return sorted(value)
        # Labels are given in an order that both brokers have in common; then they count as names.
        common = [each for each in names if each not in LABELLED or each in COUNTED]
        rows = sorted(value, key=lambda row: [_rank(getattr(row, each)) for each in common])
        ordered = sorted(
            (self._field(api, "", row) for row in rows),
            key=lambda row: [repr(row.get(each)) for each in names],
        )
        return _merged(ordered) if (api, name) == ("fetch", "responses") else ordered

    def know(self, kind: str, value: Any, label: str) -> None:
        """A value that a case has got otherwise than by an answer that is compared."""
        self._labels[kind, value] = f"<{kind} {label}>"

    def _label(self, kind: str, value: Any) -> str:
        count = sum(known == kind for known, _ in self._labels)
        return self._labels.setdefault((kind, value), f"<{kind} {count + 1}>")

    def _batches(self, data: bytes) -> list[Any]:
        """Every batch with its header and records, and the size of what is left of one that was cut off."""
        found: list[Any] = []
        position = 0
        while position + HEADER_SIZE <= len(data):
            header = read_header(data, position)
            if position + header.size > len(data):
                break
            found.append(self._batch(data[position : position + header.size], header))
            position += header.size
        if position < len(data):
            found.append({"cut off after": len(data) - position})
        return found

    def _batch(self, batch: bytes, header: BatchHeader) -> dict[str, Any]:
        fields = header._asdict()
        # Both depend on how well a codec compresses; whether the checksum is right does not.
        del fields["crc"], fields["length"]
        fields["crc_matches"] = crc_matches(batch, 0, header)
        fields["producer_id"] = self._field("", "producer_id", header.producer_id)
        records = [record._asdict() for record in read_records(batch)]
        if header.is_control:
            fields["base_timestamp"] = "<time>"
        if header.is_control or header.uses_log_append_time:
            fields["max_timestamp"] = "<time>"
            for record in records:
                record["timestamp"] = "<time>"
        return {**fields, "records": records}


def _rank(value: Any) -> Any:
    """What to sort by: ids that count by their number, all else by its text, as far as brokers have it in common."""
    return value if isinstance(value, int) else UUID_TEXT.sub("", repr(value))


def _merged(topics: list[Any]) -> list[Any]:
    """One row a topic: the order in which partitions are read, and so how often a topic is named, is the broker's."""
    merged: dict[tuple[str, bytes], Any] = {}
    for row in topics:
        known = merged.setdefault((row["topic"], row["topic_id"]), row)
        if known is not row:
            known["partitions"] = sorted(
                known["partitions"] + row["partitions"], key=lambda partition: partition["partition_index"]
            )
    return list(merged.values())
