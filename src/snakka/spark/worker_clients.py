"""Clients that are kept for the life of a Python worker: Spark reuses its workers, so connections survive micro-batches.

Rule: a worker runs one task at a time, so one client of each kind and each cluster is enough. The oldest goes when there are
too many; nothing needs to be closed at the end, because the process ends.
"""

import json
import os
from collections.abc import Callable, Mapping
from functools import cache
from typing import TypeVar, cast

from snakka.client.blocking import Admin, Consumer, Producer
from snakka.spark.worker_process import keep_what_is_loaded

C = TypeVar("C", Admin, Consumer, Producer)

MOST_CLIENTS = 8


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
            known = make()
            known.start()
        self._clients[key] = known  # the newest
        return cast(C, known)


def worker_clients() -> WorkerClients:
    """Those of this process; a forked one begins with none, since threads do not survive a fork."""
    keep_what_is_loaded()
    return _of_process(os.getpid())


@cache
def _of_process(process_id: int) -> WorkerClients:
    return WorkerClients()
