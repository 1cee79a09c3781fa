"""`snakka produce`: every line of standard input becomes a record."""

import os
import random
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from snakka.cli.command import OK, CommandError, CommandParser, not_negative
from snakka.cli.connect import REQUEST_SECONDS, add_bootstrap_argument, run_with_cluster

if TYPE_CHECKING:
    from snakka.client.cluster_view import ClusterView
    from snakka.client.producer import ProducerRecord

_DESCRIPTION = "Send lines from standard input to a topic, each as a record, until the input ends."

_EXAMPLES = """examples:
  echo 'hello' | snakka produce orders
  snakka produce orders < orders.txt --compression zstd
  printf 'alice:{"total": 3}\\nbob:{"total": 5}\\n' | snakka produce orders --key-separator :

A record with a key goes to the partition that every Kafka client chooses for it. Records without one are spread.
The topic is created if it does not exist, unless the broker has auto.create.topics.enable=false."""

_ACKS = {"0": 0, "1": 1, "all": -1, "-1": -1}
_COMPRESSIONS = ("none", "gzip", "snappy", "lz4", "zstd")
_CHUNK_BYTES = 1 << 20


def run(arguments: Sequence[str]) -> int:
    given = _parser().parse_args(arguments)
    return run_with_cluster(given, lambda cluster: _produce(cluster, given))


def _parser() -> CommandParser:
    parser = CommandParser("snakka produce", _DESCRIPTION, _EXAMPLES)
    parser.add_argument("topic")
    parser.add_argument(
        "--key-separator", metavar="TEXT", help="what is before the first TEXT of a line is its key"
    )
    parser.add_argument(
        "--partition", type=not_negative, metavar="N", help="send everything to this partition"
    )
    parser.add_argument(
        "--acks",
        choices=tuple(_ACKS),
        default="all",
        help="whose acknowledgement to wait for: all unless said",
    )
    parser.add_argument("--compression", choices=_COMPRESSIONS, default="none", help="none unless said")
    add_bootstrap_argument(parser)
    return parser


async def _produce(cluster: "ClusterView", given: Namespace) -> int:
    from snakka.client.producer import Producer
    from snakka.protocol.compression import Compression

    clock = cluster.pool.clock
    producer = Producer(
        cluster,
        acks=_ACKS[given.acks],
        compression=Compression[given.compression.upper()],
        first_partition=random.SystemRandom().getrandbits(16),
    )
    # That nobody answers should be known before somebody has typed a line.
    await cluster.topic(given.topic, clock.monotonic() + REQUEST_SECONDS, create_missing=True)
    separator = None if given.key_separator is None else given.key_separator.encode()
    number = 0
    for lines in _line_chunks():
        records: list[ProducerRecord] = []
        fault: CommandError | None = None
        for line in lines:
            number += 1
            record = _record(line, separator, given.partition)
            if record is None:
                fault = CommandError(
                    f"line {number} has no {given.key_separator!r} that ends its key; stopped there"
                )
                break
            records.append(record)
        if records:
            await producer.send(given.topic, records, deadline=clock.monotonic() + REQUEST_SECONDS)
        if fault is not None:
            raise fault
    return OK


def _line_chunks() -> Iterator[list[bytes]]:
    """The lines of standard input, as many at a time as are there.

    Reading blocks the event loop, on purpose: there is nothing else to do, and Ctrl-C ends a blocked read.
    """
    rest = b""
    while True:
        data = os.read(sys.stdin.fileno(), _CHUNK_BYTES)
        if not data:
            break
        *lines, rest = (rest + data).split(b"\n")
        if lines:
            yield lines
    if rest:
        yield [rest]


def _record(line: bytes, separator: bytes | None, partition: int | None) -> "ProducerRecord | None":
    """None if the line should have a key and has none."""
    from snakka.client.producer import ProducerRecord

    if separator is None:
        return ProducerRecord(line, partition=partition)
    key, found, value = line.partition(separator)
    return ProducerRecord(value, key, partition=partition) if found else None
