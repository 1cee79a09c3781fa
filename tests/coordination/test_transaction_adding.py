"""Partitions of transactions: AddPartitionsToTxn, AddOffsetsToTxn and verification in stories."""

from tests.coordination.transaction_story import A, B, C, TransactionStory, refused

from snakka.coordination.decision import Producer


def test_the_first_partition_begins_a_transaction_and_others_join_it():
    story = TransactionStory()
    producer = story.init()
    story.add(producer, A)
    began_ms = story.now.wall_ms
    story.pass_ms(50)
    story.add(producer, B, C)
    transaction = story.transaction()
    assert transaction.partitions == {A, B, C}
    assert transaction.started_ms == began_ms
    assert transaction.updated_ms == began_ms + 50


def test_what_is_in_already_costs_no_record():
    story = TransactionStory()
    producer = story.init()
    story.add(producer, A, B)
    written = len(story.log)
    story.add(producer, B)
    assert len(story.log) == written


def test_only_who_has_the_transactional_id_adds_to_its_transaction():
    story = TransactionStory()
    producer = story.init()
    with refused("INVALID_PRODUCER_ID_MAPPING"):
        story.add(producer, A, transactional_id="nobody")
    with refused("INVALID_PRODUCER_ID_MAPPING"):
        story.add(Producer(5, 0), A)
    for epoch in (-1, 1):
        with refused("PRODUCER_FENCED"):
            story.add(Producer(producer.producer_id, epoch), A)
    assert story.state() == "Empty"


def test_verification_says_which_partitions_belong_to_the_transaction():
    story = TransactionStory()
    producer = story.init()
    assert story.verify(producer, A) == ["TRANSACTION_ABORTABLE"]
    story.add(producer, A, client_version=0)
    assert story.verify(producer, B, A) == ["TRANSACTION_ABORTABLE", "NONE"]
    story.commit(producer, client_version=0)
    story.write_markers()
    assert story.verify(producer, A) == ["TRANSACTION_ABORTABLE"]
    with refused("INVALID_PRODUCER_ID_MAPPING"):
        story.verify(Producer(5, 0), A)
    with refused("PRODUCER_FENCED"):
        story.verify(Producer(producer.producer_id, 3), A)


def test_the_version_of_the_client_goes_with_the_transaction():
    story = TransactionStory()
    producer = story.init()
    story.add(producer, A, client_version=0)
    assert story.transaction().client_version == 0
    story.add(producer, B, client_version=2)
    assert story.transaction().client_version == 2
