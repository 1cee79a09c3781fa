"""What the driver decides for a stream, against a real broker and without Spark: starts, ends, losses, notes, waits."""

import hashlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.spark.conftest import NewTopic
from tests.spark.source_topics import at, fill, stream_options, transactions

from snakka.client.admin.group_offsets import CommittedOffset
from snakka.client.blocking import Admin
from snakka.client.errors import RequestTimedOutError
from snakka.network.peer_connection import PeerConnection
from snakka.spark.client_settings import SparkOptionError
from snakka.spark.source.first_batch import UnknownStartError
from snakka.spark.source.group_progress import LOOK_SECONDS, PAUSE_SECONDS, GroupProgress
from snakka.spark.source.offset_json import Offsets
from snakka.spark.source.offset_ranges import OffsetRange
from snakka.spark.source.stream_driver import NEWS_WAIT_MS, News, StreamDriver, TriggerLimits
from snakka.spark.source.topic_offsets import DataLossError
from snakka.testing import BlockingLocalBroker

Open = Callable[..., StreamDriver]


@pytest.fixture
def open_driver(broker: BlockingLocalBroker) -> Iterator[Open]:
    """Each call is what Spark makes of a query that begins or goes on."""
    opened: list[StreamDriver] = []

    def open_one(topic: str = "", **given: str) -> StreamDriver:
        if topic:
            given["subscribe"] = topic
        driver = StreamDriver(stream_options(broker.bootstrap_servers, **given))
        opened.append(driver)
        return driver

    yield open_one
    for driver in opened:
        driver.close()


def ranges(driver: StreamDriver, start: Offsets, end: Offsets) -> list[OffsetRange]:
    return [each.offsets for each in driver.plan(start, end)]


def first_batch(driver: StreamDriver) -> tuple[Offsets, Offsets]:
    start = driver.initial()
    assert driver.initial() == start  # Spark asks twice
    return start, driver.latest(start, is_limited=True)


# -- where it begins -------------------------------------------------------------------------------------------------

TIME_MS = int(time.time()) * 1000 - 3_600_000  # retention takes nothing of an hour ago


def test_every_way_to_say_where_to_begin(
    broker: BlockingLocalBroker, new_topic: NewTopic, open_driver: Open
) -> None:
    topic = new_topic(2)
    fill(broker.bootstrap_servers, topic, range(10), partition=0, timestamp_ms=TIME_MS)
    fill(broker.bootstrap_servers, topic, range(4), partition=1, timestamp_ms=TIME_MS)
    middle = TIME_MS + 2500
    late = TIME_MS + 6000  # the second partition has nothing so new
    expected: list[tuple[dict[str, str], tuple[int, int] | None]] = [
        ({}, (10, 4)),
        ({"startingOffsets": "earliest"}, (0, 0)),
        ({"startingOffsets": f'{{"{topic}":{{"0":7,"1":-1}}}}'}, (7, 4)),
        ({"startingOffsets": f'{{"{topic}":{{"0":-2,"1":2}}}}'}, (0, 2)),
        ({"startingTimestamp": str(middle)}, (3, 3)),
        ({"startingOffsetsByTimestamp": f'{{"{topic}":{{"0":{late},"1":{middle}}}}}'}, (6, 3)),
        ({"startingTimestamp": str(late)}, None),
        ({"startingTimestamp": str(late), "startingOffsetsByTimestampStrategy": "latest"}, (6, 4)),
    ]
    for given, offsets in expected:
        driver = open_driver(topic, **given)
        if offsets is None:
            with pytest.raises(SparkOptionError, match=f"{topic}-1 has no record of {late}"):
                driver.latest(driver.initial(), is_limited=False)
        else:
            assert driver.initial() == {at(topic, 0): offsets[0], at(topic, 1): offsets[1]}


def test_offsets_must_be_given_for_all_partitions(new_topic: NewTopic, open_driver: Open) -> None:
    topic = new_topic(2)
    driver = open_driver(topic, startingOffsets=f'{{"{topic}":{{"0":7}}}}')
    with pytest.raises(SparkOptionError, match=f"they differ in {topic}-1"):
        driver.latest(driver.initial(), is_limited=False)


