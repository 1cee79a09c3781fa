"""The sending side of one connection: answers as a queue of parts, of which little is ever in memory.

The rule: the next chunk enters the transport only when the socket has taken the last one, so that a client that reads
slowly costs a handle and an offset, not the megabytes that it asked for. Parts of a file go from the system's memory into
the socket without passing through ours where that is possible. Elsewhere, as under TLS, they are read chunk by chunk, in a
thread where the disk would make the loop wait. Small answers that become ready in one turn leave in one write.
"""

import asyncio
from collections import deque
from collections.abc import Callable

from snakka.protocol.file_region import FileRegion
from snakka.protocol.frame import Frame, Part
from snakka.runtime import Offload

CHUNK_BYTES = 256 * 1024
# What the system is asked to move at once.
SENT_BYTES = 1024 * 1024
# After this much for one client the others get their turn.
TURN_BYTES = 2 * 1024 * 1024
# Up to this size, copying pieces together is cheaper than a system call each; up to the other they are gathered.
SMALL_BYTES = 16 * 1024
GATHERED_BYTES = 64 * 1024
# Above these the connection takes no further request until the client has read what it asked for.
MOST_QUEUED_BYTES = 1024 * 1024
MOST_QUEUED_PARTS = 64

_IN_MEMORY = (bytes, bytearray, memoryview)


class ChunkBuffer:
    """Where all connections of a listener read their chunks, one after the other.

    Nearly always the socket takes a chunk at once. If it does not, the transport keeps the buffer, and the next
    connection gets a new one: a fresh quarter of a mebibyte for each chunk would cost more than reading it.
    """

    __slots__ = ("view",)

    def __init__(self) -> None:
        self.leave()

    def leave(self) -> None:
        """A transport holds on to the buffer: begin another."""
        self.view = memoryview(bytearray(CHUNK_BYTES))


