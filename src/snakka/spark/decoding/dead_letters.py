"""Bad rows as dead letters: records of a topic, or rows of a table, with the error and the original bytes.

Rule: a dead letter can be sent again as it was: key, value and headers are the original ones, and what we say about it is in
headers of our own, which come last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

PREFIX = "snakka.dead-letter."
ERROR_HEADER = PREFIX + "error"
# Of the record that is bad, as text; the timestamp in milliseconds.
ORIGIN_HEADERS = ("topic", "partition", "offset", "timestamp")


def as_records(bad: DataFrame) -> DataFrame:
    """Columns `key`, `value` and `headers`, as topic sinks take them.

    Headers: `snakka.dead-letter.error`, `.topic`, `.partition`, `.offset` and `.timestamp`, after those of the record.
    """
    from pyspark.sql.functions import array, coalesce, col, concat

    about = [_header(ERROR_HEADER, col("error"))]
    about += [_header(PREFIX + name, _text(name)) for name in ORIGIN_HEADERS if name in bad.columns]
    headers = array(*about)
    if "headers" in bad.columns:
        headers = coalesce(concat(col("headers"), headers), headers)
    key = [col("key")] if "key" in bad.columns else []
    return bad.select(*key, col("value"), headers.alias("headers"))


def _text(name: str) -> Column:
    from pyspark.sql.functions import col, unix_millis

    return (unix_millis(col(name)) if name == "timestamp" else col(name)).cast("string")


def _header(name: str, text: Column) -> Column:
    from pyspark.sql.functions import lit, struct

    return struct(lit(name).alias("key"), text.cast("binary").alias("value"))
