"""Records and batches for the tests of what reads and writes them, sound and damaged, and the two engines to compare."""

from types import ModuleType

import pytest
from hypothesis import strategies as st

from snakka.protocol.batch_builder import build_batch
from snakka.protocol.batch_reader import Record, read_records
from snakka.protocol.compression import Compression, compress
from snakka.protocol.errors import ProtocolError
from snakka.protocol.record_batch import HEADER, HEADER_SIZE, read_header, stamp_crc
from snakka.protocol.record_engine import INTERFACE

ENGINES = ("python", "compiled")

NAMES = st.text(max_size=8) | st.just("\udcff\udc80 not UTF-8")
HEADERS = st.lists(st.tuples(NAMES, st.none() | st.binary(max_size=20)), max_size=3).map(tuple)
# Sizes around which numbers become a byte longer, and large ones now and then.
CONTENT = (
    st.none()
    | st.binary(max_size=20)
    | st.integers(60, 70).map(lambda size: b"x" * size)
    | st.sampled_from([b"y" * 8190, b"z" * 9000])
)
TIMESTAMPS = st.integers(1_700_000_000_000, 1_700_000_000_100) | st.integers(-(1 << 62), 1 << 62)


@st.composite
def record_lists(draw: st.DrawFn, base_offset: int = 0) -> list[Record]:
    """Records of one batch; compaction may have left gaps between them."""
    records = []
    offset = base_offset
    for gap, timestamp, key, value, headers in draw(
        st.lists(
            st.tuples(st.sampled_from([0, 0, 0, 1, 70, 9000]), TIMESTAMPS, CONTENT, CONTENT, HEADERS),
            max_size=8,
        )
    ):
        offset += gap
        records.append(Record(offset, timestamp, key, value, headers))
        offset += 1
    return records


def with_body(body: bytes, count: int, codec: Compression = Compression.NONE, **fields: int) -> bytearray:
    """A batch with a right checksum around any bytes."""
    packed = compress(codec, body)
    batch = bytearray(HEADER_SIZE) + packed
    header = read_header(build_batch([Record(0, 1000, b"k", b"v")]))
    HEADER.pack_into(
        batch, 0, *header._replace(length=len(batch) - 12, count=count, attributes=codec, **fields)
    )
    stamp_crc(batch, 0)
    return batch


@st.composite
def damaged_batches(draw: st.DrawFn) -> bytearray:
    """A batch with a right checksum, whose records were damaged; its count may be wrong too."""
    records = draw(record_lists()) or [Record(0, 1, b"key", b"value", (("name", b"x"),))]
    body = bytearray(build_batch(records)[HEADER_SIZE:])
    for _ in range(draw(st.integers(0, 4))):
        if not body:
            break
        position = draw(st.integers(0, min(len(body) - 1, 400)))
        match draw(st.sampled_from(["set", "delete", "insert", "end"])):
            case "set":
                body[position] = draw(st.integers(0, 255))
            case "delete":
                del body[position : position + draw(st.integers(1, 5))]
            case "insert":
                body[position:position] = draw(st.binary(min_size=1, max_size=11))
            case _:
                del body[-1 - draw(st.integers(0, 20)) :]
    count = len(records) + draw(st.sampled_from([0, 0, 0, 0, -1, 1, 1000]))
    return with_body(bytes(body), count, base_timestamp=draw(TIMESTAMPS))


def expected(batch: bytes | bytearray) -> list[Record] | None:
    """What the plain reader makes of a batch; None if it refuses it."""
    try:
        return list(read_records(batch))
    except ProtocolError:
        return None


def compiled_records() -> ModuleType:
    """The compiled module, or a skip."""
    try:
        from snakka.protocol import _records
    except ImportError:
        pytest.skip("needs the compiled module: install again where there is a C compiler")
    if _records.INTERFACE != INTERFACE:
        pytest.skip("needs the compiled module anew: its source has changed since it was built")
    return _records
