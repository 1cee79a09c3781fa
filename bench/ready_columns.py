"""Columns that are there already, mapped as our readers map theirs: what is left of a query when its reader does nothing.

Rule: as many rows of the same sizes, in batches as large as ours; what it takes, no reader in Python can save.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy
import pyarrow
from pyspark.sql.types import StructType

from snakka.spark.columns import MOST_BYTES, MOST_ROWS, ChosenColumns

KEY_BYTES = 8


class ReadyColumns:
    """Stands where a batch reader of ours does in `fast_reads`; a range is a number of rows."""

    def __init__(self, rows: int, value_bytes: int, partitions: int, schema: StructType) -> None:
        self._rows = rows
        self._value_bytes = value_bytes
        self._partitions = partitions
        self._columns = ChosenColumns(schema)

    def planned_apart(self, tasks_at_a_time: int) -> list[int]:
        """As our readers divide partitions of one size."""
        tasks = max(tasks_at_a_time, self._partitions)
        borders = [self._rows * task // tasks for task in range(tasks + 1)]
        return [end - begin for begin, end in pairwise(borders)]

    def read(self, rows: int) -> Iterator[pyarrow.RecordBatch]:
        most = min(MOST_ROWS, MOST_BYTES // (KEY_BYTES + self._value_bytes))
        batch = self._batch(most)
        for begin in range(0, rows, most):
            yield batch.slice(0, min(most, rows - begin))

    def _batch(self, rows: int) -> pyarrow.RecordBatch:
        offsets = numpy.arange(rows)
        ready = {
            "key": random_bytes(rows, KEY_BYTES),
            "value": random_bytes(rows, self._value_bytes),
            "topic": pyarrow.repeat("ready", rows),
            "partition": pyarrow.repeat(pyarrow.scalar(0, pyarrow.int32()), rows),
            "offset": pyarrow.array(offsets),
            "timestamp": pyarrow.array(offsets * 1000, pyarrow.timestamp("us", tz="UTC")),
            "timestamp_type": pyarrow.repeat(pyarrow.scalar(0, pyarrow.int32()), rows),
        }
        names = self._columns.names
        return self._columns.for_spark(
            pyarrow.RecordBatch.from_arrays([ready[name] for name in names], list(names))
        )


def random_bytes(count: int, size: int, seed: int = 0) -> pyarrow.Array:
    """A column of values of one size."""
    chance = numpy.random.default_rng((seed, count, size))
    fixed = pyarrow.py_buffer(chance.bytes(count * size))
    return pyarrow.Array.from_buffers(pyarrow.binary(size), count, [None, fixed]).cast(pyarrow.binary())
