"""Two drivers of one query: one was taken for dead, another one has its checkpoint, and then the first goes on."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from tests.spark.topic_sink_job import Job, deciding_options

from snakka.client.admin.outcomes import Outcomes
from snakka.client.blocking import Admin, Producer
from snakka.client.errors import ClientError, RequestTimedOutError
from snakka.client.open_transaction import OpenTransaction
from snakka.spark.client_settings import SparkOptionError
from snakka.spark.topic_sink.decisions import Decision, DecisionTopic
from snakka.spark.topic_sink.task_writer import BatchName, TaskMessage
from snakka.spark.topic_sink.write_options import WriteOptions
from snakka.testing import BlockingLocalBroker

NewTopic = Callable[..., str]
FIRST = (OpenTransaction("first", 1, 0),)
LATE = (OpenTransaction("late", 2, 0),)


@pytest.fixture
def options(broker: BlockingLocalBroker, admin: Admin) -> WriteOptions:
    return deciding_options(broker.bootstrap_servers, admin)


@pytest.fixture
def job(options: WriteOptions, new_topic: NewTopic) -> Job:
    """Behind its first batch, and with nothing left over."""
    job = Job(options, new_topic())
    job.end.commit([job.task(0, 0, b"0")])
    return job


def transactions(*messages: TaskMessage) -> tuple[OpenTransaction, ...]:
    return tuple(each.transaction for each in messages if each.transaction is not None)


# -- which decision counts ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_read_at_once", [True, False], ids=["at once", "one by one"])
@pytest.mark.parametrize(
    ("written", "counts"),
    [
        ([Decision("q", 5, FIRST), Decision("q", 5, LATE)], 0),
        ([Decision("q", 5, FIRST), Decision("q", 5, LATE), Decision("q", 5, FIRST, is_finished=True)], 2),
        ([Decision("q", 5, FIRST), Decision("q", 5, LATE, is_finished=True)], 0),
        ([Decision("q", 5, FIRST, is_finished=True), Decision("q", 5, FIRST)], 0),
        ([Decision("q", 5, FIRST), Decision("q", 4, LATE)], 0),
        ([Decision("q", 5, FIRST), Decision("q", 6, LATE)], 1),
        ([Decision("q", 5, FIRST), None, Decision("q", 5, LATE)], 2),
        ([Decision("another", 5, FIRST), Decision("q", 5, LATE)], 1),
    ],
    ids=["two", "finished", "late end", "repeat", "earlier batch", "later batch", "deleted", "other query"],
)
def test_of_two_decisions_about_a_batch_the_first_counts(
    options: WriteOptions, written: list[Decision | None], counts: int, is_read_at_once: bool
) -> None:
    writing, reading = DecisionTopic(options), DecisionTopic(options)
    for decision in written:
        if decision is None:
            writing.forget("q")
        else:
            writing.write(decision)
        if not is_read_at_once:
            reading.last_of("q")
    assert reading.last_of("q") == written[counts]


def test_where_offsets_are_missing_the_last_decision_counts(options: WriteOptions) -> None:
    """Compaction leaves the last one, and what was first is not known any more. Here the gap is a transaction's marker."""
    first, late = Decision("q", 5, FIRST), Decision("q", 5, LATE)
    with Producer(options.settings, transactional_id=options.decision_topic) as producer:
        producer.begin_transaction()
        producer.send(options.decision_topic, first.to_bytes(), key=b"q")
        producer.commit_transaction()
    writing = DecisionTopic(options)
    writing.write(late)
    writing.write(Decision("q", 5, FIRST, is_finished=True))
    assert DecisionTopic(options).last_of("q") == late


