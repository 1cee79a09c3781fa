"""Several log directories and a metadata directory of its own: who is where, and what moves and losses do."""

import shutil
from pathlib import Path

import pytest
from tests.broker.broker_in_process import BrokerInProcess, running, until
from tests.broker.raw_client import batch, values_of

from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.describe_log_dirs import DescribeLogDirsRequest
from snakka.protocol.uuids import uuid_text
from snakka.storage.meta_properties import DataDirectoryError

METADATA = "__cluster_metadata-0"


def properties(directory: Path) -> dict[str, str]:
    lines = (directory / "meta.properties").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)


def partition_directories(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir() if path.is_dir() and path.name != METADATA}


def log_dirs(*directories: Path) -> str:
    return ",".join(map(str, directories))


async def write_to_all(broker: BrokerInProcess, topic: str, count: int, value: bytes) -> None:
    for index in range(count):
        row = await broker.client.produce(topic, batch(value), partition=index)
        assert row.error_code == ErrorCode.NONE


async def read_from(broker: BrokerInProcess, topic: str, index: int) -> list[bytes | None]:
    broker.client.topic_ids[topic] = broker.partition(topic, index).topic_id
    return [record.value for record in await broker.client.read_all(topic, index)]


async def test_every_directory_has_an_id_and_partitions_name_theirs(tmp_path, topic) -> None:
    first, second, third = directories = [tmp_path / name for name in ("first", "second", "third")]
    async with running(None, log_dirs=log_dirs(*directories)) as broker:
        await broker.client.create_topic(topic, 6)
        await write_to_all(broker, topic, 6, b"x")
        described = [properties(one) for one in directories]
        assert len({one["directory.id"] for one in described}) == 3
        assert len({one["cluster.id"] for one in described}) == 1
        place_of = {one["directory.id"]: path for one, path in zip(described, directories, strict=True)}

        def places() -> list[Path | None]:
            partitions = broker.services.image.topics.by_name[topic].partitions
            return [place_of.get(uuid_text(partitions[index].directories[0])) for index in range(6)]

        await until(lambda: None not in places())
        for index, place in enumerate(places()):
            assert place is not None
            assert (place / f"{topic}-{index}").is_dir()
        # The metadata log is in the first, and no partition is in two.
        assert (first / METADATA).is_dir()
        assert not (second / METADATA).exists()
        counted = [len(partition_directories(one)) for one in (first, second, third)]
        assert counted == [2, 2, 2]
    async with running(None, log_dirs=log_dirs(*directories)) as broker:
        for index in range(6):
            assert await read_from(broker, topic, index) == [b"x"]


async def test_the_metadata_log_may_live_elsewhere(tmp_path, topic) -> None:
    data, metadata = tmp_path / "data", tmp_path / "metadata"
    options = {"log_dirs": str(data), "metadata_log_dir": str(metadata)}
    async with running(None, **options) as broker:
        await broker.client.create_topic(topic, 4)
        await write_to_all(broker, topic, 4, b"x")
        assert (metadata / METADATA).is_dir()
        assert not (data / METADATA).exists()
        assert partition_directories(metadata) == set()
        assert partition_directories(data) == {f"{topic}-{index}" for index in range(4)}
        assert properties(metadata)["cluster.id"] == properties(data)["cluster.id"]
        # It is no place for records, so nobody is told of it.
        response = await broker.client.ask(DescribeLogDirsRequest(topics=None))
        assert [one.log_dir for one in response.results] == [str(data)]
    async with running(None, **options) as broker:
        assert await read_from(broker, topic, 3) == [b"x"]


