"""Consumer groups of clients that nobody here wrote: they share partitions, commit, go on where they were, and leave."""

import time

import pytest
from confluent_kafka import ConsumerGroupState, ConsumerGroupTopicPartitions, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from tests.cli.broker_process import start_broker
from tests.clients.exchange import DEADLINE_SECONDS, create_topic
from tests.clients.group_members import members_of, wait_until, wait_until_shared

# A client, and the protocol that it speaks (KIP-848).
CLIENTS = (
    ("confluent-kafka", "classic"),
    ("confluent-kafka", "consumer"),
    ("kafka-python", "classic"),
    ("aiokafka", "classic"),
)
PARTITIONS = 4
SOON_SECONDS = 5.0
# Groups do not wait for more members before they begin, and sessions may be short.
SETTINGS = tuple(
    word
    for setting in (
        "group.initial.rebalance.delay.ms=0",
        "group.min.session.timeout.ms=1000",
        "group.consumer.min.heartbeat.interval.ms=100",
        "group.consumer.heartbeat.interval.ms=200",
    )
    for word in ("--set", setting)
)
SHORT_SESSION_MS = 2_000
LONG_SESSION_MS = 30_000


@pytest.fixture(scope="module")
def broker(tmp_path_factory):
    with start_broker(tmp_path_factory.mktemp("groups"), *SETTINGS) as process:
        yield process
        assert process.stop() == 0


@pytest.fixture
def filled(broker, topic) -> str:
    create_topic(broker.bootstrap, topic, PARTITIONS)
    write(broker.bootstrap, topic, range(20))
    return topic


def write(bootstrap: str, topic: str, numbers) -> None:
    """Each number goes to the partition that it is congruent to."""
    producer = Producer({"bootstrap.servers": bootstrap})
    for number in numbers:
        producer.produce(topic, str(number).encode(), partition=number % PARTITIONS)
    assert producer.flush(DEADLINE_SECONDS) == 0


def numbers_of(member) -> list[int]:
    return sorted(int(value) for value in member.values())


@pytest.mark.parametrize(("client", "protocol"), CLIENTS)
def test_a_consumer_reads_commits_and_the_next_one_goes_on(broker, filled, client, protocol) -> None:
    with members_of(client, broker.bootstrap, filled, filled) as start:
        first = start(protocol=protocol)
        wait_until(lambda: len(first.records) == 20, [first])
        assert numbers_of(first) == list(range(20))
        assert first.commit() == dict.fromkeys(range(PARTITIONS), 5)
        write(broker.bootstrap, filled, range(20, 24))
        wait_until(lambda: len(first.records) == 24, [first])
        assert first.commit("commit_async") == dict.fromkeys(range(PARTITIONS), 6)
        write(broker.bootstrap, filled, range(24, 28))
        wait_until(lambda: len(first.records) == 28, [first])
        assert first.close() < SOON_SECONDS
        # What was not committed is read again, and nothing else.
        second = start(protocol=protocol)
        wait_until(lambda: len(second.records) == 4, [second])
        assert numbers_of(second) == list(range(24, 28))
        assert second.close() < SOON_SECONDS


@pytest.mark.parametrize(("client", "protocol"), CLIENTS)
def test_a_consumer_that_commits_by_itself_commits_when_it_closes(broker, filled, client, protocol) -> None:
    with members_of(client, broker.bootstrap, filled, filled) as start:
        first = start(protocol=protocol, auto_commit=True)
        wait_until(lambda: len(first.records) == 20, [first])
        assert first.close() < SOON_SECONDS
        write(broker.bootstrap, filled, [21])
        second = start(protocol=protocol)
        wait_until(lambda: second.values() == ["21"], [second])
        second.close()


@pytest.mark.parametrize(("client", "protocol"), CLIENTS)
def test_members_share_the_partitions_and_inherit_them(broker, filled, client, protocol) -> None:
    with members_of(client, broker.bootstrap, filled, filled) as start:
        first = start(protocol=protocol, session_ms=LONG_SESSION_MS)
        wait_until_shared([first], PARTITIONS)
        second = start(protocol=protocol, session_ms=LONG_SESSION_MS)
        wait_until_shared([first, second], PARTITIONS)
        write(broker.bootstrap, filled, range(100, 108))
        wait_until(lambda: {*range(100, 108)} <= {*numbers_of(first), *numbers_of(second)}, [first, second])
        began = time.monotonic()
        second.close()
        wait_until_shared([first], PARTITIONS)
        # Who leaves says so: nobody waits for the end of its session.
        assert time.monotonic() - began < LONG_SESSION_MS / 2000
        first.close()


def test_a_member_that_dies_is_missed_when_its_session_ends(broker, filled) -> None:
    with members_of("confluent-kafka", broker.bootstrap, filled, filled) as start:
        first, second = start(), start(session_ms=SHORT_SESSION_MS)
        wait_until_shared([first, second], PARTITIONS)
        second.kill()
        wait_until_shared([first], PARTITIONS)
        first.close()


