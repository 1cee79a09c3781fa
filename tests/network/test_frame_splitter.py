import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from network_harness import framed

from snakka.network.frame_splitter import CARRY_BYTES, BadFrameError, FrameSplitter
from snakka.network.receive_buffer import SHARED_BYTES, SPARE_BYTES, ReceiveMemory

LARGEST = 64 * 1024 * 1024
OTHERS_BYTES = b"\xff" * SHARED_BYTES


def new_splitter(memory: ReceiveMemory | None = None, largest: int = LARGEST) -> FrameSplitter:
    return FrameSplitter(memory or ReceiveMemory(), largest, lambda: None)


def read(splitter: FrameSplitter, data: bytes) -> tuple[int, list[bytes]]:
    """One read from a socket that holds `data`: how much was taken, and the frames that became whole."""
    room = splitter.buffer()
    count = min(len(room), len(data))
    room[:count] = data[:count]
    splitter.received(count)
    frames = []
    while (frame := splitter.next_frame()) is not None:
        frames.append(bytes(frame))
    return count, frames


def read_all(splitter: FrameSplitter, data: bytes) -> list[bytes]:
    frames = []
    while data:
        count, whole = read(splitter, data)
        frames += whole
        data = data[count:]
    return frames


def test_a_frame_is_found_however_it_is_cut() -> None:
    payloads = [b"first", b"", b"second frame"]
    stream = b"".join(map(framed, payloads))
    for cut in range(len(stream) + 1):
        splitter = new_splitter()
        assert read_all(splitter, stream[:cut]) + read_all(splitter, stream[cut:]) == payloads


def test_a_frame_is_found_byte_by_byte() -> None:
    splitter = new_splitter()
    frames = []
    for byte in framed(bytes(range(256)) * 3) + framed(b"x"):
        frames += read_all(splitter, bytes([byte]))
    assert frames == [bytes(range(256)) * 3, b"x"]


sizes = st.one_of(
    st.integers(0, 50),
    st.integers(CARRY_BYTES - 3, CARRY_BYTES + 3),
    st.integers(SHARED_BYTES - 8, SHARED_BYTES + 8),
    st.integers(0, 3 * SHARED_BYTES),
)


@settings(deadline=None)
@given(
    st.lists(sizes, max_size=6),
    st.lists(st.integers(997, 2 * SHARED_BYTES), min_size=1, max_size=8),
    st.booleans(),
)
def test_any_stream_in_any_pieces_gives_its_frames(
    sizes: list[int], pieces: list[int], is_held: bool
) -> None:
    payloads = [bytes([number % 251]) * size for number, size in enumerate(sizes)]
    stream = b"".join(map(framed, payloads))
    memory = ReceiveMemory()
    splitter = new_splitter(memory)
    frames = []
    turn = 0
    while stream:
        piece = stream[: pieces[turn % len(pieces)]]
        turn += 1
        room = splitter.buffer()
        count = min(len(room), len(piece))
        room[:count] = piece[:count]
        splitter.received(count)
        stream = stream[count:]
        while True:
            if is_held:
                # The connection stops after each frame, and others use the shared buffer meanwhile.
                splitter.keep_for_later()
                memory.shared[:] = OTHERS_BYTES
            frame = splitter.next_frame()
            if frame is None:
                break
            frames.append(bytes(frame))
    assert frames == payloads
    assert memory.reserved_bytes == 0


def test_the_shared_buffer_may_be_used_by_others_between_reads() -> None:
    memory = ReceiveMemory()
    one, other = new_splitter(memory), new_splitter(memory)
    stream = framed(b"a" * 1000)
    assert read_all(one, stream[:700]) == []
    assert read_all(other, framed(b"b" * 5000)) == [b"b" * 5000]
    # A read that found nothing: the loop asked for a buffer and brought no bytes.
    one.buffer()
    other.buffer()[:10] = bytes(10)
    assert read_all(one, stream[700:]) == [b"a" * 1000]


