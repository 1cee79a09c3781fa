"""The client's half of a fetch session (KIP-227), pure: a broker remembers what is fetched, and hears only of changes.

Rule: the broker and we agree on the partitions, or the session begins anew with all of them.
"""

from collections.abc import Mapping
from typing import NamedTuple

from snakka.client.consumer.positions import AssignedPartition
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.fetch import FetchPartition, FetchTopic, ForgottenTopic
from snakka.protocol.uuids import Uuid

NO_SESSION = 0
FIRST_EPOCH = 0
LAST_EPOCH = -1
_HIGHEST_EPOCH = 2**31 - 1


class Wanted(NamedTuple):
    """One partition as it is asked for; the last two say for whom."""

    topic_id: Uuid
    offset: int
    leader_epoch: int
    assigned: AssignedPartition
    fence: int


class FetchSession:
    """What one broker has been asked for."""

    def __init__(self, partition_max_bytes: int) -> None:
        self.session_id = NO_SESSION
        self.epoch = FIRST_EPOCH
        self.known: dict[TopicPartition, Wanted] = {}
        self.names: dict[Uuid, str] = {}
        self._partition_max_bytes = partition_max_bytes
        self._turn = 0

    def changes(
        self, wanted: Mapping[TopicPartition, Wanted]
    ) -> tuple[list[FetchTopic], list[ForgottenTopic]]:
        """What to send so that the broker knows `wanted`: new and changed partitions, and those to forget."""
        known = {} if self.epoch == FIRST_EPOCH else self.known
        if self.epoch == FIRST_EPOCH:
            wanted = self._in_turn(wanted)
        send: dict[tuple[str, Uuid], list[FetchPartition]] = {}
        forget: dict[tuple[str, Uuid], list[int]] = {}
        for partition, each in wanted.items():
            before = known.get(partition)
            if before is not None and before[:3] == each[:3]:
                continue
            if before is not None and before.topic_id != each.topic_id:
                forget.setdefault((partition.topic, before.topic_id), []).append(partition.partition)
            row = FetchPartition(
                partition=partition.partition,
                current_leader_epoch=each.leader_epoch,
                fetch_offset=each.offset,
                partition_max_bytes=self._partition_max_bytes,
            )
            send.setdefault((partition.topic, each.topic_id), []).append(row)
        for partition, each in known.items():
            if partition not in wanted:
                forget.setdefault((partition.topic, each.topic_id), []).append(partition.partition)
        self.known = dict(wanted)
        self.names = {each.topic_id: partition.topic for partition, each in wanted.items()}
        return (
            [
                FetchTopic(topic=name, topic_id=topic_id, partitions=rows)
                for (name, topic_id), rows in send.items()
            ],
            [
                ForgottenTopic(topic=name, topic_id=topic_id, partitions=indexes)
                for (name, topic_id), indexes in forget.items()
            ],
        )

    def _in_turn(self, wanted: Mapping[TopicPartition, Wanted]) -> dict[TopicPartition, Wanted]:
        """Another one first each time: who comes last may get nothing. In a session the broker sees to that."""
        order = list(wanted)
        self._turn = (self._turn + 1) % max(len(order), 1)
        return {partition: wanted[partition] for partition in (*order[self._turn :], *order[: self._turn])}

    def answered(self, session_id: int) -> None:
        """The broker has taken the changes; without a session id it keeps none, and is told everything each time."""
        if session_id == NO_SESSION:
            self.session_id, self.epoch = NO_SESSION, FIRST_EPOCH
        elif self.epoch == FIRST_EPOCH:
            self.session_id, self.epoch = session_id, 1
        else:
            self.epoch = 1 if self.epoch == _HIGHEST_EPOCH else self.epoch + 1

    def refused(self, code: ErrorCode) -> None:
        """The broker does not agree."""
        if code is ErrorCode.FETCH_SESSION_ID_NOT_FOUND:
            self.session_id = NO_SESSION
        self.epoch = FIRST_EPOCH

    def lost(self) -> None:
        """Nobody knows what the broker has heard: the session ends, and another one begins with the next request."""
        self.epoch = FIRST_EPOCH
