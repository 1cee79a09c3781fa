"""JoinGroup, SyncGroup, Heartbeat and LeaveGroup: classic groups as their members see them."""

from tests.kafka.cases.classic_members import (
    Member,
    coordinated_group,
    rejoin,
    settle_group,
    subscription,
    wait_for_state,
)
from tests.kafka.referee import Broker, case

from snakka.protocol.messages.describe_groups import DescribeGroupsRequest
from snakka.protocol.messages.heartbeat import HeartbeatRequest
from snakka.protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from snakka.protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from snakka.protocol.messages.sync_group import SyncGroupRequest

# -- JoinGroup ----------------------------------------------------------------------------------------------------


@case(JoinGroupRequest)
def a_member_alone(broker: Broker, version: int) -> None:
    member = Member(broker, coordinated_group(broker), "a", protocols=("range", "sticky"))
    member.join(version)
    member.join(version)
    member.sync(given={member.id: b"everything"})
    broker.ask(DescribeGroupsRequest(groups=[member.group]))
    member.heartbeat()
    member.join(version)
    member.leave()
    member.join(version)
    member.id = ""
    member.join(version)


@case(JoinGroupRequest)
def members_that_come_one_after_another(broker: Broker, version: int) -> None:
    group = coordinated_group(broker)
    first, second, third = (Member(broker, group, name) for name in "abc")
    settle_group(version, first, second)
    # A follower that says nothing new is told the same again, or makes all come again, by version.
    third.get_id(version)
    third.begin_join(version)
    wait_for_state(broker, group, "PreparingRebalance", 3)
    broker.ask(DescribeGroupsRequest(groups=[group]))
    first.heartbeat()
    for member in (second, first):
        member.begin_join(version)
    for member in (first, second, third):
        member.end_join()
    broker.ask(DescribeGroupsRequest(groups=[group]))
    second.begin_sync()
    third.begin_sync()
    first.sync(given={second.id: b"two", third.id: b"three", "stranger": b"?"})
    second.end()
    third.end()
    broker.ask(DescribeGroupsRequest(groups=[group]))


@case(JoinGroupRequest)
def a_follower_that_joins_again(broker: Broker, version: int) -> None:
    group = coordinated_group(broker)
    first, second = (Member(broker, group, name) for name in "ab")
    first.join(version)
    rejoin(version, first, second)
    second.join(version)
    first.join(version)
    first.sync(given={first.id: b"one", second.id: b"two"})
    second.sync()
    second.join(version)
    second.protocols = [("range", subscription("something-new"))]
    second.begin_join(version)
    wait_for_state(broker, group, "PreparingRebalance")
    first.heartbeat()
    first.begin_join(version)
    first.end_join()
    second.end_join()


@case(JoinGroupRequest)
def requests_that_cannot_be(broker: Broker, version: int) -> None:
    group = coordinated_group(broker)
    rows = [JoinGroupRequestProtocol(name="range", metadata=subscription("a"))]

    def ask(**fields: object) -> None:
        given = {
            "group_id": group,
            "session_timeout_ms": 10_000,
            "rebalance_timeout_ms": 10_000,
            "protocol_type": "consumer",
            "protocols": rows,
            **fields,
        }
        broker.ask(JoinGroupRequest(**given), version)

    ask(group_id="")
    ask(group_id=" ", member_id="m")
    ask(session_timeout_ms=99)
    ask(session_timeout_ms=1_800_001)
    ask(session_timeout_ms=-1)
    ask(member_id="stranger")
    ask(group_id="", session_timeout_ms=0, protocols=[])
    if version >= 5:
        for number, instance in enumerate(("", ".", "a b", "ä", "x" * 250)):
            other = f"{group}-{number}"
            ask(group_id=other, group_instance_id=instance, member_id="stranger")
            ask(group_id=other, group_instance_id=instance)


@case(JoinGroupRequest, first=8)
def a_first_member_that_is_refused(broker: Broker, version: int) -> None:
    group = coordinated_group(broker)
    Member(broker, group, "a", protocols=()).join(version)
    Member(broker, group, "a", protocol_type="").join(version)
    broker.ask(DescribeGroupsRequest(groups=[group]))


@case(JoinGroupRequest)
def requests_that_do_not_fit_the_group(broker: Broker, version: int) -> None:
    group = coordinated_group(broker)
    first = Member(broker, group, "a", protocols=("range", "sticky"))
    settle_group(version, first)
    Member(broker, group, "b", protocols=("other",)).join(version)
    Member(broker, group, "b", protocol_type="connect").join(version)
    Member(broker, group, "b", protocol_type="").join(version)
    Member(broker, group, "b", protocols=()).join(version)
    stranger = Member(broker, group, "b")
    stranger.id = "stranger"
    stranger.join(version)
    first.protocols = [("other", subscription("other"))]
    first.join(version)


