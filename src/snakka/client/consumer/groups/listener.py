"""What an application may do when its partitions change."""

import inspect
from collections.abc import Awaitable, Collection
from typing import Any

from snakka.client.topic_partition import TopicPartition


class RebalanceListener:
    """Derive from it and override what you need; each may be a coroutine too.

    They are called between messages: none that was handed out before is still being worked on, and none is handed out while
    one of them runs. Offsets may be committed, and positions sought.
    """

    def on_partitions_assigned(self, partitions: Collection[TopicPartition]) -> Awaitable[None] | None:
        """These are read from now on."""

    def on_partitions_revoked(self, partitions: Collection[TopicPartition]) -> Awaitable[None] | None:
        """These go to somebody else after this: the last moment to commit what was done with them."""

    def on_partitions_lost(self, partitions: Collection[TopicPartition]) -> Awaitable[None] | None:
        """These may be somebody else's already: nothing can be committed. As revoked, unless it is overridden."""
        return self.on_partitions_revoked(partitions)


async def finished(result: Any) -> None:
    """Wait for it if it is a coroutine."""
    if inspect.isawaitable(result):
        await result
