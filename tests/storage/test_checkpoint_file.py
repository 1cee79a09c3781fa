"""Kafka's text checkpoints."""

import pytest

from snakka.storage.checkpoint_file import (
    BadCheckpoint,
    read_checkpoint,
    read_offsets,
    write_checkpoint,
    write_offsets,
)
from snakka.testing.simulated_files import SimulatedFiles


def test_offsets_as_kafka_writes_them() -> None:
    files = SimulatedFiles()
    offsets = {("orders", 0): 12, ("__consumer_offsets", 49): 0}
    write_offsets(files, "/recovery-point-offset-checkpoint", offsets)
    assert files.read("/recovery-point-offset-checkpoint") == b"0\n2\norders 0 12\n__consumer_offsets 49 0\n"
    assert read_offsets(files, "/recovery-point-offset-checkpoint") == offsets


def test_a_missing_and_an_empty_file_have_no_lines() -> None:
    files = SimulatedFiles()
    assert read_checkpoint(files, "/missing") == []
    files.replace("/empty", b"")
    assert read_checkpoint(files, "/empty") == []
    write_checkpoint(files, "/none", [])
    assert read_checkpoint(files, "/none") == []


@pytest.mark.parametrize(
    "data", [b"1\n0\n", b"0\n2\nonly one\n", b"0\n", b"zero\n0\n", b"0\n1\n\xff\xfe\n", b"0\n1\ntopic x 5\n"]
)
def test_a_torn_or_unknown_file_is_refused(data: bytes) -> None:
    files = SimulatedFiles()
    files.replace("/checkpoint", data)
    with pytest.raises(BadCheckpoint):
        read_offsets(files, "/checkpoint")
