"""How transactions end: EndTxn and markers in stories, for clients of each version."""

import pytest
from tests.coordination.transaction_story import LAST, PAYMENTS, A, B, C, TransactionStory, refused

from snakka.coordination.decision import Marker, Producer
from snakka.coordination.transactions.shard import MARKERS_MS, SendMarkers
from snakka.protocol.coordinator_framing import TRANSACTION_RECORDS, decoder
from snakka.storage.producer_state import LAST_EPOCH

NOBODY = Producer(-1, -1)


def ongoing(version: int = 2, client_version: int = 2) -> tuple[TransactionStory, Producer]:
    story = TransactionStory(version)
    producer = story.init()
    story.add(producer, A, B, client_version=client_version)
    return story, producer


@pytest.mark.parametrize("version", [0, 1, 2])
@pytest.mark.parametrize("commit", [True, False])
def test_clients_of_older_versions_keep_their_epoch(version, commit):
    story, producer = ongoing(version, client_version=0)
    end = story.commit if commit else story.abort
    assert end(producer, client_version=0) == NOBODY
    assert story.state() == ("PrepareCommit" if commit else "PrepareAbort")
    assert story.markers == [SendMarkers(PAYMENTS, Marker(1001, 0, commit, 0, 0), (A, B))]
    story.write_markers()
    assert story.state() == ("CompleteCommit" if commit else "CompleteAbort")
    assert story.transaction().partitions == frozenset()
    # It may repeat what was done, and nothing else.
    assert end(producer, client_version=0) == NOBODY
    with refused("INVALID_TXN_STATE"):
        (story.abort if commit else story.commit)(producer, client_version=0)
    story.add(producer, C, client_version=0)
    assert story.transaction().producer_epoch == 0


@pytest.mark.parametrize("commit", [True, False])
def test_clients_of_version_2_get_an_epoch_for_each_transaction(commit):
    story, producer = ongoing()
    end = story.commit if commit else story.abort
    second = end(producer)
    assert second == Producer(producer.producer_id, 1)
    # The markers already have the next epoch: what the last one still sends is behind it.
    assert story.markers == [SendMarkers(PAYMENTS, Marker(1001, 1, commit, 0, 2), (A, B))]
    story.write_markers()
    assert story.transaction().producer_epoch == 1
    story.add(second, C)
    assert end(second) == Producer(producer.producer_id, 2)


def test_while_an_older_client_waits_it_is_told_to_ask_again():
    story, producer = ongoing(client_version=0)
    story.commit(producer, client_version=0)
    for end in (story.commit, story.abort):
        with refused("CONCURRENT_TRANSACTIONS"):
            end(producer, client_version=0)
        with refused("PRODUCER_FENCED"):
            end(Producer(producer.producer_id, 1), client_version=0)
    with refused("CONCURRENT_TRANSACTIONS"):
        story.add(producer, C)
    with refused("CONCURRENT_TRANSACTIONS"):
        story.verify(producer, A)


def test_version_2_while_a_transaction_is_being_ended():
    story, producer = ongoing()
    second = story.commit(producer)
    for one in (producer, second):
        for act in (story.commit, story.abort, lambda who: story.add(who, C)):
            with refused("CONCURRENT_TRANSACTIONS"):
                act(one)
    with refused("PRODUCER_FENCED"):
        story.verify(producer, A)
    with refused("CONCURRENT_TRANSACTIONS"):
        story.verify(second, A)


def test_version_2_repeats_are_answered_as_the_first_time():
    story, producer = ongoing()
    second = story.commit(producer)
    story.write_markers()
    assert story.commit(producer) == second
    with refused("INVALID_TXN_STATE"):
        story.abort(producer)
    story.crash()
    assert story.commit(producer) == second
    story.add(second, C)
    # The next transaction has begun: a repeat of the last one's end must not end it.
    with refused("PRODUCER_FENCED"):
        story.commit(producer)
    assert story.state() == "Ongoing"


def test_version_2_repeats_of_an_abort():
    story, producer = ongoing()
    second = story.abort(producer)
    story.write_markers()
    assert story.abort(producer) == second
    with refused("INVALID_TXN_STATE"):
        story.commit(producer)


def test_version_2_may_abort_where_nothing_was_written():
    story = TransactionStory()
    producer = story.init()
    with refused("INVALID_TXN_STATE"):
        story.commit(producer)
    second = story.abort(producer)
    assert second == Producer(producer.producer_id, 1)
    assert story.transaction().started_ms == story.now.wall_ms
    assert story.markers == [SendMarkers(PAYMENTS, Marker(1001, 1, False, 0, 2), ())]
    with refused("CONCURRENT_TRANSACTIONS"):
        story.abort(producer)
    story.write_markers()
    assert story.state() == "CompleteAbort"
    third = story.abort(second)
    story.write_markers()
    with refused("INVALID_TXN_STATE"):
        story.commit(third)
    with refused("PRODUCER_FENCED"):
        story.abort(producer)


def test_version_2_after_a_commit_may_abort_nothing_but_not_commit_it():
    story, producer = ongoing()
    second = story.commit(producer)
    story.write_markers()
    with refused("INVALID_TXN_STATE"):
        story.commit(second)
    assert story.abort(second) == Producer(producer.producer_id, 2)


