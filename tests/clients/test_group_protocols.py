"""The consumer protocol of groups (KIP-848) by a client that nobody here wrote, and groups that change between protocols."""

import time

import pytest
from confluent_kafka import ConsumerGroupState, ConsumerGroupType, Producer
from confluent_kafka.admin import AdminClient, ConsumerGroupDescription
from tests.cli.broker_process import start_broker
from tests.clients.exchange import DEADLINE_SECONDS, create_topic
from tests.clients.group_members import members_of, wait_until, wait_until_shared

CLIENT = "confluent-kafka"
PARTITIONS = 6
SOON_SECONDS = 5.0
# Members hear of a new assignment soon.
SETTINGS = tuple(
    word
    for setting in (
        "group.initial.rebalance.delay.ms=0",
        "group.consumer.min.heartbeat.interval.ms=100",
        "group.consumer.heartbeat.interval.ms=200",
    )
    for word in ("--set", setting)
)


@pytest.fixture(scope="module")
def broker(tmp_path_factory):
    with start_broker(tmp_path_factory.mktemp("protocols"), *SETTINGS) as process:
        yield process
        assert process.stop() == 0


@pytest.fixture
def created(broker, topic) -> str:
    create_topic(broker.bootstrap, topic, PARTITIONS)
    return topic


class Writer:
    """Writes numbers, one after another, to all partitions in turn."""

    def __init__(self, bootstrap: str, topic: str) -> None:
        self._producer = Producer({"bootstrap.servers": bootstrap})
        self._topic = topic
        self.written = 0

    def write(self, count: int) -> None:
        for number in range(self.written, self.written + count):
            self._producer.produce(self._topic, b"%d" % number, partition=number % PARTITIONS)
        assert self._producer.flush(DEADLINE_SECONDS) == 0
        self.written += count


def group_type(broker, group: str) -> ConsumerGroupType:
    admin = AdminClient({"bootstrap.servers": broker.bootstrap})
    listed = admin.list_consumer_groups().result(DEADLINE_SECONDS)
    assert not listed.errors
    return next(row.type for row in listed.valid if row.group_id == group)


def describe(broker, group: str) -> ConsumerGroupDescription:
    admin = AdminClient({"bootstrap.servers": broker.bootstrap})
    return admin.describe_consumer_groups([group])[group].result(DEADLINE_SECONDS)


def wait_until_stable(broker, group: str) -> None:
    """Until all members have heard of the newest epoch: who has not is out of date, and loses what it has, if the group
    becomes a classic one."""
    wait_until(lambda: describe(broker, group).state is ConsumerGroupState.STABLE, [])


def revoked(member) -> list[int]:
    """Every partition that was ever taken from it."""
    return [number for what, numbers in member.events if what == "revoked" for number in numbers]


def test_three_members_come_and_go(broker, created) -> None:
    with members_of(CLIENT, broker.bootstrap, created, created) as start:
        first = start(protocol="consumer")
        wait_until_shared([first], PARTITIONS)
        second = start(protocol="consumer")
        wait_until_shared([first, second], PARTITIONS)
        assert len(first.assignment) == len(second.assignment) == 3
        third = start(protocol="consumer")
        members = [first, second, third]
        # They hand over one partition after another: all have partitions before all have as many.
        wait_until_shared(members, PARTITIONS)
        wait_until(lambda: {len(member.assignment) for member in members} == {2}, members)
        # Only what moves is taken from anybody.
        assert (len(revoked(first)), len(revoked(second)), revoked(third)) == (4, 1, [])
        assert third.close() < SOON_SECONDS
        wait_until_shared([first, second], PARTITIONS)
        assert first.close() < SOON_SECONDS
        wait_until_shared([second], PARTITIONS)
        assert len(revoked(second)) == 1
        assert second.close() < SOON_SECONDS


@pytest.mark.slow  # Expressions are looked up in new topics every ten seconds at most.
def test_topics_that_an_expression_matches(broker, topic) -> None:
    create_topic(broker.bootstrap, f"{topic}-a", 2)
    create_topic(broker.bootstrap, f"other-{topic}", 4)
    with members_of(CLIENT, broker.bootstrap, topic, f"^{topic}-[a-c]$") as start:
        member = start(protocol="consumer")
        wait_until(lambda: member.assignment == {0, 1}, [member])
        create_topic(broker.bootstrap, f"{topic}-b", 3)
        create_topic(broker.bootstrap, f"{topic}-d", 4)
        wait_until(lambda: member.assignment == {0, 1, 2}, [member])
        producer = Producer({"bootstrap.servers": broker.bootstrap})
        for name in (f"{topic}-b", f"other-{topic}", f"{topic}-d", f"{topic}-a"):
            producer.produce(name, name.encode(), partition=0)
        assert producer.flush(DEADLINE_SECONDS) == 0
        wait_until(lambda: len(member.records) == 2, [member])
        assert sorted(member.values()) == [f"{topic}-a", f"{topic}-b"]
        assert member.close() < SOON_SECONDS