@pytest.mark.parametrize("client", ["confluent-kafka", "kafka-python"])
def test_cooperative_members_keep_what_does_not_move(broker, filled, client) -> None:
    with members_of(client, broker.bootstrap, filled, filled) as start:
        first = start(strategy="cooperative-sticky")
        wait_until_shared([first], PARTITIONS)
        second = start(strategy="cooperative-sticky")
        wait_until_shared([first, second], PARTITIONS)
        revoked = [partitions for what, partitions in first.events if what == "revoked" and partitions]
        assert [len(partitions) for partitions in revoked] == [2]
        assert set(revoked[0]) == second.assignment
        second.close()
        wait_until_shared([first], PARTITIONS)
        assert sum(1 for what, partitions in first.events if what == "revoked" and partitions) == 1
        first.close()


def test_a_static_member_comes_back_to_its_partitions(broker, filled) -> None:
    with members_of("confluent-kafka", broker.bootstrap, filled, filled) as start:
        first, second = (start(instance=name, session_ms=LONG_SESSION_MS) for name in ("one", "two"))
        wait_until_shared([first, second], PARTITIONS)
        owned, revocations = set(second.assignment), first.count("revoked")
        second.close()
        again = start(instance="two", session_ms=LONG_SESSION_MS)
        wait_until(lambda: again.assignment == owned, [again])
        first.hear()
        assert first.count("revoked") == revocations
        # Who takes an instance id over sends its holder away.
        usurper = start(instance="two", session_ms=LONG_SESSION_MS)
        wait_until(lambda: ("failed", "_FATAL") in again.events, [again])
        wait_until(lambda: usurper.assignment == owned, [usurper])
        usurper.close()
        first.close()


def test_a_group_goes_on_after_the_broker_was_killed(tmp_path, topic) -> None:
    with start_broker(tmp_path, *SETTINGS) as broker:
        create_topic(broker.bootstrap, topic, PARTITIONS)
        write(broker.bootstrap, topic, range(20))
        with members_of("confluent-kafka", broker.bootstrap, topic, topic) as start:
            first = start(session_ms=SHORT_SESSION_MS)
            wait_until(lambda: len(first.records) == 20, [first])
            first.commit()
            broker.kill()
    with start_broker(tmp_path, *SETTINGS) as broker:
        write(broker.bootstrap, topic, range(20, 24))
        with members_of("confluent-kafka", broker.bootstrap, topic, topic) as start:
            second = start()
            # The first one's session has to end, for all that the new broker knows.
            wait_until(lambda: len(second.records) == 4, [second])
            assert numbers_of(second) == list(range(20, 24))
            second.close()
        assert broker.stop() == 0


def test_an_administrator_sees_groups_and_moves_their_offsets(broker, filled) -> None:
    admin = AdminClient({"bootstrap.servers": broker.bootstrap})

    def offsets() -> dict[int, int]:
        asked = [ConsumerGroupTopicPartitions(filled)]
        answer = admin.list_consumer_group_offsets(asked)[filled].result(DEADLINE_SECONDS)
        return {row.partition: row.offset for row in answer.topic_partitions}

    def move(partition: int, offset: int) -> None:
        rows = [ConsumerGroupTopicPartitions(filled, [TopicPartition(filled, partition, offset)])]
        answer = admin.alter_consumer_group_offsets(rows)[filled].result(DEADLINE_SECONDS)
        assert [row.error for row in answer.topic_partitions] == [None]

    with members_of("confluent-kafka", broker.bootstrap, filled, filled) as start:
        member = start()
        wait_until(lambda: len(member.records) == 20, [member])
        member.commit()
        listed = admin.list_consumer_groups().result(DEADLINE_SECONDS)
        states = {group.group_id: group.state for group in listed.valid}
        assert states[filled] is ConsumerGroupState.STABLE
        described = admin.describe_consumer_groups([filled])[filled].result(DEADLINE_SECONDS)
        assert (described.partition_assignor, len(described.members)) == ("range", 1)
        assert len(described.members[0].assignment.topic_partitions) == PARTITIONS
        member.close()
    assert offsets() == dict.fromkeys(range(PARTITIONS), 5)
    move(2, 1)
    assert offsets() == {0: 5, 1: 5, 2: 1, 3: 5}
    with members_of("confluent-kafka", broker.bootstrap, filled, filled) as start:
        member = start()
        wait_until(lambda: len(member.records) == 4, [member])
        assert {partition for partition, _, _ in member.records} == {2}
        member.close()
    admin.delete_consumer_groups([filled])[filled].result(DEADLINE_SECONDS)
    listed = admin.list_consumer_groups().result(DEADLINE_SECONDS)
    assert filled not in {group.group_id for group in listed.valid}
