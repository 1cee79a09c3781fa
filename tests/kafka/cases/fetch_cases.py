"""Fetch: what is read, in which order, with sessions and without."""

from collections.abc import Sequence

from tests.kafka.cases.produce_cases import NOW_MS, UNKNOWN_TOPIC, batch, fill
from tests.kafka.cases.topic_cases import TIMEOUT_MS
from tests.kafka.referee import Broker, Topic, case

from snakka.protocol.compression import Compression
from snakka.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from snakka.protocol.messages.delete_topics import DeleteTopicsRequest
from snakka.protocol.messages.fetch import (
    FetchPartition,
    FetchRequest,
    FetchTopic,
    ForgottenTopic,
    ReplicaState,
)

MAX_BYTES = 1 << 20
NO_SESSION = (0, -1)
NEW_SESSION = (0, 0)


def target(topic: Topic, partition: int = 0, offset: int = 0, **fields: int) -> tuple[Topic, FetchPartition]:
    given = {"partition_max_bytes": MAX_BYTES, **fields}
    return topic, FetchPartition(partition=partition, fetch_offset=offset, **given)


def fetch(
    broker: Broker,
    version: int,
    targets: Sequence[tuple[Topic, FetchPartition]] = (),
    *,
    session: tuple[int, int] = NO_SESSION,
    forget: Sequence[tuple[Topic, int]] = (),
    replica_id: int = -1,
    **fields: int,
) -> int:
    """The id of the session, 0 if there is none."""
    request = FetchRequest(
        **{"max_bytes": MAX_BYTES, "min_bytes": 1, **fields},
        topics=_by_topic(targets),
        forgotten_topics_data=[
            ForgottenTopic(topic=topic.name, topic_id=topic.id, partitions=[partition])
            for topic, partition in forget
        ],
    )
    if version >= 15:
        request.replica_state = ReplicaState(replica_id=replica_id)
    else:
        request.replica_id = replica_id
    if version >= 7:
        request.session_id, request.session_epoch = session
    response = broker.ask(request, version)
    return 0 if response is None else response.session_id


def _by_topic(targets: Sequence[tuple[Topic, FetchPartition]]) -> list[FetchTopic]:
    topics: dict[Topic, FetchTopic] = {}
    for topic, row in targets:
        named = topics.setdefault(topic, FetchTopic(topic=topic.name, topic_id=topic.id))
        named.partitions.append(row)
    return list(topics.values())


def delete_records(broker: Broker, topic: Topic, offset: int) -> None:
    row = DeleteRecordsPartition(partition_index=0, offset=offset)
    broker.ask(
        DeleteRecordsRequest(
            topics=[DeleteRecordsTopic(name=topic.name, partitions=[row])], timeout_ms=TIMEOUT_MS
        )
    )


@case(FetchRequest)
def from_every_offset(broker: Broker, version: int) -> None:
    topic = broker.topic()
    fill(broker, topic, batch(b"a", b"b"), batch(b"c"), batch(b"d", b"e", b"f"))
    for offset in (0, 1, 2, 3, 5, 6, 7, -1, 2**62):
        fetch(broker, version, [target(topic, offset=offset)])


@case(FetchRequest)
def an_empty_log(broker: Broker, version: int) -> None:
    topic = broker.topic()
    for offset in (0, 1, -1, -2):
        fetch(broker, version, [target(topic, offset=offset)], max_wait_ms=1)


@case(FetchRequest)
def what_is_not_there(broker: Broker, version: int) -> None:
    topic = broker.topic()
    fetch(broker, version, [target(topic, 1)])
    fetch(broker, version, [target(topic, -1)])
    fetch(broker, version, [target(UNKNOWN_TOPIC)])
    fetch(broker, version, [target(Topic("", bytes(16)))])
    fetch(broker, version, [target(Topic("a b", bytes(16)))])
    fetch(broker, version, [target(topic), target(UNKNOWN_TOPIC), target(topic, 5)], max_wait_ms=50)


