"""`snakka produce`: every line of standard input becomes a record."""

import os
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence

from snakka.cli.command import OK, CommandError, CommandParser, not_negative
from snakka.cli.connect import REQUEST_SECONDS, Settings, add_connection_arguments, run_with_settings

_DESCRIPTION = "Send lines from standard input to a topic, each as a record, until the input ends."

_EXAMPLES = """examples:
  echo 'hello' | snakka produce orders
  snakka produce orders < orders.txt --compression zstd
  printf 'alice:{"total": 3}\\nbob:{"total": 5}\\n' | snakka produce orders --key-separator :
  snakka produce orders --command-config client.properties --bootstrap-server kafka.example.com:9093

A record with a key goes to the partition that every Kafka client chooses for it. Records without one are spread.
The topic is created if it does not exist, unless the broker has auto.create.topics.enable=false."""

_ACKS = ("0", "1", "all", "-1")
_COMPRESSIONS = ("none", "gzip", "snappy", "lz4", "zstd")
_CHUNK_BYTES = 1 << 20
_BATCH_BYTES = 256 * 1024
_LARGEST_REQUEST = 2**31 - 1  # how large a record may be is the topic's business
_DELIVERY_MS = int(REQUEST_SECONDS * 1000)


def run(arguments: Sequence[str]) -> int:
    given = _parser().parse_args(arguments)
    return run_with_settings(given, lambda settings: _produce(settings, given))


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
        choices=_ACKS,
        default="all",
        help="whose acknowledgement to wait for: all unless said",
    )
    parser.add_argument("--compression", choices=_COMPRESSIONS, default="none", help="none unless said")
    add_connection_arguments(parser)
    return parser


async def _produce(settings: Settings, given: Namespace) -> int:
    from snakka.client.producer import Producer

    separator = None if given.key_separator is None else given.key_separator.encode()
    number = 0
    ours: Settings = {
        "acks": given.acks,
        "compression.type": given.compression,
        "batch.size": _BATCH_BYTES,
        "max.request.size": _LARGEST_REQUEST,
        "delivery.timeout.ms": _DELIVERY_MS,
        "request.timeout.ms": _DELIVERY_MS - 1_000,
    }
    async with Producer({**ours, **settings}) as producer:
        # That nobody answers should be known before somebody has typed a line.
        await producer.partitions_for(given.topic)
        for lines in _line_chunks():
            futures = []
            fault: CommandError | None = None
            for line in lines:
                number += 1
                key, value = _key_and_value(line, separator)
                if separator is not None and key is None:
                    fault = CommandError(
                        f"line {number} has no {given.key_separator!r} that ends its key; stopped there"
                    )
                    break
                futures.append(await producer.send(given.topic, value, key, partition=given.partition))
            # The next read blocks, so all must be settled now.
            await producer.flush()
            failures = [error for future in futures if (error := future.exception()) is not None]
            if failures:
                raise failures[0]
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


def _key_and_value(line: bytes, separator: bytes | None) -> tuple[bytes | None, bytes]:
    """The key is None if there is none."""
    if separator is None:
        return None, line
    key, found, value = line.partition(separator)
    return (key, value) if found else (None, line)
