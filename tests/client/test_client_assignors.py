"""Assignors and what members tell each other: by themselves, and beside those of Apache Kafka's own client."""

import random
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.kafka.kafka_tools_process import JVM_FLAGS
from tests.kafka.nodes import kafka_libs

from snakka.client.consumer.groups.assignors import ASSIGNORS, MemberSubscription
from snakka.client.consumer.groups.assignors.balance import Claim
from snakka.client.consumer.groups.assignors.members import Assignment, Members, Topics
from snakka.client.consumer.groups.assignors.sticky import read_claim, write_claim
from snakka.client.consumer.groups.embedded_protocol import (
    read_assignment,
    read_subscription,
    write_assignment,
    write_subscription,
)
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.errors import ProtocolError

NO_RACKS: frozenset[str] = frozenset()
STICKY = ("sticky", "cooperative-sticky")


def topic(partitions: int) -> list[frozenset[str]]:
    return [NO_RACKS] * partitions


def member(
    *topics: str, owned: tuple[TopicPartition, ...] = (), generation: int = -1, rack: str | None = None
) -> MemberSubscription:
    """One that tells what it owns in every way there is."""
    data = write_claim(Claim(owned, generation)) if generation >= 0 else None
    return MemberSubscription(frozenset(topics), None, rack, owned, generation, data)


def shown(assignment: Assignment) -> dict[str, list[str]]:
    return {name: sorted(map(str, partitions)) for name, partitions in assignment.items()}


def after(
    assignor: str, topics: Topics, members: Members, generation: int = 1
) -> dict[str, MemberSubscription]:
    """The members when they have what they were assigned."""
    found = ASSIGNORS[assignor].assign(topics, members)
    return {
        name: member(*members[name].topics, owned=tuple(found[name]), generation=generation, rack=each.rack)
        for name, each in members.items()
    }


# -- stories ---------------------------------------------------------------------------------------------------------


def test_range_gives_ranges_of_each_topic() -> None:
    found = ASSIGNORS["range"].assign(
        {"a": topic(3), "b": topic(3)}, {"x": member("a", "b"), "y": member("a", "b")}
    )
    assert shown(found) == {"x": ["a-0", "a-1", "b-0", "b-1"], "y": ["a-2", "b-2"]}


def test_round_robin_goes_on_over_members_that_do_not_want_a_topic() -> None:
    found = ASSIGNORS["roundrobin"].assign(
        {"a": topic(1), "b": topic(2), "c": topic(3)},
        {"x": member("a"), "y": member("a", "b"), "z": member("a", "b", "c")},
    )
    assert shown(found) == {"x": ["a-0"], "y": ["b-0"], "z": ["b-1", "c-0", "c-1", "c-2"]}


def test_static_members_come_first_whatever_their_member_id_is() -> None:
    members = {"x": member("a"), "z": member("a")._replace(instance_id="one")}
    assert shown(ASSIGNORS["range"].assign({"a": topic(1)}, members)) == {"x": [], "z": ["a-0"]}


def test_range_prefers_replicas_nearby() -> None:
    topics = {"a": [frozenset({rack}) for rack in ("north", "south", "north", "south")]}
    members = {"x": member("a", rack="south"), "y": member("a", rack="north")}
    assert shown(ASSIGNORS["range"].assign(topics, members)) == {"x": ["a-1", "a-3"], "y": ["a-0", "a-2"]}


@pytest.mark.parametrize("assignor", STICKY)
def test_sticky_moves_only_what_a_new_member_needs(assignor: str) -> None:
    topics = {"a": topic(6)}
    members = after(assignor, topics, {"x": member("a"), "y": member("a")})
    grown = ASSIGNORS[assignor].assign(topics, {**members, "z": member("a")})
    for name in "xy":
        assert len(grown[name]) == 2
        assert set(grown[name]) < set(members[name].owned)
    # Cooperative members get what another one has only after that one has given it up.
    assert len(grown["z"]) == (2 if assignor == "sticky" else 0)


def test_a_partition_changes_hands_in_two_steps_when_it_is_cooperative() -> None:
    topics = {"a": topic(4)}
    first = after("cooperative-sticky", topics, {"x": member("a")})
    second = after("cooperative-sticky", topics, {**first, "y": member("a")}, 2)
    assert (len(second["x"].owned), len(second["y"].owned)) == (2, 0)
    third = after("cooperative-sticky", topics, second, 3)
    assert (len(third["x"].owned), len(third["y"].owned)) == (2, 2)
    assert set(third["x"].owned) | set(third["y"].owned) == {TopicPartition("a", index) for index in range(4)}


