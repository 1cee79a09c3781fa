"""Incremental fetch sessions (KIP-227): what a client fetches is remembered, so that it names only what changed.

Session id and epoch together say what a request means:

    id 0,  epoch -1   one fetch without a session
    id 0,  epoch 0    open a session (the answer may still refuse one: id 0)
    id N,  epoch -1   close session N and fetch without one
    id N,  epoch 0    close session N and open another
    id N,  epoch E    the next fetch of session N; epochs count 1, 2, ... and wrap from 2^31-1 to 1
"""

from collections import OrderedDict
from collections.abc import Callable, Collection
from typing import Generic, TypeVar

from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError

NO_SESSION_ID = 0
INITIAL_EPOCH = 0
FINAL_EPOCH = -1
MAX_EPOCH = 2**31 - 1

# A session that was not used for this long gives its place to a new one (Kafka's min.incremental.fetch.session.eviction.ms).
EVICTION_MS = 120_000
# Partitions that all sessions together remember, at some 400 bytes each: clients may make up as many as they like.
MOST_PARTITIONS = 500_000

K = TypeVar("K")
P = TypeVar("P")


def next_epoch(epoch: int) -> int:
    if epoch < 0:
        return FINAL_EPOCH
    return 1 if epoch == MAX_EPOCH else epoch + 1


class FetchSession(Generic[K, P]):
    """One client's remembered partitions. `dirty` holds those that may have something to say, in fair order."""

    __slots__ = (
        "created_ms",
        "dirty",
        "epoch",
        "id",
        "last_used_ms",
        "partitions",
        "privileged",
        "uses_topic_ids",
    )

    def __init__(self, session_id: int, now_ms: int, privileged: bool, uses_topic_ids: bool) -> None:
        self.id = session_id
        self.epoch = 1
        self.created_ms = now_ms
        self.last_used_ms = now_ms
        self.privileged = privileged
        self.uses_topic_ids = uses_topic_ids
        self.partitions: dict[K, P] = {}
        # A dict for its order: partitions that were served go to the back, so that none starves under max_bytes.
        self.dirty: dict[K, P] = {}

    def remember(self, key: K, partition: P) -> None:
        self.partitions[key] = partition
        self.dirty[key] = partition

    def forget(self, key: K) -> P | None:
        self.dirty.pop(key, None)
        return self.partitions.pop(key, None)

    def mark_dirty(self, key: K) -> None:
        partition = self.partitions.get(key)
        if partition is not None and key not in self.dirty:
            self.dirty[key] = partition

    def served(self, key: K, partition: P) -> None:
        """It had data: it may have more, and waits its turn."""
        self.dirty.pop(key, None)
        self.dirty[key] = partition

    def settled(self, key: K) -> None:
        """It had nothing new: it is not visited again before it progresses."""
        self.dirty.pop(key, None)


class FetchSessionCache(Generic[K, P]):
    """A bounded number of sessions with a bounded number of partitions, the least recently used first."""

    def __init__(self, slots: Callable[[], int], on_removed: Callable[[FetchSession[K, P]], None]) -> None:
        self._slots = slots
        self._on_removed = on_removed
        self._sessions: OrderedDict[int, FetchSession[K, P]] = OrderedDict()
        self.evictions = 0

    def __len__(self) -> int:
        return len(self._sessions)

    @property
    def cached_partitions(self) -> int:
        return sum(len(session.partitions) for session in self._sessions.values())

    def open(
        self,
        now_ms: int,
        new_id: int,
        privileged: bool,
        partitions: Collection[tuple[K, P]],
        uses_topic_ids: bool,
    ) -> FetchSession[K, P] | None:
        """A new session, or None while the cache is full of sessions with as good a right to stay."""
        if new_id in self._sessions or not self._make_room(now_ms, privileged, len(partitions)):
            return None
        session: FetchSession[K, P] = FetchSession(new_id, now_ms, privileged, uses_topic_ids)
        for key, partition in partitions:
            session.remember(key, partition)
        self._sessions[new_id] = session
        return session

    def resume(self, session_id: int, epoch: int, now_ms: int, uses_topic_ids: bool) -> FetchSession[K, P]:
        """The session of an incremental fetch, moved on to its next epoch."""
        session = self._sessions.get(session_id)
        if session is None:
            raise ApiError(ErrorCode.FETCH_SESSION_ID_NOT_FOUND, f"no fetch session {session_id}")
        if epoch != session.epoch:
            raise ApiError(
                ErrorCode.INVALID_FETCH_SESSION_EPOCH,
                f"fetch session {session_id} expects epoch {session.epoch}, not {epoch}",
            )
        if uses_topic_ids != session.uses_topic_ids:
            raise ApiError(
                ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR, "a session keeps to topic names or to topic ids"
            )
        session.epoch = next_epoch(epoch)
        session.last_used_ms = now_ms
        self._sessions.move_to_end(session_id)
        return session

    def check_growth(self, session: FetchSession[K, P]) -> None:
        """After it has got more partitions: it ends, and its client begins anew, if there are too many in all."""
        if self.cached_partitions > MOST_PARTITIONS:
            self.close(session.id)
            raise ApiError(ErrorCode.FETCH_SESSION_ID_NOT_FOUND, f"fetch session {session.id} is too large")

    def close(self, session_id: int) -> None:
        session = self._sessions.pop(session_id, None)
        if session is not None:
            self._on_removed(session)

    def _make_room(self, now_ms: int, privileged: bool, partitions: int) -> bool:
        slots = self._slots()
        while len(self._sessions) >= slots or self.cached_partitions + partitions > MOST_PARTITIONS:
            if not self._evict_one(now_ms, privileged):
                return False
        return True

    def _evict_one(self, now_ms: int, privileged: bool) -> bool:
        for session in self._sessions.values():
            # The first is the least recently used: if it is fresh all others are, except that a follower's session
            # may push out a consumer's.
            stale = now_ms - session.last_used_ms > EVICTION_MS
            if (stale and (privileged or not session.privileged)) or (privileged and not session.privileged):
                self.evictions += 1
                self.close(session.id)
                return True
        return False
