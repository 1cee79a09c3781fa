"""A flipped bit in the metadata log must not cost the topics that were made later; a torn end must not keep a node down."""

import os
import shutil
from pathlib import Path

import pytest
from raft_harness import SettableClock, running_node

from snakka.protocol.record_batch import BatchHeader, iter_headers
from snakka.storage.files import OsFiles
from snakka.storage.meta_properties import DataDirectoryError

LOG = "__cluster_metadata-0/00000000000000000000.log"
# One byte of each part of a batch: offset, length, magic, checksum, attributes, records.
PLACES = (7, 11, 16, 20, 22, 70)


@pytest.fixture
async def directory(tmp_path: Path) -> Path:
    """Two lives of a node: epochs 1 and 2, a second between their batches."""
    clock = SettableClock()
    for names in (("a", "b", "c"), ("d", "e", "f")):
        async with running_node(OsFiles(), str(tmp_path / "data"), clock=clock) as node:
            for name in names:
                clock.ms += 1000
                await node.create(name)
    return tmp_path / "data"


def batches(directory: Path) -> list[tuple[int, BatchHeader]]:
    return list(iter_headers((directory / LOG).read_bytes()))


async def topics_of(directory: Path) -> list[str]:
    async with running_node(OsFiles(), str(directory)) as node:
        return node.listener.names


def flipped(directory: Path, tmp_path: Path, position: int) -> Path:
    """A copy with one bit of the log flipped."""
    copy = tmp_path / f"at-{position}"
    shutil.copytree(directory, copy)
    data = bytearray((copy / LOG).read_bytes())
    data[position] ^= 0x01
    (copy / LOG).write_bytes(data)
    return copy


async def test_damage_before_the_last_start_keeps_the_node_from_starting(directory, tmp_path) -> None:
    for position, header in batches(directory):
        if header.leader_epoch == 1:
            for place in PLACES:
                copy = flipped(directory, tmp_path, position + place)
                damaged = (copy / LOG).read_bytes()
                with pytest.raises(DataDirectoryError, match="is damaged at"):
                    await topics_of(copy)
                assert (copy / LOG).read_bytes() == damaged, "nothing was cut"


async def test_damage_after_the_last_start_may_be_a_crash_and_is_cut(directory, tmp_path) -> None:
    (_, *_, (second_last, _), (last, _)) = batches(directory)
    for place in PLACES:
        assert await topics_of(flipped(directory, tmp_path, last + place)) == ["a", "b", "c", "d", "e"]
        assert await topics_of(flipped(directory, tmp_path, second_last + place)) == ["a", "b", "c", "d"]


async def test_damage_after_a_clean_stop_is_no_crash(directory, tmp_path) -> None:
    (directory / ".kafka_cleanshutdown").write_text("{}")
    (_, *_, (second_last, _), (last, _)) = batches(directory)
    for place in PLACES:
        with pytest.raises(DataDirectoryError, match="is damaged at"):
            await topics_of(flipped(directory, tmp_path, second_last + place))
        # Nothing comes after it that it could cost.
        assert await topics_of(flipped(directory, tmp_path, last + place)) == ["a", "b", "c", "d", "e"]


async def test_what_was_followed_by_a_minute_of_batches_was_committed(directory, tmp_path) -> None:
    clock = SettableClock()
    async with running_node(OsFiles(), str(directory), clock=clock) as node:
        await node.create("g")
        await node.create("h")
        clock.ms += 60_000
        await node.create("i")
    position = batches(directory)[-3][0]
    with pytest.raises(DataDirectoryError, match="is damaged at"):
        await topics_of(flipped(directory, tmp_path, position + PLACES[-1]))


async def test_a_torn_end_is_cut(directory) -> None:
    whole = (directory / LOG).read_bytes()
    last = batches(directory)[-1][0]
    for size in (last + 1, last + 61, len(whole) - 1):
        (directory / LOG).write_bytes(whole)
        os.truncate(directory / LOG, size)
        assert await topics_of(directory) == ["a", "b", "c", "d", "e"]
