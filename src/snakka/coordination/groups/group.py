"""What every kind of group answers to, whatever its protocol: the offset requests, listing, expiry and deletion ask this."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from snakka.protocol.coordinator_framing import KeyedRecord
from snakka.protocol.uuids import Uuid

CLASSIC = "classic"
CONSUMER = "consumer"

# Checks one partition of an OffsetCommit: (topic, topic id, partition), ApiError if the member may not commit it.
CheckPartition = Callable[[str, Uuid, int], None]


class OffsetExpiry(NamedTuple):
    """From when on an offset of the group grows old: its commit's time, or a later time that the group says."""

    # (commit timestamp) -> the moment, in wall milliseconds, from which the retention counts.
    base_timestamp_ms: Callable[[int], int]


class Group(Protocol):
    """A group of a shard. Methods that check raise ApiError with Kafka's code."""

    group_id: str

    @property
    def kind(self) -> str:
        """`CLASSIC` or `CONSUMER`."""

    @property
    def protocol_type(self) -> str:
        """For ListGroups: `consumer`, or what the members of a classic group said; empty for a simple group."""

    @property
    def state_name(self) -> str:
        """Kafka's name of the state: Empty, PreparingRebalance, Stable, Assigning, ..."""

    @property
    def is_empty(self) -> bool:
        """Without members."""

    @property
    def is_abandoned(self) -> bool:
        """Empty, and nobody is about to join: it may be forgotten."""

    def has_member(self, member_id: str) -> bool: ...

    def check_offset_commit(
        self,
        member_id: str,
        instance_id: str | None,
        generation_or_epoch: int,
        *,
        is_transactional: bool,
        api_version: int,
    ) -> CheckPartition | None:
        """Whether the member may commit; a check of each partition where that is needed too (KIP-1251)."""

    def check_offset_fetch(self, member_id: str | None, member_epoch: int) -> None: ...

    def check_offset_delete(self) -> None: ...

    def check_delete(self) -> None: ...

    def is_subscribed_to(self, topic: str) -> bool: ...

    def offset_expiry(self) -> OffsetExpiry | None:
        """None: its offsets never grow old, for example because it has members."""

    def tombstones(self) -> Sequence[KeyedRecord]:
        """What deletes the group, without its offsets."""
