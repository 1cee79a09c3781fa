"""The direct log reader without Spark around it: a data directory gives what its broker serves, running and stopped."""

import itertools
import json
import os
import random
import shutil
import struct
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.spark.log_directories import as_rows, opened, ranges, read

from snakka.client.blocking import Admin, Consumer, Producer
from snakka.client.topic_partition import TopicPartition
from snakka.protocol import record_columns
from snakka.protocol.record_batch import iter_headers, stamp_crc
from snakka.spark.client_settings import SparkOptionError
from snakka.spark.log_reader import segment_reader
from snakka.spark.log_reader.damage import LogDamageError
from snakka.spark.log_reader.partition_view import PartitionView
from snakka.spark.log_reader.planning import OffsetsLostError
from snakka.storage.directory_checkpoints import CLEAN_SHUTDOWN
from snakka.testing import BlockingLocalBroker

NOW_MS = 1_700_000_000_000
SMALL_SEGMENTS = {"segment.index.bytes": "96", "index.interval.bytes": "512", "retention.ms": "-1"}
# A broker that cleans up all the time.
BUSY = {
    "log.initial.task.delay.ms": "0",
    "log.retention.check.interval.ms": "100",
    "log.cleaner.backoff.ms": "100",
    "log.cleaner.dedupe.buffer.size": "2097152",
}
ANOTHER_TOPIC = "version: 0\ntopic_id: b8tRS7h4TJ2Vt43Dp85v2A"
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")


class Cluster(NamedTuple):
    """A running broker, and where its data lies."""

    data: Path
    bootstrap: str
    admin: Admin

    def topic(self, name: str, partitions: int = 1, **configs: str) -> str:
        settings = {key.replace("_", "."): value for key, value in configs.items()}
        self.admin.create_topic(name, partitions=partitions, configs=SMALL_SEGMENTS | settings)
        return name

    def segments(self, topic: str, partition: int = 0) -> list[Path]:
        return sorted((self.data / f"{topic}-{partition}").glob("*.log"))

    def served(self, topic: str, partition: int = 0, **settings: str) -> list[tuple[Any, ...]]:
        """What a consumer is given, from the beginning to the end."""
        place = TopicPartition(topic, partition)
        rows: list[tuple[Any, ...]] = []
        with Consumer(bootstrap_servers=self.bootstrap, auto_offset_reset="earliest", **settings) as consumer:
            end = consumer.end_offsets([place])[place]
            consumer.assign([place])
            consumer.seek_to_beginning(place)
            while consumer.position(place) < end:
                for batch in consumer.fetch_arrow(timeout_ms=500):
                    rows += as_rows(batch)
        return rows


def fill(cluster: Cluster, topic: str, count: int = 300, *, codec: str = "none", partition: int = 0) -> None:
    """Records of every shape, in many small batches."""
    chance = random.Random(f"{topic}{partition}")
    with Producer(
        bootstrap_servers=cluster.bootstrap, compression_type=codec, linger_ms=0, batch_size=700
    ) as producer:
        sent = []
        for number in range(count):
            key = None if number % 5 == 0 else b"key-%d" % (number % 7)
            value = (
                None if number % 11 == 0 else b"value %d " % number + chance.randbytes(chance.randrange(60))
            )
            headers = [("kind", b"%d" % number), ("empty", None), ("kind", b"")] if number % 3 == 0 else None
            sent.append(
                producer.send(
                    topic, value, key, headers=headers, partition=partition, timestamp_ms=NOW_MS + number * 10
                )
            )
            if number % 10 == 9:
                producer.flush()
        for each in sent:
            each.result(30)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    data = tmp_path_factory.mktemp("log-reader") / "data"
    with (
        BlockingLocalBroker(BUSY, data_dir=str(data)) as broker,
        Admin(bootstrap_servers=broker.bootstrap_servers) as admin,
    ):
        yield Cluster(data, broker.bootstrap_servers, admin)


@pytest.mark.parametrize("codec", CODECS)
def test_a_running_brokers_directory_gives_what_it_serves(cluster: Cluster, codec: str) -> None:
    topic = cluster.topic(f"codec-{codec}")
    fill(cluster, topic, codec=codec)
    assert len(cluster.segments(topic)) > 2
    assert read(cluster.data, subscribe=topic) == cluster.served(topic)


