"""The harness itself: that it measures a real broker and writes down what it measured. Speed is not judged here."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.floor import FloorServer, RoundTrips
from bench.librdkafka_load import AckTimer, Load, consume, produce
from bench.raw_client import produce_frame
from bench.report import KAFKA, Row, median_ratio_row, page
from bench.servers import Server, start_snakka
from bench.shortfalls import reason_for

from bench import against_floor, clients_idle


@pytest.fixture(scope="module")
def snakka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with start_snakka(tmp_path_factory.mktemp("bench") / "data") as server:
        server.seconds_to_first_ack()
        yield server


def test_the_floor_answers_every_frame_with_the_asked_size() -> None:
    with FloorServer(answer_bytes=50) as floor:
        client = RoundTrips(floor.port)
        for size in (1, 100, 70_000):
            assert len(client.exchange(size.to_bytes(4, "big") + bytes(size))) == 46
        client.close()


def test_a_floor_that_does_not_come_up_says_so() -> None:
    with pytest.raises(RuntimeError, match="the floor ended with 1 before it served"):
        FloorServer(answer_bytes=-1)


def test_round_trips_are_compared_with_the_floor(snakka: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(against_floor, "ROUND_SECONDS", 0.02)
    rows = list(against_floor.measure(snakka, rounds=1))
    assert [row.what for row in rows] == [f"round trips, {size} requests" for size in against_floor.SIZES]
    assert all(row.figure > 0 for row in rows)  # in 20 ms another process may take all of one side


def test_a_load_is_produced_and_consumed_whole(snakka: Server) -> None:
    load = Load(record_bytes=100, partitions=2, acks=-1)
    client = snakka.connect()
    assert client.creates_topic(load.topic, load.partitions)
    client.wait_for_leaders(load.topic, load.partitions)
    before = client.end_offsets(load.topic, load.partitions)
    produced = produce(snakka, load, 5000)
    assert produced.bytes == 500_000
    assert produced.rate > 0
    assert produced.cpu_seconds > 0
    assert client.end_offsets(load.topic, load.partitions) - before == 5000
    assert consume(snakka, load, 5000).bytes <= 500_000
    latencies = AckTimer(snakka, load).measure(5)
    assert len(latencies) == 5
    assert min(latencies) > 0
    client.close()


def test_memory_and_cpu_are_those_of_the_server(snakka: Server) -> None:
    assert 5e6 < snakka.resident_bytes < 1e9
    before = snakka.cpu_seconds
    client = snakka.connect()
    for _ in range(50):
        client.exchange(produce_frame("first-ack", 0, b"more"))
    client.close()
    assert snakka.cpu_seconds > before


def test_the_page_shows_medians_and_says_why_a_target_is_missed() -> None:
    pairs = [(1.0, 2.0), (3.0, 2.0), (100.0, 2.0)]
    slow = median_ratio_row("consume", pairs, against=KAFKA, bound=2.0, at_least=True, unit="MB/s")
    small = Row("memory (RSS) of an idle broker", 40.0, 60.0, False, unit=" MB")
    assert (slow.figure, slow.is_met, small.is_met) == (1.5, False, True)
    text = page([slow, small], ["a note"], 12.0, quick=True)
    assert "1 of 2 targets met" in text
    assert "| consume | 3 MB/s | 2 MB/s | 1.50 | at least 2 | **no** |" in text
    assert "| memory (RSS) of an idle broker | 40 MB | at most 60 MB | yes |" in text
    assert f"- **consume** (1.50, target at least 2)\n\n{reason_for('consume')}\n" in text
    assert "- a note" in text


def test_the_results_that_are_kept_are_a_page_of_this_bench() -> None:
    text = (Path(against_floor.__file__).parent / "RESULTS.md").read_text()
    for what in ("round trips, tiny requests", "5,000 idle connections", "commit "):
        assert what in text


def test_an_idle_client_is_measured(snakka: Server) -> None:
    (row,) = clients_idle.measure(snakka, seconds=0.5)
    assert 0 < row.figure < 50
    assert not row.at_least
