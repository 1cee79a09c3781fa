"""Cuts the stream of one connection into frames, without I/O: where the next bytes go, and which frames are there.

The rule: a connection costs what it has really sent. Reads land in the shared buffer; the small rest of a frame is
carried over as exact bytes and put before the next read; a large frame gets a buffer that grows as its bytes arrive.
A frame is a view that is valid until the next call of any method here.
"""

import struct
from collections.abc import Callable

from snakka.network.receive_buffer import PrivateBuffer, ReceiveMemory

_unpack_size = struct.Struct(">i").unpack_from
SIZE_BYTES = 4
# The rest of a frame up to this size is copied in front of the next read; only a larger frame gets its own buffer.
CARRY_BYTES = 32 * 1024
# What a private buffer has room for at first, if not even a quarter of that has arrived.
FIRST_ROOM_BYTES = 32 * 1024
_NOTHING = memoryview(b"")


class BadFrameError(Exception):
    """The announced size is negative or above the limit: this is not a client of ours, or it means harm."""


class FrameSplitter:
    """The receiving side of one connection.

    `next_frame` gives None when more bytes are needed, or memory: then `needs_memory` is true, and `on_memory` is
    called once the frame may be received.
    """

    __slots__ = (
        "_carry",
        "_end",
        "_filled",
        "_is_handed_out",
        "_largest_frame",
        "_memory",
        "_on_memory",
        "_position",
        "_private",
        "_reserved",
        "_size",
        "_view",
        "needs_memory",
    )

    def __init__(self, memory: ReceiveMemory, largest_frame: int, on_memory: Callable[[], None]) -> None:
        self._memory = memory
        self._largest_frame = largest_frame
        self._on_memory = on_memory
        # What has arrived and is not handed out yet: _view[_position:_end].
        self._view = _NOTHING
        self._position = 0
        self._end = 0
        # Bytes that go before the next read; kept until that read has really happened.
        self._carry = b""
        # The large frame that is being received: its buffer, its size, how much of it is there.
        self._private: PrivateBuffer | None = None
        self._size = 0
        self._filled = 0
        self._is_handed_out = False
        self._reserved = 0
        self.needs_memory = False

    def buffer(self) -> memoryview:
        """Where the next bytes are to be put. The shared buffer is anybody's again once they are handled."""
        if self._private is not None:
            return self._private_room(self._private)
        carry = self._carry
        if carry:
            shared = self._memory.shared
            shared[: len(carry)] = carry
            return shared[len(carry) :]
        return self._memory.shared

    @property
    def missing_bytes(self) -> int:
        """How many bytes are still to come of the large frame that is being received; 0 if there is none."""
        return 0 if self._private is None else self._size - self._filled

    def received(self, count: int) -> None:
        """`count` bytes were put into the buffer."""
        if self._private is not None:
            self._filled += count
            return
        self._view = self._memory.shared
        self._position = 0
        self._end = count
        if self._carry:
            self._end += len(self._carry)
            self._carry = b""

    def next_frame(self) -> memoryview | None:
        """The next whole frame without its size prefix, or None."""
        if self._private is not None:
            if not self._is_handed_out:
                return self._private_frame(self._private)
            self._free_private()
        position = self._position
        start = position + SIZE_BYTES
        if start <= self._end:
            size = _unpack_size(self._view, position)[0]
            end = start + size
            if size < 0 or size > self._largest_frame:
                raise BadFrameError(
                    f"it announced a frame of {size} bytes, where {self._largest_frame} are allowed"
                )
            if end <= self._end:
                self._position = end
                return self._view[start:end]
            if size > CARRY_BYTES:
                self._begin_private(size)
                return None
        elif position == self._end:
            # Nothing is left, as after nearly every read.
            self._view = _NOTHING
            self._position = self._end = 0
            return None
        self._keep_rest()
        return None

    def keep_for_later(self) -> None:
        """The connection stops for now: what it has not handled leaves the shared buffer, which the others need."""
        if self._is_handed_out:
            self._free_private()
        if self._position < self._end and self._view is self._memory.shared:
            self._view = memoryview(bytes(self._view[self._position : self._end]))
            self._end -= self._position
            self._position = 0

    def give_frame_away(self) -> bool:
        """Whether the frame that was handed out last has a buffer of its own: then that is its taker's, and stays valid."""
        if not self._is_handed_out:
            return False
        self._private = None
        self._free_private()
        return True

    def memory_granted(self, size: int) -> None:
        """`size` bytes are reserved for the frame that had to wait."""
        self._reserved = size
        self.needs_memory = False
        self._on_memory()

    def close(self) -> None:
        """Free all that is held."""
        self._memory.forget(self)
        self._free_private()
        self._carry = b""
        self._empty_view()

    def _keep_rest(self) -> None:
        self._carry = bytes(self._view[self._position : self._end])
        self._empty_view()

    def _empty_view(self) -> None:
        self._view = _NOTHING
        self._position = self._end = 0

    def _begin_private(self, size: int) -> None:
        if not self._reserved:
            if not self._memory.reserve(size, self):
                self.needs_memory = True
                return
            self._reserved = size
        arrived = self._view[self._position + SIZE_BYTES : self._end]
        buffer = self._memory.take(size, max(len(arrived), FIRST_ROOM_BYTES // 4))
        memoryview(buffer)[: len(arrived)] = arrived
        self._private, self._size, self._filled = buffer, size, len(arrived)
        self._empty_view()

    def _private_room(self, buffer: PrivateBuffer) -> memoryview:
        if self._filled == len(buffer):
            # A new buffer rather than a resize: the event loop may still hold a view of the old one.
            larger = self._memory.take(self._size, self._filled)
            memoryview(larger)[: self._filled] = buffer
            self._memory.give_back(buffer)
            self._private = buffer = larger
        return memoryview(buffer)[self._filled : self._size]

    def _private_frame(self, buffer: PrivateBuffer) -> memoryview | None:
        if self._filled < self._size:
            return None
        self._is_handed_out = True
        return memoryview(buffer)[: self._size]

    def _free_private(self) -> None:
        buffer, self._private = self._private, None
        self._is_handed_out = False
        if buffer is not None:
            self._memory.give_back(buffer)
        reserved, self._reserved = self._reserved, 0
        if reserved:
            self._memory.release(reserved)
