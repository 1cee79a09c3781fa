"""Kafka's small text files: a version, a number of lines, the lines. Written whole, or not at all.

Used for the leader epochs of a partition, and for the offsets that a log directory remembers of its partitions.
"""

from collections.abc import Mapping, Sequence

from snakka.storage.files import Files

VERSION = 0

TopicPartition = tuple[str, int]


class BadCheckpoint(Exception):  # noqa: N818 - it names the file, not what to do about it
    """The file is not what its writer wrote."""


def format_lines(lines: Sequence[str]) -> bytes:
    return "".join(f"{line}\n" for line in (str(VERSION), str(len(lines)), *lines)).encode()


def parse_lines(data: bytes) -> list[str]:
    """The lines; an empty file has none, as Kafka creates such files."""
    try:
        lines = data.decode().splitlines()
        if len(lines) < 2 and not any(lines):
            return []
        if int(lines[0]) != VERSION or int(lines[1]) != len(lines) - 2:
            raise BadCheckpoint(
                f"version {lines[0]} and {lines[1]} lines are announced, {len(lines) - 2} there"
            )
    except (ValueError, IndexError) as error:
        raise BadCheckpoint(str(error)) from error
    return lines[2:]


def read_checkpoint(files: Files, path: str) -> list[str]:
    """The lines of the file at `path`; none if there is no file."""
    try:
        return parse_lines(files.read(path))
    except FileNotFoundError:
        return []


def write_checkpoint(files: Files, path: str, lines: Sequence[str]) -> None:
    """Blocks until it is on the disk."""
    files.replace(path, format_lines(lines))


def read_offsets(files: Files, path: str) -> dict[TopicPartition, int]:
    """Of a checkpoint with a line `topic partition offset` for each partition."""
    offsets = {}
    for line in read_checkpoint(files, path):
        try:
            topic, partition, offset = line.split()
            offsets[topic, int(partition)] = int(offset)
        except ValueError as error:
            raise BadCheckpoint(f"{path}: {line!r}") from error
    return offsets


def write_offsets(files: Files, path: str, offsets: Mapping[TopicPartition, int]) -> None:
    """Blocks until it is on the disk."""
    lines = [f"{topic} {partition} {offset}" for (topic, partition), offset in offsets.items()]
    write_checkpoint(files, path, lines)
