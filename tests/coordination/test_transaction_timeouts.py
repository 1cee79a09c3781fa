"""Transactions that take too long, and transactional ids that nobody uses."""

import pytest
from tests.coordination.transaction_story import PAYMENTS, A, B, TransactionStory, refused

from snakka.coordination.decision import Producer
from snakka.coordination.transactions.transaction import NEVER_MS


@pytest.mark.parametrize("version", [0, 1, 2])
def test_a_transaction_that_takes_too_long_is_aborted_and_its_producer_fenced(version):
    story = TransactionStory(version)
    producer = story.init(timeout_ms=10_000)
    story.add(producer, A, client_version=0)
    story.pass_ms(10_000)
    assert story.reap() == []
    story.pass_ms(1)
    assert story.reap() == [PAYMENTS]
    assert story.state() == "PrepareAbort"
    assert story.transaction().producer_epoch == 1
    (sent,) = story.markers
    assert sent.marker.producer_epoch == 1
    assert not sent.marker.committed
    assert sent.marker.transaction_version == (2 if version == 2 else 0)
    assert story.reap() == []
    story.write_markers()
    for act in (story.commit, story.abort):
        with refused("PRODUCER_FENCED"):
            act(producer, client_version=0)
    with refused("PRODUCER_FENCED"):
        story.add(producer, B)


def test_a_producer_of_version_2_finds_out_and_goes_on():
    story = TransactionStory()
    producer = story.init(timeout_ms=10_000)
    story.add(producer, A)
    story.pass_ms(10_001)
    story.reap()
    story.write_markers()
    with refused("INVALID_TXN_STATE"):
        story.commit(producer)
    # Its abort is what was done already.
    assert story.abort(producer) == Producer(producer.producer_id, 1)
    assert story.init(expected=producer) == Producer(producer.producer_id, 1)


def test_a_producer_of_an_older_version_is_fenced_for_good():
    story = TransactionStory(1)
    producer = story.init(timeout_ms=10_000)
    story.add(producer, A, client_version=0)
    story.pass_ms(10_001)
    story.reap()
    story.write_markers()
    with refused("PRODUCER_FENCED"):
        story.init(expected=producer)


def test_time_begins_with_the_first_partition_and_goes_on_after_a_crash():
    story = TransactionStory()
    producer = story.init(timeout_ms=10_000)
    story.pass_ms(60_000)
    story.add(producer, A)
    story.pass_ms(6_000)
    story.add(producer, B)
    story.crash()
    story.pass_ms(4_000)
    assert story.reap() == []
    story.pass_ms(1)
    assert story.reap() == [PAYMENTS]


def test_a_two_phase_commit_never_times_out():
    story = TransactionStory()
    producer = story.init(timeout_ms=NEVER_MS)
    story.add(producer, A)
    story.pass_ms(10 * NEVER_MS)
    assert story.reap() == []


def test_unused_transactional_ids_are_forgotten():
    story = TransactionStory(transactional_id_expiration_ms=1_000)
    busy = story.init("busy")
    story.add(busy, A, transactional_id="busy")
    done = story.init("done")
    story.add(done, A, transactional_id="done")
    story.commit(done, transactional_id="done")
    story.write_markers()
    story.init("idle")
    story.pass_ms(999)
    story.init("used")
    story.forget()
    assert set(story.shard.transactions) == {"busy", "done", "idle", "used"}
    story.pass_ms(1)
    story.forget()
    assert set(story.shard.transactions) == {"busy", "used"}
    assert not story.shard.last_epochs
    story.crash()
    assert set(story.shard.transactions) == {"busy", "used"}


def test_a_decided_transaction_is_not_forgotten():
    story = TransactionStory(transactional_id_expiration_ms=1_000)
    producer = story.init()
    story.add(producer, A)
    story.commit(producer)
    story.pass_ms(5_000)
    story.forget()
    assert story.state() == "PrepareCommit"
