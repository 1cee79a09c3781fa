"""The least and the greatest value of a file's columns, from its footer.

Rule: a bound that could be wrong is none. Readers skip files by these figures, so a wrong one loses rows; an absent one
costs a little time.
"""

from typing import Any

import pyarrow.parquet as pq


def column_bounds(footer: pq.FileMetaData, index: int) -> tuple[Any, Any] | None:
    """None if there are only nulls, or a row group does not say (one long text is enough), or Python has no such value:
    Spark's calendar goes on beyond the year 9999."""
    chunks = [footer.row_group(group).column(index).statistics for group in range(footer.num_row_groups)]
    filled = [chunk for chunk in chunks if chunk is None or chunk.num_values]
    if not filled or not all(chunk is not None and chunk.has_min_max for chunk in filled):
        return None
    try:
        return min(chunk.min for chunk in filled), max(chunk.max for chunk in filled)
    except OverflowError:
        return None
