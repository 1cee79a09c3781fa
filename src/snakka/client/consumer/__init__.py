"""The consumer: reads partitions of its own choice, or those that its group gives it."""

from snakka.client.consumer.consumer import Consumer
from snakka.client.consumer.groups.listener import RebalanceListener
from snakka.client.consumer.messages import Message, OffsetAndMetadata, OffsetAndTimestamp
from snakka.client.group_metadata import GroupMetadata
from snakka.client.topic_partition import TopicPartition

__all__ = [
    "Consumer",
    "GroupMetadata",
    "Message",
    "OffsetAndMetadata",
    "OffsetAndTimestamp",
    "RebalanceListener",
    "TopicPartition",
]
