"""The driver's part, step by step and cut off between any two, at Snakka and Apache Kafka: no Spark is needed to decide."""

import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import NamedTuple

import pytest
from pyspark.sql.types import StringType, StructField, StructType
from tests.client.kafka_broker import running_kafka_broker
from tests.client.transaction_versions import play_by_version_1
from tests.kafka.nodes import kafka_libs
from tests.spark.topic_sink_job import Job, deciding_options

from snakka.client.admin import ConfigResource
from snakka.client.admin.outcomes import Outcomes
from snakka.client.admin.transactions import TransactionAdmin
from snakka.client.blocking import Admin
from snakka.client.errors import ClientError, RequestTimedOutError
from snakka.client.open_transaction import OpenTransaction
from snakka.client.producer.transaction_calls import LAST_EXPLICIT_END
from snakka.protocol.errors import ApiError
from snakka.spark.client_settings import SparkOptionError
from snakka.spark.topic_sink import topic_sink
from snakka.spark.topic_sink.decisions import Decision, DecisionTopic, ensure_decision_topic
from snakka.spark.topic_sink.task_writer import BatchName, transactional_id
from snakka.spark.topic_sink.topic_sink import TopicSink, transaction_timeout_ms
from snakka.spark.topic_sink.transaction_ends import BatchEnd, TransactionLostError
from snakka.spark.topic_sink.write_options import WriteOptions, write_options
from snakka.testing import BlockingLocalBroker

NewTopic = Callable[..., str]
_CLEANUP_MS = 50
# A transaction that times out in a test: long enough to be written on a busy machine.
SOON_MS = 1_500


class Address(NamedTuple):
    """Where a broker is."""

    bootstrap_servers: str


