"""A Kafka client on asyncio."""