@case(FetchRequest)
def nothing(broker: Broker, version: int) -> None:
    fetch(broker, version)
    fetch(broker, version, max_wait_ms=50)


@case(FetchRequest)
def within_limits_of_bytes(broker: Broker, version: int) -> None:
    topic = broker.topic(partitions=2)
    for partition in range(2):
        fill(broker, topic, *[batch(letter * 200) for letter in (b"a", b"b", b"c")], partition=partition)
    for limit in (0, 1, 100, 270, 300, 540, 600, 2000):
        fetch(broker, version, [target(topic, partition_max_bytes=limit), target(topic, 1)])
        fetch(broker, version, [target(topic), target(topic, 1)], max_bytes=limit)


@case(FetchRequest)
def with_limits_that_are_none(broker: Broker, version: int) -> None:
    topic = broker.topic()
    fill(broker, topic, batch(b"a"), batch(b"b"))
    fetch(broker, version, [target(topic, partition_max_bytes=-1)])
    fetch(broker, version, [target(topic, offset=1)], max_bytes=-1)
    fetch(broker, version, [target(topic)], isolation_level=2)


@case(FetchRequest)
def with_less_than_was_asked_for(broker: Broker, version: int) -> None:
    topic = broker.topic()
    fill(broker, topic, batch(b"a"))
    fetch(broker, version, [target(topic)], min_bytes=100_000, max_wait_ms=20)
    fetch(broker, version, [target(topic, offset=1)], min_bytes=0, max_wait_ms=50)
    fetch(broker, version, [target(topic, offset=1)], min_bytes=-1, max_wait_ms=50)


@case(FetchRequest)
def every_codec(broker: Broker, version: int) -> None:
    topic = broker.topic()
    fill(broker, topic, *[batch(b"a", b"b" * 100, compression=codec) for codec in Compression])
    fetch(broker, version, [target(topic)])


@case(FetchRequest)
def with_isolation(broker: Broker, version: int) -> None:
    topic = broker.topic()
    fill(broker, topic, batch(b"a", b"b"))
    fetch(broker, version, [target(topic)], isolation_level=1)
    fetch(broker, version, [target(topic, offset=2)], isolation_level=1)
    fetch(broker, version, [target(topic, offset=3)], isolation_level=1)


@case(FetchRequest)
def after_records_were_deleted(broker: Broker, version: int) -> None:
    topic = broker.topic()
    fill(broker, topic, batch(b"a", b"b"), batch(b"c", b"d"))
    delete_records(broker, topic, 1)
    for offset in (0, 1, 2):
        fetch(broker, version, [target(topic, offset=offset)])
    delete_records(broker, topic, 4)
    for offset in (3, 4):
        fetch(broker, version, [target(topic, offset=offset)])


@case(FetchRequest)
def a_partition_twice(broker: Broker, version: int) -> None:
    topic = broker.topic()
    fill(broker, topic, batch(b"a"), batch(b"b"))
    fetch(broker, version, [target(topic), target(topic, offset=1)])


@case(FetchRequest, first=9)
def leader_epochs(broker: Broker, version: int) -> None:
    topic = broker.topic()
    fill(broker, topic, batch(b"a"))
    for epoch in (-1, 0, 1, 9, -2):
        fetch(broker, version, [target(topic, current_leader_epoch=epoch)])


@case(FetchRequest, first=12)
def epochs_that_diverge(broker: Broker, version: int) -> None:
    topic = broker.topic()
    fill(broker, topic, batch(b"a", b"b"))
    for epoch, offset in ((0, 0), (0, 2), (0, 3), (1, 1), (7, 0), (-1, 1)):
        fetch(broker, version, [target(topic, offset=offset, last_fetched_epoch=epoch)])


@case(FetchRequest)
def as_a_replica(broker: Broker, version: int) -> None:
    topic = broker.topic()
    fill(broker, topic, batch(b"a"))
    for replica_id in (1, 2, -2, -3):
        fetch(broker, version, [target(topic)], replica_id=replica_id)


