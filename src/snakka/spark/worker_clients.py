"""Clients that are kept for the life of a Python worker: Spark reuses its workers, so connections survive micro-batches.

Rule: a worker runs one task at a time, so one client of each kind and each cluster is enough. The oldest goes when there are
too many; nothing needs to be closed at the end, because the process ends.

Workers come and go, and each begins with clients of its own. So what a stream does waits for brokers that are away, since
they may be restarted; whoever else begins hears of it at once, since the address may be wrong.
"""

import json
import logging
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import TypeVar, cast

from pyspark import TaskContext

from snakka.client.blocking import Admin, Consumer, Producer
from snakka.client.errors import ClientError
from snakka.client.retry_policy import is_retriable
from snakka.protocol.errors import ApiError
from snakka.runtime.clock import SystemClock
from snakka.spark.worker_process import keep_what_is_loaded

_log = logging.getLogger(__name__)
C = TypeVar("C", Admin, Consumer, Producer)

MOST_CLIENTS = 8
# What Spark tells a task of a stream.
QUERY_ID = "sql.streaming.queryId"
# As long as a producer that runs keeps a record for brokers that are away (delivery.timeout.ms).
AWAY_SECONDS = 120.0
_PAUSE_SECONDS = 0.5
_is_of_stream: ContextVar[bool] = ContextVar("_is_of_stream", default=False)


class WorkerClients:
    """Started clients of this process by their settings."""

    def __init__(self, most: int = MOST_CLIENTS) -> None:
        self._most = most
        self._clients: dict[str, Admin | Consumer | Producer] = {}

    def admin(self, settings: Mapping[str, object]) -> Admin:
        return self._kept(Admin, settings, lambda: Admin(settings))

    def consumer(self, settings: Mapping[str, object]) -> Consumer:
        """One that reads nothing yet."""
        return self._kept(Consumer, settings, lambda: Consumer(settings))

    def producer(self, settings: Mapping[str, object]) -> Producer:
        return self._kept(Producer, settings, lambda: Producer(settings))

    def drop(self, client: Admin | Consumer | Producer) -> None:
        """It has failed in a way that it may not recover from: the next task gets another."""
        for key in [key for key, each in self._clients.items() if each is client]:
            del self._clients[key]
            client.stop()

    def close(self) -> None:
        """End them all; a worker process need not."""
        while self._clients:
            self._clients.popitem()[1].stop()

    def _kept(self, kind: type[C], settings: Mapping[str, object], make: Callable[[], C]) -> C:
        key = f"{kind.__name__} {json.dumps(settings, sort_keys=True)}"
        known = self._clients.pop(key, None)
        if known is None:
            while len(self._clients) >= self._most:
                self._clients.pop(next(iter(self._clients))).stop()
            known = started(make)
        self._clients[key] = known  # the newest
        return cast(C, known)


@contextmanager
def for_a_stream() -> Iterator[None]:
    """What is done meanwhile belongs to a stream; tasks need not say so."""
    token = _is_of_stream.set(True)
    try:
        yield
    finally:
        _is_of_stream.reset(token)


def started(make: Callable[[], C]) -> C:
    """A client that has reached its cluster, which a stream waits for."""
    clock = SystemClock()
    deadline = clock.monotonic() + AWAY_SECONDS
    is_said = False
    while True:
        client = make()
        try:
            client.start()
        except (ApiError, ClientError) as error:
            if not is_retriable(error) or not _belongs_to_stream() or clock.monotonic() >= deadline:
                raise
            if not is_said:
                _log.warning("%s; it is tried again for %d s", error, AWAY_SECONDS)
                is_said = True
            time.sleep(_PAUSE_SECONDS)
        else:
            return client


def _belongs_to_stream() -> bool:
    context = TaskContext.get()
    return _is_of_stream.get() or (context is not None and context.getLocalProperty(QUERY_ID) is not None)


def worker_clients() -> WorkerClients:
    """Those of this process; a forked one begins with none, since threads do not survive a fork."""
    keep_what_is_loaded()
    return _of_process(os.getpid())


@cache
def _of_process(process_id: int) -> WorkerClients:
    return WorkerClients()
