"""Records decoded and encoded by every way there is: `python -m bench.record_decoding` prints the tables.

Batches of 1,000 records with keys of 8 bytes and values of random size around 100 B and 1 KiB, one core, best of several
rounds. Not counted is what all ways have in common, such as the checksum; consume() of confluent-kafka, which has no
decoder to call, is measured with its broker and network, for orientation. The rule: each way ends with what its users
hold in their hands, be it messages, tuples or columns.
"""

import argparse
import functools
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import aiokafka.record.default_records as aiokafka_records
import kafka.record.default_records as kafka_python_records
import pyarrow

from bench import librdkafka_load
from bench.report import Row, commit, machine
from bench.servers import start_snakka
from snakka.protocol import column_encoder, numpy_columns
from snakka.protocol.batch_builder import build_batch
from snakka.protocol.batch_reader import Record, read_records
from snakka.protocol.column_encoder import encode_compiled
from snakka.protocol.fetched_batches import FetchedBatches, PlainBatch
from snakka.protocol.key_hash import murmur2_in_python
from snakka.protocol.numpy_encoder import encode_rows
from snakka.protocol.numpy_key_hash import partition_column
from snakka.protocol.record_columns import ColumnBuilder, decode_columns
from snakka.protocol.record_encoder import PythonEncoder, finish_batch
from snakka.protocol.record_engine import ENGINE_NAME, IS_COMPILED
from snakka.protocol.record_objects import Message, read_messages_in_python

BATCH_RECORDS = 1000
BATCHES = 10
SIZES = (100, 1024)
ROUND_SECONDS = 0.5
NOW_MS = 1_700_000_000_000
LIMIT = 1 << 30
CONSUMED_RECORDS = {100: 1_000_000, 1024: 200_000}
CONTENT = frozenset(("key", "value", "offset", "timestamp"))
# Million records of 100 B a second on one core, to columns.
AT_LEAST_IN_NUMPY = 3.0
COMPILED_OF_NUMPY = 5.0


class Way(NamedTuple):
    """One way of doing it: a call that handles so many records."""

    name: str
    call: Callable[[], object]
    records: int = BATCH_RECORDS