class Outbound:
    """Feeds one transport.

    `on_full` says that the client has not read enough of its answers to be served further, `on_drained` that all have
    left, `on_failure` that an answer that was begun cannot be completed.
    """

    __slots__ = (
        "_chunk",
        "_gathered",
        "_gathered_bytes",
        "_loop",
        "_offload",
        "_on_drained",
        "_on_failure",
        "_on_full",
        "_paused",
        "_position",
        "_queue",
        "_queued_bytes",
        "_socket_fd",
        "_suspended",
        "_transport",
        "corked",
    )

    def __init__(
        self,
        transport: asyncio.WriteTransport,
        loop: asyncio.AbstractEventLoop,
        offload: Offload,
        chunk: ChunkBuffer,
        *,
        on_full: Callable[[], None],
        on_drained: Callable[[], None],
        on_failure: Callable[[OSError], None],
    ) -> None:
        # With limits of zero the transport reports any rest that the socket did not take, and when that rest is gone.
        transport.set_write_buffer_limits(high=0)
        self._transport = transport
        # Where the system may put bytes of files; under TLS they are not what the client is to get.
        raw = transport.get_extra_info("socket")
        is_plain = raw is not None and transport.get_extra_info("ssl_object") is None
        self._socket_fd: int | None = raw.fileno() if is_plain else None
        self._loop = loop
        self._offload = offload
        self._chunk = chunk
        self._on_full = on_full
        self._on_drained = on_drained
        self._on_failure = on_failure
        self._queue: deque[Part] = deque()
        self._queued_bytes = 0
        # How much of the queue's first part has left it.
        self._position = 0
        # The socket takes no more for now.
        self._paused = False
        # A thread reads the next chunk, or it is the others' turn.
        self._suspended = False
        # Small pieces that leave in one write; between turns there are none.
        self._gathered: list[bytes | bytearray | memoryview] = []
        self._gathered_bytes = 0
        self.corked = False

    @property
    def is_empty(self) -> bool:
        """Everything has entered the transport."""
        return not self._queue and not self._gathered

    def send(self, answer: Frame) -> None:
        """Take over a sealed frame. While corked, small ones are gathered until `uncork`."""
        size = len(answer)
        if self._queue or self._paused or size > SMALL_BYTES or size != answer.total_size:
            self._enqueue(answer)
        elif self.corked:
            self._gather(answer, size)
        else:
            self._transport.write(answer)

    def uncork(self) -> None:
        """The turn is over."""
        self.corked = False
        if self._gathered:
            self._write_gathered()

    def pause(self) -> None:
        """The transport holds bytes that the socket did not take."""
        self._paused = True

    def resume(self) -> None:
        """The transport is empty again."""
        self._paused = False
        if self._queue:
            self._pump()
        self._tell_if_drained()

    def close(self) -> None:
        """Drop what is not sent: the connection is lost."""
        self._paused = True
        self._queue.clear()
        self._gathered.clear()
        self._queued_bytes = self._gathered_bytes = 0

    def _enqueue(self, answer: Frame) -> None:
        for part in answer.parts():
            self._queue.append(part)
            if isinstance(part, _IN_MEMORY):
                self._queued_bytes += len(part)
        self._pump()
        if len(self._queue) > MOST_QUEUED_PARTS or self._queued_bytes > MOST_QUEUED_BYTES:
            self._on_full()

    def _pump(self) -> None:
        """Move parts into the transport for as long as the socket takes them and it is this client's turn."""
        budget = TURN_BYTES
        while self._queue and not self._paused and not self._suspended:
            part = self._queue[0]
            size = min(len(part) - self._position, CHUNK_BYTES)
            if size > SMALL_BYTES and self._gathered:
                self._write_gathered()
                continue
            if budget <= 0:
                self._suspended = True
                self._loop.call_soon(self._continue)
                break
            if size > SMALL_BYTES and not isinstance(part, _IN_MEMORY):
                wanted = min(len(part) - self._position, SENT_BYTES)
                try:
                    sent = self._send_from_file(part, wanted)
                except OSError as error:
                    self._fail(error)
                    break
                if sent:
                    budget -= sent
                    self._advance(part, sent)
                if sent == wanted:
                    continue
                if sent is not None:
                    # The socket is full. The transport tells when there is room again if it has something to send.
                    size = min(len(part) - self._position, SMALL_BYTES)
            data = self._next_chunk(part, size)
            if data is None:
                break
            budget -= len(data)
            self._forward(data)
        if self._gathered and not self.corked:
            self._write_gathered()

    def _send_from_file(self, part: FileRegion, size: int) -> int | None:
        """How many of the next bytes of the queue's first part the socket took; None if they must be read."""
        transport = self._transport
        # A descriptor that is closed may be somebody else's by now.
        if self._socket_fd is None or transport.is_closing() or transport.get_write_buffer_size():
            return None
        return part.send(self._position, size, self._socket_fd)

    def _next_chunk(self, part: Part, size: int) -> bytes | bytearray | memoryview | None:
        """The next bytes of the queue's first part; None if a thread has to read them, or nobody can."""
        position = self._position
        if isinstance(part, _IN_MEMORY):
            return part if size == len(part) else memoryview(part)[position : position + size]
        chunk = self._chunk.view
        try:
            count = part.read_into(position, chunk[:size])
        except OSError as error:
            self._fail(error)
            return None
        if count is None:
            self._suspended = True
            self._offload.run(part.read_blocking, position, size).add_done_callback(self._chunk_was_read)
            return None
        if not count:
            self._fail(OSError("the file ended before the region that was to be sent"))
            return None
        # The buffer is the next reader's too: a small piece, which may wait for others, is copied.
        return bytes(chunk[:count]) if count <= SMALL_BYTES else chunk[:count]

    def _chunk_was_read(self, future: asyncio.Future[bytes]) -> None:
        self._suspended = False
        if future.cancelled():
            return
        error = future.exception()
        if not self._queue:
            return
        if isinstance(error, OSError):
            self._fail(error)
        elif error is not None:
            self._fail(OSError(f"{type(error).__name__}: {error}"))
        elif not future.result():
            self._fail(OSError("the file ended before the region that was to be sent"))
        else:
            self._forward(future.result())
            self._continue()

    def _continue(self) -> None:
        self._suspended = False
        self._pump()
        self._tell_if_drained()

    def _forward(self, data: bytes | bytearray | memoryview) -> None:
        """Send `data`, which are the next bytes of the queue's first part."""
        size = len(data)
        self._advance(self._queue[0], size)
        if size <= SMALL_BYTES:
            self._gather(data, size)
        else:
            self._transport.write(data)
            if self._paused and isinstance(data, memoryview) and data.obj is self._chunk.view.obj:
                self._chunk.leave()

    def _advance(self, part: Part, size: int) -> None:
        """So much more of the queue's first part has left it."""
        self._position += size
        if self._position >= len(part):
            self._queue.popleft()
            self._position = 0
            if isinstance(part, _IN_MEMORY):
                self._queued_bytes -= len(part)

    def _gather(self, data: bytes | bytearray | memoryview, size: int) -> None:
        self._gathered.append(data)
        self._gathered_bytes += size
        if self._gathered_bytes > GATHERED_BYTES:
            self._write_gathered()

    def _write_gathered(self) -> None:
        # Bytes even where it is a single piece: for anything else transports do more than a small copy costs.
        data = b"".join(self._gathered)
        self._gathered.clear()
        self._gathered_bytes = 0
        self._transport.write(data)

    def _tell_if_drained(self) -> None:
        if not self._queue and not self._paused:
            self._on_drained()

    def _fail(self, error: OSError) -> None:
        """The frame that was begun cannot be completed, so neither can anything after it."""
        self.close()
        self._on_failure(error)
