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
    assert [(row.bound, row.unit, row.at_least) for row in rows] == [(3, " M/s", True), (15, " M/s", True)]
    assert all(row.figure > 0 for row in rows)
