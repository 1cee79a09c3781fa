"""Who has a transactional id: InitProducerId in stories."""

import pytest
from tests.coordination.transaction_story import LAST, PAYMENTS, A, TransactionStory, refused

from snakka.coordination.decision import Producer
from snakka.coordination.transactions.transaction import TransactionState
from snakka.storage.producer_state import LAST_EPOCH


def test_a_new_transactional_id_gets_a_new_producer_id():
    story = TransactionStory()
    producer = story.init()
    assert producer == Producer(1001, 0)
    assert story.state() == "Empty"
    assert story.transaction().timeout_ms == 60_000
    assert story.init("refunds") == Producer(1002, 0)


def test_the_next_producer_gets_the_next_epoch_and_its_own_timeout():
    story = TransactionStory()
    first = story.init()
    second = story.init(timeout_ms=30_000)
    assert second == Producer(first.producer_id, 1)
    assert story.transaction().timeout_ms == 30_000
    with refused("PRODUCER_FENCED"):
        story.add(first, A)


@pytest.mark.parametrize("version", [0, 1, 2])
def test_who_comes_while_a_transaction_is_under_way_has_it_aborted_first(version):
    story = TransactionStory(version)
    zombie = story.init()
    story.add(zombie, A, client_version=0)
    with refused("CONCURRENT_TRANSACTIONS"):
        story.init()
    # The epoch of the abort fences the zombie, and is nobody's.
    assert story.state() == "PrepareAbort"
    assert story.transaction().producer_epoch == 1
    for expected in (None, zombie, Producer(77, 0)):
        with refused("CONCURRENT_TRANSACTIONS"):
            story.init(expected=expected)
    with refused("PRODUCER_FENCED"):
        story.commit(zombie, client_version=0)
    story.write_markers()
    assert story.state() == "CompleteAbort"
    assert story.init() == Producer(zombie.producer_id, 2)


def test_a_fence_that_uses_the_last_epoch_up_leads_to_a_new_producer_id():
    story = TransactionStory()
    zombie = story.with_epoch(LAST)
    story.add(zombie, A)
    with refused("CONCURRENT_TRANSACTIONS"):
        story.init()
    assert story.transaction().producer_epoch == LAST_EPOCH
    story.write_markers()
    assert story.init() == Producer(1002, 0)


def test_a_producer_that_names_itself_goes_on_after_an_error():
    story = TransactionStory()
    producer = story.init()
    again = story.init(expected=producer)
    assert again == Producer(producer.producer_id, 1)
    # The answer was lost, so it asks once more, and gets the same.
    assert story.init(expected=producer) == again
    assert story.init(expected=again) == Producer(producer.producer_id, 2)


def test_a_producer_that_names_itself_is_fenced_once_another_one_came():
    story = TransactionStory()
    first = story.init()
    story.init()
    with refused("PRODUCER_FENCED"):
        story.init(expected=first)
    with refused("PRODUCER_FENCED"):
        story.init(expected=Producer(77, 0))


@pytest.mark.parametrize("version", [0, 1, 2])
def test_a_fenced_producer_that_names_itself_ends_nothing(version):
    story = TransactionStory(version)
    first = story.init()
    second = story.init()
    story.add(second, A, client_version=0)
    for stale in (first, Producer(first.producer_id, 7), Producer(77, 0)):
        with refused("PRODUCER_FENCED"):
            story.init(expected=stale)
    assert (story.state(), story.transaction().producer_epoch) == ("Ongoing", second.epoch)
    # The one that has it may give up what it has open.
    with refused("CONCURRENT_TRANSACTIONS"):
        story.init(expected=second)
    assert story.state() == "PrepareAbort"


def test_a_producer_whose_transactional_id_was_forgotten_gets_a_new_producer_id():
    story = TransactionStory(transactional_id_expiration_ms=1_000)
    producer = story.init()
    story.pass_ms(1_000)
    story.forget()
    assert PAYMENTS not in story.shard.transactions
    assert story.init(expected=producer) == Producer(1002, 0)


def test_after_a_crash_a_repeated_question_fences():
    """The epoch before the last one is in no record: Kafka's format has no place for it."""
    story = TransactionStory()
    producer = story.init()
    story.init(expected=producer)
    story.crash()
    with refused("PRODUCER_FENCED"):
        story.init(expected=producer)


def test_used_up_epochs_lead_to_a_new_producer_id():
    story = TransactionStory()
    used_up = story.with_epoch(LAST)
    fresh = story.init()
    assert fresh == Producer(1002, 0)
    with refused("INVALID_PRODUCER_ID_MAPPING"):
        story.add(used_up, A)
    # Nobody may go on under the old name: the one who came did not say that it was the same producer.
    with refused("PRODUCER_FENCED"):
        story.init(expected=used_up)


def test_a_producer_that_used_its_epochs_up_may_ask_twice_for_the_new_id():
    story = TransactionStory()
    used_up = story.with_epoch(LAST)
    fresh = story.init(expected=used_up)
    assert fresh == Producer(1002, 0)
    assert story.init(expected=used_up) == fresh
    assert story.init(expected=fresh) == Producer(1002, 1)


def test_a_repeated_question_about_the_last_epoch_gets_it_again():
    story = TransactionStory()
    before = story.with_epoch(LAST - 1)
    last = story.init(expected=before)
    assert last == Producer(before.producer_id, LAST)
    assert story.init(expected=before) == last
    with refused("PRODUCER_FENCED"):
        story.init(expected=Producer(before.producer_id, 5))


def test_a_refused_append_changes_nothing():
    story = TransactionStory()
    producer = story.init()
    second = story.init(expected=producer)
    story.refuses_appends = True
    with refused("COORDINATOR_NOT_AVAILABLE"):
        story.init()
    story.refuses_appends = False
    # Had the other one got its epoch, this would be fenced.
    assert story.init(expected=producer) == second
    story.refuses_appends = True
    with refused("COORDINATOR_NOT_AVAILABLE"):
        story.init("refunds")
    assert "refunds" not in story.shard.transactions


def test_a_decided_transaction_must_be_complete_before_the_next_producer_comes():
    story = TransactionStory()
    producer = story.init()
    story.add(producer, A)
    story.commit(producer)
    with refused("CONCURRENT_TRANSACTIONS"):
        story.init()
    story.write_markers()
    assert story.init() == Producer(producer.producer_id, 2)
    assert story.transaction().state is TransactionState.EMPTY
