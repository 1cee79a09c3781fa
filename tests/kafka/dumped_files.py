"""What kafka-dump-log says of a data directory: every file of it, read to the last record, must please it."""

import re
from collections import defaultdict
from pathlib import Path

from tests.kafka.kafka_tools_process import KafkaTools

LOG_FILES = (".log", ".index", ".timeindex", ".txnindex", ".snapshot")
INDEXES = (".index", ".timeindex")
METADATA = "__cluster_metadata-0"

# It begins every segment with -1 in mind, and so it complains about all that do not begin at 0.
_FALSE_ALARM = re.compile(r"Non-consecutive offsets in .*\n  -1 is followed by \d+\n")
_GAPS = re.compile(r"Non-consecutive offsets in \S*/compacted-\d+/.*\n(  \d+ is followed by \d+\n)+")


def dumped_offsets(
    tools: KafkaTools, data: Path, *, after_a_crash: bool = False
) -> dict[tuple[str, int], list[int]]:
    """The offsets of all records by topic and partition, as the tool finds them; fails if it finds anything wrong.

    After a crash the last batch of a log may be cut off, and nobody has cut it away yet.
    """
    files = [
        file
        for file in sorted(data.glob("*-*/*"))
        if file.suffix in LOG_FILES
        and file.parent.name != METADATA
        and not file.parent.name.endswith("-delete")
    ]
    printed = _dump(tools, files, "--deep-iteration", "--print-data-log")
    if not after_a_crash:
        assert "invalid bytes" not in printed
    _check_indexes(tools, [file for file in files if file.suffix in INDEXES])
    found: dict[tuple[str, int], list[int]] = defaultdict(list)
    for file, text in _by_file(printed).items():
        topic, _, partition = file.parent.name.rpartition("-")
        if file.suffix == ".log":
            found[topic, int(partition)] += map(int, re.findall(r"^\| offset: (\d+)", text, re.MULTILINE))
    return found


def dumped_metadata(tools: KafkaTools, data: Path) -> str:
    """All that the metadata log and its snapshots say."""
    log = data / METADATA
    files = [file for file in sorted(log.iterdir()) if file.suffix in (*LOG_FILES, ".checkpoint")]
    # Others than this have records in them that the tool can decode.
    files = [file for file in files if file.suffix != ".snapshot"]
    printed = _dump(tools, [*files, data / "bootstrap.checkpoint"], "--cluster-metadata-decoder")
    assert "Could not decode" not in printed
    _check_indexes(tools, [file for file in files if file.suffix in INDEXES])
    return printed


def _dump(tools: KafkaTools, files: list[Path], *arguments: str) -> str:
    ended = tools.run("kafka-dump-log", *arguments, "--files", ",".join(map(str, files)))
    complaints = _GAPS.sub("", _FALSE_ALARM.sub("", ended.errors))
    assert (ended.code, complaints) == (0, "")
    assert "isvalid: false" not in ended.output
    assert _by_file(ended.output).keys() == set(files)
    return ended.output


def _check_indexes(tools: KafkaTools, files: list[Path]) -> None:
    for file, text in _by_file(_dump(tools, files, "--index-sanity-check")).items():
        assert text.strip() in (f"{file} passed sanity check.", f"{file} is empty."), text


def _by_file(printed: str) -> dict[Path, str]:
    parts = printed.split("Dumping ")[1:]
    return {Path(part.partition("\n")[0]): part.partition("\n")[2] for part in parts}