@case(JoinGroupRequest, first=3)
def votes(broker: Broker, version: int) -> None:
    for number, (one, two, three) in enumerate(
        [
            (("range", "sticky"), ("sticky", "range"), ("sticky", "range")),
            (("range", "sticky", "robin"), ("robin", "sticky"), ("sticky", "robin")),
            (("sticky", "range"), ("range", "sticky"), ("third", "range", "sticky")),
        ]
    ):
        group = coordinated_group(broker, f"group-{number}")
        members = [
            Member(broker, group, name, protocols=each)
            for name, each in zip("abc", (one, two, three), strict=True)
        ]
        settle_group(version, *members)
        broker.ask(DescribeGroupsRequest(groups=[group]))


@case(JoinGroupRequest, first=3, last=5)
def more_members_than_a_group_may_have(broker: Broker, version: int) -> None:
    group = coordinated_group(broker)
    members = [Member(broker, group, name) for name in "abcd"]
    settle_group(version, *members[:3])
    members[3].join(version)
    members[2].leave()
    members[3].get_id(version)


@case(JoinGroupRequest, first=8)
def those_who_do_not_come_again_are_out(broker: Broker, version: int) -> None:
    group = coordinated_group(broker)
    first, second = (Member(broker, group, name, rebalance_timeout_ms=300) for name in "ab")
    settle_group(version, first)
    second.join(version)
    first.heartbeat()
    first.join(version)
    # Nor is a leader that does not assign waited for any longer.
    wait_for_state(broker, group, "Empty")
    second.heartbeat()
    second.sync()


@case(JoinGroupRequest, first=8)
def those_who_are_silent_are_out(broker: Broker, version: int) -> None:
    group = coordinated_group(broker)
    first = Member(broker, group, "a", session_timeout_ms=300)
    settle_group(version, first)
    wait_for_state(broker, group, "Empty")
    broker.ask(DescribeGroupsRequest(groups=[group]))
    first.heartbeat()
    first.sync()
    first.join(version)


@case(JoinGroupRequest, first=5)
def static_members(broker: Broker, version: int) -> None:
    group = coordinated_group(broker)
    first, second = (Member(broker, group, name, instance=f"instance-{name}") for name in "ab")
    settle_group(version, first, second)
    broker.ask(DescribeGroupsRequest(groups=[group]))
    # A follower comes back under its name: nobody else is bothered.
    again = Member(broker, group, "b", instance="instance-b")
    again.join(version)
    again.sync()
    first.heartbeat()
    second.heartbeat()
    second.sync()
    second.join(version)
    second.leave()
    # So does the leader.
    leader = Member(broker, group, "a", instance="instance-a")
    leader.join(version)
    leader.sync()
    first.heartbeat()
    again.heartbeat()
    first.leave()
    broker.ask(DescribeGroupsRequest(groups=[group]))
    leader.leave()
    again.heartbeat()


@case(JoinGroupRequest, first=5)
def a_static_member_with_something_new(broker: Broker, version: int) -> None:
    group = coordinated_group(broker)
    both = ("range", "sticky")
    first, second = (
        Member(broker, group, name, instance=f"instance-{name}", protocols=both) for name in "ab"
    )
    settle_group(version, first, second)
    # Other topics do not matter, another choice of protocols does.
    again = Member(broker, group, "b-anew", instance="instance-b", protocols=both)
    again.join(version)
    again.sync()
    again = Member(broker, group, "b", instance="instance-b", protocols=("sticky",))
    again.begin_join(version)
    wait_for_state(broker, group, "PreparingRebalance")
    first.heartbeat()
    first.begin_join(version)
    first.end_join()
    again.end_join()
    first.sync(given={again.id: b"two"})
    again.sync()
    # The id of one with the name of the other, and a name that nobody has.
    first.instance = "instance-b"
    for name in ("instance-b", "instance-c"):
        first.instance = name
        first.heartbeat()
        first.sync()
        first.join(version)
        first.leave()
    broker.ask(DescribeGroupsRequest(groups=[group]))


# -- SyncGroup ----------------------------------------------------------------------------------------------------


@case(SyncGroupRequest)
def an_assignment(broker: Broker, version: int) -> None:
    group = coordinated_group(broker)
    first, second = (Member(broker, group, name) for name in "ab")
    first.join()
    rejoin(9, first, second)
    second.begin_sync(version)
    first.sync(version, {first.id: b"one", second.id: b"two"})
    second.end()
    for member in (first, second):
        member.sync(version)
        member.sync(version, {second.id: b"others"})
    broker.ask(DescribeGroupsRequest(groups=[group]))
    second.sync(version)