def test_a_topic_that_does_not_exist_is_named(open_driver: Open) -> None:
    driver = open_driver("nobody-made-this")
    with pytest.raises(SparkOptionError, match="nobody-made-this: there is no such topic"):
        driver.latest(driver.initial(), is_limited=False)


# -- what comes later ------------------------------------------------------------------------------------------------


def test_partitions_and_topics_that_appear_later_begin_at_earliest(
    broker: BlockingLocalBroker, admin: Admin, new_topic: NewTopic, open_driver: Open
) -> None:
    topic, bootstrap = new_topic(1), broker.bootstrap_servers
    fill(bootstrap, topic, range(3))
    driver = open_driver(subscribePattern=f"^{topic}", minPartitions="1")
    _, end = first_batch(driver)
    assert end == {at(topic, 0): 3}
    admin.create_partitions({topic: 2}).raise_for_errors()
    fill(bootstrap, topic, range(5), partition=1)
    admin.create_topic(f"{topic}-more")
    fill(bootstrap, f"{topic}-more", range(7))
    later = driver.latest(end, is_limited=True)
    assert later == {at(topic, 0): 3, at(topic, 1): 5, at(f"{topic}-more", 0): 7}
    assert ranges(driver, end, later) == [
        OffsetRange(at(topic, 1), 0, 5),
        OffsetRange(at(f"{topic}-more", 0), 0, 7),
    ]


def test_a_limit_counts_what_is_new_too(
    broker: BlockingLocalBroker, admin: Admin, new_topic: NewTopic, open_driver: Open
) -> None:
    topic, bootstrap = new_topic(1), broker.bootstrap_servers
    driver = open_driver(topic, startingOffsets="earliest", maxOffsetsPerTrigger="10")
    _, end = first_batch(driver)
    admin.create_partitions({topic: 2}).raise_for_errors()
    fill(bootstrap, topic, range(30), partition=0)
    fill(bootstrap, topic, range(10), partition=1)
    assert driver.latest(end, is_limited=True) == {at(topic, 0): 7, at(topic, 1): 2}
    assert driver.available == {at(topic, 0): 30, at(topic, 1): 10}
    # Trigger.Once takes all, whatever the options say.
    assert driver.latest(end, is_limited=False) == {at(topic, 0): 30, at(topic, 1): 10}


def test_assigned_partitions_only(
    broker: BlockingLocalBroker, new_topic: NewTopic, open_driver: Open
) -> None:
    topic = new_topic(3)
    fill(broker.bootstrap_servers, topic, range(4), partition=2)
    driver = open_driver(assign=f'{{"{topic}":[2,0]}}', startingOffsets="earliest")
    assert first_batch(driver) == ({at(topic, 0): 0, at(topic, 2): 0}, {at(topic, 0): 0, at(topic, 2): 4})