@pytest.mark.parametrize("assignor", STICKY)
def test_of_two_that_claim_the_same_the_newer_one_keeps_it(assignor: str) -> None:
    both = (TopicPartition("a", 0), TopicPartition("a", 1))
    members = {"old": member("a", owned=both, generation=1), "new": member("a", owned=both[:1], generation=2)}
    found = ASSIGNORS[assignor].assign({"a": topic(2)}, members)
    assert shown(found) == {"old": ["a-1"], "new": ["a-0"]}


def test_nobody_gets_what_two_claim_alike_before_both_have_given_it_up() -> None:
    both = (TopicPartition("a", 0),)
    members = {name: member("a", owned=both, generation=1) for name in "xy"}
    assert shown(ASSIGNORS["cooperative-sticky"].assign({"a": topic(1)}, members)) == {"x": [], "y": []}


@pytest.mark.parametrize("assignor", ASSIGNORS)
def test_a_topic_that_nobody_knows_is_left_out(assignor: str) -> None:
    assert shown(ASSIGNORS[assignor].assign({}, {"x": member("a")})) == {"x": []}


# -- properties ------------------------------------------------------------------------------------------------------

NAMES = ("a", "b", "c", "d")
MOST_ROUNDS = 5
GROUPS = st.tuples(
    st.dictionaries(st.sampled_from(NAMES), st.integers(0, 7).map(topic), min_size=1),
    st.dictionaries(
        st.sampled_from([f"m{number}" for number in range(6)]),
        st.sets(st.sampled_from(NAMES), min_size=1).map(lambda topics: member(*topics)),
        min_size=1,
    ),
)


def assert_complete(topics: Topics, members: Members, found: Assignment) -> None:
    """Everything that somebody wants is given once, to somebody who wants it."""
    given_out = [partition for partitions in found.values() for partition in partitions]
    wanted = {name for each in members.values() for name in each.topics}
    assert sorted(given_out) == sorted(
        TopicPartition(name, index) for name in topics if name in wanted for index in range(len(topics[name]))
    )
    for name, partitions in found.items():
        assert {partition.topic for partition in partitions} <= members[name].topics


def assert_balanced(members: Members, found: Assignment) -> None:
    """Nobody has two more than another who wants one of them."""
    for rich, partitions in found.items():
        for poor in found:
            if len(partitions) > len(found[poor]) + 1:
                assert not members[poor].topics & {each.topic for each in partitions}, (rich, poor)


@pytest.mark.parametrize("assignor", ASSIGNORS)
@settings(max_examples=60, deadline=None)
@given(group=GROUPS)
def test_everything_is_given_to_somebody_who_wants_it(
    assignor: str, group: tuple[Topics, dict[str, MemberSubscription]]
) -> None:
    topics, members = group
    assert_complete(topics, members, ASSIGNORS[assignor].assign(topics, members))


@settings(max_examples=150, deadline=None)
@given(group=GROUPS, leaving=st.sets(st.sampled_from([f"m{number}" for number in range(6)])), more=GROUPS)
def test_sticky_is_balanced_and_keeps_what_it_can(
    group: tuple[Topics, dict[str, MemberSubscription]],
    leaving: set[str],
    more: tuple[Topics, dict[str, MemberSubscription]],
) -> None:
    topics, members = group
    settled = after("sticky", topics, members)
    assert_balanced(members, {name: list(each.owned) for name, each in settled.items()})
    # When nothing changes, nothing moves.
    again = ASSIGNORS["sticky"].assign(topics, settled)
    assert {name: set(each.owned) for name, each in settled.items()} == {
        name: set(partitions) for name, partitions in again.items()
    }
    changed = {name: each for name, each in settled.items() if name not in leaving}
    changed.update((name, each) for name, each in more[1].items() if name not in settled)
    if changed:
        found = ASSIGNORS["sticky"].assign(topics, changed)
        assert_complete(topics, changed, found)
        assert_balanced(changed, found)