@pytest.fixture(scope="module", params=["snakka", "kafka"])
def broker(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    if request.param == "kafka":
        with running_kafka_broker(tmp_path_factory.mktemp("kafka"), kafka_libs()) as kafka:
            yield Address(kafka.bootstrap)
    else:
        options = {"transaction.abort.timed.out.transaction.cleanup.interval.ms": _CLEANUP_MS}
        with BlockingLocalBroker(options) as running:
            yield Address(running.bootstrap_servers)


@pytest.fixture
def options(broker: Address, admin: Admin) -> WriteOptions:
    return deciding_options(broker.bootstrap_servers, admin)


@pytest.fixture(params=[1, 2], ids=["version-1", "version-2"])
def version(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """The transaction.version whose rules are played by: brokers serve both, whatever they prefer."""
    if request.param == 1:
        play_by_version_1(monkeypatch)
    return int(request.param)


@pytest.fixture
def job(options: WriteOptions, new_topic: NewTopic) -> Job:
    return Job(options, new_topic())


def test_a_batch_counts_as_a_whole(job: Job, admin: Admin) -> None:
    messages = [job.task(0, 0, b"a", b"b"), job.task(0, 1), job.task(0, 2, b"c")]
    assert job.seen() == []
    assert job.decisions.last_of(job.query_id) is None
    job.end.commit(messages)
    assert job.seen() == ["a", "b", "c"]
    decision = job.decisions.last_of(job.query_id)
    assert decision is not None
    assert (decision.query_id, decision.batch_id, decision.is_finished) == (job.query_id, 0, True)
    assert [*decision.transactions] == [messages[0].transaction, messages[2].transaction]
    assert job.is_settled(admin)


def test_a_batch_without_rows_needs_no_decision(job: Job) -> None:
    job.end.commit([job.task(0, 0), job.task(0, 1)])
    job.end.commit([])
    assert job.decisions.last_of(job.query_id) is None


def test_what_was_committed_by_the_rules_of_another_version_is_known_to_be(job: Job, admin: Admin) -> None:
    """As when the cluster's transaction.version changes behind an end: the same end is not understood as a repeat."""
    transaction = job.written(0, b"a")
    admin.end_transactions([transaction]).raise_for_errors()
    job.decisions.write(Decision(job.query_id, 0, (transaction,)))
    with pytest.MonkeyPatch.context() as changed:

        async def explicit(admin: TransactionAdmin, transactional_id: str, deadline: float) -> int:
            return LAST_EXPLICIT_END

        changed.setattr(TransactionAdmin, "_newest_end", explicit)
        job.end.commit([job.task(0, 0)])
    decision = job.decisions.last_of(job.query_id)
    assert decision is not None
    assert decision.is_finished
    assert job.seen() == ["a"]


def test_what_is_not_decided_is_written_again_by_fewer_tasks(job: Job, admin: Admin) -> None:
    for partition in range(4):
        job.task(0, partition, b"lost %d" % partition)
    again = [job.task(0, 0, b"a", run_id="second"), job.task(0, 1, run_id="second")]
    job.end.commit(again)
    assert job.seen() == ["a"]
    assert job.is_settled(admin), "what the ids beyond the new tasks had left open does not hold up readers"


def test_jobs_whose_names_begin_alike_leave_each_other_alone(
    job: Job, options: WriteOptions, admin: Admin
) -> None:
    """Users name jobs: what is left of one must not be taken for another's, which may be at work."""
    other = Job(options, job.topic)
    other.query_id = f"{job.query_id}-1"
    message = other.task(0, 0, b"b")
    job.written(1, b"lost")
    job.end.commit([job.task(0, 0, b"a", run_id="second")])
    assert job.is_settled(admin)
    other.end.commit([message])
    assert job.seen() == ["a", "b"]


def test_a_task_that_was_tried_again_leaves_nothing_open(job: Job, admin: Admin) -> None:
    job.end.commit([job.task(0, 0, b"a")])
    job.task(1, 1, b"lost")
    empty = job.task(1, 1)
    job.end.commit([job.task(1, 0, b"b"), empty])
    assert job.seen() == ["a", "b"]
    assert job.is_settled(admin)


@pytest.mark.usefixtures("version")
@pytest.mark.parametrize("ended", [0, 1, 3], ids=["none", "one", "all"])
def test_whoever_finds_a_decision_finishes_it(job: Job, admin: Admin, ended: int) -> None:
    """As after a driver that was killed behind the decision, between two ends, and behind the last."""
    transactions = tuple(job.written(partition, b"%d" % partition) for partition in range(3))
    job.decisions.write(Decision(job.query_id, 7, transactions))
    admin.end_transactions(transactions[:ended]).raise_for_errors()
    # The tasks of the next attempt have seen the decision; there may be more or fewer of them.
    job.end.commit([job.task(7, partition, run_id="second") for partition in range(5)])
    assert job.seen() == ["0", "1", "2"]
    decision = job.decisions.last_of(job.query_id)
    assert decision is not None
    assert decision.is_finished
    job.end.commit([job.task(7, 0, run_id="third")])
    assert job.seen() == ["0", "1", "2"]


def test_a_batch_before_the_decided_one_is_not_written_again(job: Job) -> None:
    job.decisions.write(Decision(job.query_id, 7, (job.written(0, b"a"),)))
    job.end.commit([job.task(6, 1, b"again")])
    assert job.seen() == [], "the transaction of batch 7 is not this batch's to end"
    job.end.commit([job.task(7, 0)])
    assert job.seen() == ["a"]


def test_what_an_earlier_batch_has_decided_is_finished_before_the_next_writes(job: Job) -> None:
    """Users number the writes of a job, and may go on after one that failed behind its decision."""
    for batch_id in (1, 2):
        job.decisions.write(Decision(job.query_id, batch_id, (job.written(0, b"%d" % batch_id),)))
        assert str(batch_id) not in job.seen()
        if batch_id == 1:
            job.end.begin(BatchName(job.query_id, batch_id + 1))
        else:
            job.end.commit([job.task(batch_id + 1, 0)])  # its tasks had no rows
        assert str(batch_id) in job.seen()
        decision = job.decisions.last_of(job.query_id)
        assert decision is not None
        assert (decision.batch_id, decision.is_finished) == (batch_id, True)


def test_what_was_written_to_another_topic_is_not_taken_for_this_write(job: Job) -> None:
    """One name for two writes of a batch would leave out the second; whose decision it is, is finished all the same."""
    here, there = (
        BatchEnd(replace(job.options, topic=topic), 60_000, is_asked_again=True)
        for topic in (job.topic, "elsewhere")
    )
    here.commit([job.task(5, 0, b"a")])
    for batch_id in (4, 5):
        with pytest.raises(
            SparkOptionError, match=f"has written up to txnVersion 5 to topic {job.topic}: a write to"
        ):
            there.begin(BatchName(job.query_id, batch_id))
        here.begin(BatchName(job.query_id, batch_id))
    there.begin(BatchName(job.query_id, 6))
    job.decisions.write(Decision(job.query_id, 6, (job.written(0, b"b"),), topic=job.topic))
    with pytest.raises(SparkOptionError, match="needs a txnAppId of its own"):
        there.begin(BatchName(job.query_id, 6))
    assert job.seen() == ["a", "b"]


def test_abort_spares_what_an_earlier_batch_has_decided(job: Job, admin: Admin) -> None:
    job.decisions.write(Decision(job.query_id, 1, (job.written(0, b"a"),)))
    job.written(1, b"by the next one")
    job.end.abort([None], BatchName(job.query_id, 2))
    assert not job.is_settled(admin)
    job.end.commit([job.task(1, 0)])
    assert job.is_settled(admin)
    assert job.seen() == ["a"]


def test_abort_does_nothing_once_decided(job: Job, admin: Admin) -> None:
    """Spark calls it after a commit that has failed, too."""
    messages = [job.task(0, 0, b"a"), job.task(0, 1, b"b")]
    transactions = tuple(each.transaction for each in messages if each.transaction is not None)
    job.decisions.write(Decision(job.query_id, 0, transactions))
    job.end.abort([*messages])
    job.end.abort([messages[0], None])
    assert job.seen() == []
    assert not job.is_settled(admin)
    job.end.commit(messages)
    assert job.seen() == ["a", "b"]


def test_after_a_commit_that_failed_nothing_is_aborted_since_it_may_be_decided(job: Job) -> None:
    message = job.task(0, 0, b"a")
    job.end.abort([message])
    job.end.commit([message])
    assert job.seen() == ["a"]


def test_abort_ends_what_the_other_tasks_wrote_when_one_has_failed(job: Job, admin: Admin) -> None:
    job.written(1, b"by the one that was killed")
    job.end.abort([job.task(0, 0, b"a"), None])
    assert job.is_settled(admin)
    job.written(0, b"by a job of which no task has finished")
    job.end.abort([None, None])
    assert not job.is_settled(admin), "nobody has told which query it is"
    job.end.abort([None, None], BatchName(job.query_id, 0))
    assert job.is_settled(admin)
    job.end.commit([job.task(0, 0, b"b"), job.task(0, 1, b"c")])
    assert job.seen() == ["b", "c"]


@pytest.mark.usefixtures("version")
def test_a_decided_transaction_that_a_timeout_aborted_stops_the_query(
    options: WriteOptions, new_topic: NewTopic, admin: Admin
) -> None:
    job = Job(options, new_topic(), timeout_ms=SOON_MS)
    lost = job.written(0, b"a")
    job.await_timeout(admin)
    job.decisions.write(Decision(job.query_id, 3, (lost,)))
    for _ in range(2):
        with pytest.raises(TransactionLostError, match=f"batch 3 of query {job.query_id} .* CompleteAbort"):
            job.end.commit([job.task(3, 0)])
    # As the error says: without the decision the batch is written again.
    job.decisions.forget(job.query_id)
    job.timeout_ms = 60_000
    job.end.commit([job.task(3, 0, b"b")])
    assert job.seen() == ["b"]


def test_nothing_is_decided_about_a_transaction_that_has_ended(
    options: WriteOptions, new_topic: NewTopic, admin: Admin
) -> None:
    job = Job(options, new_topic(), timeout_ms=SOON_MS)
    late = job.task(3, 0, b"a")
    job.await_timeout(admin)
    job.timeout_ms = 60_000
    with pytest.raises(ClientError, match=f"batch 3 of query {job.query_id} can't be committed"):
        job.end.commit([late, job.task(3, 1, b"b")])
    assert job.decisions.last_of(job.query_id) is None
    assert job.is_settled(admin)
    job.end.commit([job.task(3, 0, b"a"), job.task(3, 1, b"b")])
    assert job.seen() == ["a", "b"]


def test_a_task_that_looked_too_early_is_aborted(job: Job, admin: Admin) -> None:
    """It has begun with another id, so the decided transaction is still there."""
    job.decisions.write(Decision(job.query_id, 0, (job.written(0, b"a"),)))
    job.end.commit([job.task(0, 0), job.task(0, 1, b"again")])
    assert job.seen() == ["a"]
    assert job.is_settled(admin)


@pytest.mark.usefixtures("version")
def test_a_decided_transaction_that_a_task_has_fenced_stops_the_query(job: Job) -> None:
    job.decisions.write(Decision(job.query_id, 0, (job.written(0, b"a"),)))
    with pytest.raises(TransactionLostError, match=f"batch 0 of query {job.query_id}"):
        job.end.commit([job.task(0, 0, b"again")])
    assert job.seen() == []


def test_a_job_that_nobody_asks_about_again_leaves_no_decision(
    options: WriteOptions, new_topic: NewTopic
) -> None:
    job = Job(options, new_topic())
    BatchEnd(options, 60_000, is_asked_again=False).commit([job.task(0, 0, b"a")])
    assert job.seen() == ["a"]
    assert job.decisions.last_of(job.query_id) is None


@pytest.mark.parametrize(
    ("is_asked_again", "said"),
    [(True, "who starts the query again finishes it"), (False, "txnAppId and txnVersion")],
)
def test_whoever_could_not_end_all_says_what_becomes_of_the_rest(
    job: Job, monkeypatch: pytest.MonkeyPatch, is_asked_again: bool, said: str
) -> None:
    message = job.task(0, 0, b"a")

    def unreachable(admin: Admin, transactions: Collection[OpenTransaction], **how: object) -> object:
        return Outcomes[OpenTransaction, None](
            {}, {each: RequestTimedOutError("nobody") for each in transactions}
        )

    with monkeypatch.context() as patch:
        patch.setattr(Admin, "end_transactions", unreachable)
        with pytest.raises(RequestTimedOutError) as caught:
            BatchEnd(job.options, 60_000, is_asked_again=is_asked_again).commit([message])
    assert said in caught.value.__notes__[0]
    job.end.commit([message])
    assert job.seen() == ["a"]


def test_decisions_of_many_queries_are_read_once_and_then_what_is_new(options: WriteOptions) -> None:
    writing, reading = DecisionTopic(options), DecisionTopic(options)
    for batch_id in range(3):
        for query in range(20):
            writing.write(Decision(f"q{query}", batch_id, ()))
    assert reading.last_of("nobody") is None
    for query in range(20):
        assert reading.last_of(f"q{query}") == Decision(f"q{query}", 2, ())
    writing.write(Decision("q7", 3, ()))
    writing.forget("q8")
    assert reading.last_of("q7") == Decision("q7", 3, ())
    assert reading.last_of("q8") is None
    assert DecisionTopic(options).last_of("q7") == Decision("q7", 3, ())


def test_a_process_may_read_decisions_of_two_topics_by_turns(options: WriteOptions, admin: Admin) -> None:
    another = replace(options, decision_topic=f"{options.decision_topic}-another")
    ensure_decision_topic(admin, another.decision_topic)
    topics = [DecisionTopic(options), DecisionTopic(another)]
    for batch_id in range(2):
        for number, topic in enumerate(topics):
            topic.write(Decision(f"q{number}", batch_id, ()))
            assert topic.last_of(f"q{number}") == Decision(f"q{number}", batch_id, ())
            assert topic.last_of(f"q{1 - number}") is None


def test_many_transactions_fit_into_one_decision(options: WriteOptions) -> None:
    transactions = tuple(
        OpenTransaction(transactional_id("8d87b5f8-bfe0-4f20-8da8-abce5be9e11d", task), 2**40 + task, 3)
        for task in range(20_000)
    )
    topic = DecisionTopic(options)
    topic.write(Decision("q", 0, transactions))
    assert DecisionTopic(options).last_of("q") == Decision("q", 0, transactions)


def test_transactions_may_take_as_long_as_brokers_allow_or_less(admin: Admin) -> None:
    assert transaction_timeout_ms(admin, None) == 900_000
    assert transaction_timeout_ms(admin, 7_000) == 7_000
    with pytest.raises(SparkOptionError, match=r"is 900001, and brokers allow 900000 with transaction\.max"):
        transaction_timeout_ms(admin, 900_001)


def test_brokers_that_allow_less_from_now_on_are_heard_of(
    options: WriteOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A driver's process outlives the brokers' settings; what it can't ask for is as it was."""
    given = {f"kafka.{name}": value for name, value in options.settings.items()}
    given |= {"deliveryGuarantee": "exactly-once", "decisionTopic": options.decision_topic, "topic": "t"}
    columns = StructType([StructField("value", StringType())])
    monkeypatch.setattr(topic_sink, "_KNOWN_SECONDS", -1.0)
    assert TopicSink(given, columns)._timeout_ms == 900_000
    answers: list[int | Exception] = [RequestTimedOutError("nobody answers"), 7_000]

    def asked(admin: Admin, wanted: int | None) -> int:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(topic_sink, "transaction_timeout_ms", asked)
    assert TopicSink(given, columns)._timeout_ms == 900_000
    monkeypatch.setattr(topic_sink, "_KNOWN_SECONDS", 60.0)
    assert TopicSink(given, columns)._timeout_ms == 7_000
    assert not answers
    assert TopicSink(given, columns)._timeout_ms == 7_000


def test_a_broker_that_has_just_been_lost_is_not_asked_how_long_they_allow(
    admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = admin.describe_cluster()
    lost = replace(known.brokers[0], node_id=99)
    monkeypatch.setattr(
        Admin, "describe_cluster", lambda admin: replace(known, brokers=(lost, *known.brokers))
    )
    assert transaction_timeout_ms(admin, None) == 900_000
    with pytest.raises(SparkOptionError, match="brokers allow 900000"):
        transaction_timeout_ms(admin, 900_001)
    monkeypatch.setattr(Admin, "describe_cluster", lambda admin: replace(known, brokers=(lost,)))
    with pytest.raises(ApiError, match="no broker 99") as caught:
        transaction_timeout_ms(admin, None)
    assert "set transactionTimeoutMs" in caught.value.__notes__[0]


def test_a_batch_counts_though_a_broker_does_not_tell_what_is_open(
    job: Job, admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What earlier attempts have left open there is aborted when the next batch asks again."""
    job.written(7, b"left")

    def unanswered(admin: Admin, **how: object) -> object:
        raise RequestTimedOutError("no connection to broker 2 in time")

    with monkeypatch.context() as patch:
        patch.setattr(Admin, "list_transactions", unanswered)
        job.end.commit([job.task(0, 0, b"a")])
    decision = job.decisions.last_of(job.query_id)
    assert decision is not None
    assert decision.is_finished
    assert not job.is_settled(admin)
    job.end.commit([job.task(1, 0, b"b")])
    assert job.is_settled(admin)
    assert job.seen() == ["a", "b"]


def test_the_decision_topic_is_what_it_was_to_be(options: WriteOptions, admin: Admin) -> None:
    """As brokers have it in the end; a cluster of one can't keep more than one copy."""
    resource = ConfigResource.topic(options.decision_topic)
    entries = admin.describe_configs([resource])[resource]
    wanted = {
        "cleanup.policy": "compact",
        "min.insync.replicas": "1",
        "unclean.leader.election.enable": "false",
    }
    assert {name: entries[name].value for name in wanted} == wanted
    partitions = admin.describe_topics([options.decision_topic])[options.decision_topic].partitions
    assert [len(each.replicas) for each in partitions] == [1]


def test_a_topic_that_would_lose_decisions_is_refused(admin: Admin, new_topic: NewTopic) -> None:
    for policy in ("delete", "compact,delete"):
        with pytest.raises(SparkOptionError, match=rf"has cleanup\.policy={policy} and would lose decisions"):
            ensure_decision_topic(admin, new_topic(cleanup_policy=policy))
    fine = new_topic(cleanup_policy="compact")
    ensure_decision_topic(admin, fine)


def test_a_decision_topic_that_is_gone_is_an_error_not_an_answer(options: WriteOptions, admin: Admin) -> None:
    admin.delete_topic(options.decision_topic)
    gone = write_options(
        {
            **{f"kafka.{name}": str(value) for name, value in options.settings.items()},
            "kafka.default.api.timeout.ms": "2000",
            "deliveryGuarantee": "exactly-once",
            "decisionTopic": options.decision_topic,
        }
    )
    deadline = time.monotonic() + 30

    def ask() -> None:
        """Not just once: Kafka's controller says that it is deleted before its broker has heard of it."""
        while time.monotonic() < deadline:
            DecisionTopic(gone).last_of("q")

    with pytest.raises(ApiError, match="UNKNOWN_TOPIC_OR_PARTITION"):
        ask()
