"""InitProducerId, AddPartitionsToTxn, AddOffsetsToTxn, EndTxn, DescribeTransactions and ListTransactions."""

from tests.kafka.cases.classic_members import coordinated_group
from tests.kafka.cases.produce_cases import UNKNOWN_TOPIC
from tests.kafka.cases.transactional_producers import (
    BUSY,
    TransactionalProducer,
    describe_all,
    transactional_id,
)
from tests.kafka.referee import Broker, Topic, case

from snakka.coordination.decision import Producer
from snakka.protocol.messages.add_offsets_to_txn import AddOffsetsToTxnRequest
from snakka.protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)
from snakka.protocol.messages.describe_transactions import DescribeTransactionsRequest
from snakka.protocol.messages.end_txn import EndTxnRequest
from snakka.protocol.messages.init_producer_id import InitProducerIdRequest
from snakka.protocol.messages.list_transactions import ListTransactionsRequest
from snakka.protocol.uuids import ZERO_UUID

MAX_TIMEOUT_MS = 900_000


def impostors(who: Producer) -> list[Producer]:
    """Those who are not quite this producer."""
    return [
        Producer(who.producer_id, who.epoch + 1),
        Producer(who.producer_id, who.epoch - 1),
        Producer(who.producer_id, -1),
        Producer(who.producer_id + 10_000, who.epoch),
        Producer(-1, -1),
    ]


# -- InitProducerId -----------------------------------------------------------------------------------------------


@case(InitProducerIdRequest)
def transactional_ids_and_timeouts(broker: Broker, version: int) -> None:
    name = transactional_id(broker)
    for timeout_ms in (0, -1, MAX_TIMEOUT_MS + 1, MAX_TIMEOUT_MS, 1):
        request = InitProducerIdRequest(transactional_id=name, transaction_timeout_ms=timeout_ms)
        broker.ask(request, version, passing=BUSY)
        broker.ask(DescribeTransactionsRequest(transactional_ids=[name]))


@case(InitProducerIdRequest)
def one_after_another_takes_over(broker: Broker, version: int) -> None:
    producer, topic = TransactionalProducer(broker), broker.topic()
    first = producer.who
    producer.initialize(version)
    producer.initialize(version, transaction_timeout_ms=1000)
    producer.describe()
    for version_of_end in (4, 5):
        producer.end(version_of_end, committed=True, who=first)
    producer.add(3, (topic, 0), who=first)
    producer.add_offsets(4, "group", who=first)
    producer.produce(topic, b"a", who=first)
    if version >= 3:
        for who in (first, producer.who, first, producer.who, *impostors(producer.who)):
            producer.initialize(version, producer_id=who.producer_id, producer_epoch=who.epoch)


@case(InitProducerIdRequest)
def what_is_under_way_is_aborted(broker: Broker, version: int) -> None:
    producer, topic = TransactionalProducer(broker), broker.topic()
    for implicit in (True, False):
        before = producer.who
        if not implicit:
            producer.add(3, (topic, 0))
        producer.produce(topic, b"a", b"b", version=13 if implicit else 11)
        producer.describe()
        fields = {"producer_id": before.producer_id, "producer_epoch": before.epoch} if version >= 3 else {}
        producer.initialize(version, **fields)
        producer.describe()
        producer.produce(topic, b"c", who=before, sequence=2)
        producer.end(5 if implicit else 4, committed=True, who=before)
        if version >= 3:
            producer.initialize(version, **fields)


# -- AddPartitionsToTxn -------------------------------------------------------------------------------------------


@case(AddPartitionsToTxnRequest)
def partitions_one_after_another(broker: Broker, version: int) -> None:
    producer, one, two = TransactionalProducer(broker), broker.topic("one", 2), broker.topic("two")
    producer.add(version, (one, 0))
    producer.add(version, (one, 0), (two, 0))
    producer.describe()
    producer.add(version)
    producer.produce(one, b"a", version=11)
    producer.end(4, committed=True)
    producer.describe()
    producer.add(version, (one, 1))
    producer.describe()
    producer.end(4, committed=False)
    producer.describe()