def test_available_now_ends_at_what_was_there(
    broker: BlockingLocalBroker, new_topic: NewTopic, open_driver: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the least is more than what is left: Spark would wait for it forever."""
    topic, bootstrap = new_topic(1), broker.bootstrap_servers
    fill(bootstrap, topic, range(10))
    limits = {"maxOffsetsPerTrigger": "6", "minOffsetsPerTrigger": "5"}
    driver = open_driver(topic, startingOffsets="earliest", **limits)
    driver.end_at_what_is_there()
    _, end = first_batch(driver)
    fill(bootstrap, topic, range(100))
    assert end == {at(topic, 0): 6}
    end = driver.latest(end, is_limited=True)
    assert end == {at(topic, 0): 10}
    monkeypatch.setattr(News, "has_come", lambda *_: pytest.fail("nobody waits for what is not wanted"))
    assert driver.latest(end, is_limited=True) == end


class HandClock:
    def __init__(self) -> None:
        self.ms = 1_000_000_000

    def now_ms(self) -> int:
        return self.ms

    def monotonic(self) -> float:
        return self.ms / 1000


def test_little_waits_for_more_but_not_forever() -> None:
    clock = HandClock()
    options = stream_options("x:1", subscribe="t", minOffsetsPerTrigger="10", maxTriggerDelay="5s")
    limits = TriggerLimits(options, clock)
    start = {at("t", 0): 100}
    assert not limits.are_too_few(start, {at("t", 0): 101})  # the first batch waits for nothing
    assert limits.are_too_few(start, {at("t", 0): 109})
    assert not limits.are_too_few(start, {at("t", 0): 110})
    clock.ms += 4999
    assert limits.are_too_few(start, {at("t", 0): 101})
    clock.ms += 1
    assert not limits.are_too_few(start, {at("t", 0): 101})
    assert limits.are_too_few(start, {at("t", 0): 101})


def test_only_committed_records_count_for_read_committed(
    broker: BlockingLocalBroker, new_topic: NewTopic, open_driver: Open
) -> None:
    topic = new_topic(1)
    producer = transactions(broker.bootstrap_servers, topic, "commit", "open")
    try:
        start = {"startingOffsets": "earliest"}
        assert first_batch(open_driver(topic, **start))[1] == {at(topic, 0): 7}
        committed = open_driver(topic, **start, kafka__isolation__level="read_committed")
        assert first_batch(committed)[1] == {at(topic, 0): 4}
    finally:
        producer.abort_transaction()
        producer.stop()


# -- idle ------------------------------------------------------------------------------------------------------------


def test_an_idle_query_waits_at_the_broker_and_hears_of_records_at_once(
    broker: BlockingLocalBroker, new_topic: NewTopic, open_driver: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    topic, bootstrap = new_topic(2), broker.bootstrap_servers
    driver = open_driver(topic)
    start, end = first_batch(driver)
    assert driver.plan(start, end) == []
    assert driver.latest(end, is_limited=False) == end  # everything is open now
    requests: list[object] = []
    send = PeerConnection.start

    def counted(self: PeerConnection, message: Any, **how: Any) -> Any:
        requests.append(message)
        return send(self, message, **how)

    monkeypatch.setattr(PeerConnection, "start", counted)
    asked, began = 0, time.monotonic()
    while (elapsed := time.monotonic() - began) < 1.5:
        assert driver.latest(end, is_limited=False) == end
        asked += 1
    assert asked / elapsed <= 1000 / NEWS_WAIT_MS
    assert len(requests) / elapsed < 25
    monkeypatch.undo()

    waiting = threading.Timer(0.05, fill, (bootstrap, topic, [1]), {"partition": 1})
    waiting.start()
    while driver.latest(end, is_limited=False) == end:
        assert time.monotonic() - began < 20
    waiting.join()


# -- what is lost ----------------------------------------------------------------------------------------------------


def test_a_topic_that_is_gone(
    broker: BlockingLocalBroker, admin: Admin, new_topic: NewTopic, open_driver: Open
) -> None:
    topic, other = new_topic(1), new_topic(1)
    fill(broker.bootstrap_servers, topic, range(3))
    strict = open_driver(f"{topic},{other}")
    lenient = open_driver(f"{topic},{other}", failOnDataLoss="false")
    pattern = open_driver(subscribePattern=f"^({topic}|{other})$")
    ends = [first_batch(each)[1] for each in (strict, lenient, pattern)]
    admin.delete_topic(topic)
    with pytest.raises(DataLossError, match=f"{topic} is gone.*failOnDataLoss=false"):
        strict.latest(ends[0], is_limited=False)
    left = lenient.latest(ends[1], is_limited=False)
    assert left == {at(other, 0): 0}
    assert lenient.plan(ends[1], left) == []
    left = pattern.latest(ends[2], is_limited=False)
    with pytest.raises(DataLossError, match=f"{topic}-0 is gone"):
        pattern.plan(ends[2], left)


def test_a_topic_that_is_gone_is_told_once(
    admin: Admin, new_topic: NewTopic, open_driver: Open, caplog: pytest.LogCaptureFixture
) -> None:
    """A query that goes on without it asks several times a second, for as long as it runs."""
    topic, other = new_topic(1), new_topic(1)
    driver = open_driver(f"{topic},{other}", failOnDataLoss="false")
    first_batch(driver)

    def told() -> list[str]:
        caplog.clear()
        for _ in range(3):
            driver.latest({at(other, 0): 0}, is_limited=False)
        return [record.message for record in caplog.records if "is gone" in record.message]

    for _ in range(2):
        admin.delete_topic(topic)
        assert len(told()) == 1
        assert told() == []
        admin.create_topic(topic)
        assert told() == []


def test_a_topic_that_was_made_anew_is_shorter(
    broker: BlockingLocalBroker, admin: Admin, new_topic: NewTopic, open_driver: Open
) -> None:
    topic = new_topic(1)
    fill(broker.bootstrap_servers, topic, range(9))
    end = {at(topic, 0): 9}
    admin.delete_topic(topic)
    admin.create_topic(topic)
    fill(broker.bootstrap_servers, topic, range(2))
    # After a restart nobody knows which topic the checkpoint is about.
    strict, lenient = open_driver(topic), open_driver(topic, failOnDataLoss="false")
    later = strict.latest(end, is_limited=False)
    assert later == {at(topic, 0): 2}
    with pytest.raises(DataLossError, match="ends at 2, before 9, where reading goes on"):
        strict.plan(end, later)
    assert lenient.plan(end, lenient.latest(end, is_limited=False)) == []


@pytest.mark.parametrize("new_count", [2, 9, 12])
@pytest.mark.parametrize("subscription", ["subscribe", "subscribePattern"])
def test_a_topic_that_is_made_anew_under_a_query_is_read_from_its_beginning(
    broker: BlockingLocalBroker,
    admin: Admin,
    new_topic: NewTopic,
    open_driver: Open,
    new_count: int,
    subscription: str,
) -> None:
    """However long it is: what is at the same offsets now are other records."""
    topic, bootstrap = new_topic(1), broker.bootstrap_servers
    fill(bootstrap, topic, range(9))
    given = {subscription: topic, "startingOffsets": "earliest"}
    strict, lenient = open_driver(**given), open_driver(**given, failOnDataLoss="false")
    for driver in (strict, lenient):
        start, end = first_batch(driver)
        assert ranges(driver, start, end) == [OffsetRange(at(topic, 0), 0, 9)]
    admin.delete_topic(topic)
    admin.create_topic(topic)
    fill(bootstrap, topic, range(new_count))
    later = lenient.latest(end, is_limited=False)
    if new_count == 9:
        assert later == end  # for Spark nothing is new, so it does not ask for ranges
        fill(bootstrap, topic, range(1))
        later = lenient.latest(end, is_limited=False)
    with pytest.raises(DataLossError, match=f"{topic} was deleted and made anew"):
        strict.plan(end, strict.latest(end, is_limited=False))
    whole = [OffsetRange(at(topic, 0), 0, later[at(topic, 0)])]
    assert ranges(lenient, end, later) == whole
    assert ranges(lenient, end, later) == whole  # Spark may ask twice
    fill(bootstrap, topic, range(1))
    last = lenient.latest(later, is_limited=False)
    assert ranges(lenient, later, last) == [
        OffsetRange(at(topic, 0), later[at(topic, 0)], last[at(topic, 0)])
    ]


def test_a_new_partition_that_has_lost_records_already(
    broker: BlockingLocalBroker, admin: Admin, new_topic: NewTopic, open_driver: Open
) -> None:
    topic = new_topic(1)
    strict, lenient = open_driver(topic), open_driver(topic, failOnDataLoss="false")
    ends = [first_batch(each)[1] for each in (strict, lenient)]
    admin.create_partitions({topic: 2}).raise_for_errors()
    fill(broker.bootstrap_servers, topic, range(9), partition=1)
    admin.delete_records({at(topic, 1): 4}).raise_for_errors()
    with pytest.raises(DataLossError, match=f"{topic}-1 is new, but what was before offset 4 is gone"):
        strict.plan(ends[0], strict.latest(ends[0], is_limited=False))
    later = lenient.latest(ends[1], is_limited=False)
    assert ranges(lenient, ends[1], later) == [OffsetRange(at(topic, 1), 4, 9)]


# -- what is remembered ----------------------------------------------------------------------------------------------


def committed(admin: Admin, group: str) -> Offsets:
    return {each: found.offset for each, found in admin.list_group_offsets(group).results.items()}


def groups(admin: Admin, prefix: str) -> list[str]:
    return [each.group_id for each in admin.list_groups() if each.group_id.startswith(prefix)]


def test_a_first_batch_that_failed_is_repeated_from_where_it_began(
    broker: BlockingLocalBroker, admin: Admin, new_topic: NewTopic, open_driver: Open
) -> None:
    topic, bootstrap = new_topic(2), broker.bootstrap_servers
    fill(bootstrap, topic, range(5))
    given = {"topic": topic, "kafka__group__id": topic, "minPartitions": "1"}
    driver = open_driver(**given)
    start = driver.initial()
    fill(bootstrap, topic, range(3))
    end = driver.latest(start, is_limited=True)
    planned = ranges(driver, start, end)
    assert planned == [OffsetRange(at(topic, 0), 5, 8)]
    driver.close()  # the batch fails, or the driver is killed

    fill(bootstrap, topic, range(100))
    again = open_driver(**given)
    restarted = again.initial()
    assert restarted == {
        at(topic, 0): 108,
        at(topic, 1): 0,
    }  # Spark would go on from here, and lose three records
    assert ranges(again, restarted, end) == planned
    assert ranges(again, restarted, end) == planned  # Spark may ask twice
    assert again.latest(end, is_limited=True) == {at(topic, 0): 108, at(topic, 1): 0}
    assert groups(admin, topic) == [topic]  # the note is gone once the batch is done
    assert committed(admin, topic) == end


def test_a_first_batch_is_repeated_though_its_start_could_not_be_found_now(
    broker: BlockingLocalBroker, admin: Admin, new_topic: NewTopic, open_driver: Open
) -> None:
    topic = new_topic(1)
    fill(broker.bootstrap_servers, topic, range(5))
    given = {"topic": topic, "startingOffsets": f'{{"{topic}":{{"0":2}}}}'}
    start, end = first_batch(open_driver(**given))
    admin.create_partitions({topic: 2}).raise_for_errors()  # so the offsets are not complete any more
    again = open_driver(**given)
    assert ranges(again, again.initial(), end) == [OffsetRange(at(topic, 0), 2, 5)]
    assert start == {at(topic, 0): 2}


def test_a_first_batch_of_another_connector_is_refused(
    broker: BlockingLocalBroker, new_topic: NewTopic, open_driver: Open
) -> None:
    topic = new_topic(1)
    fill(broker.bootstrap_servers, topic, range(5))
    driver = open_driver(topic)
    with pytest.raises(UnknownStartError, match=r"where it began is not known.*another connector's"):
        driver.plan(driver.initial(), {at(topic, 0): 3})
    # After its first committed batch a checkpoint says all that is needed.
    going_on = open_driver(topic)
    assert ranges(going_on, {at(topic, 0): 3}, {at(topic, 0): 4}) == [OffsetRange(at(topic, 0), 3, 4)]
    assert going_on.latest({at(topic, 0): 4}, is_limited=True) == {at(topic, 0): 5}


def test_two_queries_that_end_alike_but_began_elsewhere_are_not_mixed_up(
    broker: BlockingLocalBroker, new_topic: NewTopic, open_driver: Open
) -> None:
    topic = new_topic(1)
    fill(broker.bootstrap_servers, topic, range(5))
    early = open_driver(topic)
    start = early.initial()
    fill(broker.bootstrap_servers, topic, range(5))
    end = early.latest(start, is_limited=True)
    late = open_driver(topic)
    assert first_batch(late) == (end, end)
    again = open_driver(topic)
    fill(broker.bootstrap_servers, topic, range(1))
    told = r"two queries may have begun it, .* at .*:10.* at .*:5.* Delete the groups"
    with pytest.raises(UnknownStartError, match=told):
        again.plan(again.initial(), end)


def test_queries_that_begin_and_end_alike_do_not_take_away_one_another_s_start(
    broker: BlockingLocalBroker, admin: Admin, new_topic: NewTopic, open_driver: Open
) -> None:
    """One DataFrame and two sinks, for example; whoever fails goes on, whatever the other one has done meanwhile."""
    topic = new_topic(1)
    fill(broker.bootstrap_servers, topic, range(5))
    given = {"topic": topic, "startingOffsets": "earliest", "kafka__group__id": topic}
    first, second, third = (open_driver(**given) for _ in range(3))
    (start, end), *_ = (first_batch(each) for each in (first, second, third))
    whole = [OffsetRange(at(topic, 0), 0, 5)]
    for driver in (first, second, third):
        assert ranges(driver, start, end) == whole
    admin.delete_records({at(topic, 0): 1}).raise_for_errors()  # so that nobody can guess

    first.latest(end, is_limited=True)  # its batch is done
    for _ in range(2):  # the others failed, and are restarted one after the other
        again = open_driver(**given)
        assert again.initial() != start
        assert ranges(again, again.initial(), end) == whole
        again.latest(end, is_limited=True)
    assert groups(admin, topic) == [topic]  # the notes are gone


def test_a_query_that_is_given_a_group_later_finds_where_it_began(
    broker: BlockingLocalBroker, admin: Admin, new_topic: NewTopic, open_driver: Open
) -> None:
    topic = new_topic(1)
    fill(broker.bootstrap_servers, topic, range(5))
    given = {"topic": topic, "startingOffsets": "earliest"}
    start, end = first_batch(open_driver(**given))
    again = open_driver(**given, kafka__group__id=f"{topic}-mine")
    admin.delete_records({at(topic, 0): 1}).raise_for_errors()  # so that nobody can guess
    assert again.initial() != start
    assert ranges(again, again.initial(), end) == [OffsetRange(at(topic, 0), 0, 5)]


def test_the_group_that_a_query_had_is_named_if_it_is_needed(
    broker: BlockingLocalBroker, new_topic: NewTopic, open_driver: Open
) -> None:
    topic = new_topic(1)
    fill(broker.bootstrap_servers, topic, range(5))
    given = {"topic": topic, "startingOffsets": "earliest"}
    start, end = first_batch(open_driver(**given, kafka__group__id=f"{topic}-mine"))
    again = open_driver(**given, kafka__group__id=f"{topic}-yours")
    assert again.initial() == start
    with pytest.raises(UnknownStartError, match=f"set it again: kafka.group.id={topic}-mine. Else"):
        again.plan(start, end)
    # What it has of its own counts, whatever there is of others.
    own = open_driver(**given, kafka__group__id=f"{topic}-yours")
    assert first_batch(own) == (start, end)
    assert ranges(again, start, end) == [OffsetRange(at(topic, 0), 0, 5)]


def test_a_note_of_an_earlier_version_is_found_and_goes_when_its_batch_is_done(
    broker: BlockingLocalBroker, admin: Admin, new_topic: NewTopic, open_driver: Open
) -> None:
    """They were one for all queries that read alike: a group whose name ends with the digest, and a key for each start."""
    topic = new_topic(1)
    fill(broker.bootstrap_servers, topic, range(5))
    end = {at(topic, 0): 4}
    subject = "\0".join((repr(stream_options("x:1", subscribe=topic).start), f'{{"{topic}":{{"0":4}}}}'))
    group = f"{topic}-first-batch-{hashlib.sha256(subject.encode()).hexdigest()[:16]}"
    note = CommittedOffset(4, metadata='{"initial": {"0123456789abcdef": 3}}')
    admin.alter_group_offsets(group, {at(topic, 0): note}).raise_for_errors()
    again = open_driver(topic, kafka__group__id=topic)
    assert ranges(again, again.initial(), end) == [OffsetRange(at(topic, 0), 3, 4)]
    again.latest(end, is_limited=True)
    assert groups(admin, topic) == [topic]


def test_what_is_done_is_committed_to_the_group(
    broker: BlockingLocalBroker, admin: Admin, new_topic: NewTopic, open_driver: Open
) -> None:
    """Spark never says that the last batch is done; it asks for the next one, and begins a later run, from there."""
    topic, bootstrap = new_topic(1), broker.bootstrap_servers
    fill(bootstrap, topic, range(5))
    driver = open_driver(topic, startingOffsets="earliest", kafka__group__id=topic)
    start, end = first_batch(driver)
    assert committed(admin, topic) == start
    driver.plan(start, end)
    assert committed(admin, topic) == start  # it is not done yet
    driver.latest(end, is_limited=True)
    assert committed(admin, topic) == end == {at(topic, 0): 5}
    driver.finished({at(topic, 0): 4})  # as Spark's commit
    assert committed(admin, topic) == {at(topic, 0): 4}
    open_driver(topic, kafka__group__id=topic).latest({at(topic, 0): 3}, is_limited=True)
    assert committed(admin, topic) == {at(topic, 0): 3}


def test_a_query_that_sets_back_the_group_of_another_says_so_once(
    broker: BlockingLocalBroker,
    new_topic: NewTopic,
    admin: Admin,
    open_driver: Open,
    caplog: pytest.LogCaptureFixture,
) -> None:
    topic = new_topic(1)
    fill(broker.bootstrap_servers, topic, range(100))
    fast, slow = (open_driver(topic, startingOffsets="earliest") for _ in range(2))
    start, end = first_batch(fast)
    fast.latest(end, is_limited=True)
    assert first_batch(slow)[0] == start
    (warning,) = (record.getMessage() for record in caplog.records if record.levelname == "WARNING")
    assert f"is at 100 in {topic}-0 already, and this query sets it back to 0" in warning
    assert "Set kafka.group.id" in warning
    fast.finished({at(topic, 0): 100})
    slow.finished({at(topic, 0): 10})
    assert len([record for record in caplog.records if record.levelname == "WARNING"]) == 1


def test_a_group_that_does_not_answer_holds_up_one_batch_a_minute(
    new_topic: NewTopic, admin: Admin, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    topic, clock = new_topic(1), HandClock()
    progress = GroupProgress(admin, topic, clock)
    attempts: list[object] = []

    def unanswered(admin: Admin, group_id: str, offsets: Offsets, **how: object) -> object:
        attempts.append(offsets)
        raise RequestTimedOutError("no connection to broker 2 in time")

    with monkeypatch.context() as patch:
        patch.setattr(Admin, "alter_group_offsets", unanswered)
        for offset in range(100):
            progress.commit({at(topic, 0): offset})
            clock.ms += int(PAUSE_SECONDS * 1000) // 50
    assert attempts == [{at(topic, 0): 0}, {at(topic, 0): 50}]
    assert len(caplog.records) == 1
    progress.commit({at(topic, 0): 99})  # an idle query says it once more when the group may answer again
    assert committed(admin, topic) == {at(topic, 0): 99}


def test_a_query_that_falls_behind_another_finds_out_later(
    new_topic: NewTopic, admin: Admin, caplog: pytest.LogCaptureFixture
) -> None:
    """And what it has committed itself is no other's, though it goes back: after a topic was made anew, for example."""
    topic, clock = new_topic(1), HandClock()
    own, other = (GroupProgress(admin, topic, clock) for _ in range(2))
    for offset in (30, 20, 25):
        own.commit({at(topic, 0): offset})
        clock.ms += int(LOOK_SECONDS * 1000)
    other.commit({at(topic, 0): 90})
    assert not caplog.records
    clock.ms -= 1
    own.commit({at(topic, 0): 26})  # it has looked so lately
    assert not caplog.records
    other.commit({at(topic, 0): 91})
    clock.ms += 1
    own.commit({at(topic, 0): 27})
    (record,) = caplog.records
    assert f"is at 91 in {topic}-0 already, and this query sets it back to 27" in record.getMessage()
