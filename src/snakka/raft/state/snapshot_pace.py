"""When the metadata deserves a new snapshot: after so many bytes of records, or after so long."""

from dataclasses import dataclass


@dataclass(slots=True)
class SnapshotPace:
    """Counts what was committed since the last snapshot. An interval of 0 leaves it to the bytes alone."""

    after_bytes: int
    after_ms: int
    since_ms: int
    bytes_since: int = 0

    def committed(self, size: int) -> None:
        self.bytes_since += size

    def written(self, now_ms: int) -> None:
        self.bytes_since = 0
        self.since_ms = now_ms

    def is_due(self, now_ms: int) -> bool:
        if self.bytes_since >= self.after_bytes:
            return True
        return 0 < self.after_ms <= now_ms - self.since_ms and self.bytes_since > 0
