"""Stories of groups: feeds decisions to a shard, moves its time, refuses its appends, and lets it crash.

Every record goes through its bytes before it is replayed. After every step another shard is built from the bytes of all
records, and must say the same of every group that has settled: every story is a crash test.
"""

from collections.abc import Callable, Sequence
from typing import Any

from snakka.coordination.decision import Answer, Decision, Moment, Producer
from snakka.coordination.groups.classic import requests
from snakka.coordination.groups.classic.caller import Caller
from snakka.coordination.groups.classic.group import ClassicGroup, State
from snakka.coordination.groups.group import Group
from snakka.coordination.groups.settings import GroupSettings
from snakka.coordination.groups.shard import GroupShard
from snakka.metadata.image.cluster import ClusterImage
from snakka.protocol.coordinator_framing import GROUP_RECORDS, decoder, encode_key, encode_value
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.heartbeat import HeartbeatRequest
from snakka.protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol, JoinGroupResponse
from snakka.protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity, MemberResponse
from snakka.protocol.messages.sync_group import (
    SyncGroupRequest,
    SyncGroupRequestAssignment,
    SyncGroupResponse,
)
from snakka.protocol.record_types.embedded.consumer_protocol_subscription import ConsumerProtocolSubscription
from snakka.protocol.record_types.group_coordinator.group_metadata_value import GroupMetadataValue

GROUP = "readers"
SESSION_MS = 10_000
REBALANCE_MS = 60_000
INITIAL_DELAY_MS = 3_000
LAST_JOIN_VERSION = 9

Snapshot = Callable[[Group], object]


class Asked:
    """Somebody who has asked and may have been answered; it is the ticket that a shard keeps."""

    def __init__(self) -> None:
        self.outcome: Any = None

    def answer(self, outcome: Any) -> None:
        assert self.outcome is None, f"answered twice: {self.outcome}, then {outcome}"
        assert outcome is not None
        self.outcome = outcome

    @property
    def is_answered(self) -> bool:
        return self.outcome is not None

    @property
    def response(self) -> Any:
        assert self.is_answered, "nobody has answered yet"
        assert not isinstance(self.outcome, ApiError), self.outcome
        return self.outcome

    @property
    def error(self) -> ErrorCode:
        """The code of the error, whether it was raised or is in the response; NONE if it went well."""
        assert self.is_answered, "nobody has answered yet"
        if isinstance(self.outcome, ApiError):
            return self.outcome.code
        return ErrorCode(self.outcome.error_code)


def classic_snapshot(group: Group) -> object:
    """What the records say of a classic group that has settled."""
    assert isinstance(group, ClassicGroup)
    name = group.protocol_name or ""
    return (
        group.kind,
        group.state,
        group.generation,
        group.protocol_type,
        group.protocol_name,
        group.leader_id,
        group.static_members,
        group.state_since_ms if group.protocol_type else None,
        [
            (
                member.member_id,
                member.instance_id,
                member.client_id,
                member.client_host,
                member.rebalance_timeout_ms,
                member.session_timeout_ms,
                member.protocols[name],
                member.assignment,
            )
            for member in group.members.values()
        ],
    )


