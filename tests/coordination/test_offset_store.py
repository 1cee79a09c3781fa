"""Whatever happens to offsets: a simple model, a crash and a compaction come to the same result."""

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.coordination.offset_story import OffsetStory, contents

from snakka.coordination.groups.deleting import delete_group
from snakka.coordination.groups.offsets.deletion import delete_offsets, topics_deleted
from snakka.protocol.coordinator_framing import encode_key
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)

TOPICS = ("orders", "payments")
GROUPS = st.sampled_from(["g", "h"])
PRODUCERS = st.sampled_from([7, 8])
PLACES = st.dictionaries(
    st.tuples(st.sampled_from(TOPICS), st.integers(0, 1)), st.integers(0, 1000), min_size=1, max_size=3
)
STEPS = st.one_of(
    st.tuples(st.just("commit"), GROUPS, PLACES),
    st.tuples(st.just("transactional"), PRODUCERS, GROUPS, PLACES),
    st.tuples(st.just("end"), PRODUCERS, st.booleans()),
    st.tuples(st.just("delete"), GROUPS, PLACES),
    st.tuples(st.just("delete group"), GROUPS),
    st.tuples(st.just("delete topic"), st.sampled_from(TOPICS)),
)


class Model:
    """Offsets by group and place, with the number of the step that committed them; and what transactions hold."""

    def __init__(self) -> None:
        self.offsets: dict[tuple, tuple[int, int]] = {}
        self.pending: dict[int, dict[tuple, tuple[int, int]]] = {7: {}, 8: {}}

    def forget(self, is_gone) -> None:
        for store in (self.offsets, *self.pending.values()):
            for key in [key for key in store if is_gone(key)]:
                del store[key]

    def end(self, producer: int, committed: bool) -> None:
        for key, held in self.pending[producer].items():
            if committed and held > self.offsets.get(key, (-1, -1)):
                self.offsets[key] = held
        self.pending[producer] = {}


def step(story: OffsetStory, model: Model, number: int, what: str, *rest) -> None:
    if what == "commit":
        group, places = rest
        story.commit(group, places)
        model.offsets |= {(group, *place): (number, offset) for place, offset in places.items()}
    elif what == "transactional":
        producer, group, places = rest
        story.commit_in_transaction(producer, group, places)
        model.pending[producer] |= {(group, *place): (number, offset) for place, offset in places.items()}
    elif what == "end":
        story.end(rest[0], committed=rest[1])
        model.end(*rest)
    elif what == "delete":
        group, places = rest
        request = OffsetDeleteRequest(
            group_id=group,
            topics=[
                OffsetDeleteRequestTopic(
                    name=topic, partitions=[OffsetDeleteRequestPartition(partition_index=partition)]
                )
                for topic, partition in places
            ],
        )
        _allowed_to_fail(lambda: story.apply(delete_offsets(story.shard, request)))
        model.forget(lambda key: key[0] == group and key[1:] in places)
    elif what == "delete group":
        _allowed_to_fail(lambda: story.apply(delete_group(story.shard, rest[0])))
        model.forget(lambda key: key[0] == rest[0])
    else:
        gone = story.delete_topic(rest[0])
        story.create_topic(rest[0])
        story.apply(topics_deleted(story.shard, [gone]))
        model.forget(lambda key: key[1] == rest[0])


def _allowed_to_fail(action) -> None:
    """There may be no such group."""
    try:
        action()
    except ApiError:
        return


def compacted(log: list) -> list:
    """What a log cleaner leaves: of each key the last record that counts, and all of transactions that are open."""
    ended: dict[int, bool] = {}
    outcomes: list[bool | None] = [None] * len(log)
    for place in reversed(range(len(log))):
        first, second = log[place]
        if isinstance(first, int):
            ended[first] = second
        else:
            outcomes[place] = True if second is None else ended.get(second.producer_id)
    last: dict[bytes, int] = {}
    for place, (first, _) in enumerate(log):
        if outcomes[place]:
            last[encode_key(first)] = place
    return [
        entry
        if isinstance(entry[0], int) or outcomes[place] is None or last.get(encode_key(entry[0])) == place
        else None
        for place, entry in enumerate(log)
    ]


@settings(max_examples=150, deadline=None)
@given(st.lists(STEPS, max_size=25))
def test_offsets_are_what_a_simple_model_says_and_survive_crash_and_compaction(steps) -> None:
    story, model = OffsetStory(*TOPICS), Model()
    for number, one in enumerate(steps):
        step(story, model, number, *one)
        assert _offsets(story.shard) == {key: offset for key, (_, offset) in model.offsets.items()}
        held = {key for pending in model.pending.values() for key in pending}
        assert {key for key, _ in story.shard.offsets.pending()} == held
        assert {key for key in held if story.shard.offsets.is_unstable(*key)} == held
    story.check_survives_a_crash()
    assert _offsets(story.told_again(compacted(story.log))) == _offsets(story.shard)
    for producer in (7, 8):
        story.end(producer, committed=True)
    # Nothing is left of transactions that have ended.
    assert contents(story.shard)[1] == {}
    assert not story.shard.offsets._open
    assert not story.shard.offsets._pending


def _offsets(shard) -> dict[tuple, int]:
    return {
        (group, topic, partition): committed.offset
        for group in shard.offsets.groups()
        for topic, partitions in shard.offsets.of_group(group).items()
        for partition, committed in partitions.items()
    }