@pytest.mark.parametrize("size", [-1, -(2**31), LARGEST + 1, 2**31 - 1])
def test_an_absurd_size_is_refused_before_anything_is_allocated(size: int) -> None:
    memory = ReceiveMemory()
    with pytest.raises(BadFrameError, match=str(size)):
        read(new_splitter(memory), size.to_bytes(4, "big", signed=True))
    assert memory.reserved_bytes == 0


def test_what_is_announced_is_not_allocated() -> None:
    splitter = new_splitter()
    read(splitter, LARGEST.to_bytes(4, "big"))
    assert len(splitter.buffer()) <= CARRY_BYTES
    for sent in (10_000, 100_000, 1_000_000):
        read_all(splitter, bytes(sent))
    assert len(splitter.buffer()) < 8 * 1_110_000


def test_a_large_frame_is_received_in_few_steps() -> None:
    splitter = new_splitter()
    reads = 0
    data = framed(bytes(LARGEST))
    view = memoryview(data)
    while len(view):
        room = splitter.buffer()
        count = min(len(room), len(view))
        room[:count] = view[:count]
        splitter.received(count)
        view = view[count:]
        reads += 1
        frame = splitter.next_frame()
        assert (frame is None) == bool(len(view))
    assert reads < 12


def test_memory_is_given_back_and_spares_are_bounded() -> None:
    memory = ReceiveMemory()
    splitters = [new_splitter(memory) for _ in range(5)]
    for splitter in splitters:
        assert read_all(splitter, framed(bytes(1_000_000))) == [bytes(1_000_000)]
    first = memory.take(SPARE_BYTES, 1)
    second = memory.take(SPARE_BYTES, 1)
    assert len(memory.take(SPARE_BYTES, 1)) < SPARE_BYTES, "a third spare would be one too many"
    for buffer in (first, second, bytearray(SPARE_BYTES)):
        memory.give_back(buffer)
    assert memory.reserved_bytes == 0


def test_large_frames_wait_for_memory_in_the_order_of_their_coming() -> None:
    memory = ReceiveMemory(limit_bytes=100_000)
    granted: list[str] = []
    splitters = {
        name: FrameSplitter(memory, LARGEST, lambda name=name: granted.append(name)) for name in "abcd"
    }
    data = {name: framed(name.encode() * 90_000) for name in "abcd"}
    for name, splitter in splitters.items():
        assert read(splitter, data[name][:50_000])[1] == []
        splitter.keep_for_later()
    # The first is admitted, the second too, because the limit is not reached yet; then it is.
    assert [splitters[name].needs_memory for name in "abcd"] == [False, False, True, True]
    assert memory.reserved_bytes == 180_000
    splitters["d"].close()
    assert read_all(splitters["a"], data["a"][50_000:]) == [b"a" * 90_000]
    assert granted == ["c"]
    assert splitters["c"].next_frame() is None
    assert read_all(splitters["c"], data["c"][50_000:]) == [b"c" * 90_000]
    splitters["b"].close()
    assert granted == ["c"]
    assert memory.reserved_bytes == 0


def test_small_frames_pass_while_large_ones_wait() -> None:
    memory = ReceiveMemory(limit_bytes=1)
    large, small = new_splitter(memory), new_splitter(memory)
    assert read(large, framed(bytes(50_000))[:9])[1] == []
    assert not large.needs_memory
    assert read_all(small, framed(b"ping")) == [b"ping"]
    waiting = new_splitter(memory)
    read(waiting, framed(bytes(50_000))[:9])
    assert waiting.needs_memory


def test_a_grant_that_is_not_used_returns_when_the_connection_closes() -> None:
    memory = ReceiveMemory(limit_bytes=50_000)
    first, second = new_splitter(memory), new_splitter(memory)
    read(first, framed(bytes(60_000))[:100])
    read(second, framed(bytes(60_000))[:100])
    first.close()
    assert memory.reserved_bytes == 60_000
    second.close()
    assert memory.reserved_bytes == 0
