"""The Arrow types of records' columns, and the one column whose bytes are not given as they are: headers' names.

They are those of Spark's Kafka source, except that a timestamp is in Kafka's milliseconds.
"""

from typing import Any

import pyarrow

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