def test_an_older_client_may_not_end_what_never_began():
    story = TransactionStory()
    producer = story.init()
    for end in (story.commit, story.abort):
        with refused("INVALID_TXN_STATE"):
            end(producer, client_version=0)


@pytest.mark.parametrize("client_version", [0, 2])
def test_only_who_has_the_transactional_id_ends_its_transaction(client_version):
    story, producer = ongoing()
    with refused("INVALID_PRODUCER_ID_MAPPING"):
        story.commit(producer, transactional_id="nobody", client_version=client_version)
    with refused("INVALID_PRODUCER_ID_MAPPING"):
        story.commit(Producer(5, 0), client_version=client_version)
    for epoch in (1, 2):
        with refused("PRODUCER_FENCED"):
            story.commit(Producer(producer.producer_id, epoch), client_version=client_version)
    assert story.state() == "Ongoing"


def test_the_last_epoch_ends_with_a_new_producer_id():
    story = TransactionStory()
    used_up = story.with_epoch(LAST)
    story.add(used_up, A)
    fresh = story.commit(used_up)
    assert fresh == Producer(1002, 0)
    assert story.transaction().producer_epoch == LAST_EPOCH
    assert story.markers[0].marker == Marker(1001, LAST_EPOCH, True, 0, 2)
    with refused("CONCURRENT_TRANSACTIONS"):
        story.commit(used_up)
    # A crash in between: the new id was written with the outcome.
    story.crash()
    with refused("CONCURRENT_TRANSACTIONS"):
        story.add(fresh, A)
    story.write_markers()
    assert story.transaction().producer_id == 1002
    assert story.commit(used_up) == fresh
    story.add(fresh, A)
    # The next transaction has begun, and nobody remembers the old id.
    with refused("INVALID_PRODUCER_ID_MAPPING"):
        story.commit(used_up)
    assert story.commit(fresh) == Producer(1002, 1)


@pytest.mark.parametrize("version", [0, 2])
def test_nothing_comes_after_the_last_epoch(version):
    """A producer that timed out in the epoch before it may learn of it when it repeats its abort."""
    story = TransactionStory(version)
    producer = story.with_epoch(LAST_EPOCH)
    story.add(producer, A, client_version=version)
    story.pass_ms(60_001)
    assert story.reap() == [PAYMENTS]
    assert story.transaction().producer_epoch == LAST_EPOCH
    story.write_markers()
    assert story.init() == Producer(1002, 0)


def test_a_transaction_in_the_last_epoch_ends_with_a_new_producer_id():
    story = TransactionStory()
    producer = story.with_epoch(LAST_EPOCH)
    story.add(producer, A)
    assert story.commit(producer) == Producer(1002, 0)
    story.write_markers()
    assert story.transaction().producer_id == 1002


def test_a_crash_between_decision_and_completion_sends_the_markers_again():
    story, producer = ongoing()
    story.commit(producer)
    (lost,) = story.markers
    story.crash()
    (again,) = story.markers
    assert again == lost._replace(marker=lost.marker._replace(coordinator_epoch=1))
    # The old coordinator's word counts no more.
    assert story.hear_of(lost) is False
    assert story.state() == "PrepareCommit"
    story.write_markers()
    assert story.state() == "CompleteCommit"
    assert story.hear_of(again) is False


def test_markers_that_lead_to_nothing_are_asked_for_again():
    story, producer = ongoing()
    story.abort(producer)
    (lost,) = story.markers
    story.markers = []
    story.pass_ms(MARKERS_MS - 1)
    assert not story.markers
    story.pass_ms(1)
    assert story.markers == [lost]
    story.write_markers()
    story.pass_ms(10 * MARKERS_MS)
    assert not story.markers
    assert not len(story.shard.deadlines)


def test_a_completion_that_can_not_be_written_is_tried_again():
    story, producer = ongoing()
    story.commit(producer)
    story.refuses_appends = True
    with refused("COORDINATOR_NOT_AVAILABLE"):
        story.write_markers()
    story.refuses_appends = False
    story.pass_ms(MARKERS_MS)
    story.write_markers()
    assert story.state() == "CompleteCommit"


def test_a_late_word_of_the_last_transaction_does_not_complete_the_next():
    story, producer = ongoing()
    second = story.commit(producer)
    (first_markers,) = story.markers
    story.write_markers()
    story.add(second, C)
    story.commit(second)
    assert story.hear_of(first_markers) is False
    assert story.state() == "PrepareCommit"


def test_a_client_of_version_2_after_the_feature_was_lowered():
    """The old records have no room for its version; its epochs are in there, and nothing is lost."""
    story, producer = ongoing()
    story.version = 0
    second = story.commit(producer)
    assert second == Producer(producer.producer_id, 1)
    story.crash()
    story.write_markers()
    assert story.commit(producer) == second


@pytest.mark.parametrize(("version", "record_version"), [(0, 0), (1, 1), (2, 1)])
def test_the_records_are_in_the_form_that_the_cluster_agreed_on(version, record_version):
    story, producer = ongoing(version)
    story.commit(producer, client_version=0)
    records = [decoder(TRANSACTION_RECORDS)(key, value) for key, value in story.log]
    assert [record.version for record in records] == [record_version] * 3
    assert [record.value.transaction_status for record in records] == [0, 1, 2]
    assert [record.value.previous_producer_id for record in records] == [1001 if record_version else -1] * 3
