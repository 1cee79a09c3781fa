"""Committed offsets of all groups of a shard, and those that wait for their transaction's end."""


class OffsetStore:
    """Offsets by group, topic and partition."""

    def end_transaction(self, producer_id: int, committed: bool) -> None:
        """The offsets of the transaction count from now on, or never did."""
