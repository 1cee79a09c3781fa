"""One flipped bit in a data directory, and what a broker that starts on it may do: heal it, refuse, or say so.

What it may never do is serve it as good. Which of these it is depends on what the bit was for: RELIABILITY.md has the table.
"""

import random
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.cli.broker_process import run_command, start_broker
from tests.faults.audit import CHECKSUM, NOTHING, Findings, audit
from tests.faults.data_template import Template, Truth, batch_positions, write_template

REFUSED, INTACT, CUT, ERROR, READER = (
    "refused to start",
    "intact",
    "cut",
    "an error code",
    "the reader's checksum",
)

# Where the parts of a batch's header lie. The checksum covers all that come after it.
PARTS = {
    "base_offset": (0, 8),
    "length": (8, 12),
    "leader_epoch": (12, 16),
    "magic": (16, 17),
    "checksum": (17, 21),
    "attributes": (21, 23),
    "last_offset_delta": (23, 27),
    "base_timestamp": (27, 35),
    "max_timestamp": (35, 43),
    "producer_id": (43, 51),
    "producer_epoch": (51, 53),
    "base_sequence": (53, 57),
    "count": (57, 61),
    "payload": (61, 200),
}


def flip(path: Path, position: int, bit: int = 0x01) -> None:
    data = bytearray(path.read_bytes())
    data[position] ^= bit
    path.write_bytes(data)


def flip_part(partition: Path, part: str, segment: int, batch: int) -> None:
    """The lowest bit of a part of a batch, by the numbers of the segment and of the batch in it."""
    path = sorted(partition.glob("*.log"))[segment]
    flip(path, batch_positions(path)[batch][0] + PARTS[part][1] - 1)


def verdict(findings: Findings, truth: dict[int, Truth], log: str) -> str:
    """How the damage showed to the readers of one topic; AssertionError if it did not."""
    assert not findings.wrong, findings.wrong[:3]
    if findings.is_intact:
        return INTACT
    end = findings.end
    for offset, way in findings.missed.items():
        assert way != NOTHING or offset >= end, f"nothing at {offset}, the log ends at {end}, and no error"
    assert end <= max(truth) + 2, f"the log ends at {end}"
    if CHECKSUM in findings.ways:
        return READER
    if "CORRUPT_MESSAGE" in findings.ways:
        return ERROR
    assert "cutting" in log or "set aside as stray" in log, (
        f"missed by {findings.ways}, and the log says nothing"
    )
    return CUT


def start_on_damage(directory: Path, records: dict[str, dict[int, Truth]]) -> dict[str, str]:
    """What becomes of each topic when a broker starts on `directory`/data; all refused if it does not."""
    try:
        broker = start_broker(directory)
    except AssertionError:
        again = run_command("start", "--data-dir", str(directory / "data"), "--listen", "127.0.0.1:0")
        said = again.stderr.decode()
        assert again.returncode == 2, said
        assert "Traceback" not in said, said
        assert said.splitlines()[-1].startswith("snakka: "), said
        return dict.fromkeys(records, REFUSED)
    with broker:
        found = audit(broker.bootstrap, records)
        assert broker.stop() == 0, broker.log
        assert "Traceback" not in broker.log, broker.log
        return {topic: verdict(findings, records[topic], broker.log) for topic, findings in found.items()}


@dataclass
class FlipFigures:
    """What became of so many flipped bits, by the kind of file."""

    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)

    def lines(self) -> list[str]:
        kinds = sorted({kind for kind, _ in self.outcomes})
        total = sum(self.outcomes.values())
        lines = [f"flipped bits: {total}; served as good: 0; tracebacks: 0"]
        for kind in kinds:
            parts = [
                f"{outcome} {count}" for (of, outcome), count in self.outcomes.most_common() if of == kind
            ]
            lines.append(f"{kind}: {', '.join(parts)}")
        return lines


class RandomFlips:
    """Bits anywhere in the directory, one at a time."""

    def __init__(self, directory: Path, seed: int, say: Callable[[str], None] = lambda _: None) -> None:
        self._directory = directory
        self._chance = random.Random(seed)
        self._say = say

    def run(self, count: int) -> FlipFigures:
        figures = FlipFigures()
        template = write_template(self._directory / "template", ["one", "two"])
        for number in range(count):
            source = self._chance.choice((template.stopped, template.killed))
            path = self._choose(source)
            kind, outcome = self._try(template, source, path, number)
            figures.outcomes[kind, outcome] += 1
            if (number + 1) % 25 == 0:
                self._say(f"{number + 1} bits")
        return figures

    def _choose(self, source: Path) -> Path:
        """Every kind of file as often as every other, though most bytes are in segments."""
        by_kind: dict[str, list[Path]] = {}
        for path in sorted(source.rglob("*")):
            if path.is_file() and path.stat().st_size:
                by_kind.setdefault(kind_of(path), []).append(path)
        return self._chance.choice(by_kind[self._chance.choice(sorted(by_kind))])

    def _try(self, template: Template, source: Path, path: Path, number: int) -> tuple[str, str]:
        place = self._directory / "experiment"
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(source, place / "data")
        copy = place / "data" / path.relative_to(source)
        position, bit = self._chance.randrange(copy.stat().st_size), 1 << self._chance.randrange(8)
        flip(copy, position, bit)
        try:
            outcomes = start_on_damage(place, template.records)
        except AssertionError as error:
            where = f"bit {bit:#x} of byte {position} of {path.relative_to(source)}, {source.parent.name}"
            raise AssertionError(f"number {number}, {where}: {error}") from error
        return kind_of(path), max(outcomes.values(), key=SEVERITY.index)


SEVERITY = (INTACT, READER, ERROR, CUT, REFUSED)


def kind_of(path: Path) -> str:
    """What a file is for, by its name."""
    if path.parent.name.startswith("__cluster_metadata"):
        return f"metadata {path.suffix or path.name}"
    return path.suffix if path.name[:1].isdigit() else path.name
