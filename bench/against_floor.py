"""Round trips of one connection: what a broker adds to a bare server, for three sizes of request."""

from collections.abc import Iterator

from bench.floor import FloorServer, RoundTrips
from bench.raw_client import produce_frame
from bench.report import FLOOR, Row, median_ratio_row
from bench.servers import Server

TOPIC = "round-trips"
# A batch of a record of a full mebibyte would be larger than max.message.bytes allows.
SIZES = {"tiny": (100, 0.4), "16 KiB": (16 * 1024, 0.5), "1 MiB": (1024 * 1024 - 200, 0.7)}
ROUND_SECONDS = 0.2


def measure(snakka: Server, rounds: int) -> Iterator[Row]:
    client = snakka.connect()
    client.creates_topic(TOPIC, 1)
    client.wait_for_leaders(TOPIC, 1)
    for name, (size, bound) in SIZES.items():
        frame = produce_frame(TOPIC, 0, bytes(size))
        answer_bytes = len(client.exchange(frame)) + 4
        with FloorServer(answer_bytes) as floor_server:
            floor = RoundTrips(floor_server.port)
            pairs = [
                (client.rate(frame, ROUND_SECONDS), floor.rate(frame, ROUND_SECONDS))
                for _ in range(rounds + 1)
            ]
            floor.close()
        yield median_ratio_row(
            f"round trips, {name} requests",
            pairs[1:],
            against=FLOOR,
            bound=bound,
            at_least=True,
            unit="a second",
        )
    client.delete_topic(TOPIC)
    client.close()