@case(AddPartitionsToTxnRequest)
def partitions_that_cannot_be_added(broker: Broker, version: int) -> None:
    producer, topic = TransactionalProducer(broker), broker.topic()
    nameless = Topic("", ZERO_UUID)
    producer.add(version, (UNKNOWN_TOPIC, 0))
    producer.add(version, (topic, 1), (topic, -1))
    producer.add(version, (topic, 0), (topic, 1), (UNKNOWN_TOPIC, 0), (nameless, 0))
    for who in impostors(producer.who):
        producer.add(version, (topic, 0), who=who)
        producer.add(version, (topic, 0), (topic, 1), who=who)
    producer.describe()
    producer.transactional_id = broker.name("nobody")
    producer.add(version, (topic, 0))
    producer.transactional_id = ""
    producer.add(version, (topic, 0))


@case(AddPartitionsToTxnRequest, first=4)
def partitions_that_are_asked_about(broker: Broker, version: int) -> None:
    one, two = TransactionalProducer(broker, "one"), TransactionalProducer(broker, "two")
    topic = broker.topic(partitions=2)
    one.add(version, (topic, 0), verify_only=True)
    one.add(version, (topic, 0))
    one.add(version, (topic, 0), verify_only=True)
    one.add(version, (topic, 0), (topic, 1), verify_only=True)
    one.add(version, (topic, 0), (topic, 5), (UNKNOWN_TOPIC, 0), verify_only=True)
    for who in impostors(one.who):
        one.add(version, (topic, 0), who=who, verify_only=True)
    rows = [
        AddPartitionsToTxnTransaction(
            transactional_id=name,
            producer_id=who.producer_id,
            producer_epoch=who.epoch,
            verify_only=verify_only,
            topics=[AddPartitionsToTxnTopic(name=topic.name, partitions=[0, 1])],
        )
        for name, who, verify_only in (
            (one.transactional_id, one.who, False),
            (two.transactional_id, two.who, True),
            (broker.name("nobody"), two.who, False),
            ("", two.who, False),
        )
    ]
    broker.ask(AddPartitionsToTxnRequest(transactions=rows), version)
    describe_all(broker, (one, two))


@case(AddPartitionsToTxnRequest, first=5)
def no_transactions_at_all(broker: Broker, version: int) -> None:
    broker.ask(AddPartitionsToTxnRequest(transactions=[]), version, patience_seconds=2)


# -- AddOffsetsToTxn ----------------------------------------------------------------------------------------------


@case(AddOffsetsToTxnRequest)
def groups_of_a_transaction(broker: Broker, version: int) -> None:
    producer, group, topic = TransactionalProducer(broker), coordinated_group(broker), broker.topic()
    producer.add_offsets(version, group)
    producer.add_offsets(version, group)
    producer.add_offsets(version, "")
    producer.add_offsets(version, broker.name("other"))
    producer.describe()
    producer.commit_offsets(3, group, (topic, 0, 5))
    producer.end(4, committed=True)
    for who in impostors(producer.who):
        producer.add_offsets(version, group, who=who)
        producer.add_offsets(version, "", who=who)
    producer.transactional_id = broker.name("nobody")
    producer.add_offsets(version, group)
    producer.transactional_id = ""
    producer.add_offsets(version, group)


# -- EndTxn -------------------------------------------------------------------------------------------------------


@case(EndTxnRequest)
def ends(broker: Broker, version: int) -> None:
    producer, topic = TransactionalProducer(broker), broker.topic()
    for committed in (True, False, True):
        before = producer.who
        producer.produce(topic, b"a", version=12 if version >= 5 else 11)
        producer.add(3, (topic, 0))
        producer.produce(topic, b"b", version=12 if version >= 5 else 11)
        producer.end(version, committed=committed)
        producer.describe()
        # A repeated request is the same; the contrary is none.
        for again in (committed, not committed):
            producer.end(version, committed=again, who=before)
            producer.describe()


