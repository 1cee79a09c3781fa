"""A Kafka client on asyncio: it works against Snakka and Apache Kafka alike, and needs nothing of the broker's side."""