@settings(max_examples=100, deadline=None)
@given(group=GROUPS, leaving=st.sets(st.sampled_from([f"m{number}" for number in range(6)])), more=GROUPS)
def test_cooperative_members_never_share_and_are_balanced_soon(
    group: tuple[Topics, dict[str, MemberSubscription]],
    leaving: set[str],
    more: tuple[Topics, dict[str, MemberSubscription]],
) -> None:
    topics, members = group
    settled = after("cooperative-sticky", topics, members)
    changed = {name: each for name, each in settled.items() if name not in leaving}
    changed.update((name, each) for name, each in more[1].items() if name not in settled)
    if not changed:
        return
    found = ASSIGNORS["cooperative-sticky"].assign(topics, changed)
    for name, partitions in found.items():
        for other, each in changed.items():
            assert name == other or not set(partitions) & set(each.owned)
    # Who wants the same as all others waits for one more round; else what is freed may make room for better.
    rounds = 1 if len({each.topics for each in changed.values()}) == 1 else MOST_ROUNDS
    settled = after("cooperative-sticky", topics, changed, 2)
    for generation in range(3, 3 + rounds):
        settled = after("cooperative-sticky", topics, settled, generation)
    found = {name: list(each.owned) for name, each in settled.items()}
    assert_complete(topics, changed, found)
    assert_balanced(changed, found)


@given(
    partitions=st.sets(
        st.tuples(st.sampled_from(NAMES), st.integers(0, 50)).map(lambda pair: TopicPartition(*pair))
    ),
    generation=st.integers(0, 2**31 - 1),
)
def test_a_claim_is_read_as_it_was_written(partitions: set[TopicPartition], generation: int) -> None:
    claim = Claim(tuple(sorted(partitions)), generation)
    written = write_claim(claim)
    assert read_claim(written) == claim
    assert read_claim(written[:-4]) == Claim(
        claim.partitions, -1
    )  # as members wrote it before there were generations


@given(garbage=st.binary(max_size=40))
def test_garbage_claims_nothing_and_breaks_nothing(garbage: bytes) -> None:
    assert all(isinstance(each, TopicPartition) for each in read_claim(garbage).partitions)
    for read in (read_subscription, read_assignment):
        with suppress(ProtocolError):
            read(garbage)


# -- beside Apache Kafka ---------------------------------------------------------------------------------------------


class Kafka:
    """Lines for AssignorFacts.java, which answers some of them with a line."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def ask(self, assignor: str, topics: Topics, members: Members) -> None:
        for name, racks in topics.items():
            self._lines.append(" ".join(["topic", name, *(",".join(sorted(each)) or "-" for each in racks)]))
        for name, each in members.items():
            self._lines.append(f"member {name} {self._words(each)}")
        self._lines.append(f"assign {assignor}")

    def ask_bytes(self, each: MemberSubscription) -> None:
        self._lines.append(f"bytes m {self._words(each)}")

    def answers(self) -> list[str]:
        command = [
            "java",
            *JVM_FLAGS,
            "-cp",
            f"{kafka_libs()}/*",
            str(Path(__file__).with_name("AssignorFacts.java")),
        ]
        ended = subprocess.run(
            command, input="\n".join(self._lines), capture_output=True, text=True, timeout=60, check=True
        )
        return ended.stdout.splitlines()

    def _words(self, each: MemberSubscription) -> str:
        fields = (
            each.instance_id,
            each.rack,
            ",".join(sorted(each.topics)),
            ",".join(map(str, each.owned)),
            str(each.generation),
            None if each.user_data is None else each.user_data.hex(),
        )
        return " ".join(field or "-" for field in fields)


def random_group(chance: random.Random, with_racks: bool) -> tuple[Topics, dict[str, MemberSubscription]]:
    racks = ("north", "south", "west") if with_racks else ()

    def partition() -> frozenset[str]:
        return frozenset(chance.sample(racks, chance.randint(1, len(racks)))) if racks else NO_RACKS

    topics = {
        name: [partition() for _ in range(chance.randint(1, 7))] for name in NAMES[: chance.randint(1, 4)]
    }
    is_uniform = chance.random() < 0.5
    members = {}
    for number in range(chance.randint(1, 6)):
        wanted = NAMES if is_uniform else chance.sample(NAMES, chance.randint(1, 4))
        rack = chance.choice(racks) if racks and chance.random() < 0.9 else None
        each = member(*wanted, rack=rack)
        members[f"m{number}"] = each._replace(instance_id=f"i{9 - number}" if chance.random() < 0.3 else None)
    return topics, members


def parsed(answer: str) -> Mapping[str, list[str]]:
    pairs = (word.partition("=") for word in answer.split(" "))
    return {name: sorted(found.split(",")) if found else [] for name, _, found in pairs}


def test_the_same_groups_are_assigned_as_by_kafka() -> None:
    """Exactly, but where the sticky ones have members that want different topics: as evenly then, and as near."""
    chance = random.Random(848)
    kafka = Kafka()
    asked = []
    for number in range(240):
        topics, members = random_group(chance, with_racks=number % 2 == 0)
        for assignor in ASSIGNORS:
            if assignor in STICKY and chance.random() < 0.5:
                members = {
                    name: each._replace(instance_id=members[name].instance_id)
                    for name, each in after(assignor, topics, members).items()
                }
                if len(members) > 1:
                    members.pop(chance.choice(list(members)))
            kafka.ask(assignor, topics, members)
            asked.append((assignor, topics, members))
    answers = kafka.answers()
    assert len(answers) == len(asked)
    far, far_by_kafka = 0, 0
    for (assignor, topics, members), answer in zip(asked, answers, strict=True):
        own, theirs = ASSIGNORS[assignor].assign(topics, members), parsed(answer)
        if assignor not in STICKY or len({each.topics for each in members.values()}) == 1:
            assert shown(own) == theirs, (assignor, topics, members)
            continue
        given_out, by_kafka = (sum(map(len, each.values())) for each in (own, theirs))
        far += _far(topics, members, shown(own))
        far_by_kafka += _far(topics, members, theirs)
        if assignor == "sticky":
            assert given_out == by_kafka
            assert sum(len(each) ** 2 for each in own.values()) <= sum(
                len(each) ** 2 for each in theirs.values()
            )
        if not any(racks for each in topics.values() for racks in each):
            assert given_out >= by_kafka  # no more changes hands
            assert _kept(members, shown(own)) >= _kept(members, theirs)
    assert far <= far_by_kafka


def _far(topics: Topics, members: Members, assignment: Mapping[str, list[str]]) -> int:
    """How many partitions have no replica on their members' racks."""
    return sum(
        members[name].rack not in topics[topic][int(index)]
        for name, partitions in assignment.items()
        for topic, _, index in (each.rpartition("-") for each in partitions)
        if members[name].rack
    )


