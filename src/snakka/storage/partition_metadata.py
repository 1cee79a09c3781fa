"""`partition.metadata`: the id of the topic that a partition's directory belongs to, in Kafka's two lines of text."""

import os
from operator import ne

from snakka.protocol.errors import ProtocolError
from snakka.protocol.uuids import Uuid, uuid_from_text, uuid_text
from snakka.storage.files import Files
from snakka.storage.segment_files import PARTITION_METADATA


def partition_metadata_path(directory: str) -> str:
    return os.path.join(directory, PARTITION_METADATA)


def read_topic_id(files: Files, directory: str) -> Uuid | None:
    """None if the file is missing or torn, which a crash soon after the partition's creation may leave."""
    try:
        text = files.read(partition_metadata_path(directory)).decode()
        fields = dict(line.split(": ", 1) for line in text.splitlines())
        return uuid_from_text(fields["topic_id"]) if fields["version"] == "0" else None
    except (FileNotFoundError, KeyError, ValueError, ProtocolError):
        return None


def write_topic_id(files: Files, directory: str, topic_id: Uuid) -> None:
    """Not synced: the first flush of the log does that, before any record counts as durable."""
    files.replace(partition_metadata_path(directory), _content(topic_id), sync=False)


def was_of_topic(files: Files, directory: str, topic_id: Uuid) -> bool:
    """Whether the file is the topic's but for one damaged byte. Ids of two topics never are so much alike."""
    try:
        found = files.read(partition_metadata_path(directory))
    except FileNotFoundError:
        return False
    expected = _content(topic_id)
    return len(found) == len(expected) and sum(map(ne, found, expected)) == 1


def _content(topic_id: Uuid) -> bytes:
    return f"version: 0\ntopic_id: {uuid_text(topic_id)}".encode()
