"""Whatever records build, the snapshot's records build again; and what changed is what the delta says."""

from hypothesis import given, settings
from hypothesis import strategies as st
from metadata_writer import MetadataWriter, record

from snakka.metadata.image import ClusterImage, Delta
from snakka.metadata.image.record_keys import RecordKey
from snakka.protocol.message import Message
from snakka.protocol.metadata_framing import decode_record, encode_record


def rebuilt(records: list[Message]) -> ClusterImage:
    """Over the wire and back, as a snapshot file would have them."""
    image = ClusterImage()
    for one in records:
        image.replay(decode_record(encode_record(one)))
    return image


def new_image() -> ClusterImage:
    image = ClusterImage()
    image.replay(record(RecordKey.FEATURE_LEVEL, name="metadata.version", feature_level=30))
    return image


@given(st.integers(0, 2**32), st.integers(1, 120))
@settings(max_examples=200, deadline=None)
def test_a_snapshot_rebuilds_the_image(seed: int, count: int) -> None:
    image = new_image()
    writer = MetadataWriter(seed, image)
    for _ in range(count):
        image.replay(writer.next_record())
    snapshot = list(image.snapshot())
    twin = rebuilt(snapshot)
    assert twin == image
    assert list(twin.snapshot()) == snapshot
    assert image.copy() == image


@given(st.integers(0, 2**32), st.integers(1, 60), st.integers(1, 60))
@settings(max_examples=200, deadline=None)
def test_a_delta_is_the_difference_between_before_and_after(seed: int, first: int, second: int) -> None:
    image = new_image()
    writer = MetadataWriter(seed, image)
    for _ in range(first):
        image.replay(writer.next_record())
    before = image.copy()
    delta = Delta()
    for _ in range(second):
        image.replay(writer.next_record(), delta)

    difference = Delta.between(before, image)
    assert set(delta.deleted_topics) >= set(difference.deleted_topics)
    assert set(delta.created_topics) >= set(difference.created_topics)
    seen = {change[:2]: change[2:] for change in by_id(delta, image)}
    assert seen == {change[:2]: change[2:] for change in by_id(difference, image)}
    assert {change.broker_id for change in delta.broker_changes(image)} == set(difference.brokers)
    for name in ("controllers", "configs", "features", "client_quotas", "acls", "scram", "delegation_tokens"):
        assert set(getattr(difference, name)) <= set(getattr(delta, name)), name
    assert difference.producer_ids <= delta.producer_ids


def by_id(delta: Delta, image: ClusterImage):
    return [(change.topic.id, *change[1:]) for change in delta.partition_changes(image)]
