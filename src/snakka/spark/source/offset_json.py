"""Offsets as JSON, byte for byte as Spark's own Kafka source writes them, so that either continues the other's checkpoint.

Rule: pure. The order of topics and partitions in the text is that of the hash tables of Scala 2.13, in which Spark's source
collects them before it writes them; Spark takes two offsets for the same only if the texts are.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from snakka.client.topic_partition import TopicPartition

Offsets = dict[TopicPartition, int]
JsonOffsets = dict[str, dict[str, int]]
K = TypeVar("K", str, int)

_FIRST_TABLE = 16
_LOAD_FACTOR = 0.75
_INT_BITS = 0xFFFFFFFF


def json_offsets(offsets: Mapping[TopicPartition, int]) -> JsonOffsets:
    """As a dictionary, in the order of the text."""
    ordered = sorted(offsets)
    by_topic: dict[str, list[int]] = {}
    for topic, partition in ordered:
        by_topic.setdefault(topic, []).append(partition)
    return {
        topic: {
            str(partition): offsets[TopicPartition(topic, partition)]
            for partition in _scala_order(by_topic[topic], int)
        }
        for topic in _scala_order([each.topic for each in ordered], _string_hash)
    }


def offsets_text(offsets: Mapping[TopicPartition, int]) -> str:
    """The JSON text itself."""
    return json.dumps(json_offsets(offsets), separators=(",", ":"))


def offsets_of(value: Mapping[str, Mapping[str, int]]) -> Offsets:
    """Back from what Spark hands us."""
    return {
        TopicPartition(topic, int(partition)): int(offset)
        for topic, partitions in value.items()
        for partition, offset in partitions.items()
    }


def _string_hash(text: str) -> int:
    """As Java's String.hashCode, without the sign. Names of topics are ASCII."""
    result = 0
    for character in text:
        result = (31 * result + ord(character)) & _INT_BITS
    return result


def _scala_order(puts: Iterable[K], hash_of: Callable[[K], int]) -> list[K]:
    """The keys as a mutable.HashMap lists them after these puts: by bucket, and in a bucket by hash.

    A table grows before it looks whether it has the key, so it matters how often one is put.
    """
    size = _FIRST_TABLE
    keys: dict[K, int] = {}
    for key in puts:
        if len(keys) + 1 >= int(size * _LOAD_FACTOR):
            size *= 2
        if key not in keys:
            plain = hash_of(key)
            keys[key] = plain ^ (plain >> 16)

    def place(key: K) -> tuple[int, int]:
        improved = keys[key]
        signed = improved - (1 << 32) if improved >> 31 else improved
        return improved & (size - 1), signed

    return sorted(keys, key=place)
