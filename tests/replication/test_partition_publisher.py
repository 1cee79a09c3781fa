"""What a publisher asks of the logs: above all whether a partition is new, or may have had a log before."""

from typing import Any

from snakka.metadata.image.cluster import ClusterImage
from snakka.metadata.image.delta import Delta
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.message import Message
from snakka.protocol.record_types.metadata.partition_change_record import PartitionChangeRecord
from snakka.protocol.record_types.metadata.partition_record import PartitionRecord
from snakka.protocol.record_types.metadata.topic_record import TopicRecord
from snakka.protocol.uuids import UNASSIGNED_DIRECTORY
from snakka.replication.partition_publisher import PartitionPublisher
from snakka.replication.partition_table import PartitionTable
from snakka.storage.log_config import LogConfig

NODE = 1
TOPIC_ID = (1_000_000).to_bytes(16, "big")


class NoPlace:
    """Logs of a broker whose disks take nothing: they remember what they were asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int, bool]] = []

    def get(self, topic: str, index: int) -> None:
        return None

    def update_config(self, topic: str, config: LogConfig) -> None:
        raise AssertionError("no config was changed")

    def create(self, topic: str, index: int, *_: Any, is_new: bool, **__: Any) -> None:
        self.asked.append((topic, index, is_new))
        raise ApiError(ErrorCode.KAFKA_STORAGE_ERROR)


def partition(index: int) -> PartitionRecord:
    return PartitionRecord(
        topic_id=TOPIC_ID,
        partition_id=index,
        replicas=[NODE],
        isr=[NODE],
        leader=NODE,
        directories=[UNASSIGNED_DIRECTORY],
    )


def test_only_what_is_created_while_the_broker_runs_is_new() -> None:
    image = ClusterImage()
    logs = NoPlace()
    publisher = PartitionPublisher(
        NODE,
        logs,
        PartitionTable(),
        LogConfig,
        lambda _: None,
        lambda _: None,  # type: ignore[arg-type]
    )

    def publish(*records: Message) -> list[tuple[str, int, bool]]:
        delta = Delta()
        for record in records:
            delta.observe(image, record)
            image.replay(record)
        logs.asked.clear()
        publisher.publish(delta, image)
        return logs.asked[:]

    assert publish(TopicRecord(name="t", topic_id=TOPIC_ID), partition(0)) == [("t", 0, False)]
    assert publish(partition(1)) == [("t", 1, True)]
    # What could not be opened is asked for again when something of it changes: it is not new any more.
    change = PartitionChangeRecord(topic_id=TOPIC_ID, partition_id=1, leader=NODE)
    assert publish(change) == [("t", 1, False)]
