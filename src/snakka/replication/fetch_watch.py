"""Who must hear when a partition progresses: fetch sessions and fetches that wait.

Registering at every poll would cost a session of 5,000 partitions a millisecond a time; so a session watches its partitions
from one fetch to the next, an append marks one dirty, and the next fetch visits only what is dirty. What is dirty needs no
watch: a session whose client has gone for good hears of each partition once, and costs the appends nothing after that.
"""

from collections.abc import Iterable

from snakka.protocol.uuids import ZERO_UUID
from snakka.replication.fetching import FetchTarget, TargetKey
from snakka.replication.partition import Partition
from snakka.replication.partition_table import PartitionTable
from snakka.replication.state.fetch_sessions import FetchSession
from snakka.replication.waiting_requests import WaitingFetch

Session = FetchSession[TargetKey, FetchTarget]


class FetchWatch:
    """Watches partitions for one fetch without a session: from its first waiter to its last."""

    __slots__ = ("_targets", "_waiters")

    def __init__(self, targets: Iterable[FetchTarget]) -> None:
        self._targets = targets
        self._waiters: list[WaitingFetch] = []

    def add(self, waiter: WaitingFetch) -> None:
        self._waiters.append(waiter)
        for target in self._targets:
            if target.partition is not None:
                target.partition.watch(self)

    def remove(self, waiter: WaitingFetch) -> None:
        if waiter in self._waiters:
            self._waiters.remove(waiter)
        for target in self._targets:
            if target.partition is not None:
                target.partition.unwatch(self)

    def partition_progressed(self, partition: Partition, visible_bytes: int) -> None:
        for waiter in list(self._waiters):
            waiter.partition_progressed(partition, visible_bytes)


class SessionWatch(FetchWatch):
    """Watches those of a session's partitions that are not dirty, and all of them while a fetch waits."""

    __slots__ = ("_session",)

    def __init__(self, session: Session) -> None:
        super().__init__(())
        self._session = session

    def add(self, waiter: WaitingFetch) -> None:
        super().add(waiter)
        # Those that had too little to answer with: more of it counts.
        for target in self._session.dirty.values():
            if target.partition is not None:
                target.partition.watch(self)

    def partition_progressed(self, partition: Partition, visible_bytes: int) -> None:
        session = self._session
        session.mark_dirty(
            (partition.topic_id if session.uses_topic_ids else partition.topic, partition.index)
        )
        if self._waiters:
            super().partition_progressed(partition, visible_bytes)
        else:
            partition.unwatch(self)


class FetchWatches:
    """The watches of all sessions, and how a target finds its partition."""

    def __init__(self, partitions: PartitionTable) -> None:
        self._partitions = partitions
        self._by_session: dict[int, SessionWatch] = {}

    def start(self, session: Session) -> None:
        self._by_session[session.id] = SessionWatch(session)
        for target in session.partitions.values():
            self.watch(session, target)

    def stop(self, session: Session) -> None:
        for target in session.partitions.values():
            self.unwatch(session, target)
        self._by_session.pop(session.id, None)

    def of_session(self, session: Session) -> SessionWatch | None:
        return self._by_session.get(session.id)

    def watch(self, session: Session, target: FetchTarget) -> None:
        watch = self._by_session.get(session.id)
        if watch is not None and target.partition is not None:
            target.partition.watch(watch)

    def unwatch(self, session: Session, target: FetchTarget) -> None:
        watch = self._by_session.get(session.id)
        if watch is not None and target.partition is not None:
            target.partition.unwatch(watch)

    def resolve(self, target: FetchTarget, session: Session | None) -> None:
        """Find the target's partition, or find it anew after its topic was deleted or made again."""
        if target.topic_id != ZERO_UUID:
            found = self._partitions.get_by_id(target.topic_id, target.index)
        else:
            found = self._partitions.get(target.topic, target.index)
        if found is not target.partition:
            if session is not None:
                self.unwatch(session, target)
            target.partition = found
            if session is not None:
                self.watch(session, target)
