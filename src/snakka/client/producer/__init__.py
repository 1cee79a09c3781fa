"""Sending records: `Producer` is what users have; the other modules are its parts."""

from snakka.client.producer.producer import Producer
from snakka.client.producer.receipts import BatchMetadata, RecordMetadata

__all__ = ["BatchMetadata", "Producer", "RecordMetadata"]
