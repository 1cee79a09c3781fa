"""Stopping the queries of a run: between two batches where that is soon enough, and never waiting for ever.

A query gets the run's grace to end the batch that it is at; then it is stopped, which cuts what is under way: the next run
does that batch again. Spark interrupts a query, and gives up on one that does not heed it (its source's process
hangs, say) after `spark.sql.streaming.stopTimeout`, which our sessions set.

Rule: every query is asked to stop, whatever became of those before it; one that ends by itself meanwhile is not, and how it
ended is not ours.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from snakka.runtime.clock import Clock

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

STILL_RUNS = (
    "it did not stop in time (spark.sql.streaming.stopTimeout says how long that is); Spark is ended all the same, and"
    " the next run does its batch again"
)


class Stops(NamedTuple):
    """The names of queries: what became of them, if it is not that they were stopped."""

    still_run: list[str]
    had_ended: list[str]


def stop_queries(
    queries: "Mapping[str, StreamingQuery]", *, grace_seconds: float, clock: Clock, wait: Callable[[], None]
) -> Stops:
    """`wait` is called while batches are under way, and takes a moment."""
    deadline = clock.monotonic() + grace_seconds
    # Where there is much to read the next batch begins at once: only its number tells that the last one is done.
    active = {name: _last_batch(query) for name, query in queries.items() if query.isActive}
    stops = Stops([], [name for name in queries if name not in active])
    while active:
        for name, last_batch in list(active.items()):
            query = queries[name]
            if not query.isActive:
                stops.had_ended.append(name)
                del active[name]
                continue
            is_done = not query.status["isTriggerActive"] or _last_batch(query) > last_batch
            if is_done or clock.monotonic() >= deadline:
                if not _stop(query):
                    stops.still_run.append(name)
                del active[name]
        if active:
            wait()
    return stops


def _stop(query: "StreamingQuery") -> bool:
    """Whether it has ended."""
    from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]

    try:
        query.stop()
    except Py4JJavaError:
        return False  # Spark has waited long enough; it calls the query inactive all the same
    except Exception:
        return True  # nobody answers for it: Spark is gone, and the query with it
    return True


def _last_batch(query: "StreamingQuery") -> int:
    """The number of the last batch that is done; -1 if there is none yet."""
    progress = query.lastProgress
    return -1 if progress is None else int(progress.batchId)