@case(EndTxnRequest)
def ends_without_a_beginning(broker: Broker, version: int) -> None:
    for text, committed in (("commit", True), ("abort", False)):
        producer = TransactionalProducer(broker, text)
        for _ in range(2):
            producer.end(version, committed=committed)
            producer.describe()
        topic = broker.topic(f"topic-{text}")
        producer.add(3, (topic, 0))
        producer.end(4, committed=True)
        producer.end(version, committed=committed)
        producer.end(version, committed=not committed)
        producer.describe()


@case(EndTxnRequest)
def ends_by_others(broker: Broker, version: int) -> None:
    producer, topic = TransactionalProducer(broker), broker.topic()
    for who in impostors(producer.who):
        producer.end(version, committed=True, who=who)
    producer.add(3, (topic, 0))
    for who in impostors(producer.who):
        producer.end(version, committed=False, who=who)
    producer.describe()
    for name in (broker.name("nobody"), ""):
        request = EndTxnRequest(transactional_id=name, producer_id=producer.who.producer_id, producer_epoch=0)
        broker.ask(request, version)


@case(EndTxnRequest, first=4)
def clients_old_and_new_take_turns(broker: Broker, version: int) -> None:
    producer, topic = TransactionalProducer(broker), broker.topic()
    for number in range(4):
        is_new = (number + version) % 2
        if not is_new:
            producer.add(3, (topic, 0))
        producer.produce(topic, b"a", version=12 if is_new else 11)
        producer.end(5 if is_new else 4, committed=True)
        producer.describe()
        if number == 1:
            producer.initialize()


@case(EndTxnRequest, first=4)
def transactions_that_take_too_long(broker: Broker, version: int) -> None:
    producer, topic = TransactionalProducer(broker), broker.topic()
    producer.initialize(transaction_timeout_ms=1_000)
    before = producer.who
    producer.add(3, (topic, 0))
    producer.produce(topic, b"a", version=12 if version >= 5 else 11)
    producer.wait_for_states("CompleteAbort")
    producer.describe()
    producer.end(version, committed=True)
    producer.produce(topic, b"b")
    producer.add(3, (topic, 0))
    producer.initialize(producer_id=before.producer_id, producer_epoch=before.epoch)


# -- DescribeTransactions, ListTransactions -----------------------------------------------------------------------


@case(DescribeTransactionsRequest)
def known_and_unknown_transactions(broker: Broker, version: int) -> None:
    one, two = TransactionalProducer(broker, "one"), TransactionalProducer(broker, "two")
    topic, other = broker.topic(partitions=3), broker.topic("other")
    one.add(3, (topic, 0), (topic, 2), (other, 0))
    names = [one.transactional_id, two.transactional_id, broker.name("nobody"), ""]
    broker.ask(DescribeTransactionsRequest(transactional_ids=names), version)
    broker.ask(DescribeTransactionsRequest(transactional_ids=[]), version)


@case(ListTransactionsRequest)
def lists_of_transactions(broker: Broker, version: int) -> None:
    texts = ("new", "open", "committed", "aborted")
    new, going, committed, aborted = producers = [TransactionalProducer(broker, text) for text in texts]
    topic = broker.topic()
    for producer in (going, committed, aborted):
        producer.add(3, (topic, 0))
    committed.end(4, committed=True)
    aborted.end(5, committed=False)

    def ask(**fields: object) -> None:
        request = ListTransactionsRequest(**fields)
        broker.ask_own(request, version, "transaction_states", "transactional_id")

    ask()
    for states in (
        ["Ongoing"],
        ["Empty", "CompleteAbort"],
        ["ongoing"],
        ["", "x", "Ongoing"],
        ["Dead"],
        ["x"],
    ):
        ask(state_filters=states)
    for wanted in ([new, going], [going]):
        ask(producer_id_filters=[producer.who.producer_id for producer in wanted])
    ask(producer_id_filters=[-1, going.who.producer_id])
    ask(producer_id_filters=[new.who.producer_id], state_filters=["Ongoing"])
    if version >= 1:
        for duration in (-1, 0, 1, 3_600_000, -2):
            ask(duration_filter=duration)
    if version >= 2:
        for pattern in (".*", "", ".*open", "open", broker.name("[no].*").replace(".", "\\."), "(", "a**"):
            ask(transactional_id_pattern=pattern)
    describe_all(broker, producers)
