"""Snapshots: Kafka's bytes, whole or not at all, and damage found."""

import kafka_files
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from raft_harness import topics
from simulated_disk import SimulatedDisk

from snakka.protocol.record_batch import HEADER, HEADER_SIZE, iter_headers
from snakka.protocol.record_types.metadata.topic_record import TopicRecord
from snakka.protocol.uuids import uuid_from_text
from snakka.raft import snapshot_files
from snakka.raft.features import LATEST_KRAFT_LEVEL
from snakka.raft.format import bootstrap_records, local_voter
from snakka.raft.snapshot_files import SnapshotId, SnapshotReader, encode_snapshot, parse_name
from snakka.raft.state.voters import Endpoint, QuorumHistory, VoterSet
from snakka.storage.files import OsFiles
from snakka.storage.meta_properties import DataDirectoryError

NOW_MS = 1_700_000_000_000


def without_times(data: bytes) -> list[bytes]:
    """Each batch without the times and the checksum in its header."""
    batches = []
    for position, header in iter_headers(data):
        plain = header._replace(crc=0, base_timestamp=0, max_timestamp=0)
        batches.append(HEADER.pack(*plain) + data[position + HEADER_SIZE : position + header.size])
    return batches


def written(tmp_path, data: bytes) -> SnapshotReader:
    path = tmp_path / "00000000000000000005-0000000001.checkpoint"
    path.write_bytes(data)
    return SnapshotReader(OsFiles(), str(path))


def test_bootstrap_is_what_kafka_formats():
    files = SimulatedDisk()
    files.make_directory("/data")
    snapshot_files.write_bootstrap(files, "/data", bootstrap_records(), NOW_MS)
    assert without_times(files.read("/data/bootstrap.checkpoint")) == without_times(kafka_files.BOOTSTRAP)
    assert snapshot_files.read_bootstrap(files, "/data") == bootstrap_records()
    assert snapshot_files.read_bootstrap(files, "/") == []


def test_the_first_snapshot_is_what_kafka_formats():
    directory_id = uuid_from_text(kafka_files.FIRST_SNAPSHOT_DIRECTORY_ID)
    voter = local_voter(1, directory_id, [Endpoint("CONTROLLER", "127.0.0.1", 19393)])
    batches = encode_snapshot(
        (),
        epoch=0,
        last_log_timestamp_ms=kafka_files.FIRST_SNAPSHOT_TIMESTAMP_MS,
        now_ms=NOW_MS,
        kraft_version=LATEST_KRAFT_LEVEL,
        voters=VoterSet.of(voter),
    )
    assert without_times(b"".join(batches)) == without_times(kafka_files.FIRST_SNAPSHOT)


def test_kafkas_snapshot_is_read_and_written_again(tmp_path):
    reader = written(tmp_path, kafka_files.LATER_SNAPSHOT)
    history = QuorumHistory()
    reader.remember_quorum(history, 91)
    assert (history.voters.ids, history.voters_offset, history.kraft_version) == ((1,), 91, 1)
    records = list(reader.records())
    assert [record.name for record in records if isinstance(record, TopicRecord)] == ["foo"]
    again = encode_snapshot(
        records,
        epoch=2,
        last_log_timestamp_ms=reader.last_log_timestamp_ms(),
        now_ms=NOW_MS,
        kraft_version=1,
        voters=history.voters,
    )
    assert without_times(b"".join(again)) == without_times(kafka_files.LATER_SNAPSHOT)


def test_versions_can_be_chosen():
    (record,) = topics("a")
    newest = b"".join(encode_snapshot([record], epoch=0, last_log_timestamp_ms=0, now_ms=0))
    chosen = encode_snapshot(
        [record], epoch=0, last_log_timestamp_ms=0, now_ms=0, versions={TopicRecord.RECORD_KEY: 0}
    )
    assert b"".join(chosen) == newest, "there is only version 0 of it"


def test_many_records_make_many_batches(tmp_path):
    names = [f"topic-{number}" for number in range(3000)]
    batches = list(encode_snapshot(topics(*names), epoch=3, last_log_timestamp_ms=5, now_ms=NOW_MS))
    assert len(batches) == 1 + 3 + 1
    offsets = [header.base_offset for _, header in iter_headers(b"".join(batches))]
    assert offsets == [0, 1, 1025, 2049, 3001]
    reader = written(tmp_path, b"".join(batches))
    assert [record.name for record in reader.records()] == names
    assert reader.last_log_timestamp_ms() == 5


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("00000000000000000042-0000000007.checkpoint", (SnapshotId(42, 7), ".checkpoint")),
        ("00000000000000000042-0000000007.checkpoint.part", (SnapshotId(42, 7), ".checkpoint.part")),
        ("00000000000000000042-0000000007.checkpoint.deleted", (SnapshotId(42, 7), ".checkpoint.deleted")),
        ("00000000000000000042.log", None),
        ("bootstrap.checkpoint", None),
        ("00000000000000000042-0000000007.checkpoint.tmp", None),
    ],
)
def test_names(name, expected):
    assert parse_name(name) == expected
    if expected is not None:
        snapshot, suffix = expected
        assert snapshot.name(suffix) == name


def test_a_snapshot_without_its_end_is_refused(tmp_path):
    batches = list(encode_snapshot(topics("a"), epoch=0, last_log_timestamp_ms=0, now_ms=0))
    whole = b"".join(batches)
    for data in (b"", whole[:-1], b"".join(batches[:-1]), whole[:40]):
        with pytest.raises(DataDirectoryError, match="is damaged"):
            list(written(tmp_path, data).records())


@settings(max_examples=60)
@given(st.data())
def test_any_damage_is_found_or_harmless(tmp_path_factory, data):
    whole = kafka_files.LATER_SNAPSHOT
    position = data.draw(st.integers(0, len(whole) - 1))
    damaged = bytearray(whole)
    damaged[position] ^= data.draw(st.integers(1, 255))
    path = tmp_path_factory.getbasetemp() / "damaged.checkpoint"
    path.write_bytes(damaged)
    reader = SnapshotReader(OsFiles(), str(path))
    sound = SnapshotReader(OsFiles(), str(path.with_name("sound.checkpoint")))
    path.with_name("sound.checkpoint").write_bytes(whole)
    try:
        reader.remember_quorum(QuorumHistory(), 0)
        records = list(reader.records())
    except DataDirectoryError:
        return
    # The checksum leaves out the base offset and the epoch, which mean nothing here.
    assert records == list(sound.records())
