"""Drivers and workers killed with -9 at each step of a batch: Delta and Iceberg tables hold every row once."""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.spark.table_kill_driver import ROWS_A_BATCH
from tests.spark.table_reading import (
    Counts,
    counts_of,
    delta_files,
    delta_rows,
    files_on_disk,
    iceberg_files,
    iceberg_table,
    parquet_counts,
    spark_counts,
)

from snakka.spark.tables.maintenance import maintain_delta, maintain_iceberg

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HERE = Path(__file__).parent
# Each run is killed in a later batch, so each replays what the one before left: batch 1, then 2, then 3.
KILLS = (("files-written", 1), ("before-commit", 2), ("after-commit", 3))
LAST_BATCH = 5
RUN_SECONDS = 300


def run_driver(directory: Path, step: str, batch: int) -> int:
    """One life of the driver; its exit code."""
    hook = directory / "hook"
    hook.mkdir(exist_ok=True)
    (hook / "sitecustomize.py").write_text("import table_crash_points\n")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(hook), str(HERE), os.environ.get("PYTHONPATH", "")]),
        "TABLE_CRASH_STEP": step,
        "TABLE_CRASH_BATCH": str(batch),
        "TABLE_CRASH_DIR": str(directory),
    }
    result = subprocess.run(
        [sys.executable, str(HERE / "table_kill_driver.py"), str(directory), str(LAST_BATCH)],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=RUN_SECONDS,
        check=False,
    )
    (directory / f"run-{step}.log").write_text(result.stdout + result.stderr)
    return result.returncode


def batch_of(path: str) -> int:
    """The batch that a file was written for: part-TASK-QUERY-BATCH-CHANCE-NUMBER.parquet."""
    return int(Path(path).name.split("-")[3])


@pytest.mark.slow
@pytest.mark.timeout(1300)
def test_a_row_is_in_the_tables_once_wherever_driver_and_workers_are_killed(
    tmp_path: Path, spark: "SparkSession"
) -> None:
    for step, batch in KILLS:
        assert run_driver(tmp_path, step, batch) == -9, (tmp_path / f"run-{step}.log").read_text()
    assert run_driver(tmp_path, "mid-write", 4) == 0, (tmp_path / "run-mid-write.log").read_text()

    table = iceberg_table(tmp_path)
    lists = {"delta": delta_files(tmp_path / "delta"), "iceberg": iceberg_files(table)}
    read = {"delta": counts_of(delta_rows(tmp_path / "delta")), "iceberg": counts_of(table.scan().to_arrow())}
    for name, files in lists.items():
        batches = {batch_of(path) for path in files}
        assert set(range(LAST_BATCH + 1)) <= batches, name
        rows = (max(batches) + 1) * ROWS_A_BATCH
        expected = Counts(rows, rows, 0, rows - 1)
        assert read[name] == expected, name
        assert parquet_counts(files) == expected, name
        assert spark_counts(spark, files) == expected, name

    for root, files in ((tmp_path / "delta", lists["delta"]), (tmp_path / "warehouse", lists["iceberg"])):
        left = [path for path in files_on_disk(root) if path not in files]
        # Killed before the commit: the files of the first try stay, and no table knows them.
        assert {1, 2} <= {batch_of(path) for path in left}
        # Killed after the commit: the second try found the batch in the table and took its own files away.
        assert 3 not in {batch_of(path) for path in left}
        assert (
            tmp_path / f"mid-write-4-{'DeltaStorage' if root.name == 'delta' else 'IcebergStorage'}"
        ).exists()

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
    for counts in (
        counts_of(delta_rows(directory / "delta")),
        counts_of(iceberg_table(directory).scan().to_arrow()),
    ):
        assert counts.rows == counts.distinct == counts.highest + 1
