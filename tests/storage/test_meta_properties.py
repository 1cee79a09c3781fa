"""meta.properties: what Kafka writes is read, what we write Kafka reads, and foreign directories are refused untouched."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakka.protocol.uuids import uuid_from_text, uuid_text
from snakka.storage.files import OsFiles
from snakka.storage.meta_properties import (
    DataDirectoryError,
    FoundDirectories,
    MetaProperties,
    find,
    load_or_create,
    parse,
    verify,
)

# As Java's Properties.store writes it: comments, a date, and the pairs in the order of a hash table.
WRITTEN_BY_KAFKA = b"""#
#Tue Mar 03 11:12:13 UTC 2026
node.id=7
directory.id=2jmR8dO6TpyUhHqCMKtS1g
version=1
cluster.id=MkU3OEVBNTcwNTJENDM2Qg
"""
DIRECTORY_ID = uuid_from_text("2jmR8dO6TpyUhHqCMKtS1g")


def ids(*numbers: int) -> list[bytes]:
    return [(number + 1000).to_bytes(16, "big") for number in numbers]


def test_what_kafka_writes() -> None:
    found = parse(WRITTEN_BY_KAFKA, "meta.properties")
    assert found == MetaProperties("MkU3OEVBNTcwNTJENDM2Qg", 7, DIRECTORY_ID)


def test_what_we_write_is_in_kafkas_words() -> None:
    lines = MetaProperties("MkU3OEVBNTcwNTJENDM2Qg", 7, DIRECTORY_ID).encode().decode().splitlines()
    expected = [line for line in WRITTEN_BY_KAFKA.decode().splitlines() if not line.startswith("#")]
    assert sorted(line for line in lines if not line.startswith("#")) == sorted(expected)


@given(
    cluster=st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=40),
    node=st.integers(0, 2**31 - 1),
    directory=st.none() | st.binary(min_size=16, max_size=16).filter(lambda raw: any(raw[:8])),
)
def test_round_trip(cluster: str, node: int, directory: bytes | None) -> None:
    properties = MetaProperties(cluster, node, directory)
    assert parse(properties.encode(), "x") == properties


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "version 0"),
        ("version=0\nbroker.id=1\ncluster.id=c", "version 0"),
        ("version=2\nnode.id=1\ncluster.id=c", "version 2"),
        ("version=1\nnode.id=1", "damaged"),
        ("version=1\ncluster.id=c", "damaged"),
        ("version=1\ncluster.id=c\nnode.id=-3", "damaged"),
        ("version=1\ncluster.id=c\nnode.id=1\ndirectory.id=zzz", "not a UUID"),
        ("version=1\ncluster.id=c\nnode.id=1\ndirectory.id=AAAAAAAAAAAAAAAAAAAAAQ", "reserved"),
        ("\x00\x01\udcff", "version 0"),
        ("version=\\u00", "not a properties file"),
    ],
)
def test_damaged_files_say_so_in_one_line(text: str, complaint: str) -> None:
    with pytest.raises(DataDirectoryError, match=complaint) as raised:
        parse(text.encode(errors="surrogateescape"), "/data/meta.properties")
    assert "\n" not in str(raised.value)


def formatted(**directories: MetaProperties) -> FoundDirectories:
    return FoundDirectories(formatted=dict(directories))


def test_another_node_is_refused() -> None:
    with pytest.raises(DataDirectoryError, match="a belongs to node 2, and this is node 1"):
        verify(formatted(a=MetaProperties("c", 2)), node_id=1, cluster_id=None)


def test_another_cluster_is_refused() -> None:
    with pytest.raises(DataDirectoryError, match="belongs to cluster c, and this node to d"):
        verify(formatted(a=MetaProperties("c", 1)), node_id=1, cluster_id="d")
    with pytest.raises(DataDirectoryError, match="b belongs to cluster d"):
        verify(formatted(a=MetaProperties("c", 1), b=MetaProperties("d", 1)), node_id=1, cluster_id=None)


def test_a_copied_directory_is_refused() -> None:
    one = MetaProperties("c", 1, DIRECTORY_ID)
    with pytest.raises(DataDirectoryError, match=r"a and b have the same directory\.id"):
        verify(formatted(a=one, b=one), node_id=1, cluster_id="c")


def test_an_empty_directory_beside_one_in_use_is_refused() -> None:
    found = FoundDirectories(formatted={"a": MetaProperties("c", 1)}, with_data=["a"], empty=["b"])
    with pytest.raises(DataDirectoryError, match="b is empty but a is in use"):
        verify(found, node_id=1, cluster_id=None)


def test_finding_and_creating(tmp_path: Path) -> None:
    files = OsFiles()
    one, two = str(tmp_path / "one"), str(tmp_path / "two")
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    found = find(files, [one, two])
    assert (found.formatted, found.empty, found.failed) == ({}, [one, two], {})
    fresh = iter(ids(1, 2))
    seen = []

    def before_create(created: object) -> None:
        assert not (tmp_path / "one" / "meta.properties").exists()
        seen.append(created)

    made = load_or_create(
        files, found, node_id=3, cluster_id="c", new_directory_id=fresh.__next__, before_create=before_create
    )
    expected = {one: MetaProperties("c", 3, ids(1)[0]), two: MetaProperties("c", 3, ids(2)[0])}
    assert made == expected
    assert seen == [expected]
    again = find(files, [one, two])
    assert again.formatted == expected
    assert (again.with_data, again.empty) == ([], [])
    verify(again, node_id=3, cluster_id=None)
    again_made = load_or_create(
        files, again, node_id=3, cluster_id="c", new_directory_id=fresh.__next__, before_create=before_create
    )
    assert again_made == expected
    assert len(seen) == 1


def test_an_old_file_gets_a_directory_id(tmp_path: Path) -> None:
    files = OsFiles()
    (tmp_path / "meta.properties").write_bytes(b"version=1\nnode.id=3\ncluster.id=c\n")
    found = find(files, [str(tmp_path)])
    load_or_create(
        files,
        found,
        node_id=3,
        cluster_id="c",
        new_directory_id=lambda: DIRECTORY_ID,
        before_create=lambda created: pytest.fail(f"nothing is new: {created}"),
    )
    text = (tmp_path / "meta.properties").read_text()
    assert f"directory.id={uuid_text(DIRECTORY_ID)}" in text
    assert not (tmp_path / "meta.properties.tmp").exists()


@pytest.mark.parametrize("name", ["notes.txt", "topic-0/", "__cluster_metadata-0/00000000000000000000.log"])
def test_files_without_meta_properties_are_not_ours(tmp_path: Path, name: str) -> None:
    target = tmp_path / name
    if name.endswith("/"):
        target.mkdir()
    else:
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(b"")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(DataDirectoryError, match=r"has files but no meta\.properties"):
        find(OsFiles(), [str(tmp_path)])
    assert sorted(tmp_path.rglob("*")) == before


def test_an_interrupted_format_may_go_on(tmp_path: Path) -> None:
    (tmp_path / ".lock").write_bytes(b"")
    (tmp_path / "lost+found").mkdir()
    (tmp_path / "bootstrap.checkpoint").write_bytes(b"x")
    (tmp_path / "meta.properties.tmp").write_bytes(b"version=")
    (tmp_path / "__cluster_metadata-0").mkdir()
    (tmp_path / "__cluster_metadata-0" / "00000000000000000000-0000000000.checkpoint").write_bytes(b"x")
    assert find(OsFiles(), [str(tmp_path)]).empty == [str(tmp_path)]


def test_a_file_instead_of_a_directory_has_failed(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"")
    assert list(find(OsFiles(), [str(path)]).failed) == [str(path)]
