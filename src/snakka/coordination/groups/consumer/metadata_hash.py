"""One number for all that an assignment rests on in the cluster's metadata: ids, sizes and racks of the topics (KIP-1101).

A group's record keeps it; when it is another one, there is something to assign anew. It is Kafka's own, so a group that
moves between nodes of both kinds is not disturbed.
"""

from collections.abc import Iterable
from functools import lru_cache
from struct import Struct

from snakka.coordination.groups.consumer.xxh3 import xxh3_64
from snakka.metadata.image.cluster import ClusterImage
from snakka.metadata.image.topics import TopicImage
from snakka.protocol.uuids import Uuid

_MAGIC = b"\0"
_INT32 = Struct("<i")
_INT64 = Struct("<q")

# The racks of each partition's replicas; None if no broker has one.
_Racks = tuple[tuple[str, ...], ...] | None


def metadata_hash(image: ClusterImage, names: Iterable[str]) -> int:
    """Of those topics that exist; 0 if none does."""
    racks = {broker.id: broker.rack for broker in image.brokers.by_id.values() if broker.rack is not None}
    hashes = []
    for name in sorted(names):
        topic = image.topics.get(name)
        if topic is not None:
            hashes.append(_INT64.pack(_topic_hash(topic, racks)))
    return _signed(xxh3_64(b"".join(hashes))) if hashes else 0


def _topic_hash(topic: TopicImage, racks: dict[int, str]) -> int:
    partition_racks: _Racks = None
    if racks:
        partition_racks = tuple(
            tuple(sorted(racks[replica] for replica in topic.partitions[number].replicas if replica in racks))
            for number in range(len(topic.partitions))
        )
    return _hash_of(topic.id, topic.name, len(topic.partitions), partition_racks)


@lru_cache(maxsize=4_096)
def _hash_of(topic_id: Uuid, name: str, count: int, racks: _Racks) -> int:
    most, least = topic_id[:8][::-1], topic_id[8:][::-1]
    parts = [_MAGIC, most, least, _text(name), _INT32.pack(count)]
    for number in range(count):
        parts.append(_INT32.pack(number))
        for rack in racks[number] if racks is not None else ():
            parts += (_INT32.pack(_units(rack)), _text(rack))
    return _signed(xxh3_64(b"".join(parts)))


def _text(text: str) -> bytes:
    """As Kafka's hashing takes in strings: UTF-16 units, then how many they are."""
    return text.encode("utf-16-le", "surrogatepass") + _INT32.pack(_units(text))


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value
