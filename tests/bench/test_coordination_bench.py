"""Groups and transactions are measured as they are meant to be, on a small scale. Speed is not judged here."""

from dataclasses import replace
from pathlib import Path

import pytest
from bench.scale import QUICK
from bench.servers import start_snakka

from bench import coordination


def test_every_row_has_its_target_and_a_figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another Snakka in Kafka's place is given the same to do."""
    monkeypatch.setattr(coordination, "MEMBERS", 10)
    monkeypatch.setattr(coordination, "IDLE_GROUPS", 100)
    monkeypatch.setattr(coordination, "COMMIT_SECONDS", 0.2)
    scale = replace(QUICK, starts=1, transactions=5)
    rows = {row.what: row for row in coordination.measure(tmp_path, scale, start_snakka)}
    assert {what: row.target for what, row in rows.items()} == {
        "10 members join, rebalance and settle": "at most 1",
        "consume-transform-produce transactions a second": "at least 1",
        "first poll of a new group, classic protocol": "at most 0.3 s",
        "first poll of a new group, consumer protocol": "at most 0.3 s",
        "offset commits a second, 8 connections": "at least 5000",
        "memory (RSS) that 100 idle groups add": "at most 50 MB",
    }
    added = rows.pop("memory (RSS) that 100 idle groups add")
    assert added.figure >= 0
    assert all(row.figure > 0 for row in rows.values())
