"""A shard of groups and what happens to its offsets, told step by step; every story can be told again to a new shard.

What is decided goes through the bytes that a log would hold before it is replayed, so each story is a crash test, too.
"""

from collections.abc import Mapping

from snakka.coordination.decision import Decision, Moment, Producer
from snakka.coordination.groups.group import CLASSIC, OffsetExpiry
from snakka.coordination.groups.offsets.committing import commit, commit_in_transaction
from snakka.coordination.groups.offsets.fetching import fetch
from snakka.coordination.groups.settings import GroupSettings
from snakka.coordination.groups.shard import GroupShard
from snakka.metadata.image.cluster import ClusterImage
from snakka.protocol.coordinator_framing import (
    GROUP_RECORDS,
    KeyedRecord,
    decoder,
    encode_key,
    encode_value,
)
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from snakka.protocol.messages.offset_fetch import OffsetFetchRequestGroup, OffsetFetchRequestTopics
from snakka.protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from snakka.protocol.record_types.metadata.remove_topic_record import RemoveTopicRecord
from snakka.protocol.record_types.metadata.topic_record import TopicRecord
from snakka.protocol.uuids import ZERO_UUID, Uuid

Places = Mapping[tuple[str, int], int]

_DECODE = decoder(GROUP_RECORDS)


class FakeGroup:
    """A group that says what a test tells it to say."""

    def __init__(self, group_id: str, **facts) -> None:
        self.group_id = group_id
        self.kind = CLASSIC
        self.protocol_type = "consumer"
        self.state_name = "Stable"
        self.is_empty = False
        self.awaits_members = False
        self.members: tuple[str, ...] = ()
        self.commit_error: ErrorCode | None = None
        self.fetch_error: ErrorCode | None = None
        self.partition_check = None
        self.delete_offsets_error: ErrorCode | None = None
        self.delete_error: ErrorCode | None = None
        self.subscribed: tuple[str, ...] = ()
        # None: its offsets never grow old.
        self.grows_old_from = staticmethod(lambda committed_ms: committed_ms)
        self.asked: list[tuple] = []
        for name, fact in facts.items():
            assert hasattr(self, name)
            setattr(self, name, fact)

    @property
    def is_abandoned(self):
        return self.is_empty and not self.awaits_members

    def has_member(self, member_id):
        return member_id in self.members

    def check_offset_commit(
        self, member_id, instance_id, generation_or_epoch, *, is_transactional, api_version
    ):
        self.asked.append((member_id, instance_id, generation_or_epoch, is_transactional, api_version))
        _raise(self.commit_error)
        return self.partition_check

    def check_offset_fetch(self, member_id, member_epoch):
        self.asked.append((member_id, member_epoch))
        _raise(self.fetch_error)

    def check_offset_delete(self):
        _raise(self.delete_offsets_error)

    def check_delete(self):
        _raise(self.delete_error)

    def is_subscribed_to(self, topic):
        return topic in self.subscribed

    def offset_expiry(self):
        return None if self.grows_old_from is None else OffsetExpiry(self.grows_old_from)

    def tombstones(self):
        return ()


def _raise(code: ErrorCode | None) -> None:
    if code is not None:
        raise ApiError(code)


