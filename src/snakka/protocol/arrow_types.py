"""The Arrow types of records' columns, and those columns that are not what the records' bytes say: names of headers, and
what is the same in all rows.

They are those of Spark's Kafka source, except that a timestamp is in Kafka's milliseconds.
"""

from functools import lru_cache
from typing import Any

import pyarrow

# Columns of one value that are kept, and the rows of the largest ones.
_KEPT_COLUMNS = 16
_KEPT_ROWS = 1 << 16

TIMESTAMP = pyarrow.timestamp("ms", tz="UTC")
HEADER = pyarrow.struct([("key", pyarrow.string()), ("value", pyarrow.binary())])
HEADERS = pyarrow.list_(HEADER)


def as_text(names: Any) -> Any:
    """A binary array as strings. As in Java, what is not UTF-8 becomes the character for what cannot be read."""
    try:
        return names.cast(pyarrow.string())
    except pyarrow.ArrowInvalid:
        return pyarrow.array(
            [name.decode("utf-8", "replace") for name in names.to_pylist()], pyarrow.string()
        )


def repeated(value: str | int, kind: Any, rows: int) -> Any:
    """A column with this value in all rows. One batch after the other has it, so it is made once."""
    if rows > _KEPT_ROWS:
        return _repeat(value, kind, rows)
    kept_rows = max(1 << rows.bit_length(), 1024)
    return _kept(value, kind, kept_rows).slice(0, rows)


def _repeat(value: str | int, kind: Any, rows: int) -> Any:
    return pyarrow.repeat(pyarrow.scalar(value, kind), rows)


_kept = lru_cache(_KEPT_COLUMNS)(_repeat)
