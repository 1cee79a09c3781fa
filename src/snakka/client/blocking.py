"""The clients for programs without asyncio: the same classes and methods, and each call waits for its end.

    from snakka.client.blocking import Admin, Consumer, Producer

    with Producer(bootstrap_servers="127.0.0.1:9092") as producer:
        producer.send_and_wait("orders", b"three apples")

Rule: nothing is written twice: all methods are derived. What type checkers see is in blocking.pyi, which is generated.
"""

from snakka.client import admin as asyncio_admin
from snakka.client import consumer as asyncio_consumer
from snakka.client import producer as asyncio_producer
from snakka.client.blocking_client import BlockingClient

__all__ = ["Admin", "Consumer", "Producer"]


class Admin(BlockingClient, kind=asyncio_admin.Admin):
    """As `snakka.client.Admin`, for programs without asyncio.

    >>> with Admin(bootstrap_servers=bootstrap) as admin:
    ...     created = admin.create_topic("orders", partitions=3)
    ...     [topic.name for topic in admin.list_topics()]
    ['orders']
    """


class Producer(BlockingClient, kind=asyncio_producer.Producer):
    """As `snakka.client.Producer`, for programs without asyncio; `send` gives a future of concurrent.futures.

    >>> with Producer(bootstrap_servers=bootstrap) as producer:
    ...     future = producer.send("orders", b"three apples", key=b"alice")
    ...     future.result(timeout=10).offset
    0
    """


class Consumer(BlockingClient, kind=asyncio_consumer.Consumer):
    """As `snakka.client.Consumer`, for programs without asyncio.

    >>> with Producer(bootstrap_servers=bootstrap) as producer:
    ...     placed = producer.send_and_wait("orders", b"three apples")
    >>> with Consumer("orders", bootstrap_servers=bootstrap, auto_offset_reset="earliest") as consumer:
    ...     next(consumer).value
    b'three apples'
    """
