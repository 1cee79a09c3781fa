"""The hash of a group's topics is Kafka's: the numbers here were computed with the library that Kafka uses."""

import pytest

from snakka.coordination.groups.consumer.metadata_hash import metadata_hash
from snakka.coordination.groups.consumer.xxh3 import xxh3_64
from snakka.metadata.image.cluster import ClusterImage
from snakka.protocol.record_types.metadata.partition_record import PartitionRecord
from snakka.protocol.record_types.metadata.register_broker_record import RegisterBrokerRecord
from snakka.protocol.record_types.metadata.topic_record import TopicRecord

FOO = (1).to_bytes(8, "big") + (2).to_bytes(8, "big")


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (0, 3244421341483603138),
        (1, 5502495245947142431),
        (3, 7943829059066201772),
        (4, 6650799683851767871),
        (8, -433104430451296011),
        (9, 8944394699905593055),
        (16, -8742622969447446440),
        (17, -5364924204495744911),
        (32, -2057812048208419218),
        (33, -6566554354575335565),
        (64, 1338082372350062813),
        (65, -7510104758670172471),
        (128, 1211889905577015873),
        (129, 1605741916052902306),
        (240, -5273803999686196762),
        (241, -7679571566553258082),
        (1024, 8123710315364152507),
        (1025, 7405123385822357415),
        (5000, -2017479414651090596),
    ],
)
def test_xxh3(size: int, expected: int) -> None:
    assert xxh3_64(bytes((place * 131 + 7) & 0xFF for place in range(size))) == expected % (1 << 64)


def image(partitions: int, rack: str | None = None) -> ClusterImage:
    made = ClusterImage()
    made.replay(RegisterBrokerRecord(broker_id=1, rack=rack))
    made.replay(TopicRecord(name="foo", topic_id=FOO))
    for number in range(partitions):
        made.replay(PartitionRecord(partition_id=number, topic_id=FOO, replicas=[1], isr=[1], leader=1))
    return made


def test_a_topic_counts_with_its_id_name_and_partitions() -> None:
    # The topic's own hash is -5159372484819424185; the group's is the hash of all topics' hashes.
    own = (-5159372484819424185).to_bytes(8, "little", signed=True)
    assert metadata_hash(image(2), ["foo"]) % (1 << 64) == xxh3_64(own)


def test_racks_count_too() -> None:
    own = (-5180361088533321687).to_bytes(8, "little", signed=True)
    assert metadata_hash(image(1, "r1"), ["foo"]) % (1 << 64) == xxh3_64(own)


def test_what_does_not_exist_does_not_count() -> None:
    assert metadata_hash(image(1), []) == 0
    assert metadata_hash(image(1), ["bar"]) == 0
    assert metadata_hash(image(1), ["bar", "foo"]) == metadata_hash(image(1), ["foo"])


def test_a_grown_topic_is_another() -> None:
    assert metadata_hash(image(1), ["foo"]) != metadata_hash(image(2), ["foo"])
