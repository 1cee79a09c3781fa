"""buffer.memory: how much may wait to be sent, and who waits until there is room. First come, first served."""

import asyncio
from collections import deque

from snakka.client.errors import BufferFullError


class BufferMemory:
    """A count of bytes; nothing is allocated here."""

    def __init__(self, total_bytes: int) -> None:
        self.total_bytes = total_bytes
        self.free_bytes = total_bytes
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()

    def take_now(self, size: int) -> bool:
        """False if there is no room, or others came before."""
        if size > self.free_bytes or self._waiting:
            return False
        self.free_bytes -= size
        return True

    async def take(self, size: int, deadline_seconds: float) -> None:
        """Wait for room; BufferFullError if there is none in time."""
        if self.take_now(size):
            return
        granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        entry = (size, granted)
        self._waiting.append(entry)
        try:
            async with asyncio.timeout(deadline_seconds):
                await granted
        except BaseException as error:
            if granted.done() and not granted.cancelled():
                self.give_back(size)  # it came too late
            elif entry in self._waiting:
                self._waiting.remove(entry)
                self._grant()
            if isinstance(error, TimeoutError):
                raise BufferFullError(
                    f"no {size} bytes of buffer.memory={self.total_bytes} became free within"
                    f" {deadline_seconds:.3g} s: brokers are slower than this producer; send less, or wait longer"
                    " with max.block.ms"
                ) from None
            raise

    def give_back(self, size: int) -> None:
        self.free_bytes += size
        if self._waiting:
            self._grant()

    def _grant(self) -> None:
        while self._waiting and self._waiting[0][0] <= self.free_bytes:
            size, granted = self._waiting.popleft()
            if not granted.done():
                self.free_bytes -= size
                granted.set_result(None)
