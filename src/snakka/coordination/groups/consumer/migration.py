"""Live migration: a classic group of consumers becomes a consumer group when the first member of the consumer protocol
joins it, and a consumer group becomes a classic one when the last such member goes.

Members notice only a rebalance: they keep their ids and what they are assigned.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from snakka.coordination.decision import Answer, Moment
from snakka.coordination.groups.classic.deadline_keys import forget_deadlines as forget_classic_deadlines
from snakka.coordination.groups.classic.group import ClassicGroup, ClassicMember
from snakka.coordination.groups.classic.group import State as ClassicState
from snakka.coordination.groups.classic.rebalancing import prepare
from snakka.coordination.groups.classic.records import stored_record
from snakka.coordination.groups.classic.sessions import begin_sessions
from snakka.coordination.groups.classic.turn import Turn
from snakka.coordination.groups.consumer.consumer_protocol import (
    read_assignment,
    read_subscription,
    version_of,
    write_assignment,
)
from snakka.coordination.groups.consumer.deadline_keys import SESSION, member_key
from snakka.coordination.groups.consumer.draft import Draft
from snakka.coordination.groups.consumer.group import PROTOCOL_TYPE, ConsumerGroup
from snakka.coordination.groups.consumer.member import ClassicProtocols, ConsumerMember, OwnedPartitions
from snakka.coordination.groups.consumer.metadata_hash import metadata_hash
from snakka.coordination.groups.consumer.records import (
    current_record,
    group_record,
    member_record,
    target_epoch_record,
    target_record,
)
from snakka.metadata.image.cluster import ClusterImage
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError, ProtocolError
from snakka.protocol.messages.join_group import JoinGroupResponse
from snakka.protocol.messages.sync_group import SyncGroupResponse
from snakka.protocol.record_types.embedded.consumer_protocol_assignment import (
    ConsumerProtocolAssignment,
    TopicPartition,
)
from snakka.protocol.uuids import Uuid

if TYPE_CHECKING:
    from snakka.coordination.groups.shard import GroupShard

# The policies that allow each way, as `group.consumer.migration.policy` names them.
_UPGRADE = ("upgrade", "bidirectional")
_DOWNGRADE = ("downgrade", "bidirectional")


# -- to a consumer group ------------------------------------------------------------------------------------------


def upgraded(shard: GroupShard, classic: ClassicGroup, now: Moment) -> Draft:
    """The consumer group that the classic one becomes, in the first records of a draft. ApiError if it can't be."""
    _check_upgrade(shard, classic)
    members = list(_consumers(classic, shard.image))
    group_id, epoch = classic.group_id, classic.generation
    draft = Draft(shard, ConsumerGroup(group_id), now, is_own=True)
    draft.records += classic.tombstones()
    draft.add(*(member_record(group_id, member) for member in members))
    found = metadata_hash(shard.image, draft.group.subscribed_topics())
    draft.add(
        group_record(group_id, epoch, found),
        *(target_record(group_id, member.member_id, _without_epochs(member.assigned)) for member in members),
        target_epoch_record(group_id, epoch, 0),
        *(current_record(group_id, member) for member in members),
    )
    for member in members:
        assert member.classic is not None
        shard.deadlines.set(
            member_key(group_id, SESSION, member.member_id),
            now.steady_ms + member.classic.session_timeout_ms,
        )
    draft.answers += _waiting(classic)
    return draft


def _check_upgrade(shard: GroupShard, classic: ClassicGroup) -> None:
    if shard.settings.group_consumer_migration_policy not in _UPGRADE:
        raise _not_upgraded(classic, "this is switched off")
    if classic.protocol_type != PROTOCOL_TYPE:
        raise _not_upgraded(classic, "its members are no consumers")
    if len(classic.members) > shard.settings.group_consumer_max_size:
        raise _not_upgraded(classic, "it has too many members")


def _not_upgraded(classic: ClassicGroup, reason: str) -> ApiError:
    return ApiError(
        ErrorCode.GROUP_ID_NOT_FOUND,
        f"classic group {classic.group_id} does not become a consumer group: {reason}",
    )


def _consumers(classic: ClassicGroup, image: ClusterImage) -> Iterator[ConsumerMember]:
    """Its members with what they have. A partition that two of them have got is the first one's."""
    taken: set[tuple[Uuid, int]] = set()
    for member in classic.members.values():
        protocols = member.protocols
        metadata = protocols.get(classic.protocol_name or "", next(iter(protocols.values()), b""))
        try:
            subscription = read_subscription(metadata)
            assigned = _assigned(member.assignment, classic, image)
        except ProtocolError:
            raise _not_upgraded(classic, "a member's metadata can't be read") from None
        mine: dict[Uuid, dict[int, int]] = {}
        for topic_id, partition in assigned:
            if (topic_id, partition) not in taken:
                taken.add((topic_id, partition))
                mine.setdefault(topic_id, {})[partition] = classic.generation
        yield ConsumerMember(
            member.member_id,
            epoch=classic.generation,
            previous_epoch=classic.generation,
            instance_id=member.instance_id,
            rack_id=subscription.rack_id or None,
            client_id=member.client_id,
            client_host=member.client_host,
            rebalance_timeout_ms=member.rebalance_timeout_ms,
            topics=frozenset(subscription.topics),
            assigned=mine,
            classic=ClassicProtocols(member.session_timeout_ms, tuple(protocols.items())),
        )