def test_what_is_no_decision_stops_its_query_and_no_other(job: Job, admin: Admin) -> None:
    with Producer(job.options.settings) as producer:
        for value in (b"hello", b"[]", b'{"version":1}', b'{"version":2,"query":"q"}'):
            producer.send(job.options.decision_topic, value, key=value).result(30)
    for name, said in (
        ("hello", r"b'hello' is no decision, something else writes there"),
        ("[]", "is no decision"),
        ('{"version":1}', "is no decision"),
        ('{"version":2,"query":"q"}', "has format 2, and this release knows 1"),
    ):
        with pytest.raises(
            SparkOptionError, match=rf"{job.options.decision_topic} .* does not tell .*{said}"
        ):
            job.decisions.last_of(name)
    job.decisions.forget("hello")
    assert job.decisions.last_of("hello") is None
    job.end.commit([job.task(1, 0, b"1")])
    assert job.seen() == ["0", "1"]


# -- what each of the drivers does -------------------------------------------------------------------------------------


def test_of_two_drivers_that_decide_at_the_same_moment_the_first_wins(
    job: Job, admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The late one has looked before the other one's decision was there. Their tasks have other ids, so none is fenced."""
    late, first = job.task(1, 1, b"1"), job.task(1, 0, b"1")
    write = DecisionTopic.write

    def write_second(topic: DecisionTopic, decision: Decision) -> None:
        monkeypatch.setattr(DecisionTopic, "write", write)
        job.end.commit([first])
        write(topic, decision)

    monkeypatch.setattr(DecisionTopic, "write", write_second)
    job.end.commit([late])
    assert job.seen() == ["0", "1"]
    assert job.is_settled(admin)
    counts = Decision(job.query_id, 1, transactions(first), is_finished=True)
    assert DecisionTopic(job.options).last_of(job.query_id) == counts
    job.end.commit([job.task(2, 0, b"2")])
    assert job.seen() == ["0", "1", "2"]


def test_a_driver_in_whose_place_another_one_writes_ends_nothing_of_that_one(job: Job, admin: Admin) -> None:
    late = job.task(1, 0, b"1", run_id="the old one's")
    another = [job.task(1, 0, b"1"), job.task(1, 1, b"one")]
    with pytest.raises(ClientError, match=r"is not open any more .* or the query runs twice"):
        job.end.commit([late])
    job.end.abort([late, None])
    job.end.commit(another)
    assert job.seen() == ["0", "1", "one"]
    assert job.is_settled(admin)


def test_whoever_can_not_know_what_is_decided_leaves_nothing_open(job: Job, admin: Admin) -> None:
    """It would hold up readers for as long as transactions may take."""
    message = job.task(1, 0, b"1")
    with Producer(job.options.settings) as producer:
        producer.send(job.options.decision_topic, b"hello", key=job.query_id.encode()).result(30)
    with pytest.raises(SparkOptionError, match="does not tell what is decided"):
        job.end.commit([message])
    assert job.is_settled(admin)


def test_after_a_decision_whose_acknowledgement_was_lost_nothing_is_aborted(
    job: Job, admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = job.task(1, 0, b"1")
    write = DecisionTopic.write

    def write_unheard(topic: DecisionTopic, decision: Decision) -> None:
        write(topic, decision)
        raise RequestTimedOutError("no answer")

    with monkeypatch.context() as patch:
        patch.setattr(DecisionTopic, "write", write_unheard)
        with pytest.raises(RequestTimedOutError):
            job.end.commit([message])
    job.end.abort([message])
    assert not job.is_settled(admin)
    job.end.commit([job.task(1, 0)])
    assert job.seen() == ["0", "1"]


def test_a_coordinator_that_does_not_tell_has_lost_nothing(
    job: Job, admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether a transaction that can't be committed was committed before is another question, asked again later."""
    lost = job.written(0, b"1")
    admin.end_transactions([lost], commit=False).raise_for_errors()
    job.decisions.write(Decision(job.query_id, 1, (lost,)))

    def unanswered(admin: Admin, asked: Iterable[str], **how: Any) -> Outcomes[str, Any]:
        return Outcomes({}, {name: RequestTimedOutError("coordinator is loading") for name in asked})

    monkeypatch.setattr(Admin, "describe_transactions", unanswered)
    with pytest.raises(RequestTimedOutError, match="is loading"):
        job.end.commit([job.task(1, 0)])
    with pytest.raises(RequestTimedOutError, match="is loading"):
        job.end.begin(BatchName(job.query_id, 2))
