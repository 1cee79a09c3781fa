"""`snakka consume`: print the records of a topic."""

import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from snakka.cli.command import OK, CommandError, CommandParser, not_negative, positive, seconds
from snakka.cli.connect import Settings, add_connection_arguments, run_with_settings

if TYPE_CHECKING:
    from snakka.client.consumer import Consumer, Message, TopicPartition

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

Show = Callable[["Message"], bytes]
_ESCAPES = {"t": b"\t", "n": b"\n", "\\": b"\\"}
_POLL_SECONDS = 25.0
_POLL_MESSAGES = 10_000


def run(arguments: Sequence[str]) -> int:
    given = _parser().parse_args(arguments)
    return run_with_settings(given, lambda settings: _consume(settings, given))


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
    add_connection_arguments(parser)
    return parser


async def _consume(settings: Settings, given: Namespace) -> int:
    from snakka.client.consumer import Consumer

    ours: Settings = {"auto.offset.reset": "none", "allow.auto.create.topics": False}
    async with Consumer({**ours, **settings}) as consumer:
        await _set_positions(consumer, given)
        count = 0
        wait_seconds = _POLL_SECONDS if given.timeout is None else given.timeout
        while given.max_messages is None or count < given.max_messages:
            most = _POLL_MESSAGES if given.max_messages is None else given.max_messages - count
            messages = await consumer.getmany(timeout_ms=int(wait_seconds * 1000), max_records=most)
            for batch in messages.values():
                count += len(batch)
                _print(batch, given.show)
            if not messages and given.timeout is not None:
                if given.max_messages is None:
                    break
                raise CommandError(
                    f"only {count} of {given.max_messages} messages came, and none for {given.timeout:g} s"
                )
    return OK


async def _set_positions(consumer: "Consumer", given: Namespace) -> None:
    begin = given.offset if given.offset is not None else "earliest" if given.from_beginning else "latest"
    partitions = await _partitions(consumer, given)
    consumer.assign(partitions)
    if begin == "earliest":
        await consumer.seek_to_beginning()
    elif begin == "latest":
        await consumer.seek_to_end()
    else:
        for partition in partitions:
            consumer.seek(partition, int(begin))


async def _partitions(consumer: "Consumer", given: Namespace) -> "list[TopicPartition]":
    from snakka.client.consumer import TopicPartition

    indexes = await consumer.partitions_for_topic(given.topic)
    if given.partition is not None:
        if given.partition not in indexes:
            raise CommandError(
                f"topic {given.topic} has no partition {given.partition}, only 0 to {len(indexes) - 1}"
            )
        indexes = frozenset((given.partition,))
    return [TopicPartition(given.topic, index) for index in sorted(indexes)]


def _print(messages: "list[Message]", show: Show) -> None:
    rest = memoryview(b"".join([show(message) for message in messages]))
    while rest:  # where Python does not buffer the output, a write may take only a part
        rest = rest[sys.stdout.buffer.write(rest) :]
    sys.stdout.buffer.flush()


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
        "T": lambda record: b"%d" % record.timestamp,
        "k": lambda record: record.key or b"",
        "v": lambda record: record.value or b"",
        "h": _shown_headers,
        "%": _constant(b"%"),
    }
    if letter not in fields:
        raise ArgumentTypeError(f"%{letter} means nothing; {' '.join('%' + known for known in fields)} do")
    return fields[letter]


def _shown_headers(record: "Message") -> bytes:
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