def test_batches_larger_than_what_is_read_at_once(cluster: Cluster) -> None:
    topic = cluster.topic("large", max_message_bytes="8000000")
    with Producer(bootstrap_servers=cluster.bootstrap, max_request_size=8_000_000, linger_ms=0) as producer:
        for size in (10, 3_000_000, 5, 1_048_576 - 70, 1_048_576, 0, 2_000_000, 1):
            producer.send_and_wait(topic, random.Random(size).randbytes(size), partition=0)
    rows = read(cluster.data, subscribe=topic)
    assert rows == cluster.served(topic)
    assert [len(row[1]) for row in rows][:2] == [10, 3_000_000]
    assert read(cluster.data, subscribe=topic, minPartitions=6) == rows


def test_each_look_at_a_log_that_is_being_written_is_a_beginning_of_it(cluster: Cluster) -> None:
    topic = cluster.topic("growing")
    writer = threading.Thread(target=fill, args=(cluster, topic, 1500))
    writer.start()
    looks = []
    while writer.is_alive():
        looks.append(
            read(cluster.data, subscribe=topic, minPartitions=3, **{"isolation.level": "read_committed"})
        )
    writer.join()
    everything = cluster.served(topic)
    assert read(cluster.data, subscribe=topic) == everything
    assert all(rows == everything[: len(rows)] for rows in looks)
    assert len(looks) > 2
    assert looks[0] != looks[-1]


def test_log_append_time(cluster: Cluster) -> None:
    topic = cluster.topic("appended", message_timestamp_type="LogAppendTime")
    fill(cluster, topic, 40)
    rows = read(cluster.data, subscribe=topic)
    assert rows == cluster.served(topic)
    assert {row[4] for row in rows} == {1}


def test_partitions_topics_and_patterns(cluster: Cluster) -> None:
    for name in ("many-a", "many-b"):
        cluster.topic(name, 3)
        for partition in range(3):
            fill(cluster, name, 20, partition=partition)

    def planned(**options: str) -> set[tuple[str, int]]:
        return {(each.topic, each.partition) for each in ranges(cluster.data, **options)}

    assert planned(subscribe="many-a") == {("many-a", partition) for partition in range(3)}
    assert planned(subscribe="many-a, many-b") == planned(subscribePattern="^many-.$")
    assert planned(assign='{"many-a":[2],"many-b":[0,1]}') == {("many-a", 2), ("many-b", 0), ("many-b", 1)}
    assert ("__consumer_offsets", 0) not in planned(subscribePattern=".*")
    with pytest.raises(SparkOptionError, match=r"nowhere: not in .*; there are \w"):
        read(cluster.data, subscribe="nowhere")
    with pytest.raises(SparkOptionError, match=r"many-a: not in .*; .* must be a data directory"):
        read(cluster.data / "many-a-0", subscribe="many-a")
    with pytest.raises(SparkOptionError, match="there is no such directory"):
        read("/nowhere", subscribe="many-a")


