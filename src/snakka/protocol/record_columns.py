"""A partition's part of a fetch answer as Arrow columns, decoded in compiled code: no Python object for each record.

It needs pyarrow (`pip install "snakka[arrow]"`), and NumPy where the compiled module is not there. The rule of this
room: sizes are known, and judged, before memory is allocated for them.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from snakka.protocol.batch_reader import MAX_OUTPUT_BYTES
from snakka.protocol.errors import ProtocolError
from snakka.protocol.fetched_batches import FetchedBatches, PlainBatch, RunTaker
from snakka.protocol.record_batch import Bytes
from snakka.protocol.record_engine import IS_COMPILED

if TYPE_CHECKING:
    import pyarrow

# In the order of Spark's Kafka source, and with its types; a timestamp is in milliseconds.
COLUMN_NAMES = ("key", "value", "topic", "partition", "offset", "timestamp", "timestamp_type", "headers")


class ColumnBuilder(RunTaker, Protocol):
    """Makes columns of batches: compiled_columns.py or numpy_columns.py. ProtocolError for records that are none."""

    def add_batch(self, batch: PlainBatch, /) -> None: ...

    def finish(self) -> "tuple[int, dict[str, pyarrow.Array]]":
        """The number of rows, and the columns that were asked for, except topic and partition."""


class Columns(NamedTuple):
    """Records as columns. `next_offset` is where to go on; `names` are the columns that were asked for, in that order.

    `size` is how many bytes the records had, all that was not asked for included.
    """

    rows: int
    size: int
    names: tuple[str, ...]
    arrays: "dict[str, pyarrow.Array]"
    next_offset: int

    def to_arrow(self, topic: str, partition: int) -> "pyarrow.RecordBatch":
        """All columns, topic and partition among them if they were asked for."""
        import pyarrow

        from snakka.protocol.arrow_types import repeated

        arrays = dict(self.arrays)
        if "topic" in self.names:
            arrays["topic"] = repeated(topic, pyarrow.string(), self.rows)
        if "partition" in self.names:
            arrays["partition"] = repeated(partition, pyarrow.int32(), self.rows)
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
    gathered = GatheredColumns(columns)
    while gathered.add_next(batches, max_output):
        if gathered.size > max_output:
            raise ProtocolError(f"decompressed records are larger than {max_output} bytes")
    return gathered.finish(batches.next_offset)


def read_columns(
    batches: FetchedBatches, columns: Sequence[str], max_bytes: int, *, before_slow: bool = False
) -> Columns | None:
    """The next records, of `max_bytes` or as little more as the last batch makes it; None at the end.

    Batches before one with a wrong checksum are given first; the next call then raises ProtocolError. With `before_slow`
    so are those before one that is slow to unpack.
    """
    gathered = GatheredColumns(columns)
    while gathered.size < max_bytes:
        if gathered.add_run(batches, max_bytes - gathered.size):
            continue
        if before_slow and gathered.size and batches.is_slow:
            break
        try:
            batch = next(batches, None)
        except ProtocolError:
            if not gathered.size:
                raise
            break
        if batch is None:
            break
        gathered.add_batch(batch)
    return gathered.finish(batches.next_offset) if gathered.size else None


class GatheredColumns:
    """The records of batches, added as they come; `size` is how many bytes they have."""

    def __init__(self, columns: Sequence[str]) -> None:
        self.size = 0
        self._names = tuple(columns)
        self._builder = _builder(columns)

    def add_next(self, batches: FetchedBatches, most_bytes: int) -> bool:
        """Add what comes next, and say if there was anything: as many plain batches as possible, or another one.

        ProtocolError for garbage: what was there before stays. Without the compiled module garbage may show at the end.
        """
        if self.add_run(batches, most_bytes):
            return True
        batch = next(batches, None)
        if batch is not None:
            self.add_batch(batch)
        return batch is not None

    def add_run(self, batches: FetchedBatches, most_bytes: int) -> bool:
        """Add as many plain batches as possible, and say if there were any."""
        taken = batches.read_run(self._builder, most_bytes)
        self.size += taken
        return taken > 0

    def add_batch(self, batch: PlainBatch) -> None:
        """Add one, of any kind."""
        self._builder.add_batch(batch)
        self.size += len(batch.body)

    def finish(self, next_offset: int) -> Columns:
        """All of it; nothing can be added then."""
        rows, arrays = self._builder.finish()
        return Columns(rows, self.size, self._names, arrays, next_offset)


def _builder(columns: Sequence[str]) -> ColumnBuilder:
    unknown = set(columns).difference(COLUMN_NAMES)
    if unknown:
        raise ValueError(
            f"no column is named {', '.join(sorted(unknown))}; there are {', '.join(COLUMN_NAMES)}"
        )
    try:
        if IS_COMPILED:
            from snakka.protocol.compiled_columns import CompiledColumns

            return CompiledColumns(frozenset(columns))
        from snakka.protocol.numpy_columns import NumpyColumns

        return NumpyColumns(frozenset(columns))
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f'{error}; columns need it: pip install "snakka[arrow]"') from None
