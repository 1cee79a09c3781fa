"""Each way in which a client's batch can be wrong gets Kafka's error code."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from log_workshop import NOW_MS, batch_of

from snakka.protocol.batch_builder import build_batch
from snakka.protocol.batch_reader import Record, read_records
from snakka.protocol.compression import Compression
from snakka.protocol.errors import ApiError
from snakka.protocol.record_batch import HEADER, BatchHeader, crc_matches, read_header, stamp_crc
from snakka.storage.append_checks import (
    check_order,
    checked_batches,
    checked_client_batch,
    stamp_batches,
    target_codec,
)
from snakka.storage.log_config import LogConfig

HOUR_MS = 3_600_000


def changed(batch: bytearray, **fields: int) -> bytearray:
    """The batch with other header fields and a checksum that fits them."""
    HEADER.pack_into(batch, 0, *read_header(batch)._replace(**fields))
    stamp_crc(batch, 0)
    return batch


def refusal(batch: bytes | bytearray, config: LogConfig | None = None) -> str:
    with pytest.raises(ApiError) as caught:
        checked_client_batch(memoryview(batch), config or LogConfig(), NOW_MS)
    return caught.value.code.name


def accepted(batch: bytes | bytearray, config: LogConfig | None = None) -> tuple[memoryview, BatchHeader]:
    records, header = checked_client_batch(memoryview(batch), config or LogConfig(), NOW_MS)
    assert crc_matches(records, 0, read_header(records))
    return records, header


def test_a_good_batch_stays_where_it_is() -> None:
    batch = batch_of(3)
    records, header = accepted(batch)
    assert records.obj is batch
    assert header.count == 3


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (lambda batch: changed(batch, base_offset=5), "INVALID_RECORD"),
        (lambda batch: changed(batch, count=0), "INVALID_RECORD"),
        (lambda batch: changed(batch, count=2), "INVALID_RECORD"),
        (lambda batch: changed(batch, last_offset_delta=-1), "INVALID_RECORD"),
        (lambda batch: changed(batch, last_offset_delta=7), "INVALID_RECORD"),
        (lambda batch: changed(batch, attributes=0x20), "INVALID_RECORD"),
        (lambda batch: changed(batch, attributes=0x05), "INVALID_RECORD"),
        (lambda batch: changed(batch, attributes=0x08), "INVALID_TIMESTAMP"),
        (lambda batch: changed(batch, producer_id=4, producer_epoch=0), "INVALID_RECORD"),
        (lambda batch: changed(batch, max_timestamp=NOW_MS + HOUR_MS + 1), "INVALID_TIMESTAMP"),
        (lambda batch: batch[:-1] + b"!", "CORRUPT_MESSAGE"),
        (lambda batch: batch + batch, "INVALID_RECORD"),
        (lambda batch: batch[:-1], "INVALID_RECORD"),
        (lambda batch: batch[:30], "INVALID_RECORD"),
        (lambda batch: b"", "INVALID_RECORD"),
        (lambda batch: batch[:16] + b"\1" + batch[17:], "INVALID_RECORD"),
        (lambda batch: batch[:16] + b"\3" + batch[17:], "CORRUPT_MESSAGE"),
        (lambda batch: batch[:8] + bytes(4) + batch[12:], "CORRUPT_MESSAGE"),
        (lambda batch: batch[:8] + bytes((0, 0, 0, 30)) + batch[12:], "CORRUPT_MESSAGE"),
    ],
)
def test_refusals(spoil: Callable[[bytearray], bytes], code: str) -> None:
    assert refusal(spoil(batch_of(1))) == code


def test_a_batch_cut_off_behind_the_first_is_ignored_as_kafka_does() -> None:
    batch = batch_of(2)
    records, _ = accepted(batch + batch[:40])
    assert bytes(records) == bytes(batch)


def test_sizes() -> None:
    batch = batch_of(1, size=500)
    assert refusal(batch, LogConfig(max_message_bytes=len(batch) - 1)) == "MESSAGE_TOO_LARGE"
    assert refusal(batch, LogConfig(segment_bytes=len(batch) - 1)) == "RECORD_LIST_TOO_LARGE"
    accepted(batch, LogConfig(max_message_bytes=len(batch), segment_bytes=len(batch)))


def test_timestamps_must_be_near() -> None:
    config = LogConfig(message_timestamp_before_max_ms=1000, message_timestamp_after_max_ms=500)
    accepted(batch_of(1, timestamp=NOW_MS - 1000), config)
    accepted(batch_of(1, timestamp=NOW_MS + 500), config)
    accepted(batch_of(1, timestamp=-1), config)
    assert refusal(batch_of(1, timestamp=NOW_MS - 1001), config) == "INVALID_TIMESTAMP"
    assert refusal(batch_of(1, timestamp=NOW_MS + 501), config) == "INVALID_TIMESTAMP"


def test_log_append_time_is_stamped_and_no_timestamp_is_wrong_then() -> None:
    config = LogConfig(log_append_time=True, message_timestamp_before_max_ms=0)
    records, header = accepted(batch_of(2, timestamp=5), config)
    assert header.max_timestamp == NOW_MS
    assert [record.timestamp for record in read_records(records)] == [NOW_MS, NOW_MS]


def test_a_compacted_topic_wants_keys_and_says_which_records_have_none() -> None:
    records = [Record(-1, NOW_MS, key, b"v") for key in (b"a", None, b"c", None)]
    with pytest.raises(ApiError) as caught:
        checked_client_batch(memoryview(build_batch(records)), LogConfig(compact=True), NOW_MS)
    assert caught.value.code.name == "INVALID_RECORD"
    assert [index for index, _ in caught.value.record_errors] == [1, 3]
    accepted(batch_of(2), LogConfig(compact=True))


def test_garbage_inside_a_valid_checksum_is_found_where_records_are_walked() -> None:
    batch = batch_of(1, size=40)
    batch[62:80] = b"\xff" * 18
    stamp_crc(batch, 0)
    accepted(bytearray(batch))
    assert refusal(batch, LogConfig(compact=True)) == "INVALID_RECORD"


@pytest.mark.parametrize("codec", list(Compression))
def test_the_topics_codec_takes_the_place_of_the_producers(codec: Compression) -> None:
    name = "uncompressed" if codec == Compression.NONE else codec.name.lower()
    for came in (Compression.NONE, Compression.GZIP):
        batch = batch_of(20, size=100, compression=came, producer_id=3, producer_epoch=0, base_sequence=5)
        records, header = accepted(batch, LogConfig(compression_type=name))
        assert header.compression == codec
        assert (header.producer_id, header.base_sequence, header.count) == (3, 5, 20)
        assert [record.value for record in read_records(records)] == [b"v" * 100] * 20


def test_the_size_counts_after_the_codec_was_changed() -> None:
    batch = batch_of(50, size=100, compression=Compression.ZSTD)
    config = LogConfig(max_message_bytes=1000, compression_type="uncompressed")
    assert len(batch) < 1000
    assert refusal(batch, config) == "MESSAGE_TOO_LARGE"


def test_levels_belong_to_their_codec() -> None:
    config = LogConfig(compression_type="zstd", compression_zstd_level=7)
    assert target_codec(config, Compression.NONE) == (Compression.ZSTD, 7)
    assert target_codec(LogConfig(), Compression.LZ4) == (Compression.LZ4, None)


def test_bytes_that_may_not_be_changed_are_copied() -> None:
    batch = bytes(batch_of(1))
    records, _ = accepted(batch)
    records[0] = 1
    assert batch[0] == 0


CONFIGS = [
    LogConfig(),
    LogConfig(compact=True),
    LogConfig(compression_type="gzip"),
    LogConfig(log_append_time=True),
]


@given(st.binary(max_size=300), st.sampled_from(CONFIGS))
def test_any_bytes_are_refused_with_a_code(data: bytes, config: LogConfig) -> None:
    with pytest.raises(ApiError):
        checked_client_batch(memoryview(data), config, NOW_MS)
    with pytest.raises(ApiError):
        checked_batches(memoryview(data or b"x"))


@given(
    changes=st.lists(st.tuples(st.integers(0, 500), st.integers(0, 255)), min_size=1, max_size=6),
    codec=st.sampled_from(list(Compression)),
    config=st.sampled_from(CONFIGS),
)
def test_a_batch_with_a_right_checksum_is_taken_or_refused_with_a_code(
    changes: list[tuple[int, int]], codec: Compression, config: LogConfig
) -> None:
    batch = batch_of(4, size=20, compression=codec)
    for position, value in changes:
        batch[12 + position % (len(batch) - 12)] = value
    stamp_crc(batch, 0)
    try:
        records, header = accepted(batch, config)
    except ApiError as error:
        code = error.code.name
        assert code in ("INVALID_RECORD", "CORRUPT_MESSAGE", "INVALID_TIMESTAMP")
        return
    assert (header.size, header.base_offset, header.last_offset_delta) == (len(records), 0, header.count - 1)
    if config.compact:  # only then its records are looked at
        assert all(record.key is not None for record in read_records(records))


def test_internal_appends_may_have_several_batches() -> None:
    joined = memoryview(batch_of(2) + batch_of(3))
    batches = checked_batches(joined)
    stamped = stamp_batches(joined, batches, 100, 7, None)
    assert [(batch.header.base_offset, batch.header.last_offset) for batch in stamped] == [
        (100, 101),
        (102, 104),
    ]
    assert {batch.header.leader_epoch for batch in stamped} == {7}
    check_order(stamped, 100)
    with pytest.raises(ApiError):
        check_order(stamped, 101)
    with pytest.raises(ApiError, match="CORRUPT_MESSAGE"):
        checked_batches(memoryview(batch_of(2)[:-1]))
    with pytest.raises(ApiError, match="CORRUPT_MESSAGE"):
        checked_batches(memoryview(batch_of(2)[:-1] + b"!"))


@pytest.mark.parametrize("config", [LogConfig(compact=True), LogConfig(compression_type="lz4")])
def test_a_batch_that_unfolds_into_far_more_than_it_weighs_is_refused(config: LogConfig) -> None:
    bomb = build_batch([Record(0, NOW_MS, b"key", bytes(70 << 20))], compression=Compression.ZSTD)
    assert len(bomb) < 20_000
    assert refusal(bomb, config) == "INVALID_RECORD"
