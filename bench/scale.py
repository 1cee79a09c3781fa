"""How much is measured: enough to trust the medians, or just enough to see that all is well."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    rounds: int
    round_bytes: int
    warm_up_rounds: int
    latency_slices: int
    latency_records: int
    starts: int
    transactions: int
    client_rounds: int
    client_records: int
    partitions: int = 1000
    connections: int = 5000

    def records(self, record_bytes: int) -> int:
        """Of one round. Small records cost the client more, so there are fewer bytes of them."""
        share = 3 if record_bytes < 1000 else 1
        return self.round_bytes // share // record_bytes // 1000 * 1000


FULL = Scale(
    rounds=9,
    round_bytes=64_000_000,
    warm_up_rounds=8,
    latency_slices=15,
    latency_records=400,
    starts=5,
    transactions=300,
    client_rounds=5,
    client_records=300_000,
)
QUICK = Scale(
    rounds=2,
    round_bytes=24_000_000,
    warm_up_rounds=1,
    latency_slices=3,
    latency_records=200,
    starts=2,
    transactions=100,
    client_rounds=2,
    client_records=100_000,
)
