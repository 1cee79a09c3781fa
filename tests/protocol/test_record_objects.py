"""Messages: both engines give what the plain reader gives, for sound and for damaged batches."""

import gc
import os
import subprocess
import sys
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.protocol.record_samples import (
    ENGINES,
    compiled_records,
    damaged_batches,
    expected,
    record_lists,
    with_body,
)

from snakka.protocol.batch_builder import build_batch
from snakka.protocol.batch_reader import Record
from snakka.protocol.compression import Compression
from snakka.protocol.errors import ProtocolError
from snakka.protocol.fetched_batches import FetchedBatches, PlainBatch
from snakka.protocol.record_batch import Bytes, read_header
from snakka.protocol.record_engine import IS_COMPILED
from snakka.protocol.record_objects import Message, read_messages, read_messages_in_python
from snakka.protocol.varints import varint, wrapped

Read = Callable[[PlainBatch, str, int, type[Message]], list[Message]]


@pytest.fixture(scope="module", params=ENGINES)
def read(request: pytest.FixtureRequest) -> Read:
    return read_messages_in_python if request.param == "python" else compiled_records().read_messages


def messages_of(read: Read, batch: Bytes, from_offset: int = 0, up_to: int | None = None) -> list[Message]:
    fetched = FetchedBatches(batch, from_offset=from_offset, up_to=up_to)
    return [message for plain in fetched for message in read(plain, "topic", 3, Message)]


def as_records(messages: list[Message]) -> list[Record]:
    return [
        Record(message.offset, message.timestamp, message.key, message.value, message.headers)
        for message in messages
    ]


@given(
    records=record_lists(7),
    codec=st.sampled_from(list(Compression)),
    append_time=st.none() | st.integers(0, 1 << 40),
)
def test_a_message_is_its_record(
    read: Read, records: list[Record], codec: Compression, append_time: int | None
) -> None:
    batch = build_batch(
        records, base_offset=7, compression=codec, log_append_time_ms=append_time, last_offset=100_000
    )
    messages = messages_of(read, batch)
    if append_time is not None:
        records = [record._replace(timestamp=append_time) for record in records]
    assert as_records(messages) == records
    for message in messages:
        assert type(message) is Message
        assert message[:2] == ("topic", 3)
        assert message.timestamp_type == (append_time is not None)


@settings(max_examples=200)
@given(batch=damaged_batches())
def test_damaged_records_are_read_as_the_plain_reader_reads_them(read: Read, batch: bytearray) -> None:
    records = expected(batch)
    if records is None:
        with pytest.raises(ProtocolError):
            messages_of(read, batch)
        return
    wanted = [
        record._replace(timestamp=wrapped(record.timestamp), attributes=0)
        for record in records
        if record.offset >= 0
    ]
    assert as_records(messages_of(read, batch)) == (wanted if read_header(batch).last_offset >= 0 else [])


@settings(max_examples=200)
@given(body=st.binary(max_size=120), count=st.integers(-1, 12))
def test_any_bytes_are_read_as_the_plain_reader_reads_them(read: Read, body: bytes, count: int) -> None:
    batch = with_body(body, count, last_offset_delta=1 << 30)
    records = expected(batch)
    if records is None:
        with pytest.raises(ProtocolError):
            messages_of(read, batch)
    else:
        assert [message.offset for message in messages_of(read, batch)] == [
            record.offset for record in records if record.offset >= 0
        ]


def test_only_the_wanted_offsets_are_given(read: Read) -> None:
    batch = build_batch([Record(offset, 5, None, b"v") for offset in (10, 12, 14, 16)], base_offset=10)
    assert [m.offset for m in messages_of(read, batch, from_offset=11)] == [12, 14, 16]
    assert [m.offset for m in messages_of(read, batch, from_offset=12, up_to=16)] == [12, 14]
    assert messages_of(read, batch, from_offset=17) == []


def test_timestamps_go_round_as_in_java(read: Read) -> None:
    """A Java producer whose first timestamp is -5 writes the largest one as a delta that does not fit into 64 bits."""
    largest = (1 << 63) - 1
    first = bytes.fromhex("0c000000010100")
    second = bytes.fromhex("1e00") + varint(wrapped(largest + 5)) + bytes.fromhex("02010100")
    batch = with_body(first + second, 2, base_timestamp=-5, last_offset_delta=1)
    assert [message.timestamp for message in messages_of(read, batch)] == [-5, largest]


def test_a_message_is_a_tuple_of_the_callers_kind(read: Read) -> None:
    class Mine(Message):
        __slots__ = ()

    (plain,) = FetchedBatches(build_batch([Record(0, 5, b"k", b"v")]), from_offset=0)
    (message,) = read(plain, "topic", 3, Mine)
    assert type(message) is Mine
    assert message == ("topic", 3, 0, 5, 0, b"k", b"v", b"")
    assert hash(message) == hash(("topic", 3, 0, 5, 0, b"k", b"v", b""))
    assert message.headers == ()


def test_the_compiled_reader_takes_only_what_it_can() -> None:
    compiled = compiled_records()
    (plain,) = FetchedBatches(build_batch([Record(0, 5, b"k", b"v")]), from_offset=0)
    for kind in (tuple, list, object, "Message"):
        with pytest.raises(TypeError):
            compiled.read_messages(plain, "topic", 3, kind)
    for batch in (None, (), plain[:3], plain._replace(body="text"), plain._replace(append_time="now")):
        with pytest.raises((TypeError, ValueError)):
            compiled.read_messages(batch, "topic", 3, Message)
    with pytest.raises(ProtocolError):
        compiled.read_messages(plain._replace(count=-1), "topic", 3, Message)


def test_nothing_is_left_behind(read: Read) -> None:
    """Also where a batch is refused half-way: neither messages, nor a hold on the bytes."""
    sound = bytearray(build_batch([Record(offset, 5, b"k" * 70, b"v") for offset in range(100)]))
    broken = bytearray(sound)
    broken[-1] = 2
    topic = "".join(["to", "pic"])
    before = sys.getrefcount(topic)
    for data in (sound, broken):
        for _ in range(20):
            plain = next(FetchedBatches(data, from_offset=0, check_crc=False))
            try:
                read(plain, topic, 3, Message)
            except ProtocolError:
                assert data is broken
            del plain
    gc.collect()
    assert sys.getrefcount(topic) == before
    sound.append(0)
    broken.append(0)


@pytest.mark.parametrize(
    ("chosen", "before", "name", "said"),
    [
        ("", "", "compiled", "by compiled code"),
        ("python", "", "python", "by Python and NumPy, as SNAKKA_RECORDS says"),
        (
            "",
            "import sys; sys.modules['snakka.protocol._records'] = None",
            "python",
            "install Snakka again where there is a C compiler",
        ),
    ],
)
def test_whichever_engine_is_active_says_so(chosen: str, before: str, name: str, said: str) -> None:
    if name == "compiled" and not IS_COMPILED:
        pytest.skip("needs a C compiler")
    script = (
        f"{before}\nfrom snakka.protocol.record_engine import *\nprint(ENGINE_NAME, engine_line(), sep=': ')"
    )
    run = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "SNAKKA_RECORDS": chosen},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert run.stdout.startswith(f"{name}: ")
    assert said in run.stdout


def test_the_active_engine_reads() -> None:
    batch = build_batch([Record(0, 5, b"k", b"v", (("h", None),))])
    assert as_records(messages_of(read_messages, batch)) == [Record(0, 5, b"k", b"v", (("h", None),))]
    assert isinstance(IS_COMPILED, bool)
