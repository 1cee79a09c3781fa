"""Members of classic groups as cases play them: all that they ask is compared, and they remember what they were told."""

from collections.abc import Sequence
from typing import Any

from tests.kafka.referee import Broker, Caller

from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.describe_groups import DescribeGroupsRequest
from snakka.protocol.messages.find_coordinator import FindCoordinatorRequest
from snakka.protocol.messages.heartbeat import HeartbeatRequest
from snakka.protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from snakka.protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from snakka.protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from snakka.protocol.record_types.embedded.consumer_protocol_subscription import ConsumerProtocolSubscription

JOIN_VERSION, SYNC_VERSION, HEARTBEAT_VERSION, LEAVE_VERSION = 9, 5, 4, 5
SUBSCRIPTION_VERSION = 3

Protocols = Sequence[tuple[str, bytes]]


class Member:
    """One that joins with these protocols, and subscribes to topics that are named after them and itself."""

    def __init__(
        self,
        broker: Broker,
        group: str,
        name: str,
        *,
        instance: str | None = None,
        protocols: Sequence[str] = ("range",),
        **fields: Any,
    ) -> None:
        self.broker = broker
        self.group = group
        self.instance = instance
        self.protocols: Protocols = [(each, subscription(f"{each}-of-{name}")) for each in protocols]
        self.id = ""
        self.generation = -1
        self._caller: Caller = broker.caller()
        self._fields = {"session_timeout_ms": 600_000, "rebalance_timeout_ms": 30_000, **fields}
        self._protocol: str | None = None

    def move_to(self, broker: Broker) -> None:
        """Goes on at another broker."""
        self.broker = broker
        self._caller = broker.caller()

    # -- JoinGroup --------------------------------------------------------------------------------------------------

    def begin_join(self, version: int = JOIN_VERSION) -> None:
        """Asks, with the id that it has; `end_join` is the answer."""
        self._caller.begin(self._join_request(), version)

    def end_join(self) -> Any:
        answer = self._caller.end()
        self.id = answer.member_id or self.id
        self.generation, self._protocol = answer.generation_id, answer.protocol_name
        return answer

    def join(self, version: int = JOIN_VERSION) -> Any:
        """Until it is in, if it can be at once."""
        self.begin_join(version)
        answer = self.end_join()
        if answer.error_code == ErrorCode.MEMBER_ID_REQUIRED:
            return self.join(version)
        return answer

    def get_id(self, version: int = JOIN_VERSION) -> None:
        """The id that it has to have before it may join."""
        if version >= 4 and self.instance is None:
            self.begin_join(version)
            self.end_join()

    def _join_request(self) -> JoinGroupRequest:
        rows = [JoinGroupRequestProtocol(name=name, metadata=metadata) for name, metadata in self.protocols]
        fields = {"group_id": self.group, "protocol_type": "consumer", "protocols": rows, **self._fields}
        return JoinGroupRequest(member_id=self.id, group_instance_id=self.instance, **fields)

    def _identity(self) -> dict[str, Any]:
        return {
            "group_id": self.group,
            "generation_id": self.generation,
            "member_id": self.id,
            "group_instance_id": self.instance,
        }

    # -- the others -------------------------------------------------------------------------------------------------

    def begin_sync(
        self, version: int = SYNC_VERSION, given: dict[str, bytes] | None = None, **fields: Any
    ) -> None:
        """`given` are assignments by member id."""
        rows = [
            SyncGroupRequestAssignment(member_id=member_id, assignment=data)
            for member_id, data in (given or {}).items()
        ]
        named = {"protocol_type": "consumer", "protocol_name": self._protocol, "assignments": rows}
        request = SyncGroupRequest(**self._identity() | named | fields)
        self._caller.begin(request, version)

    def end(self) -> Any:
        return self._caller.end()

    def sync(self, version: int = SYNC_VERSION, given: dict[str, bytes] | None = None, **fields: Any) -> Any:
        self.begin_sync(version, given, **fields)
        return self.end()

    def heartbeat(self, version: int = HEARTBEAT_VERSION, **fields: Any) -> None:
        request = HeartbeatRequest(**self._identity() | fields)
        self._caller.ask(request, version)

    def leave(self, version: int = LEAVE_VERSION) -> None:
        if version < 3:
            self._caller.ask(LeaveGroupRequest(group_id=self.group, member_id=self.id), version)
            return
        row = MemberIdentity(member_id=self.id, group_instance_id=self.instance)
        if version >= 5:
            row.reason = "enough"
        self._caller.ask(LeaveGroupRequest(group_id=self.group, members=[row]), version)


def coordinated_group(broker: Broker, text: str = "group") -> str:
    """A new group's id, when its coordinator is there."""
    group = broker.name(text)
    broker.until(
        FindCoordinatorRequest(coordinator_keys=[group]), lambda answer: not answer.coordinators[0].error_code
    )
    wait_for_state(broker, group, "Dead")
    return group


def wait_for_state(broker: Broker, group: str, state: str, members: int | None = None) -> None:
    """Until the group is in a state, with so many members."""

    def is_there(answer: Any) -> bool:
        (described,) = answer.groups
        return described.group_state == state and members in (None, len(described.members))

    broker.until(DescribeGroupsRequest(groups=[group]), is_there)


def rejoin(version: int, leader: Member, *newcomers: Member) -> None:
    """Newcomers ask to join a group that has one member; it comes again, and all are in."""
    for count, newcomer in enumerate(newcomers, 2):
        newcomer.get_id(version)
        newcomer.begin_join(version)
        wait_for_state(leader.broker, leader.group, "PreparingRebalance", count)
    leader.begin_join(version)
    for member in (leader, *newcomers):
        member.end_join()


def settle_group(version: int, leader: Member, *others: Member) -> None:
    """All join, the first one leads and assigns, and the group is stable."""
    leader.join(version)
    if others:
        rejoin(version, leader, *others)
    leader.sync(given={member.id: b"of " + member.protocols[0][1] for member in (leader, *others)})
    for other in others:
        other.sync()


def subscription(*topics: str) -> bytes:
    """What a consumer says of the topics that it wants."""
    said = ConsumerProtocolSubscription(topics=list(topics))
    return SUBSCRIPTION_VERSION.to_bytes(2) + said.encode(SUBSCRIPTION_VERSION)
