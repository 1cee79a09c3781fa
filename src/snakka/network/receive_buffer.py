"""Memory that requests are received into: one shared buffer a loop, and a bound on all private ones together.

A read lands in the shared buffer, and a frame that lies in it whole is handled there, without a copy. Only a large
frame that spans reads gets a private buffer. The rule: a connection reserves the announced size of such a frame before
it reads on, as Kafka's memory pool does, so that what is admitted can always be finished and no set of half-read
frames can block each other.
"""

import mmap
from typing import Protocol

SHARED_BYTES = 256 * 1024
UNLIMITED = -1
# A spare buffer saves zeroing a fresh one for each large frame.
SPARE_BYTES = 2 * 1024 * 1024
MOST_SPARES = 2

# Larger buffers are anonymous mappings: freed, they return to the system at once, where malloc may keep them.
PrivateBuffer = bytearray | mmap.mmap


class MemoryClient(Protocol):
    """Whoever had to wait for memory."""

    def memory_granted(self, size: int) -> None:
        """`size` bytes are reserved now. Called from within another's release: only take note of it."""


class ReceiveMemory:
    """Shared by all connections of one broker; `limit_bytes` is `queued.max.request.bytes` and may change live."""

    __slots__ = ("_spares", "_spares_made", "_waiters", "limit_bytes", "reserved_bytes", "shared")

    def __init__(self, limit_bytes: int = UNLIMITED) -> None:
        self.shared = memoryview(bytearray(SHARED_BYTES))
        self.limit_bytes = limit_bytes
        self.reserved_bytes = 0
        # In order of arrival, with the size that each waits for.
        self._waiters: dict[MemoryClient, int] = {}
        self._spares: list[bytearray] = []
        self._spares_made = 0

    def reserve(self, size: int, client: MemoryClient) -> bool:
        """Admit a frame of `size` bytes; False: `client` is told when there is room.

        The last one admitted may pass the limit, or a frame larger than the limit would wait for ever.
        """
        if self._waiters or self._is_full():
            self._waiters[client] = size
            return False
        self.reserved_bytes += size
        return True

    def release(self, size: int) -> None:
        """A frame has been handled, or its connection is gone."""
        self.reserved_bytes -= size
        while self._waiters and not self._is_full():
            client = next(iter(self._waiters))
            wanted = self._waiters.pop(client)
            self.reserved_bytes += wanted
            client.memory_granted(wanted)

    def forget(self, client: MemoryClient) -> None:
        """The client waits no longer."""
        self._waiters.pop(client, None)

    def take(self, size: int, received: int) -> PrivateBuffer:
        """A buffer for a frame of `size` bytes of which `received` are here: its room follows what really arrives."""
        if size <= SPARE_BYTES and self._spares:
            return self._spares.pop()
        room = 4 * received
        if self._spares_made < MOST_SPARES and SPARE_BYTES // 8 < size <= min(room, SPARE_BYTES):
            self._spares_made += 1
            return bytearray(SPARE_BYTES)
        room = min(size, room)
        return bytearray(room) if room <= SPARE_BYTES else _map_memory(room)

    def give_back(self, buffer: PrivateBuffer) -> None:
        """The frame in it has been handled: a spare serves again, any other is freed."""
        if isinstance(buffer, bytearray) and len(buffer) == SPARE_BYTES and len(self._spares) < MOST_SPARES:
            self._spares.append(buffer)

    def _is_full(self) -> bool:
        return self.limit_bytes != UNLIMITED and self.reserved_bytes >= self.limit_bytes


def _map_memory(size: int) -> mmap.mmap:
    return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
