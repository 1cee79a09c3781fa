"""The consumer: reads partitions of its own choice, or those that its group gives it."""

from snakka.client.consumer.consumer import Consumer
from snakka.client.consumer.messages import Message, OffsetAndMetadata, OffsetAndTimestamp, TopicPartition

__all__ = ["Consumer", "Message", "OffsetAndMetadata", "OffsetAndTimestamp", "TopicPartition"]