class GroupStory:
    """A shard of groups, and whoever talks to it. `snapshots` says what records describe of groups of other kinds."""

    def __init__(
        self,
        *,
        image: ClusterImage | None = None,
        snapshots: dict[str, Snapshot] | None = None,
        **settings: Any,
    ) -> None:
        self.settings = GroupSettings(**settings)
        self.image = image or ClusterImage()
        self.now = Moment(wall_ms=1_700_000_000_000, steady_ms=5_000)
        # Keys and values with the producer of their transaction, and the markers that end transactions.
        self.log: list[tuple[bytes, bytes | None, Producer | None] | tuple[int, int, bool]] = []
        self.refusal: ErrorCode | None = None
        # A refused append may leave memory ahead of the log.
        self.was_refused = False
        self._snapshots = {"classic": classic_snapshot, **(snapshots or {})}
        self._names = 0
        self.shard = self._new_shard()

    # -- deciding -------------------------------------------------------------------------------------------------

    def ask(self, decide: Callable[[GroupShard, Moment, Asked], Decision[Any]]) -> Asked:
        """`decide(shard, now, ticket)`, and all that comes of it."""
        asked = Asked()
        try:
            decision = decide(self.shard, self.now, asked)
        except ApiError as error:
            asked.answer(error)
        else:
            self._apply(decision, asked)
        return asked

    def _apply(self, decision: Decision[Any], asked: Asked | None) -> None:
        if decision.records and self.refusal is not None:
            self._refuse(decision, asked, self.refusal)
            return
        for record in decision.records:
            entry = (encode_key(record), encode_value(record), decision.producer)
            self._replay_entry(self.shard, len(self.log), entry)
            self.log.append(entry)
        self._give(decision.answers)
        if asked is not None and decision.response is not None:
            asked.answer(decision.response)
        self.check()

    def _refuse(self, decision: Decision[Any], asked: Asked | None, code: ErrorCode) -> None:
        self.refusal, self.was_refused = None, True
        error = ApiError(code)
        if decision.refused is not None:
            answers = decision.refused(code)
        else:
            answers = [Answer(answer.ticket, error) for answer in decision.answers]
        self._give(answers)
        if asked is not None and not asked.is_answered:
            asked.answer(error)

    def _give(self, answers: Sequence[Answer]) -> None:
        for ticket, outcome in answers:
            assert isinstance(ticket, Asked)
            ticket.answer(outcome)

    # -- the world ------------------------------------------------------------------------------------------------

    def pass_time(self, milliseconds: int) -> None:
        """Whatever becomes due meanwhile happens at its time."""
        end = self.now.steady_ms + milliseconds
        while True:
            due = self.shard.deadlines.earliest()
            if due is None or due > end:
                break
            self._move_to(max(due, self.now.steady_ms))
            key = self.shard.deadlines.take_due(self.now.steady_ms)
            self._apply(self.shard.expire(key, self.now), None)
        self._move_to(end)

    def _move_to(self, steady_ms: int) -> None:
        passed = steady_ms - self.now.steady_ms
        self.now = Moment(self.now.wall_ms + passed, steady_ms)

    def refuse_next_append(self, code: ErrorCode = ErrorCode.NOT_COORDINATOR) -> None:
        self.refusal = code

    def end_transaction(self, producer_id: int, producer_epoch: int, *, committed: bool) -> None:
        self.log.append((producer_id, producer_epoch, committed))
        self.shard.replay_marker(producer_id, producer_epoch, committed)

    def crash(self) -> None:
        """Another coordinator takes over: it knows the records and nothing else. Nobody who waits is answered."""
        self.shard = self._rebuilt()
        self._apply(self.shard.loaded(self.now), None)

    def check(self) -> None:
        """What records describe is the same in a shard that is built from them."""
        if self.was_refused:
            return
        rebuilt = self._rebuilt()
        for group_id, group in self.shard.groups.items():
            if isinstance(group, ClassicGroup):
                if group.state in (State.PREPARING_REBALANCE, State.COMPLETING_REBALANCE):
                    # On the way to a generation that no record knows of yet.
                    assert group_id in rebuilt.groups, group_id
                    continue
                if not group.protocol_type and group_id not in rebuilt.groups:
                    # A simple group is known by its offsets alone.
                    continue
            assert self._snapshot(rebuilt.groups[group_id]) == self._snapshot(group), group_id
        assert not [group_id for group_id in rebuilt.groups if group_id not in self.shard.groups]

    def _snapshot(self, group: Group) -> object:
        return self._snapshots[group.kind](group)

    def _rebuilt(self) -> GroupShard:
        shard = self._new_shard()
        for offset, entry in enumerate(self.log):
            self._replay_entry(shard, offset, entry)
        return shard

    def _new_shard(self) -> GroupShard:
        return GroupShard(lambda: self.settings, lambda: self.image)

    @staticmethod
    def _replay_entry(
        shard: GroupShard,
        offset: int,
        entry: tuple[bytes, bytes | None, Producer | None] | tuple[int, int, bool],
    ) -> None:
        if isinstance(entry[0], int):
            shard.replay_marker(*entry)
            return
        key, value, producer = entry
        record = decoder(GROUP_RECORDS)(key, value)
        assert record is not None
        shard.replay(record, offset, producer)

    # -- classic groups -------------------------------------------------------------------------------------------

    def member(self, name: str, **what: Any) -> "ClassicClient":
        """A client that speaks the classic protocol; it has not joined yet."""
        return ClassicClient(self, name, **what)

    def new_member_id(self, name: str) -> str:
        self._names += 1
        return f"{name}-{self._names}"

    def group(self, group_id: str = GROUP) -> ClassicGroup:
        group = self.shard.groups[group_id]
        assert isinstance(group, ClassicGroup)
        return group

    @property
    def state(self) -> State:
        return self.group().state

    def written(self) -> list[GroupMetadataValue | None]:
        """The values of all records of classic groups, in order."""
        values = []
        for entry in self.log:
            if not isinstance(entry[0], int):
                record = decoder(GROUP_RECORDS)(entry[0], entry[1])
                if record is not None and record.key.RECORD_KEY == 2:
                    values.append(record.value)
        return values

    def settled(self, *members: "ClassicClient") -> None:
        """All these join, the first of them assigns, and the group is stable. The others get their own names."""
        for member in members:
            member.join()
        if not members[0].joined.is_answered:
            # The first rebalance waits once more because others came.
            self.pass_time(2 * INITIAL_DELAY_MS)
        leader = next(member for member in members if member.is_leader)
        leader.sync({member: member.name.encode() for member in members})
        for member in members:
            if member is not leader:
                member.sync()


def subscription(*topics: str) -> bytes:
    """A consumer's metadata, as its assignor writes it."""
    return b"\0\0" + ConsumerProtocolSubscription(topics=list(topics), user_data=None).encode(0)