@case(FetchRequest, first=7)
def a_session(broker: Broker, version: int) -> None:
    topic = broker.topic(partitions=3)
    fill(broker, topic, batch(b"a"))
    session = fetch(broker, version, [target(topic), target(topic, 1)], session=NEW_SESSION)
    fetch(broker, version, session=(session, 1))
    fetch(broker, version, [target(topic, offset=1)], session=(session, 2))
    fetch(broker, version, session=(session, 3))
    fill(broker, topic, batch(b"b"), partition=1)
    fetch(broker, version, session=(session, 4))
    fetch(broker, version, [target(topic, 1, 1), target(topic, 2)], session=(session, 5))
    fill(broker, topic, batch(b"c"), partition=2)
    fill(broker, topic, batch(b"d"))
    fetch(broker, version, session=(session, 6))
    fetch(broker, version, [target(topic, 0, 2)], session=(session, 7), forget=[(topic, 2)])
    fetch(broker, version, session=(session, 8), forget=[(topic, 0), (topic, 1), (topic, 7)])
    fetch(broker, version, session=(session, -1))
    fetch(broker, version, session=(session, 9))


@case(FetchRequest, first=7)
def sessions_that_are_none(broker: Broker, version: int) -> None:
    topic = broker.topic()
    fill(broker, topic, batch(b"a"))
    fetch(broker, version, [target(topic)], session=(12345, 1))
    fetch(broker, version, [target(topic)], session=(0, 1))
    fetch(broker, version, [target(topic)], session=(12345, -1))
    fetch(broker, version, [target(topic)], session=(12345, 0))
    fetch(broker, version, [target(topic)], session=(12345, -5))
    session = fetch(broker, version, [target(topic)], session=NEW_SESSION)
    fetch(broker, version, session=(session, 2))
    fetch(broker, version, session=(session, 1))
    fetch(broker, version, session=(session, 1))
    fetch(broker, version, [target(topic)], session=(session, 0))
    fetch(broker, version, session=(session, 1))
    fetch(broker, version, session=NEW_SESSION)


@case(FetchRequest, first=7)
def a_session_and_errors(broker: Broker, version: int) -> None:
    topic = broker.topic()
    targets = [target(UNKNOWN_TOPIC), target(topic), target(topic, 4)]
    session = fetch(broker, version, targets, session=NEW_SESSION)
    fetch(broker, version, session=(session, 1))
    fetch(broker, version, [target(topic, offset=9)], session=(session, 2))
    fetch(broker, version, session=(session, 3))


@case(FetchRequest, first=7)
def a_session_whose_topic_goes(broker: Broker, version: int) -> None:
    topic, other = broker.topic(), broker.topic("other")
    session = fetch(broker, version, [target(topic), target(other)], session=NEW_SESSION)
    broker.ask(DeleteTopicsRequest(topic_names=[topic.name], timeout_ms=TIMEOUT_MS), 5)
    fetch(broker, version, session=(session, 1))
    fetch(broker, version, session=(session, 2), forget=[(topic, 0)])
    fetch(broker, version, session=(session, 3))


@case(FetchRequest, first=13)
def a_session_that_changes_between_ids_and_names(broker: Broker, version: int) -> None:
    topic = broker.topic()
    fill(broker, topic, batch(b"a"))
    session = fetch(broker, version, [target(topic)], session=NEW_SESSION)
    fetch(broker, 12, session=(session, 1))
    session = fetch(broker, 12, [target(topic)], session=NEW_SESSION)
    fetch(broker, version, session=(session, 1))


@case(FetchRequest)
def log_append_time(broker: Broker, version: int) -> None:
    topic = broker.topic(message_timestamp_type="LogAppendTime")
    fill(broker, topic, batch(b"a", timestamp=NOW_MS - 5))
    fetch(broker, version, [target(topic)])
