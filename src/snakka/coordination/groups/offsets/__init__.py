"""What groups commit: offsets, with and without transactions, their expiry and deletion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from snakka.coordination.decision import Producer
from snakka.protocol.coordinator_framing import KeyedRecord

if TYPE_CHECKING:
    from snakka.coordination.groups.shard import GroupShard


def replay(shard: GroupShard, record: KeyedRecord, offset: int, producer: Producer | None) -> None:
    """Take over a committed or deleted offset."""
