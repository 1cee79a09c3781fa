"""partition.metadata in Kafka's words."""

import pytest

from snakka.storage.partition_metadata import read_topic_id, write_topic_id
from snakka.testing.simulated_files import SimulatedFiles

TOPIC_ID = bytes(range(16))


def test_the_topic_id_is_written_and_read_as_kafka_does() -> None:
    files = SimulatedFiles()
    files.make_directory("/data/topic-0")
    write_topic_id(files, "/data/topic-0", TOPIC_ID)
    text = files.read("/data/topic-0/partition.metadata")
    assert text == b"version: 0\ntopic_id: AAECAwQFBgcICQoLDA0ODw"
    assert read_topic_id(files, "/data/topic-0") == TOPIC_ID


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"version: 0",
        b"version: 1\ntopic_id: AAECAwQFBgcICQoLDA0ODw",
        b"version: 0\ntopic_id: ?",
        b"\xff",
    ],
)
def test_a_torn_file_says_nothing(text: bytes) -> None:
    files = SimulatedFiles()
    assert read_topic_id(files, "/") is None
    files.replace("/partition.metadata", text)
    assert read_topic_id(files, "/") is None
