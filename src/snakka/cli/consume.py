"""`snakka consume`: print the records of a topic."""

import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from snakka.cli.command import OK, CommandError, CommandParser, not_negative, positive, seconds
from snakka.cli.connect import REQUEST_SECONDS, add_bootstrap_argument, run_with_cluster

if TYPE_CHECKING:
    from snakka.client.cluster_view import ClusterView
    from snakka.client.consumer import ConsumedRecord, Consumer

_DESCRIPTION = (
    "Print the records of a topic to standard output, one a line; new ones as they come, until Ctrl-C."
)

_EXAMPLES = """examples:
  snakka consume orders
  snakka consume orders --from-beginning --timeout 1
  snakka consume orders --partition 0 --offset 42 --max-messages 1
  snakka consume orders --from-beginning --format '%p:%o %T %k=%v'

format:
  %t topic  %p partition  %o offset  %T time in milliseconds  %k key  %v value  %h headers
  %% a percent sign  \\t a tab  \\n a new line; a key or value that is null prints nothing

It begins at the end of the topic unless it is told otherwise. --timeout ends it when nothing came for so long; with
--max-messages too that is a failure (exit code 1)."""

Show = Callable[["ConsumedRecord"], bytes]
_ESCAPES = {"t": b"\t", "n": b"\n", "\\": b"\\"}
# How long one wait for records may be; it only bounds how long a dead broker is waited for.
_POLL_SECONDS = 25.0


def run(arguments: Sequence[str]) -> int:
    given = _parser().parse_args(arguments)
    return run_with_cluster(given, lambda cluster: _consume(cluster, given))


def _parser() -> CommandParser:
    parser = CommandParser("snakka consume", _DESCRIPTION, _EXAMPLES)
    parser.add_argument("topic")
    parser.add_argument("--partition", type=not_negative, metavar="N", help="only this partition")
    begin = parser.add_mutually_exclusive_group()
    begin.add_argument("--from-beginning", action="store_true", help="begin with the oldest record")
    begin.add_argument(
        "--offset", type=_offset, metavar="OFFSET", help="begin here: a number, earliest or latest"
    )
    parser.add_argument("--max-messages", type=positive, metavar="N", help="end after so many records")
    parser.add_argument(
        "--timeout", type=seconds, metavar="SECONDS", help="end when nothing came for so long"
    )
    parser.add_argument(
        "--format",
        type=parse_format,
        default="%v",
        metavar="TEXT",
        dest="show",
        help="how a record is printed; see below",
    )
    add_bootstrap_argument(parser)
    return parser


async def _consume(cluster: "ClusterView", given: Namespace) -> int:
    from snakka.client.consumer import Consumer

    clock = cluster.pool.clock
    await cluster.topic(given.topic, clock.monotonic() + REQUEST_SECONDS)
    consumer = Consumer(cluster, given.topic)
    await _set_positions(cluster, consumer, given)
    count = 0
    silent_since = clock.monotonic()
    while given.max_messages is None or count < given.max_messages:
        deadline = clock.monotonic() + _POLL_SECONDS
        if given.timeout is not None:
            deadline = min(deadline, silent_since + given.timeout)
        records = await consumer.poll(deadline=deadline)
        if records:
            count += _print_records(records, given, count)
            silent_since = clock.monotonic()
        elif given.timeout is not None and clock.monotonic() >= silent_since + given.timeout:
            if given.max_messages is None:
                break
            raise CommandError(
                f"only {count} of {given.max_messages} messages came, and none for {given.timeout:g} s"
            )
    return OK


async def _set_positions(cluster: "ClusterView", consumer: "Consumer", given: Namespace) -> None:
    from snakka.client.consumer import EARLIEST, LATEST

    deadline = cluster.pool.clock.monotonic() + REQUEST_SECONDS
    begin = given.offset if given.offset is not None else "earliest" if given.from_beginning else "latest"
    offsets = await consumer.offsets(EARLIEST if begin == "earliest" else LATEST, deadline=deadline)
    if given.partition is not None:
        if given.partition not in offsets:
            raise CommandError(
                f"topic {given.topic} has no partition {given.partition}, only 0 to {len(offsets) - 1}"
            )
        offsets = {given.partition: offsets[given.partition]}
    if isinstance(begin, int):
        offsets = dict.fromkeys(offsets, begin)
    consumer.positions.update(offsets)


def _print_records(records: "list[ConsumedRecord]", given: Namespace, already: int) -> int:
    """Print as many as are wanted; how many those were."""
    if given.max_messages is not None:
        records = records[: given.max_messages - already]
    rest = memoryview(b"".join([given.show(record) for record in records]))
    while rest:  # where Python does not buffer the output, a write may take only a part
        rest = rest[sys.stdout.buffer.write(rest) :]
    sys.stdout.buffer.flush()
    return len(records)


def parse_format(text: str) -> Show:
    """The function that prints a record as the text says, with a new line behind it."""
    parts: list[Show] = []
    characters = iter(text)
    for character in characters:
        if character == "%":
            parts.append(_field(next(characters, "")))
        elif character == "\\":
            parts.append(_constant(_escape(next(characters, ""))))
        else:
            parts.append(_constant(character.encode("utf-8", "surrogateescape")))
    parts.append(_constant(b"\n"))
    return lambda record: b"".join([part(record) for part in parts])


def _constant(value: bytes) -> Show:
    return lambda record: value


def _escape(letter: str) -> bytes:
    if letter not in _ESCAPES:
        raise ArgumentTypeError(rf"\{letter} means nothing; \t, \n and \\ do")
    return _ESCAPES[letter]


def _field(letter: str) -> Show:
    fields: dict[str, Show] = {
        "t": lambda record: record.topic.encode(),
        "p": lambda record: b"%d" % record.partition,
        "o": lambda record: b"%d" % record.offset,
        "T": lambda record: b"%d" % record.timestamp_ms,
        "k": lambda record: record.key or b"",
        "v": lambda record: record.value or b"",
        "h": _shown_headers,
        "%": _constant(b"%"),
    }
    if letter not in fields:
        raise ArgumentTypeError(f"%{letter} means nothing; {' '.join('%' + known for known in fields)} do")
    return fields[letter]


def _shown_headers(record: "ConsumedRecord") -> bytes:
    return b",".join(
        name.encode("utf-8", "surrogateescape") + b"=" + (value or b"") for name, value in record.headers
    )


def _offset(text: str) -> int | str:
    if text in ("earliest", "latest"):
        return text
    try:
        return not_negative(text)
    except ArgumentTypeError:
        raise ArgumentTypeError(f"{text} is no offset; give a number, earliest or latest") from None