class OffsetStory:
    """A shard, the log of its partition, and a clock."""

    def __init__(self, *topics: str, **settings) -> None:
        self.settings = GroupSettings(**settings)
        self.image = ClusterImage()
        self.log: list[tuple[KeyedRecord, Producer | None] | tuple[int, bool]] = []
        self.shard = self.new_shard()
        self.now = Moment(1_000_000, 0)
        for topic in topics or ("orders", "payments"):
            self.create_topic(topic)

    def new_shard(self) -> GroupShard:
        return GroupShard(lambda: self.settings, lambda: self.image)

    # -- the world ------------------------------------------------------------------------------------------------

    def create_topic(self, topic: str) -> Uuid:
        topic_id = f"{len(self.log):08}{topic:.8}".ljust(16).encode()
        self.image.replay(TopicRecord(name=topic, topic_id=topic_id))
        return topic_id

    def delete_topic(self, topic: str):
        """What the metadata says of the topic that is gone."""
        known = self.image.topics.by_name[topic]
        self.image.replay(RemoveTopicRecord(topic_id=known.id))
        return known

    def topic_id(self, topic: str) -> Uuid:
        known = self.image.topics.get(topic)
        return ZERO_UUID if known is None else known.id

    def add(self, group_id: str, **facts) -> FakeGroup:
        group = self.shard.groups[group_id] = FakeGroup(group_id, **facts)
        return group

    def wait(self, milliseconds: int) -> None:
        self.now = Moment(self.now.wall_ms + milliseconds, self.now.steady_ms + milliseconds)

    # -- what is asked --------------------------------------------------------------------------------------------

    def apply(self, decision: Decision):
        """Write the records, read them again, and take them over."""
        for record in decision.records:
            value = encode_value(record)
            again = _DECODE(encode_key(record), value)
            assert again is not None
            assert again.version == (0 if value is None else record.version)
            self.shard.replay(again, len(self.log), decision.producer)
            self.log.append((again, decision.producer))
        return decision.response

    def end(self, producer_id: int, *, committed: bool) -> None:
        self.shard.replay_marker(producer_id, 0, committed)
        self.log.append((producer_id, committed))

    def commit(
        self,
        group_id: str,
        offsets: Places,
        *,
        member: str = "",
        instance: str | None = None,
        generation: int = -1,
        version: int = 9,
        retention_ms: int = -1,
        metadata: str | None = "",
        epoch: int = -1,
    ) -> dict[tuple[str, int], str]:
        """The codes' names by partition, without those that went well."""
        topics: dict[str, OffsetCommitRequestTopic] = {}
        for (topic, partition), offset in offsets.items():
            row = topics.setdefault(
                topic, OffsetCommitRequestTopic(name=topic, topic_id=self.topic_id(topic))
            )
            row.partitions.append(
                OffsetCommitRequestPartition(
                    partition_index=partition,
                    committed_offset=offset,
                    committed_leader_epoch=epoch,
                    committed_metadata=metadata,
                )
            )
        request = OffsetCommitRequest(
            group_id=group_id,
            member_id=member,
            group_instance_id=instance,
            generation_id_or_member_epoch=generation,
            retention_time_ms=retention_ms,
            topics=list(topics.values()),
        )
        return _codes(self.apply(commit(self.shard, request, version, self.now)))

    def commit_in_transaction(
        self,
        producer_id: int,
        group_id: str,
        offsets: Places,
        *,
        member: str = "",
        generation: int = -1,
        metadata: str | None = "",
    ) -> dict[tuple[str, int], str]:
        topics: dict[str, TxnOffsetCommitRequestTopic] = {}
        for (topic, partition), offset in offsets.items():
            row = topics.setdefault(topic, TxnOffsetCommitRequestTopic(name=topic))
            row.partitions.append(
                TxnOffsetCommitRequestPartition(
                    partition_index=partition, committed_offset=offset, committed_metadata=metadata
                )
            )
        request = TxnOffsetCommitRequest(
            group_id=group_id,
            producer_id=producer_id,
            producer_epoch=0,
            member_id=member,
            generation_id=generation,
            topics=list(topics.values()),
        )
        return _codes(self.apply(commit_in_transaction(self.shard, request, 3, self.now)))

    def fetch_rows(self, group_id: str, topics=None, *, stable: bool = False, member=None, epoch: int = -1):
        """`topics`: names with partitions, or None for all that there is."""
        asked = topics and [
            OffsetFetchRequestTopics(name=topic, partition_indexes=list(partitions))
            for topic, partitions in topics.items()
        ]
        request = OffsetFetchRequestGroup(
            group_id=group_id, member_id=member, member_epoch=epoch, topics=asked
        )
        return fetch(self.shard, request, require_stable=stable).topics

    def offsets(
        self, group_id: str, topics=None, *, stable: bool = False
    ) -> dict[tuple[str, int], int | str]:
        """Offsets by partition, or a code's name in its place."""
        return {
            (topic.name, row.partition_index): ErrorCode(row.error_code).name
            if row.error_code
            else row.committed_offset
            for topic in self.fetch_rows(group_id, topics, stable=stable)
            for row in topic.partitions
        }

    # -- told again -----------------------------------------------------------------------------------------------

    def told_again(self, log=None) -> GroupShard:
        """A new shard that has replayed the log; a record's place in `log` is its offset unless None stands before it."""
        shard = self.new_shard()
        for offset, entry in enumerate(self.log if log is None else log):
            if entry is None:
                continue
            first, second = entry
            if isinstance(first, int):
                shard.replay_marker(first, 0, second)
            else:
                shard.replay(first, offset, second)
        return shard

    def check_survives_a_crash(self) -> None:
        assert contents(self.told_again()) == contents(self.shard)


def contents(shard: GroupShard):
    """All that the shard knows of offsets."""
    offsets = shard.offsets
    return (
        {
            group_id: {topic: dict(partitions) for topic, partitions in offsets.of_group(group_id).items()}
            for group_id in offsets.groups()
        },
        dict(offsets.pending()),
        {group_id: sorted(offsets.unstable_partitions(group_id)) for group_id in sorted(shard.groups)},
    )


def _codes(response) -> dict[tuple[str, int], str]:
    return {
        (topic.name, row.partition_index): ErrorCode(row.error_code).name
        for topic in response.topics
        for row in topic.partitions
        if row.error_code
    }