def test_partitions_that_other_brokers_have_are_missed(
    cluster: Cluster, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """One broker of several has some of a topic's partitions only, and what it has is all that is read."""
    topic = cluster.topic("scattered", 4)
    for partition in range(4):
        fill(cluster, topic, 3, partition=partition)
    for name in (f"{topic}-0", f"{topic}-3"):
        shutil.copytree(cluster.data / name, tmp_path / name)
    for options in ({"subscribe": topic}, {"subscribePattern": topic}):
        caplog.clear()
        assert len(read(tmp_path, **options)) == 6
        assert f"partitions of {topic} are not in {tmp_path}, and not read: 1, 2;" in caplog.text
    caplog.clear()
    assert len(read(tmp_path, assign=json.dumps({topic: [3]}))) == 3
    assert len(read(cluster.data, subscribe=topic)) == 12
    assert "are not in" not in caplog.text


def test_tasks_meet_without_gap_or_overlap(cluster: Cluster) -> None:
    topic = cluster.topic("divided", segment_index_bytes="1000000")
    fill(cluster, topic, 500)
    whole = read(cluster.data, subscribe=topic)
    (segment,) = cluster.segments(topic)
    for options in ({"minPartitions": 7}, {"maxPartitionBytes": segment.stat().st_size // 12}):
        planned = ranges(cluster.data, subscribe=topic, **options)
        assert len(planned) >= 6
        assert planned[0].first_offset == 0
        assert planned[-1].end_offset == 500
        assert all(one.end_offset == two.first_offset for one, two in itertools.pairwise(planned))
        sizes = [each.size for each in planned]
        assert max(sizes) < 3 * sum(sizes) / len(sizes)
        assert read(cluster.data, subscribe=topic, **options) == whole


def test_offsets_by_number_name_and_time(cluster: Cluster) -> None:
    topic = cluster.topic("bounds")
    fill(cluster, topic, 300)
    whole = read(cluster.data, subscribe=topic)
    assert [row[2] for row in whole] == list(range(300))

    def between(**options: object) -> list[int]:
        return [row[2] for row in read(cluster.data, subscribe=topic, **options)]

    start, end = json.dumps({topic: {"0": 37}}), json.dumps({topic: {"0": 251}})
    assert between(startingOffsets=start, endingOffsets=end) == list(range(37, 251))
    assert between(startingOffsets="earliest", endingOffsets="latest") == list(range(300))
    assert between(
        startingOffsets=json.dumps({topic: {"0": -2}}), endingOffsets=json.dumps({topic: {"0": -1}})
    ) == (list(range(300)))
    assert between(startingTimestamp=NOW_MS + 1001, endingTimestamp=NOW_MS + 2000) == list(range(101, 200))
    times = json.dumps({topic: {"0": NOW_MS + 2990}})
    assert between(startingOffsetsByTimestamp=times) == [299]
    late = json.dumps({topic: {"0": NOW_MS + 2991}})
    assert between(startingOffsetsByTimestamp=late, startingOffsetsByTimestampStrategy="latest") == []
    assert between(endingOffsetsByTimestamp=late) == list(range(300))
    with pytest.raises(SparkOptionError, match="has no record from"):
        between(startingOffsetsByTimestamp=late)
    with pytest.raises(SparkOptionError, match="exactly the partitions"):
        between(startingOffsets=json.dumps({topic: {"0": 0, "1": 0}}))
    beyond = json.dumps({topic: {"0": 301}})
    with pytest.raises(OffsetsLostError, match="offset 301 of bounds-0 is not there: it has 0 to 300"):
        between(endingOffsets=beyond)
    assert between(endingOffsets=beyond, failOnDataLoss="false") == list(range(300))


def test_records_deleted_from_the_start_are_not_given(cluster: Cluster) -> None:
    topic = cluster.topic("trimmed")
    fill(cluster, topic, 300)
    cluster.admin.delete_records({TopicPartition(topic, 0): 123})
    served = cluster.served(topic)
    assert served[0][2] == 123
    # A broker writes down where logs start every minute, and when it stops; here it is told to have done so.
    checkpoint = cluster.data / "log-start-offset-checkpoint"
    checkpoint.write_text(f"0\n1\n{topic} 0 123\n")
    assert read(cluster.data, subscribe=topic) == served
    start = json.dumps({topic: {"0": 100}})
    with pytest.raises(OffsetsLostError, match="it has 123 to 300"):
        read(cluster.data, subscribe=topic, startingOffsets=start)
    assert read(cluster.data, subscribe=topic, startingOffsets=start, failOnDataLoss="false") == served


def test_only_up_to_the_high_watermark_if_asked(
    cluster: Cluster, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    topic = cluster.topic("watermark")
    fill(cluster, topic, 100)
    # A copy: the broker writes its own checkpoint every five seconds.
    shutil.copytree(cluster.data / f"{topic}-0", tmp_path / f"{topic}-0")
    (tmp_path / "replication-offset-checkpoint").write_text(f"0\n1\n{topic} 0 64\n")
    assert len(read(tmp_path, subscribe=topic)) == 100
    assert [row[2] for row in read(tmp_path, subscribe=topic, upTo="highWatermark")] == list(range(64))
    with pytest.raises(SparkOptionError, match="upTo=somewhere"):
        read(tmp_path, subscribe=topic, upTo="somewhere")
    assert len(read(tmp_path, subscribe=topic, upTwo="highWatermark")) == 100
    assert "option uptwo is not known; did you mean upTo?" in caplog.text


@pytest.mark.parametrize("kept", ["some of it", "nothing of it", "no segment at all"])
def test_a_log_that_ends_before_what_its_broker_had_is_damaged(
    cluster: Cluster, tmp_path: Path, kept: str
) -> None:
    topic = cluster.topic(f"cut-{kept.replace(' ', '-')}")
    fill(cluster, topic, 100)
    everything = cluster.served(topic)
    shutil.copytree(cluster.data / f"{topic}-0", tmp_path / f"{topic}-0")
    (tmp_path / "replication-offset-checkpoint").write_text(f"0\n1\n{topic} 0 100\n")
    assert read(tmp_path, subscribe=topic) == everything
    segments = sorted((tmp_path / f"{topic}-0").glob("*.log"))
    left = int(segments[-1].stem) if kept == "some of it" else 0
    for segment in segments if kept != "some of it" else segments[-1:]:
        if kept == "no segment at all":
            segment.unlink()
        else:
            os.truncate(segment, 0)
    for up_to in ("logEnd", "highWatermark"):
        with pytest.raises(LogDamageError, match="its broker had records up to 100"):
            read(tmp_path, subscribe=topic, upTo=up_to)
        rows = read(tmp_path, subscribe=topic, upTo=up_to, failOnDataLoss="false")
        assert rows == everything[:left]
    if left:
        ends = json.dumps({topic: {"0": left - 1}})
        assert read(tmp_path, subscribe=topic, endingOffsets=ends) == everything[: left - 1]


def transactions(cluster: Cluster, topic: str, name: str, count: int, *, ends: str) -> Producer:
    """`ends` has a letter for each transaction: c, a, or o for one that stays open, which must be the last."""
    producer = Producer(bootstrap_servers=cluster.bootstrap, transactional_id=name, linger_ms=0)
    producer.start()
    for number, end in enumerate(ends):
        producer.begin_transaction()
        for index in range(count):
            producer.send(topic, b"%s %d %d %s" % (name.encode(), number, index, end.encode()), partition=0)
            if index % 3 == 0:
                producer.flush()
        producer.flush()
        if end == "c":
            producer.commit_transaction()
        elif end == "a":
            producer.abort_transaction()
    return producer


def test_committed_records_up_to_the_last_stable_offset(cluster: Cluster) -> None:
    topic = cluster.topic("transactional")
    fill(cluster, topic, 10)
    transactions(cluster, topic, "first", 17, ends="cacaac").stop()
    fill(cluster, topic, 10)
    holder = transactions(cluster, topic, "second", 9, ends="aco")
    try:
        transactions(cluster, topic, "third", 12, ends="ca").stop()
        fill(cluster, topic, 5)
        committed = cluster.served(topic, isolation_level="read_committed")
        everything = cluster.served(topic)
        assert len(committed) < len(everything)
        assert len(cluster.segments(topic)) > 3
        for name in ("isolation.level", "kafka.isolation.level"):
            assert read(cluster.data, subscribe=topic, **{name: "read_committed"}) == committed
        for pieces in (2, 5, 40):
            options = {"kafka.isolation.level": "read_committed", "minPartitions": pieces}
            assert read(cluster.data, subscribe=topic, **options) == committed
        assert read(cluster.data, subscribe=topic) == everything
    finally:
        holder.abort_transaction()
        holder.stop()
    again = cluster.served(topic, isolation_level="read_committed")
    assert len(again) > len(committed)
    assert read(cluster.data, subscribe=topic, **{"isolation.level": "read_committed"}) == again


def test_stopped_started_and_killed(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with (
        BlockingLocalBroker(data_dir=str(data)) as broker,
        Admin(bootstrap_servers=broker.bootstrap_servers) as admin,
    ):
        cluster = Cluster(data, broker.bootstrap_servers, admin)
        topic = cluster.topic("kept")
        fill(cluster, topic, 100)
        transactions(cluster, topic, "ended", 20, ends="caca").stop()
        killed = tmp_path / "killed"
        shutil.copytree(data, killed)  # as a kill -9 at this moment leaves it
        everything = cluster.served(topic)
        committed = cluster.served(topic, isolation_level="read_committed")
    for path in (data, killed):
        assert read(path, subscribe=topic) == everything
        assert read(path, subscribe=topic, **{"isolation.level": "read_committed"}) == committed
    # A batch that was half written when the power went, and room that was reserved, are not part of the log.
    last = sorted((killed / f"{topic}-0").glob("*.log"))[-1]
    whole = last.read_bytes()
    begin = [position for position, _ in iter_headers(whole)][-1]
    for tail in (whole[begin : begin + 70], whole[begin : begin + 7], bytes(5000)):
        last.write_bytes(whole + tail)
        assert read(killed, subscribe=topic) == everything
    # Without its indexes and snapshots the log is still the log.
    for file in (killed / f"{topic}-0").iterdir():
        if file.suffix != ".log":
            file.unlink()
    last.write_bytes(whole)
    assert read(killed, subscribe=topic) == everything
    assert (
        read(killed, subscribe=topic, **{"isolation.level": "read_committed", "minPartitions": "4"})
        == committed
    )


def test_several_directories_and_replicas(cluster: Cluster, tmp_path: Path) -> None:
    topic = cluster.topic("replicated")
    fill(cluster, topic, 60)
    earlier = tmp_path / "follower"
    shutil.copytree(cluster.data / f"{topic}-0", earlier / f"{topic}-0")
    fill(cluster, topic, 20)
    rows = read(f"{earlier},{cluster.data}", subscribe=topic)
    assert rows == cluster.served(topic)
    assert read(f"file://{earlier}", subscribe=topic) == rows[:60]
    # What a broker that was away has kept of a deleted topic is not the one that has its name now.
    (earlier / f"{topic}-0" / "partition.metadata").write_text(ANOTHER_TOPIC)
    with pytest.raises(SparkOptionError, match=r"are of different topics that had one name"):
        read(f"{earlier},{cluster.data}", subscribe=topic)
    with pytest.raises(SparkOptionError, match="only files"):
        read("s3a://bucket/data", subscribe=topic)


# -- damage ------------------------------------------------------------------------------------------------------------


@pytest.fixture(params=["at once", "in small pieces", "without the compiled module"])
def copied(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> tuple[Path, list[Path], list[tuple[Any, ...]]]:
    """The directory of a topic that a test may destroy, its segments, and what is in it."""
    topic = "damaged"
    if request.param != "at once":
        monkeypatch.setattr(segment_reader, "PIECE_BYTES", 700)
        monkeypatch.setattr(segment_reader, "MOST_BYTES", 2000)
    if request.param == "without the compiled module":
        monkeypatch.setattr(record_columns, "IS_COMPILED", False)
    if topic not in {each.name for each in cluster.admin.list_topics()}:
        fill(cluster, cluster.topic(topic), 300)
    shutil.copytree(cluster.data / f"{topic}-0", tmp_path / f"{topic}-0")
    return tmp_path, sorted((tmp_path / f"{topic}-0").glob("*.log")), cluster.served(topic)


def batches_of(segment: Path) -> list[tuple[int, Any]]:
    return list(iter_headers(segment.read_bytes()))


def without(rows: list[tuple[Any, ...]], *headers: Any) -> list[tuple[Any, ...]]:
    return [
        row for row in rows if not any(each.base_offset <= row[2] <= each.last_offset for each in headers)
    ]


def patch(segment: Path, position: int, data: bytes) -> None:
    content = bytearray(segment.read_bytes())
    content[position : position + len(data)] = data
    segment.write_bytes(content)


@pytest.mark.parametrize("which", [1, -1])
@pytest.mark.parametrize(
    ("field", "at", "change"),
    [
        ("a value", 80, b"\xff\x00"),
        ("the checksum", 17, b"\x00\x01\x02\x03"),
        ("the magic", 16, b"\x09"),
        ("the length", 8, b"\x7f\xff"),
        ("a shorter length", 8, b"\x00\x00\x00\x40"),
        ("an offset that is too high", 0, struct.pack(">q", 1 << 40)),
        ("an offset that is too low", 0, struct.pack(">q", 1)),
        ("everything", 0, bytes(61)),
    ],
)
def test_damage_is_told_with_its_place_or_passed_over(
    copied: tuple[Path, list[Path], list[tuple[Any, ...]]], which: int, field: str, at: int, change: bytes
) -> None:
    path, segments, rows = copied
    segment = segments[which]
    position, header = batches_of(segment)[2]
    patch(segment, position + at, change)
    with pytest.raises(LogDamageError) as raised:
        read(path, subscribe="damaged")
    assert raised.value.path == str(segment)
    assert raised.value.position in (position, position + header.size), (field, raised.value)
    assert f"{segment} at position" in str(raised.value)
    left = read(path, subscribe="damaged", failOnDataLoss="false")
    assert left == without(rows, header), field


def test_an_offset_within_the_segment_that_is_wrong(
    copied: tuple[Path, list[Path], list[tuple[Any, ...]]],
) -> None:
    """No checksum covers it, and it is no offset that could not be there: its neighbours give it away."""
    path, segments, rows = copied
    (_, _), (position, header), *_ = batches_of(segments[1])
    patch(segments[1], position, struct.pack(">q", header.base_offset + 15))
    with pytest.raises(LogDamageError):
        read(path, subscribe="damaged")
    assert read(path, subscribe="damaged", failOnDataLoss="false") == without(rows, header)


def test_damage_in_many_places(copied: tuple[Path, list[Path], list[tuple[Any, ...]]]) -> None:
    path, segments, rows = copied
    chance = random.Random(7)
    broken = []
    for segment in segments:
        found = batches_of(segment)
        for position, header in chance.sample(found, len(found) // 3):
            patch(segment, position + 61 + chance.randrange(header.size - 61 - 4), b"\x00\xff\x00\xff")
            broken.append(header)
    for pieces in (1, 9):
        left = read(path, subscribe="damaged", failOnDataLoss="false", minPartitions=pieces)
        assert left == without(rows, *broken)


def test_records_that_are_none_under_a_right_checksum(
    copied: tuple[Path, list[Path], list[tuple[Any, ...]]],
) -> None:
    """Nothing but decoding shows it; what lies before and after it is given, and once."""
    path, segments, rows = copied
    broken = []
    for segment in segments:
        content = bytearray(segment.read_bytes())
        position, header = batches_of(segment)[-2]
        content[position + 61 : position + header.size] = b"\xff" * (header.size - 61)
        stamp_crc(content, position)
        segment.write_bytes(content)
        broken.append(header)
    with pytest.raises(LogDamageError, match="records can't be read"):
        read(path, subscribe="damaged")
    assert read(path, subscribe="damaged", failOnDataLoss="false") == without(rows, *broken)


def test_missing_files_and_cut_files(copied: tuple[Path, list[Path], list[tuple[Any, ...]]]) -> None:
    path, segments, rows = copied
    position, header = batches_of(segments[1])[3]
    lost = [each for at, each in batches_of(segments[1]) if at >= position]
    segments[1].write_bytes(segments[1].read_bytes()[: position + 30])
    with pytest.raises(LogDamageError, match=f"at position {position}: 30 bytes are no batch"):
        read(path, subscribe="damaged")
    assert read(path, subscribe="damaged", failOnDataLoss="false") == without(rows, *lost)
    del header


def test_wrong_indexes_cost_nothing(copied: tuple[Path, list[Path], list[tuple[Any, ...]]]) -> None:
    path, segments, rows = copied
    chance = random.Random(3)
    for segment in segments:
        for suffix in (".index", ".timeindex"):
            index = segment.with_suffix(suffix)
            index.write_bytes(chance.randbytes(index.stat().st_size) if chance.random() < 0.7 else b"")
    assert read(path, subscribe="damaged", minPartitions=5) == rows
    start = json.dumps({"damaged": {"0": 77}})
    assert read(path, subscribe="damaged", startingOffsets=start) == rows[77:]
    assert read(path, subscribe="damaged", startingTimestamp=NOW_MS + 770) == rows[77:]


@pytest.mark.parametrize("kept", [1, 2, 3])
def test_a_time_index_that_was_cut_off_hides_nothing(
    copied: tuple[Path, list[Path], list[tuple[Any, ...]]], kept: int
) -> None:
    """What is left of it is right about its own batches, and knows nothing of those after them."""
    path, segments, rows = copied
    for segment in segments:
        index = segment.with_suffix(".timeindex")
        whole = index.read_bytes()
        index.write_bytes(whole[: kept * 12] + bytes(max(len(whole) - kept * 12, 0)))
    for number in range(0, 300, 7):
        assert read(path, subscribe="damaged", startingTimestamp=NOW_MS + number * 10) == rows[number:]


# -- files that change while they are read -------------------------------------------------------------------------


def test_segments_that_go_while_they_are_read(copied: tuple[Path, list[Path], list[tuple[Any, ...]]]) -> None:
    path, segments, rows = copied
    reader = opened(path, subscribe="damaged", minPartitions=6)
    planned = reader.partitions()

    def rest() -> list[tuple[Any, ...]]:
        return [row for part in planned for batch in reader.read(part) for row in as_rows(batch)]

    # Renamed, as retention does some time before it removes a file: read under its new name.
    first = segments[0].rename(f"{segments[0]}.deleted")
    assert rest() == rows
    first.unlink()
    with pytest.raises(LogDamageError, match="are not in the log any more"):
        rest()
    fresh = read(path, subscribe="damaged")
    assert fresh[-1] == rows[-1]
    assert fresh[0][2] == int(segments[1].stem)


@pytest.mark.parametrize("count", [1, 3, None])
def test_segments_that_a_task_has_not_come_to_yet_are_renamed(
    copied: tuple[Path, list[Path], list[tuple[Any, ...]]], count: int | None
) -> None:
    """One task reads many segments, and retention takes some of them or all: they are there for some time yet."""
    path, segments, rows = copied
    reader = opened(path, subscribe="damaged")
    (planned,) = reader.partitions()

    def rest() -> list[tuple[Any, ...]]:
        return [row for batch in reader.read(planned) for row in as_rows(batch)]

    gone = [each.rename(f"{each}.deleted") for each in segments[:count]]
    for each in segments[:count]:
        each.with_suffix(".index").rename(each.with_suffix(".index.deleted"))
    if count is None:
        segments[0].with_name("00000000000000000300.log").touch()  # where the broker goes on
    assert rest() == rows
    gone[-1].unlink()
    with pytest.raises(LogDamageError, match="are not in the log any more"):
        rest()


@pytest.mark.timeout(60)
@pytest.mark.parametrize("is_last", [False, True])
@pytest.mark.parametrize("torn_bytes", [0, 30])
def test_a_file_that_is_cut_off_while_it_is_read(
    copied: tuple[Path, list[Path], list[tuple[Any, ...]]],
    monkeypatch: pytest.MonkeyPatch,
    is_last: bool,
    torn_bytes: int,
) -> None:
    """As a broker does with what its new leader does not have: a task ends, and says what is missing."""
    path, segments, rows = copied
    monkeypatch.setattr(segment_reader, "PIECE_BYTES", 200)
    monkeypatch.setattr(segment_reader, "MOST_BYTES", 200)
    segment = segments[1]
    if is_last:
        rows = [row for row in rows if row[2] < int(segments[2].stem)]
        for each in segments[2:]:
            each.unlink()
    position, header = batches_of(segment)[-1]
    content = segment.read_bytes()

    def read_while_it_is_cut(**options: str) -> list[tuple[Any, ...]]:
        segment.write_bytes(content)
        reader = opened(path, subscribe="damaged", **options)
        (planned,) = reader.partitions()
        given, found = reader.read(planned), []
        while not found or found[-1][2] < int(segment.stem):
            found += as_rows(next(given))
        os.truncate(segment, position + torn_bytes)
        return found + [row for batch in given for row in as_rows(batch)]

    with pytest.raises(LogDamageError):
        read_while_it_is_cut()
    assert read_while_it_is_cut(failOnDataLoss="false") == without(rows, header)


def test_segments_that_go_before_their_aborted_transactions_are_known(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Retention renames them between two looks of the driver: what was aborted in them is not given for committed."""
    topic = cluster.topic("going")
    transactions(cluster, topic, "going", 40, ends="aaca").stop()
    path = tmp_path / "data"
    shutil.copytree(cluster.data / f"{topic}-0", path / f"{topic}-0")
    (path / CLEAN_SHUTDOWN).write_text("")  # its indexes are believed
    segments = sorted((path / f"{topic}-0").glob("*.log"))
    committed = cluster.served(topic, isolation_level="read_committed")
    going = next(each for each in segments if each.with_suffix(".txnindex").exists())
    decide = PartitionView.decided

    def decided(view: PartitionView, upper_bound: int) -> Any:
        for each in segments[: segments.index(going) + 1]:
            for file in (each, each.with_suffix(".txnindex")):
                if file.exists():
                    file.rename(f"{file}.deleted")
        return decide(view, upper_bound)

    monkeypatch.setattr(PartitionView, "decided", decided)
    assert read(path, subscribe=topic, **{"isolation.level": "read_committed"}) == committed


def test_a_topic_that_is_made_anew_while_it_is_read(
    copied: tuple[Path, list[Path], list[tuple[Any, ...]]],
) -> None:
    """The records of another topic are never given for those of the one that had its name."""
    path, segments, _ = copied
    reader = opened(path, subscribe="damaged", minPartitions=6)
    planned = reader.partitions()
    home = segments[0].parent
    old = home.rename(f"{home}.{'0' * 32}-delete")
    shutil.copytree(old, home)
    (home / "partition.metadata").write_text(ANOTHER_TOPIC)
    with pytest.raises(LogDamageError, match="are not in the log any more"):
        [batch for part in planned for batch in reader.read(part)]
    warned = opened(path, subscribe="damaged", failOnDataLoss="false")
    assert [batch for part in planned for batch in warned.read(part)] == []


def test_a_topic_that_is_made_anew_in_files_of_the_same_numbers(
    copied: tuple[Path, list[Path], list[tuple[Any, ...]]],
) -> None:
    """File systems give the inode of a removed file to the next one: name and inode are the same, the records are not."""
    path, segments, _ = copied
    reader = opened(path, subscribe="damaged", minPartitions=6)
    planned = reader.partitions()
    for segment in segments:
        content = bytearray(segment.read_bytes())
        for position, _ in list(iter_headers(bytes(content))):
            content[position + 27 : position + 35] = struct.pack(">q", 1)  # the first timestamp
            stamp_crc(content, position)
        rewritten_in_place(segment, content)
    (segments[0].parent / "partition.metadata").write_text(ANOTHER_TOPIC)
    for part in planned:
        with pytest.raises(LogDamageError, match="are not in the log any more"):
            list(reader.read(part))
    warned = opened(path, subscribe="damaged", failOnDataLoss="false")
    assert [batch for part in planned for batch in warned.read(part)] == []


def test_a_compacted_segment_in_a_file_of_the_same_number(cluster: Cluster, tmp_path: Path) -> None:
    """All batches are of one size, so that one begins at every position that was planned with, though not the same one."""
    topic = cluster.topic("same-size", segment_index_bytes="1000000")
    with Producer(bootstrap_servers=cluster.bootstrap, linger_ms=0) as producer:
        for number in range(300):
            producer.send(topic, b"%06d" % number, partition=0, timestamp_ms=NOW_MS)
            if number % 5 == 4:
                producer.flush()
    rows = cluster.served(topic)
    shutil.copytree(cluster.data / f"{topic}-0", tmp_path / f"{topic}-0")
    (segment,) = (tmp_path / f"{topic}-0").glob("*.log")
    assert len({header.size for _, header in batches_of(segment)}) == 1
    reader = opened(tmp_path, subscribe=topic, minPartitions=6)
    planned = reader.partitions()
    gone = batches_of(segment)[:3]
    rewritten_in_place(segment, segment.read_bytes()[sum(header.size for _, header in gone) :])
    segment.with_suffix(".index").unlink()
    left = [row for part in planned for batch in reader.read(part) for row in as_rows(batch)]
    assert left == without(rows, *(header for _, header in gone))


def rewritten_in_place(file: Path, content: bytes | bytearray) -> None:
    inode = file.stat().st_ino
    file.write_bytes(content)
    assert file.stat().st_ino == inode


def test_segments_that_are_replaced_while_they_are_read(
    copied: tuple[Path, list[Path], list[tuple[Any, ...]]],
) -> None:
    """As compaction does: several become one, whose positions are others."""
    path, segments, rows = copied
    reader = opened(path, subscribe="damaged", minPartitions=6)
    planned = reader.partitions()
    merged = segments[0].with_suffix(".log.swap")
    kept = [position for position, _ in batches_of(segments[0])][5]
    merged.write_bytes(segments[0].read_bytes()[kept:] + segments[1].read_bytes())
    gone = [header for position, header in batches_of(segments[0]) if position < kept]
    # Interrupted right here, the new file counts already.
    assert read(path, subscribe="damaged") == without(rows, *gone)
    for segment in segments[:2]:
        segment.unlink()
        segment.with_suffix(".index").unlink()
    merged.rename(segments[0])
    left = [row for part in planned for batch in reader.read(part) for row in as_rows(batch)]
    assert left == without(rows, *gone)


def test_a_log_that_is_being_compacted(cluster: Cluster) -> None:
    """Segments become others under our hands, and yet nothing is ever missing that compaction keeps."""
    cleaned = {"cleanup_policy": "compact", "min_cleanable_dirty_ratio": "0.01", "delete_retention_ms": "0"}
    topic = cluster.topic("compacting", file_delete_delay_ms="0", **cleaned)
    with Producer(bootstrap_servers=cluster.bootstrap, linger_ms=0) as producer:
        for number in range(800):
            producer.send(topic, b"value %d" % number * 10, b"key %d" % (number % 9), partition=0)
            if number % 10 == 9:
                producer.flush()
    newest = {b"key %d" % (number % 9): number for number in range(800)}
    deadline = time.monotonic() + 60
    counts = set()
    while len(rows := read(cluster.data, subscribe=topic, minPartitions=5)) > 300:
        assert {row[0]: row[2] for row in rows} == newest
        counts.add(len(rows))
        assert time.monotonic() < deadline, f"it was not compacted: {counts}"
    assert {row[0]: row[2] for row in rows} == newest
    assert all(row[1] == b"value %d" % row[2] * 10 for row in rows)


def test_nothing_in_the_directory_is_changed(cluster: Cluster, tmp_path: Path) -> None:
    topic = cluster.topic("untouched")
    fill(cluster, topic, 50)
    copy = tmp_path / "data"
    shutil.copytree(cluster.data / f"{topic}-0", copy / f"{topic}-0")

    def state() -> Mapping[str, tuple[int, bytes]]:
        return {
            str(file): (file.stat().st_mtime_ns, file.read_bytes())
            for file in copy.rglob("*")
            if file.is_file()
        }

    before = state()
    for file in [*copy.rglob("*"), copy]:
        file.chmod(0o555 if file.is_dir() else 0o444)
    try:
        assert len(read(copy, subscribe=topic, **{"isolation.level": "read_committed"})) == 50
    finally:
        for file in [copy, *copy.rglob("*")]:
            file.chmod(0o755)
    assert state() == before