async def test_a_directory_that_is_added_later_is_used(tmp_path, topic) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    async with running(None, log_dirs=str(old)) as broker:
        await broker.client.create_topic(topic, 2)
        await write_to_all(broker, topic, 2, b"x")
    # It could be a disk that is not mounted, so somebody has to say that it is meant.
    with pytest.raises(DataDirectoryError, match="is a disk not mounted"):
        async with running(None, log_dirs=log_dirs(old, new)):
            pass
    new.mkdir(exist_ok=True)
    kept = [line for line in (old / "meta.properties").read_text().splitlines() if "directory.id" not in line]
    (new / "meta.properties").write_text("\n".join(kept))
    async with running(None, log_dirs=log_dirs(old, new)) as broker:
        assert await read_from(broker, topic, 1) == [b"x"]
        await broker.client.create_topic(topic + "-later", 2)
        await write_to_all(broker, topic + "-later", 2, b"y")
        assert properties(new)["directory.id"] != properties(old)["directory.id"]
        assert partition_directories(new) == {f"{topic}-later-{index}" for index in range(2)}


async def test_a_partition_that_was_moved_by_hand_is_found(tmp_path, topic) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    async with running(None, log_dirs=log_dirs(first, second)) as broker:
        await broker.client.create_topic(topic, 1)
        await write_to_all(broker, topic, 1, b"moved")
    here, there = (first, second) if (first / f"{topic}-0").exists() else (second, first)
    shutil.move(here / f"{topic}-0", there / f"{topic}-0")
    async with running(None, log_dirs=log_dirs(first, second)) as broker:
        assert await read_from(broker, topic, 0) == [b"moved"]
        wanted = properties(there)["directory.id"]

        def is_known() -> bool:
            partition = broker.services.image.topics.by_name[topic].partitions[0]
            return [uuid_text(one) for one in partition.directories] == [wanted]

        await until(is_known)


async def test_a_directory_that_cannot_be_read_at_the_start_is_offline(tmp_path, topic) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    async with running(None, log_dirs=log_dirs(first, second)) as broker:
        await broker.client.create_topic(topic, 4)
        await write_to_all(broker, topic, 4, b"x")
        lost = [
            index
            for index in range(4)
            if broker.partition(topic, index).log.directory.startswith(str(second))
        ]
        kept = [index for index in range(4) if index not in lost]
        topic_id = broker.client.topic_ids[topic]
    shutil.rmtree(second)
    second.write_text("a file where a directory was")
    async with running(None, log_dirs=log_dirs(first, second)) as broker:
        client = broker.client
        client.topic_ids[topic] = topic_id
        for index in kept:
            assert await read_from(broker, topic, index) == [b"x"]
        for index in lost:
            row = await client.produce(topic, batch(b"y"), partition=index)
            assert row.error_code in (ErrorCode.KAFKA_STORAGE_ERROR, ErrorCode.NOT_LEADER_OR_FOLLOWER)
        response = await client.ask(DescribeLogDirsRequest(topics=None))
        errors = {one.log_dir: one.error_code for one in response.results}
        assert errors == {str(first): ErrorCode.NONE, str(second): ErrorCode.KAFKA_STORAGE_ERROR}
        assert not broker.server.failed.done()


async def test_directories_of_two_clusters_do_not_go_together(tmp_path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for directory in (first, second):
        async with running(directory):
            pass
    with pytest.raises(DataDirectoryError):
        async with running(None, log_dirs=log_dirs(first, second)):
            pass


async def test_a_topic_of_another_life_is_put_aside(tmp_path, topic) -> None:
    """A directory of a partition that the metadata does not know is renamed, and its name is free."""
    async with running(tmp_path) as broker:
        await broker.client.create_topic(topic, 1)
        await write_to_all(broker, topic, 1, b"x")
    shutil.copytree(tmp_path / f"{topic}-0", tmp_path / "stranger-0")
    (tmp_path / "stranger-0" / "partition.metadata").write_text(
        "version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAUQ"
    )
    async with running(tmp_path) as broker:
        assert await read_from(broker, topic, 0) == [b"x"]
        assert not (tmp_path / "stranger-0").exists()
        assert [path.name.endswith("-stray") for path in tmp_path.glob("stranger-0*")] == [True]
        await broker.client.create_topic("stranger", 1)
        await broker.client.produce("stranger", batch(b"new"))
        assert values_of(await broker.client.fetch("stranger")) == [b"new"]