def _kept(members: Members, assignment: Mapping[str, list[str]]) -> int:
    return sum(len(set(map(str, each.owned)) & set(assignment[name])) for name, each in members.items())


def test_members_tell_each_other_the_same_bytes_as_kafka_s() -> None:
    owned = (TopicPartition("orders", 0), TopicPartition("orders", 11), TopicPartition("returns", 3))
    subscriptions = [
        MemberSubscription(frozenset({"orders"})),
        MemberSubscription(frozenset({"returns", "orders"}), None, "north", owned, 7, b"\x01\x02"),
    ]
    kafka = Kafka()
    for each in subscriptions:
        kafka.ask_bytes(each)
    for each, answer in zip(subscriptions, kafka.answers(), strict=True):
        words = answer.split(" ")
        for version in range(4):
            written = write_subscription(
                each.topics,
                each.owned,
                user_data=each.user_data,
                generation=each.generation,
                rack=each.rack,
                version=version,
            )
            assert written.hex() == words[2 * version]
            assert write_assignment(each.owned, version).hex() == words[2 * version + 1]
            assert read_assignment(bytes.fromhex(words[2 * version + 1])) == each.owned
        assert read_subscription(bytes.fromhex(words[6])) == each
        sticky, cooperative = ASSIGNORS["sticky"], ASSIGNORS["cooperative-sticky"]
        told = [
            assignor.user_data(*arguments)
            for assignor in (sticky, cooperative)
            for arguments in (((), -1), (each.owned, each.generation))
        ]
        assert words[8] == "-"
        assert told[0] is None
        assert [(data or b"").hex() for data in told[2:]] == words[10:]
        claim = read_claim(bytes.fromhex(words[9]))
        assert Claim(tuple(sorted(claim.partitions)), claim.generation) == Claim(each.owned, each.generation)


def test_a_member_that_is_newer_than_we_are_is_understood() -> None:
    subscription = bytearray(write_subscription(["a"], [], user_data=None, generation=3, rack="r"))
    subscription[:2] = b"\x00\x09"
    assert read_subscription(bytes(subscription) + b"what we do not know").topics == {"a"}
    assert read_assignment(b"") == ()
    with pytest.raises(ProtocolError, match="no version -1"):
        read_assignment(b"\xff\xff")
