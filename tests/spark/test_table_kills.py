"""Drivers and workers killed with -9 at each step of a batch of a topic: Delta and Iceberg tables hold every row once."""

import os
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from driver_lives import Life
from table_faults import IN_TABLE_COMMIT
from table_reading import (
    Counts,
    counts_of,
    delta_files,
    delta_rows,
    files_on_disk,
    iceberg_files,
    iceberg_table,
    parquet_counts,
)
from topic_sink_faults import BEFORE_A_TASK, IN_TASKS

from snakka.client.blocking import Producer
from snakka.spark.tables.maintenance import maintain_delta, maintain_iceberg
from snakka.testing import BlockingLocalBroker

NewTopic = Callable[..., str]
ROWS_A_BATCH = 40
# The step, and the batch: each run replays what the one before has left. The table is made in the first.
KILLS = (
    (BEFORE_A_TASK, 0),
    (IN_TABLE_COMMIT[0], 0),
    (IN_TASKS[0], 1),
    (IN_TASKS[1], 2),
    (IN_TABLE_COMMIT[1], 3),
)
OF_A_WORKER = (IN_TASKS[0], 4)
BATCHES = 6
ROWS = ROWS_A_BATCH * BATCHES


def batch_of(path: str) -> int:
    """The batch that a file was written for: part-TASK-QUERY-BATCH-CHANCE-NUMBER.parquet."""
    return int(Path(path).name.split("-")[3])


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.skipif(shutil.which("java") is None, reason="needs Java 17")
def test_a_row_is_in_the_tables_once_wherever_driver_and_workers_are_killed(
    broker: BlockingLocalBroker, new_topic: NewTopic, tmp_path: Path
) -> None:
    source = new_topic(2)
    with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        for number in range(ROWS):
            producer.send(source, b"%d" % number, partition=number % 2)
    sinks = {
        "delta": {"path": str(tmp_path / "delta")},
        "iceberg": {
            "catalog.uri": f"sqlite:///{tmp_path}/catalog.db",
            "catalog.warehouse": f"file://{tmp_path}/warehouse",
            "table": "lake.events",
        },
    }
    life = Life(broker.bootstrap_servers, source, str(tmp_path), ROWS_A_BATCH, sinks)
    for number, (where, batch) in enumerate(KILLS):
        replace(life, where=where, batch=batch, tasks=2 + 2 * (number % 2)).kill()
        # A batch counts from the commit of the table; the table itself is there before.
        rows = ROWS_A_BATCH * (batch + (where == IN_TABLE_COMMIT[1]))
        read = (delta_rows(tmp_path / "delta"), iceberg_table(tmp_path).scan().to_arrow())
        assert [each.num_rows for each in read] == [rows, rows], f"killed {where}"
        if where == BEFORE_A_TASK:
            assert files_on_disk(tmp_path) == []
    where, batch = OF_A_WORKER
    replace(life, where=where, batch=batch, is_worker=True).end()

    lists = {"delta": delta_files(tmp_path / "delta"), "iceberg": iceberg_files(iceberg_table(tmp_path))}
    read_back = {
        "delta": delta_rows(tmp_path / "delta"),
        "iceberg": iceberg_table(tmp_path).scan().to_arrow(),
    }
    for name, files in lists.items():
        assert counts_of(read_back[name]) == parquet_counts(files) == Counts(ROWS, ROWS, 0, ROWS - 1), name
        assert {batch_of(path) for path in files} == {*range(BATCHES)}, name
    for root, files in ((tmp_path / "delta", lists["delta"]), (tmp_path / "warehouse", lists["iceberg"])):
        # Killed before the commit: the files of the first try stay, and no table knows them. Killed after it: the second try
        # found the batch in the table, and took its own files away.
        left = {batch_of(path) for path in files_on_disk(root) if path not in files}
        assert left == {0, 1, 2, batch}, root

    assert_maintenance_removes_what_was_left(tmp_path, lists)


def assert_maintenance_removes_what_was_left(directory: Path, lists: dict[str, list[str]]) -> None:
    """Two days later: files of killed tasks go, rows stay."""
    known = {path for files in lists.values() for path in files}
    left = [path for path in files_on_disk(directory) if path not in known]
    for path in left:
        os.utime(path, (time.time() - 2 * 86_400,) * 2)
    catalog = {"uri": f"sqlite:///{directory}/catalog.db", "warehouse": f"file://{directory}/warehouse"}
    delta = maintain_delta(str(directory / "delta"), retention_hours=24)
    iceberg = maintain_iceberg(catalog, "lake.events", retention_hours=24)
    assert delta.files_removed + iceberg.files_removed == len(left)
    assert not [path for path in left if Path(path).exists()]
    for rows in (delta_rows(directory / "delta"), iceberg_table(directory).scan().to_arrow()):
        assert counts_of(rows) == Counts(ROWS, ROWS, 0, ROWS - 1)
