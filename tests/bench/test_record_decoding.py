"""The comparison of record decoders: every way does its work, and the targets are asked for."""

import pytest
from tests.protocol.record_samples import compiled_records

BATCH_BYTES = 100


def test_every_way_handles_the_records() -> None:
    compiled_records()
    from bench.record_decoding import TABLES, Sample

    sample = Sample.of_size(BATCH_BYTES)
    for ways in TABLES.values():
        for way in ways(sample):
            result = way.call()
            assert result is not None, way.name
            if isinstance(result, list) and len(result) > 4:
                assert len(result) == way.records, way.name


@pytest.mark.parametrize("title", ["decode to messages", "decode to columns"])
def test_a_way_has_a_rate(title: str) -> None:
    compiled_records()
    from bench.record_decoding import TABLES, Sample, rate

    way = next(TABLES[title](Sample.of_size(BATCH_BYTES)))
    assert rate(way, seconds=0.01) > 0


def test_the_targets_are_those_of_the_decoder() -> None:
    compiled_records()
    from bench.record_decoding import measure

    rows = list(measure(0.05))
    assert [(row.what, row.unit, row.at_least) for row in rows] == [
        (f"records of 100 B to columns, {name}", " M/s", True) for name in ("NumPy", "compiled")
    ]
    assert rows[0].bound == 3
    assert rows[1].bound == round(5 * max(3, rows[0].figure), 1)
    assert all(row.figure > 0 for row in rows)


@pytest.mark.parametrize(
    ("in_numpy", "compiled", "bound", "is_met"),
    [
        (2.0, 14.9, 15, [False, False]),
        (2.0, 15.0, 15, [False, True]),
        (3.0, 15.0, 15, [True, True]),
        (7.0, 34.9, 35, [True, False]),
        (7.0, 35.0, 35, [True, True]),
    ],
)
def test_compiled_code_is_five_times_as_fast_as_numpy_in_the_same_run(
    monkeypatch: pytest.MonkeyPatch, in_numpy: float, compiled: float, bound: float, is_met: list[bool]
) -> None:
    """Where NumPy is slower than it must be, that makes it no easier."""
    compiled_records()
    from bench import record_decoding

    rates = {"snakka, NumPy": in_numpy * 1e6, "snakka, compiled": compiled * 1e6}
    monkeypatch.setattr(record_decoding, "rate", lambda way, seconds: rates[way.name])
    rows = list(record_decoding.measure())
    assert [row.bound for row in rows] == [3, bound]
    assert [row.is_met for row in rows] == is_met