class Sample(NamedTuple):
    """The same records in each form that one of the ways begins with."""

    records: list[Record]
    batch: bytes
    answer: bytes  # several such batches

    @classmethod
    def of_size(cls, value_bytes: int) -> "Sample":
        chance = random.Random(value_bytes)
        records = [
            Record(
                index,
                NOW_MS + index // 10,
                chance.randbytes(8),
                chance.randbytes(chance.randint(value_bytes // 2, value_bytes * 3 // 2)),
            )
            for index in range(BATCH_RECORDS)
        ]
        answer = b"".join(
            build_batch([record._replace(offset=-1) for record in records], base_offset=index * BATCH_RECORDS)
            for index in range(BATCHES)
        )
        return cls(records, bytes(build_batch(records)), answer)


def decoding_to_messages(sample: Sample) -> Iterator[Way]:
    plain = next(FetchedBatches(sample.batch, from_offset=0))
    batch = sample.batch
    yield Way("snakka, Python: the broker's reader", lambda: list(read_records(batch)))
    yield Way("snakka, Python", lambda: read_messages_in_python(plain, "t", 0, Message))
    if IS_COMPILED:
        from snakka.protocol._records import read_messages

        yield Way("snakka, compiled", lambda: read_messages(plain, "t", 0, Message))
    yield Way("aiokafka, Cython", lambda: list(aiokafka_records.DefaultRecordBatch(batch)))
    yield Way("kafka-python", lambda: list(kafka_python_records.DefaultRecordBatch(batch)))


def decoding_to_columns(sample: Sample) -> Iterator[Way]:
    batches = list(FetchedBatches(sample.answer, from_offset=0))
    count = BATCHES * BATCH_RECORDS
    yield Way("snakka, NumPy", lambda: _columns_by(numpy_columns.NumpyColumns(CONTENT), batches), count)
    if IS_COMPILED:
        from snakka.protocol.compiled_columns import CompiledColumns

        yield Way("snakka, compiled", lambda: _columns_by(CompiledColumns(CONTENT), batches), count)
    yield Way(
        f"snakka, {ENGINE_NAME}: all columns, with checksums",
        lambda: decode_columns(sample.answer, from_offset=0).to_arrow("t", 0),
        count,
    )
    yield Way("aiokafka, Cython, then lists", lambda: _columns_by_lists(sample.batch))


def _columns_by(builder: ColumnBuilder, batches: list[PlainBatch]) -> object:
    for batch in batches:
        builder.add_batch(batch)
    return builder.finish()


def _columns_by_lists(batch: bytes) -> list[Any]:
    records = list(aiokafka_records.DefaultRecordBatch(batch))
    return [
        pyarrow.array([record.key for record in records], pyarrow.binary()),
        pyarrow.array([record.value for record in records], pyarrow.binary()),
        pyarrow.array([record.offset for record in records], pyarrow.int64()),
        pyarrow.array([record.timestamp for record in records], pyarrow.int64()),
    ]


def encoding(sample: Sample) -> Iterator[Way]:
    records = sample.records

    def own(new: Callable[[int], Any]) -> bytearray:
        encoder = new(LIMIT)
        for record in records:
            encoder.append(record.timestamp, record.key, record.value, ())
        return finish_batch(encoder)

    def other(module: Any) -> object:
        builder = module.DefaultRecordBatchBuilder(2, 0, 0, -1, -1, -1, LIMIT)
        for record in records:
            builder.append(record.offset, record.timestamp, record.key, record.value, [])
        return builder.build()

    columns = (
        pyarrow.array([record.timestamp for record in records]),
        pyarrow.array([record.key for record in records]),
        pyarrow.array([record.value for record in records]),
        pyarrow.repeat(b"\x00", len(records)),
        LIMIT,
    )
    yield Way("snakka, Python", functools.partial(own, PythonEncoder))
    if IS_COMPILED:
        from snakka.protocol._records import Encoder

        yield Way("snakka, compiled", functools.partial(own, Encoder))
    yield Way("aiokafka, Cython", functools.partial(other, aiokafka_records))
    yield Way("kafka-python", functools.partial(other, kafka_python_records))
    yield Way("columns: snakka, NumPy", lambda: [*map(finish_batch, encode_rows(*columns))])
    if IS_COMPILED:
        yield Way("columns: snakka, compiled", lambda: [*map(finish_batch, encode_compiled(*columns))])


def hashing(sample: Sample) -> Iterator[Way]:
    keys = [record.key or b"" for record in sample.records]
    column = pyarrow.array(keys)
    yield Way("one by one: Python", lambda: [murmur2_in_python(key) for key in keys])
    yield Way("column: NumPy", lambda: partition_column(column, 12))
    if IS_COMPILED:
        from snakka.protocol._records import murmur2

        yield Way("one by one: compiled", lambda: [murmur2(key) for key in keys])
        yield Way("column: compiled", lambda: column_encoder.partition_keys(column, 12))


TABLES: dict[str, Callable[[Sample], Iterator[Way]]] = {
    "decode to messages": decoding_to_messages,
    "decode to columns": decoding_to_columns,
    "encode, with checksum": encoding,
    "hash keys": hashing,
}


def rate(way: Way, seconds: float = ROUND_SECONDS) -> float:
    """Records a second, in the best round."""
    best = float("inf")
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        started = time.perf_counter()
        way.call()
        best = min(best, time.perf_counter() - started)
    return way.records / best


def measure(seconds: float = 3.0) -> Iterator[Row]:
    """The targets of the record decoder: compiled code is judged by what NumPy must do, and by what it does in this run."""
    in_numpy = AT_LEAST_IN_NUMPY
    for way in decoding_to_columns(Sample.of_size(100)):
        name = way.name.removeprefix("snakka, ")
        if name not in ("NumPy", "compiled"):
            continue
        figure = rate(way, seconds) / 1e6
        if name == "NumPy":
            bound, in_numpy = AT_LEAST_IN_NUMPY, max(in_numpy, figure)
        else:
            bound = round(COMPILED_OF_NUMPY * in_numpy, 1)
        yield Row(f"records of 100 B to columns, {name}", figure, bound, True, unit=" M/s")


def _print_table(title: str, ways: Callable[[Sample], Iterator[Way]], samples: Sequence[Sample]) -> None:
    print(f"\n| {title}, million records a second | 100 B | 1 KiB |\n|---|---:|---:|")
    for row in zip(*(ways(sample) for sample in samples), strict=True):
        print(f"| {row[0].name} | {' | '.join(f'{rate(way) / 1e6:.2f}' for way in row)} |", flush=True)


def _print_consume(directory: Path) -> None:
    with start_snakka(directory / "snakka") as server:
        server.seconds_to_first_ack()
        rates = []
        for size in SIZES:
            load = librdkafka_load.Load(size, 1)
            with_records = CONSUMED_RECORDS[size]
            client = server.connect()
            client.creates_topic(load.topic, 1)
            client.close()
            librdkafka_load.produce(server, load, with_records)
            rounds = [librdkafka_load.consume(server, load, with_records) for _ in range(3)]
            rates.append(max(figures.rate for figures in rounds) / size / 1e6)
    print(f"| confluent-kafka, consume() from a broker | {rates[0]:.2f} | {rates[1]:.2f} |")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.record_decoding", description=__doc__)
    parser.add_argument("--without-broker", action="store_true", help="only what needs no broker")
    arguments = parser.parse_args()
    for fact in (*machine(), f"commit {commit()}"):
        print(fact)
    samples = [Sample.of_size(size) for size in SIZES]
    for title, ways in TABLES.items():
        _print_table(title, ways, samples)
        if title == "decode to messages" and not arguments.without_broker:
            with tempfile.TemporaryDirectory(prefix="snakka-bench-") as directory:
                _print_consume(Path(directory))


if __name__ == "__main__":
    main()
