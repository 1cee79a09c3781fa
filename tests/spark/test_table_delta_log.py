"""What maintenance leaves of a Delta table's log, and what it says in it."""

import json
import re
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable
from tests.spark.table_reading import delta_rows
from tests.spark.table_writing import append, delta_opener, make_old, rows_from

from snakka.spark.tables.maintenance import maintain_delta


@pytest.mark.parametrize("young", [(), (1,)])
def test_every_version_within_the_retention_can_still_be_had(tmp_path: Path, young: tuple[int, ...]) -> None:
    """A checkpoint in parts, of which one never came, is none: it does not make up for older entries."""
    path, log = tmp_path / "t", tmp_path / "t" / "_delta_log"
    for batch in range(5):
        append(delta_opener(path), rows_from(batch * 10, 10), batch)
    for version in (*young, 2):
        DeltaTable(str(path), version=version).create_checkpoint()
    whole = (log / f"{2:020d}.checkpoint.parquet").read_bytes()
    (log / f"{4:020d}.checkpoint.{1:010d}.{2:010d}.parquet").write_bytes(whole)
    make_old(*(log / f"{version:020d}.json" for version in range(4)), log / f"{2:020d}.checkpoint.parquet")

    plan = maintain_delta(str(path), retention_hours=24, dry_run=True)
    assert maintain_delta(str(path), retention_hours=24).states_expired == plan.states_expired == 2
    for version in (4, 5):
        assert DeltaTable(str(path), version=version).to_pyarrow_table().num_rows == version * 10
    assert append(delta_opener(path), rows_from(50, 10), 5) is True
    assert delta_rows(path).num_rows == 60
    # What is no older than a moment may be what a reader is at.
    assert all((log / f"{version:020d}.checkpoint.parquet").exists() for version in young)


def test_a_table_that_keeps_its_log_keeps_it(tmp_path: Path) -> None:
    path = tmp_path / "t"
    for batch in range(3):
        append(delta_opener(path), rows_from(batch * 10, 10), batch)
    DeltaTable(str(path)).alter.set_table_properties({"delta.enableExpiredLogCleanup": "false"})
    DeltaTable(str(path)).create_checkpoint()
    make_old(*(path / "_delta_log").iterdir())
    for is_dry in (True, False):
        assert maintain_delta(str(path), retention_hours=24, dry_run=is_dry).states_expired == 0
    assert DeltaTable(str(path), version=1).to_pyarrow_table().num_rows == 10


@pytest.mark.parametrize("features", [None, ["appendOnly"]])
def test_what_is_asked_of_a_tables_readers_and_writers_stays(
    tmp_path: Path, features: list[str] | None
) -> None:
    """deltalake would make a table with features ask for those of variant columns too, which many readers do not know."""
    path = tmp_path / "t"
    wall = pa.schema([("id", pa.int64()), ("at", pa.timestamp("us"))])
    schema = wall if features is None else wall.remove(1)
    rows = pa.table({"id": [1], "at": [0]}, schema=wall).select(schema.names)
    append(delta_opener(path, schema), rows, 0)
    if features is not None:
        asks = {"minReaderVersion": 1, "minWriterVersion": 7, "writerFeatures": features}
        first = path / "_delta_log" / f"{0:020d}.json"
        entry = re.sub(r'"protocol":\{.*?\}', f'"protocol":{json.dumps(asks)}', first.read_text())
        first.write_text(entry)
    append(delta_opener(path, schema), rows, 1)
    make_old(*(path / "_delta_log").iterdir())
    before = DeltaTable(str(path)).protocol()
    assert before.writer_features is not None
    # The compaction is a young entry, and the checkpoint is of that.
    assert maintain_delta(str(path), retention_hours=24).states_expired == 3
    assert DeltaTable(str(path)).protocol() == before
    assert append(delta_opener(path, schema), rows, 2) is True
    assert delta_rows(path).num_rows == 3
