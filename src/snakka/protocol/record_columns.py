"""A partition's part of a fetch answer as Arrow columns, decoded in compiled code: no Python object for each record.

It needs pyarrow (`pip install "snakka[arrow]"`), and NumPy where the compiled module is not there. The rule of this
room: sizes are known, and judged, before memory is allocated for them.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from snakka.protocol.batch_reader import MAX_OUTPUT_BYTES
from snakka.protocol.errors import ProtocolError
from snakka.protocol.fetched_batches import FetchedBatches, PlainBatch
from snakka.protocol.record_batch import Bytes
from snakka.protocol.record_engine import IS_COMPILED

if TYPE_CHECKING:
    import pyarrow

# In the order of Spark's Kafka source, and with its types; a timestamp is in milliseconds.
COLUMN_NAMES = ("key", "value", "topic", "partition", "offset", "timestamp", "timestamp_type", "headers")

# Arrow's positions in a column of bytes are of 32 bits.
_MAX_COLUMN_BYTES = (1 << 31) - 1


class Columns(NamedTuple):
    """Records as columns. `next_offset` is where to go on; `names` are the columns that were asked for, in that order."""

    rows: int
    names: tuple[str, ...]
    arrays: "dict[str, pyarrow.Array]"
    next_offset: int

    def to_arrow(self, topic: str, partition: int) -> "pyarrow.RecordBatch":
        """All columns, topic and partition among them if they were asked for."""
        import pyarrow

        arrays = dict(self.arrays)
        if "topic" in self.names:
            arrays["topic"] = pyarrow.repeat(topic, self.rows)
        if "partition" in self.names:
            arrays["partition"] = pyarrow.repeat(pyarrow.scalar(partition, pyarrow.int32()), self.rows)
        return pyarrow.RecordBatch.from_arrays([arrays[name] for name in self.names], list(self.names))


def decode_columns(
    records: Bytes,
    *,
    columns: Sequence[str] = COLUMN_NAMES,
    from_offset: int,
    up_to: int | None = None,
    aborted: Iterable[tuple[int, int]] = (),
    check_crc: bool = True,
    max_output: int = MAX_OUTPUT_BYTES,
) -> Columns:
    """All records of `records`; the arguments are those of `FetchedBatches`.

    ProtocolError for garbage, and if the records together are larger than `max_output` when they are decompressed: those
    who must read what may be larger do so in pieces, with `read_columns`.
    """
    batches = FetchedBatches(
        records,
        from_offset=from_offset,
        up_to=up_to,
        aborted=aborted,
        check_crc=check_crc,
        max_output=max_output,
    )
    gathered: list[PlainBatch] = []
    room = max_output
    for batch in batches:
        gathered.append(batch)
        room -= len(batch.body)
        if room < 0:
            raise ProtocolError(f"decompressed records are larger than {max_output} bytes")
    return _build(gathered, tuple(columns), batches.next_offset)


def read_columns(
    batches: FetchedBatches, columns: Sequence[str], max_bytes: int, *, before_slow: bool = False
) -> Columns | None:
    """The next records, of `max_bytes` or as little more as the last batch makes it; None at the end.

    Batches before one with a wrong checksum are given first; the next call then raises ProtocolError. With `before_slow`
    so are those before one that is slow to unpack.
    """
    gathered: list[PlainBatch] = []
    room = max_bytes
    while room > 0 and not (before_slow and gathered and batches.is_slow):
        try:
            batch = next(batches, None)
        except ProtocolError:
            if not gathered:
                raise
            break
        if batch is None:
            break
        gathered.append(batch)
        room -= len(batch.body)
    return _build(gathered, tuple(columns), batches.next_offset) if gathered else None


def _build(batches: list[PlainBatch], names: tuple[str, ...], next_offset: int) -> Columns:
    unknown = set(names).difference(COLUMN_NAMES)
    if unknown:
        raise ValueError(
            f"no column is named {', '.join(sorted(unknown))}; there are {', '.join(COLUMN_NAMES)}"
        )
    size = sum(len(batch.body) for batch in batches)
    if size > _MAX_COLUMN_BYTES:
        raise ProtocolError(f"{size} bytes of records are more than a column can hold")
    build = _builder()
    rows, arrays = build(batches, frozenset(names))
    return Columns(rows, names, arrays, next_offset)


def _builder() -> Callable[[list[PlainBatch], frozenset[str]], "tuple[int, dict[str, pyarrow.Array]]"]:
    try:
        if IS_COMPILED:
            from snakka.protocol.compiled_columns import build_columns
        else:
            from snakka.protocol.numpy_columns import build_columns
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f'{error}; columns need it: pip install "snakka[arrow]"') from None
    return build_columns