def test_static_members_keep_their_partitions_while_they_are_away(broker, created) -> None:
    with members_of(CLIENT, broker.bootstrap, created, created) as start:
        first, second = (start(protocol="consumer", instance=name) for name in ("one", "two"))
        wait_until_shared([first, second], PARTITIONS)
        owned, before = second.assignment, (first.count("assigned"), first.count("revoked"))
        # Nobody else can be what is there already.
        stranger = start(protocol="consumer", instance="two")
        wait_until(lambda: ("failed", "_FATAL") in stranger.events, [stranger])
        assert second.close() < SOON_SECONDS
        again = start(protocol="consumer", instance="two")
        wait_until(lambda: again.assignment == owned, [again])
        first.hear()
        assert (first.count("assigned"), first.count("revoked")) == before
        first.close()
        again.close()


def test_both_protocols_in_one_group(broker, created) -> None:
    writer = Writer(broker.bootstrap, created)
    with members_of(CLIENT, broker.bootstrap, created, created) as start:
        classic = start(protocol="classic")
        wait_until_shared([classic], PARTITIONS)
        assert group_type(broker, created) == ConsumerGroupType.CLASSIC
        consumer = start(protocol="consumer")
        members = [classic, consumer]
        wait_until_shared(members, PARTITIONS)
        assert group_type(broker, created) == ConsumerGroupType.CONSUMER
        assert len(classic.assignment) == len(consumer.assignment) == 3
        writer.write(60)
        wait_until(lambda: sum(len(member.records) for member in members) == 60, members)
        committed = classic.commit() | consumer.commit()
        assert committed == dict.fromkeys(range(PARTITIONS), 10)
        # One more of each kind.
        members += [start(protocol="classic"), start(protocol="consumer")]
        wait_until_shared(members, PARTITIONS)
        wait_until_stable(broker, created)
        assert len(describe(broker, created).members) == 4
        for member in members[::2]:
            assert member.close() < SOON_SECONDS
        wait_until_shared(members[1::2], PARTITIONS)
        for member in members[1::2]:
            assert member.close() < SOON_SECONDS


def test_a_live_group_moves_to_the_new_protocol_and_back(broker, created) -> None:
    """Member by member, as its programs are updated one after another, while records come in all the time."""
    writer = Writer(broker.bootstrap, created)
    with members_of(CLIENT, broker.bootstrap, created, created) as start:
        members, all_of_them = [], []

        def replace(protocol: str) -> None:
            """The oldest member goes, a new one comes."""
            if len(members) == 3:
                oldest = members.pop(0)
                oldest.close()
            members.append(start(protocol=protocol, auto_commit=True))
            all_of_them.append(members[-1])
            wait_until_shared(members, PARTITIONS)
            wait_until_stable(broker, created)
            writer.write(30)

        for protocol in ("classic", "consumer", "classic"):
            for _ in range(3):
                replace(protocol)
            assert group_type(broker, created) == ConsumerGroupType[protocol.upper()]
        read: list[str] = []

        def everything_is_read() -> bool:
            read[:] = [value for member in all_of_them for value in member.values()]
            return len(set(read)) == writer.written

        wait_until(everything_is_read, members)
        assert len(read) == writer.written, "read twice, though all was committed"
        for member in members:
            assert member.close() < SOON_SECONDS


def test_a_member_that_dies_is_missed_when_its_session_ends(tmp_path, topic) -> None:
    session = ("--set", "group.consumer.min.session.timeout.ms=1000")
    short = ("--set", "group.consumer.session.timeout.ms=1500")
    with start_broker(tmp_path, *SETTINGS, *session, *short) as broker:
        create_topic(broker.bootstrap, topic, PARTITIONS)
        with members_of(CLIENT, broker.bootstrap, topic, topic) as start:
            first, second = start(protocol="consumer"), start(protocol="consumer")
            wait_until_shared([first, second], PARTITIONS)
            second.kill()
            began = time.monotonic()
            wait_until_shared([first], PARTITIONS)
            assert time.monotonic() - began < 10
            first.close()
        assert broker.stop() == 0
