"""Offsets as JSON, limits and pieces: pure, so judged without Spark, except that Scala itself is asked for its order."""

import json
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from snakka.client.topic_partition import TopicPartition
from snakka.spark.source.offset_json import json_offsets, offsets_of, offsets_text
from snakka.spark.source.offset_ranges import OffsetRange, limited, new_offsets, pieces

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

names = st.text("abcXYZ019._-", min_size=1, max_size=12)
partitions = st.builds(TopicPartition, names, st.integers(0, 300))
offsets = st.dictionaries(partitions, st.integers(0, 2**40), max_size=40)


def at(partition: int, topic: str = "t") -> TopicPartition:
    return TopicPartition(topic, partition)


@given(offsets)
def test_json_comes_back_as_it_was(given_offsets: dict[TopicPartition, int]) -> None:
    assert offsets_of(json.loads(offsets_text(given_offsets))) == given_offsets
    assert json.dumps(json_offsets(given_offsets), separators=(",", ":")) == offsets_text(given_offsets)


def test_json_has_no_blanks_and_partitions_of_a_topic_in_order() -> None:
    text = offsets_text({at(10): 1, at(2): 7, at(0): 23})
    assert text == '{"t":{"0":23,"2":7,"10":1}}'
    assert offsets_text({}) == "{}"


def test_the_text_is_what_spark_s_own_connector_wrote() -> None:
    """Taken from a checkpoint of spark-sql-kafka-0-10 4.2.0: topics are in nobody's order but its own."""
    written = (
        '{"Zz":{"0":1,"1":1,"2":1},"a":{"0":1},"b":{"0":1},"payments":{"0":1},"logs.1":{"0":1},"logs.2":{"0":1},'
        '"clicks-us":{"0":1},"topic-11":{"0":1},"topic-12":{"0":1},"topic-13":{"0":1},"q":{"0":1},"x_y":{"0":1},'
        '"orders":{"0":1,"1":1,"2":1,"3":0,"4":0,"5":0,"6":0,"7":0,"8":0,"9":0,"10":0,"11":0},"clicks-eu":{"0":1}}'
    )
    assert offsets_text(offsets_of(json.loads(written))) == written


def test_the_order_is_that_of_scala_s_hash_tables(spark: "SparkSession") -> None:
    """Spark's own source collects offsets in them before it writes them."""
    jvm = spark._jvm
    assert jvm is not None
    for topics in (
        ["orders", "payments", "a", "b", "clicks-eu", "clicks-us", "Zz", "logs.1", "logs.2", "x_y"],
        [f"topic-{number}" for number in range(30)],
        [f"t{number}" for number in range(11)],
    ):
        ours = {at(partition, topic): 1 for topic in topics for partition in (0, 1, 17, 33, 130)}
        table = jvm.scala.collection.mutable.HashMap()
        for each in sorted(ours):
            table.put(each.topic, 1)
        assert list(json_offsets(ours)) == _keys(table)
        numbers = jvm.scala.collection.mutable.HashMap()
        for number in (0, 1, 17, 33, 130):
            numbers.put(number, 1)
        assert list(json_offsets(ours)[topics[0]]) == [str(key) for key in _keys(numbers)]


def _keys(table: object) -> list[object]:
    keys = table.keysIterator()  # type: ignore[attr-defined]
    found = []
    while keys.hasNext():
        found.append(keys.next())
    return found


# -- limits ----------------------------------------------------------------------------------------------------------


def test_a_limit_is_shared_out_by_size_and_starves_nobody() -> None:
    start = {at(0): 0, at(1): 0, at(2): 100}
    end = {at(0): 900, at(1): 100, at(2): 100}
    assert limited(100, start, end) == {at(0): 90, at(1): 10, at(2): 100}
    # Less than one offset is rounded up, all else down.
    assert limited(10, {at(0): 0, at(1): 0}, {at(0): 1000, at(1): 1}) == {at(0): 9, at(1): 1}
    assert limited(10, {at(0): 0}, {at(0): 3}) == {at(0): 3}
    assert limited(10, {at(0): 5}, {at(0): 5}) == {at(0): 5}
    assert limited(2**63 - 1, {at(0): 5}, {at(0): 2**62}) == {at(0): 2**62}
    # A log that has become shorter is somebody else's to judge.
    assert limited(10, {at(0): 50, at(1): 0}, {at(0): 20, at(1): 100}) == {at(0): 20, at(1): 10}


@given(
    st.integers(1, 10**6),
    st.lists(st.tuples(st.integers(0, 10**9), st.integers(0, 10**9)), min_size=1, max_size=20),
)
def test_limits_move_on_and_never_past_the_end(most: int, sizes: list[tuple[int, int]]) -> None:
    start = {at(index): begin for index, (begin, _) in enumerate(sizes)}
    end = {at(index): begin + size for index, (begin, size) in enumerate(sizes)}
    ends = limited(most, start, end)
    assert all(start[each] <= ends[each] <= end[each] for each in end)
    assert new_offsets(start, ends) <= most + len(sizes)
    assert ends != start or start == end


# -- pieces ----------------------------------------------------------------------------------------------------------


def test_ranges_are_divided_as_spark_divides_them() -> None:
    assert pieces([OffsetRange(at(0), 0, 10), OffsetRange(at(1), 5, 5), OffsetRange(at(2), 9, 3)]) == [
        OffsetRange(at(0), 0, 10)
    ]
    assert [each[1:] for each in pieces([OffsetRange(at(0), 0, 10)], least_pieces=3)] == [
        (0, 3),
        (3, 6),
        (6, 10),
    ]
    # The small one keeps its task and does not count for the share of the large ones.
    divided = pieces(
        [OffsetRange(at(0), 0, 1000), OffsetRange(at(1), 0, 1000), OffsetRange(at(2), 0, 10)], least_pieces=6
    )
    assert [each.partition.partition for each in divided] == [0, 0, 0, 1, 1, 1, 2]
    assert [each[1:] for each in pieces([OffsetRange(at(0), 0, 10)], most_records=4)] == [
        (0, 3),
        (3, 6),
        (6, 10),
    ]
    both = pieces([OffsetRange(at(0), 0, 10)], least_pieces=5, most_records=9)
    assert sum(each.size for each in both) == 10
    assert len(both) >= 4


@given(
    st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 5000)), min_size=1, max_size=10),
    st.none() | st.integers(1, 50),
    st.none() | st.integers(1, 700),
)
def test_pieces_cover_everything_once(
    sizes: list[tuple[int, int]], least: int | None, most: int | None
) -> None:
    whole = [OffsetRange(at(index), begin, begin + size) for index, (begin, size) in enumerate(sizes)]
    divided = pieces(whole, least, most)
    assert all(each.size > 0 for each in divided)
    if most is not None:
        assert all(each.size <= most for each in divided)
    for each in whole:
        position = each.start
        for piece in divided:
            if piece.partition == each.partition:
                assert piece.start == position
                position = piece.end
        assert position == each.end
