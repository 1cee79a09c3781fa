"""Flipped bits in every part of a batch and in every kind of file: healed, refused or reported, and never served as good."""

import shutil
from pathlib import Path

import pytest

from tests.faults.data_template import TRANSACTED, Template, write_template
from tests.faults.flips import CUT, ERROR, INTACT, PARTS, READER, REFUSED, flip, flip_part, start_on_damage

# By number: a batch within a full segment, and the last one of the log.
PLACES = {"within": (1, 1), "last": (-1, -1)}
CASES = {f"{part}-{place}": (part, place) for part in PARTS for place in PLACES}
# What a checksum covers, or is: the reader finds out. The rest concerns where a batch lies: the broker finds out.
OF_THE_PLACE = ("base_offset", "length", "leader_epoch", "magic", "last_offset_delta")
INDEXED = ("offsets", "times")
METADATA = "__cluster_metadata-0"

pytestmark = pytest.mark.xdist_group("flips")  # they share the template


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    return write_template(tmp_path_factory.mktemp("flips") / "template", [*CASES, *INDEXED])


def damaged(template: Template, source: Path, directory: Path) -> Path:
    """A copy of the data with one case's damage in each topic."""
    data = directory / "data"
    shutil.copytree(source, data)
    for topic, (part, place) in CASES.items():
        flip_part(data / f"{topic}-0", part, *PLACES[place])
    for topic, suffix in (*zip(INDEXED, (".index", ".timeindex"), strict=True), (TRANSACTED, ".txnindex")):
        path = min((data / f"{topic}-0").glob(f"*{suffix}"))
        for position in range(0, path.stat().st_size, 4):
            flip(path, position, 0x02)
    return directory


def test_after_a_clean_stop(template: Template, tmp_path: Path) -> None:
    outcomes = start_on_damage(damaged(template, template.stopped, tmp_path), template.records)
    for topic, (part, place) in CASES.items():
        if part not in OF_THE_PLACE:
            expected = {READER}
        elif place == "within":
            expected = {ERROR, READER}
        else:
            # Nothing comes after it: its end is known, so it is cut off; an epoch has no other witness.
            expected = {CUT, READER} if part != "leader_epoch" else {INTACT}
        assert outcomes[topic] in expected, topic
    for topic in (*INDEXED, TRANSACTED):
        assert outcomes[topic] == INTACT


def test_after_a_kill(template: Template, tmp_path: Path) -> None:
    """All of it is verified, since nothing says that it was synced: the log is cut where it stops being right."""
    outcomes = start_on_damage(damaged(template, template.killed, tmp_path), template.records)
    for topic, (part, _) in CASES.items():
        assert outcomes[topic] in ((CUT,) if part != "leader_epoch" else (CUT, INTACT, ERROR)), topic
    for topic in (*INDEXED, TRANSACTED):
        assert outcomes[topic] == INTACT


@pytest.mark.parametrize(
    ("name", "position", "expected"),
    [
        ("meta.properties", 20, REFUSED),
        ("meta.properties", -5, REFUSED),
        (f"{METADATA}/quorum-state", 15, REFUSED),
        (f"{METADATA}/00000000000000000000.log", 700, REFUSED),
        (f"{METADATA}/00000000000000000000-0000000000.checkpoint", 100, REFUSED),
        (f"{METADATA}/partition.metadata", 32, INTACT),
        ("{topic}-0/partition.metadata", 30, INTACT),
        ("{topic}-0/leader-epoch-checkpoint", 2, INTACT),
        ("{topic}-0/00000000000000000040.snapshot", 12, INTACT),
        ("recovery-point-offset-checkpoint", -3, INTACT),
        ("replication-offset-checkpoint", -3, INTACT),
        ("log-start-offset-checkpoint", 2, INTACT),
        (".kafka_cleanshutdown", 3, INTACT),
    ],
)
def test_files_beside_the_logs(
    template: Template, tmp_path: Path, name: str, position: int, expected: str
) -> None:
    topic = INDEXED[0]
    shutil.copytree(template.stopped, tmp_path / "data")
    path = tmp_path / "data" / name.format(topic=topic)
    flip(path, position % path.stat().st_size)
    outcomes = start_on_damage(tmp_path, {topic: template.records[topic]})
    assert outcomes[topic] == expected