@case(SyncGroupRequest)
def assignments_that_are_missing_or_nobodys(broker: Broker, version: int) -> None:
    group = coordinated_group(broker)
    first, second = (Member(broker, group, name) for name in "ab")
    first.join()
    rejoin(9, first, second)
    first.sync(version, {"stranger": b"?", first.id: b""})
    second.sync(version)
    broker.ask(DescribeGroupsRequest(groups=[group]))


@case(SyncGroupRequest)
def syncs_that_cannot_be(broker: Broker, version: int) -> None:
    group = coordinated_group(broker)
    member = Member(broker, group, "a")
    member.sync(version, generation_id=0, member_id="m")
    member.join()
    for fields in (
        {"group_id": ""},
        {"group_id": broker.name("nobody")},
        {"member_id": "stranger"},
        {"member_id": ""},
        {"generation_id": member.generation + 1},
        {"generation_id": member.generation - 1},
        {"generation_id": -1},
    ):
        member.sync(version, **fields)
    if version >= 3:
        member.sync(version, group_instance_id="instance")
    if version >= 5:
        for wrong in ("other", "", None):
            member.sync(version, protocol_type=wrong)
            member.sync(version, protocol_name=wrong)
    member.sync(version, {member.id: b"one"})
    other = Member(broker, group, "b")
    other.get_id()
    other.begin_join()
    wait_for_state(broker, group, "PreparingRebalance")
    member.sync(version)
    member.leave()
    other.end_join()


# -- Heartbeat ----------------------------------------------------------------------------------------------------


@case(HeartbeatRequest)
def heartbeats_in_every_state(broker: Broker, version: int) -> None:
    group = coordinated_group(broker)
    first, second = (Member(broker, group, name) for name in "ab")
    first.heartbeat(version, generation_id=0, member_id="m")
    first.join()
    first.heartbeat(version)
    first.sync()
    first.heartbeat(version)
    second.get_id()
    second.heartbeat(version)
    second.begin_join()
    wait_for_state(broker, group, "PreparingRebalance", 2)
    first.heartbeat(version)
    waiting = HeartbeatRequest(group_id=group, member_id=second.id, generation_id=first.generation)
    broker.ask(waiting, version)
    first.leave()
    second.end_join()
    first.heartbeat(version)
    second.heartbeat(version)
    second.leave()
    second.heartbeat(version)


@case(HeartbeatRequest)
def heartbeats_that_cannot_be(broker: Broker, version: int) -> None:
    member = Member(broker, coordinated_group(broker), "a")
    settle_group(9, member)
    for fields in (
        {"group_id": ""},
        {"group_id": broker.name("nobody")},
        {"member_id": "stranger"},
        {"member_id": ""},
        {"generation_id": member.generation + 1},
        {"generation_id": member.generation - 1},
        {"generation_id": -1},
    ):
        member.heartbeat(version, **fields)
    if version >= 3:
        member.heartbeat(version, group_instance_id="instance")
        member.heartbeat(version, group_instance_id="", generation_id=-1)


# -- LeaveGroup ---------------------------------------------------------------------------------------------------


@case(LeaveGroupRequest)
def a_member_that_leaves(broker: Broker, version: int) -> None:
    group = coordinated_group(broker)
    first, second, third = (Member(broker, group, name) for name in "abc")
    first.leave(version)
    settle_group(9, first, second)
    third.get_id()
    third.leave(version)
    first.leave(version)
    first.leave(version)
    second.heartbeat()
    second.join()
    second.leave(version)
    broker.ask(DescribeGroupsRequest(groups=[group]))
    second.leave(version)
    first.group = ""
    first.leave(version)


@case(LeaveGroupRequest, first=3)
def several_leave_at_once(broker: Broker, version: int) -> None:
    group = coordinated_group(broker)
    first, second = (Member(broker, group, name, instance=f"instance-{name}") for name in "ab")
    third = Member(broker, group, "c")
    settle_group(9, first, second, third)

    def leave(*rows: tuple[str, str | None]) -> None:
        members = [
            MemberIdentity(member_id=member_id, group_instance_id=instance) for member_id, instance in rows
        ]
        broker.ask(LeaveGroupRequest(group_id=group, members=members), version)

    leave()
    leave(("stranger", None), ("", None), ("", "instance-x"), ("stranger", "instance-a"))
    leave((first.id, "instance-b"), (third.id, "instance-c"))
    leave(("", "instance-a"), (third.id, None), ("", "instance-a"))
    broker.ask(DescribeGroupsRequest(groups=[group]))
    second.heartbeat()
    leave((second.id, None))
    broker.ask(DescribeGroupsRequest(groups=[group]))