def _assigned(data: bytes, classic: ClassicGroup, image: ClusterImage) -> list[tuple[Uuid, int]]:
    if not data:
        # It has just joined, and has not been assigned anything yet.
        return []
    assignment = read_assignment(data)
    if assignment.user_data:
        raise _not_upgraded(classic, "an assignor of its own keeps data in the assignment")
    found = []
    for row in assignment.assigned_partitions:
        topic = image.topics.get(row.topic)
        if topic is not None:
            found += [(topic.id, partition) for partition in row.partitions]
    return found


def _without_epochs(owned: OwnedPartitions) -> dict[Uuid, frozenset[int]]:
    return {topic_id: frozenset(has) for topic_id, has in owned.items()}


def _waiting(classic: ClassicGroup) -> list[Answer]:
    """Whoever waits in the classic group joins again, and so does everybody else."""
    error = ErrorCode.REBALANCE_IN_PROGRESS
    answers = [
        Answer(ticket, JoinGroupResponse(member_id=member_id, error_code=error))
        for member_id, ticket in classic.joining.items()
    ]
    answers += [Answer(ticket, SyncGroupResponse(error_code=error)) for ticket in classic.syncing.values()]
    classic.joining.clear()
    classic.syncing.clear()
    return answers


# -- to a classic group -------------------------------------------------------------------------------------------


def can_downgrade(draft: Draft, leaving: Collection[ConsumerMember]) -> bool:
    """Whether only members of the classic protocol are left, and may be a group of their own."""
    group, settings = draft.group, draft.shard.settings
    left = len(group.members) - len(leaving)
    classic = group.classic_members - sum(member.is_classic for member in leaving)
    return (
        0 < left == classic
        and left <= settings.group_max_size
        and settings.group_consumer_migration_policy in _DOWNGRADE
    )


def downgrade(draft: Draft, leaving: Collection[ConsumerMember], *, rebalances: bool = True) -> None:
    """The group becomes a classic one without those who leave, and its members join again if it `rebalances`."""
    shard, group = draft.shard, draft.group
    gone = {member.member_id for member in leaving}
    staying = [member for member in group.members.values() if member.member_id not in gone]
    try:
        classic = _classic_group(group, staying, draft.now, shard.image)
    except ProtocolError:
        raise ApiError(
            ErrorCode.GROUP_ID_NOT_FOUND,
            f"group {group.group_id} can't become a classic one: a member's metadata can't be read",
        ) from None
    before = shard.groups[group.group_id]
    # Whatever the draft has come to is in the classic group: of the consumer group nothing is left.
    draft.records[:] = [*before.tombstones(), stored_record(classic)]
    # In its place from now on: whoever rebalances it needs to know it.
    shard.groups[group.group_id] = classic
    turn = Turn(shard, classic, draft.now)
    begin_sessions(turn)
    if rebalances:
        prepare(turn)

    def refused(_code: ErrorCode) -> Sequence[Answer]:
        forget_classic_deadlines(shard.deadlines, classic)
        shard.groups[group.group_id] = before
        return draft.answers

    draft.refused = refused


def _classic_group(
    group: ConsumerGroup, members: Sequence[ConsumerMember], now: Moment, image: ClusterImage
) -> ClassicGroup:
    classic = ClassicGroup(
        group.group_id,
        state=ClassicState.STABLE,
        generation=group.epoch,
        protocol_type=PROTOCOL_TYPE,
        state_since_ms=now.wall_ms,
    )
    for member in members:
        assert member.classic is not None
        classic.add(
            ClassicMember(
                member.member_id,
                member.instance_id,
                member.client_id,
                member.client_host,
                member.rebalance_timeout_ms,
                member.classic.session_timeout_ms,
                dict(member.classic.protocols),
            )
        )
    name = classic.protocol_name = classic.select_protocol()
    classic.note_subscriptions()
    for classic_member in classic.members.values():
        target = group.target.get(classic_member.member_id, {})
        version = version_of(classic_member.protocols.get(name, b""))
        classic_member.assignment = write_assignment(protocol_assignment(target, image), version)
    return classic


def protocol_assignment(
    partitions: Mapping[Uuid, Collection[int]], image: ClusterImage
) -> ConsumerProtocolAssignment:
    """By the topics' names; those of deleted topics are not known any more."""
    rows = []
    for topic_id in sorted(partitions):
        topic = image.topics.by_id.get(topic_id)
        if topic is not None:
            rows.append(TopicPartition(topic=topic.name, partitions=sorted(partitions[topic_id])))
    return ConsumerProtocolAssignment(assigned_partitions=rows, user_data=None)