class ClassicClient:
    """A member of a classic group as its client sees it: what it has been told last, and no more."""

    def __init__(
        self,
        story: GroupStory,
        name: str,
        *,
        group: str = GROUP,
        instance_id: str | None = None,
        version: int = LAST_JOIN_VERSION,
        protocols: dict[str, bytes] | Sequence[str] = ("range",),
        protocol_type: str = "consumer",
        session_ms: int = SESSION_MS,
        rebalance_ms: int = REBALANCE_MS,
    ) -> None:
        self.story = story
        self.name = name
        self.group = group
        self.instance_id = instance_id
        self.version = version
        self.protocols = protocols
        self.protocol_type = protocol_type
        self.session_ms = session_ms
        self.rebalance_ms = rebalance_ms
        self.member_id = ""
        self.joined = Asked()
        self.synced = Asked()

    # -- asking ---------------------------------------------------------------------------------------------------

    def join(self) -> Asked:
        """JoinGroup; if an id is required first, once more with it."""
        asked = self.join_once()
        if asked.is_answered and asked.error is ErrorCode.MEMBER_ID_REQUIRED:
            self.member_id = asked.response.member_id
            asked = self.join_once()
        return asked

    def join_once(self) -> Asked:
        named = self.protocols
        pairs = named.items() if isinstance(named, dict) else [(name, subscription("t")) for name in named]
        request = JoinGroupRequest(
            group_id=self.group,
            session_timeout_ms=self.session_ms,
            rebalance_timeout_ms=self.rebalance_ms,
            member_id=self.member_id,
            group_instance_id=self.instance_id,
            protocol_type=self.protocol_type,
            protocols=[JoinGroupRequestProtocol(name=name, metadata=metadata) for name, metadata in pairs],
        )
        new_id = self.story.new_member_id(self.instance_id or self.name)
        caller = Caller(self.name, "/127.0.0.1", self.version, new_id)
        self.joined = self.story.ask(
            lambda shard, now, ticket: requests.join(shard, request, caller, ticket, now)
        )
        return self.joined

    def sync(self, assignments: "dict[ClassicClient, bytes] | None" = None, **changed: Any) -> Asked:
        """SyncGroup, as the generation that it was told of."""
        answer = self.answer
        self.member_id = answer.member_id
        told = {
            "group_id": self.group,
            "generation_id": answer.generation_id,
            "member_id": self.member_id,
            "group_instance_id": self.instance_id,
            "protocol_type": answer.protocol_type,
            "protocol_name": answer.protocol_name,
            "assignments": [
                SyncGroupRequestAssignment(member_id=member.id, assignment=assignment)
                for member, assignment in (assignments or {}).items()
            ],
        }
        request = SyncGroupRequest(**{**told, **changed})
        self.synced = self.story.ask(lambda shard, now, ticket: requests.sync(shard, request, ticket, now))
        return self.synced

    def heartbeat(self, generation: int | None = None) -> ErrorCode:
        request = HeartbeatRequest(
            group_id=self.group,
            generation_id=self.generation if generation is None else generation,
            member_id=self.id,
            group_instance_id=self.instance_id,
        )
        return self.story.ask(lambda shard, now, _: requests.heartbeat(shard, request, now)).error

    def leave(self) -> ErrorCode:
        leaver = MemberIdentity(member_id=self.id, group_instance_id=self.instance_id)
        asked = ask_to_leave(self.story, leaver, group=self.group)
        return asked.error or ErrorCode(asked.response.members[0].error_code)

    # -- what it knows --------------------------------------------------------------------------------------------

    @property
    def answer(self) -> JoinGroupResponse:
        """What its last JoinGroup has brought."""
        response = self.joined.response
        assert isinstance(response, JoinGroupResponse)
        return response

    @property
    def id(self) -> str:
        """The id that it has been given, as soon as it has been told."""
        if self.joined.is_answered and self.joined.error is ErrorCode.NONE:
            self.member_id = self.answer.member_id
        return self.member_id

    @property
    def generation(self) -> int:
        return self.answer.generation_id

    @property
    def is_leader(self) -> bool:
        return self.answer.error_code == ErrorCode.NONE and self.answer.leader == self.answer.member_id

    @property
    def assignment(self) -> bytes:
        response = self.synced.response
        assert isinstance(response, SyncGroupResponse)
        assert response.error_code == ErrorCode.NONE
        return response.assignment


def ask_to_leave(story: GroupStory, *members: MemberIdentity, group: str = GROUP) -> Asked:
    """LeaveGroup of several members at once."""
    request = LeaveGroupRequest(group_id=group, members=list(members))
    return story.ask(lambda shard, now, _: requests.leave(shard, request, now))


def leave(story: GroupStory, *members: MemberIdentity) -> list[MemberResponse]:
    """What each of those who leave is told."""
    rows: list[MemberResponse] = ask_to_leave(story, *members).response.members
    return rows
