"""Building a shard anew from its partition's log, a piece at a time, so that others are served meanwhile."""

import asyncio
import logging

from snakka.coordination.decision import Producer
from snakka.coordination.shard import Shard
from snakka.protocol.batch_reader import read_records
from snakka.protocol.control_records import read_end_transaction
from snakka.protocol.coordinator_framing import Decode
from snakka.protocol.errors import ProtocolError
from snakka.protocol.record_batch import BatchHeader, iter_headers
from snakka.runtime import Runtime
from snakka.storage.partition_log import PartitionLog

log = logging.getLogger(__name__)

# The loop gets a turn at least this often.
_SLICE_SECONDS = 0.005


class LogLoader:
    """Replays a log into a shard. What can't be read is left out, with one line that says how much that was."""

    def __init__(self, runtime: Runtime, decode: Decode, buffer_bytes: int) -> None:
        self._runtime = runtime
        self._decode = decode
        self._buffer_bytes = buffer_bytes
        self.records = 0
        self.unreadable = 0

    async def load(self, source: PartitionLog, shard: Shard) -> None:
        """To the log's end as it is now: this broker leads, so nobody else writes. StorageFailure if the disk fails."""
        offset, end = source.log_start_offset, source.log_end_offset
        slice_ends = self._runtime.clock.monotonic() + _SLICE_SECONDS
        while offset < end:
            found = source.read(offset, self._buffer_bytes, upper_bound=end, min_one_message=True)
            if not found.bytes:
                break
            region = found.records
            data = (
                region
                if isinstance(region, bytes)
                else await self._runtime.offload.run(region.read_blocking, 0, len(region))
            )
            for position, header in iter_headers(data):
                self._replay(shard, data[position : position + header.size], header, offset)
                if self._runtime.clock.monotonic() > slice_ends:
                    await asyncio.sleep(0)
                    slice_ends = self._runtime.clock.monotonic() + _SLICE_SECONDS
            offset = found.next_offset
        if self.unreadable:
            log.warning(
                "%s-%d: %d records of %d can't be read and are left out",
                source.topic,
                source.partition,
                self.unreadable,
                self.records,
            )

    def _replay(self, shard: Shard, batch: bytes, header: BatchHeader, from_offset: int) -> None:
        producer = Producer(header.producer_id, header.producer_epoch) if header.is_transactional else None
        try:
            for record in read_records(batch):
                if record.offset < from_offset:
                    continue
                self.records += 1
                if header.is_control:
                    marker = read_end_transaction(record.key, record.value)
                    if marker is not None:
                        shard.replay_marker(header.producer_id, header.producer_epoch, marker.committed)
                    continue
                self._replay_record(shard, record.key, record.value, record.offset, producer)
        except ProtocolError:
            self.unreadable += max(header.count, 1)

    def _replay_record(
        self, shard: Shard, key: bytes | None, value: bytes | None, offset: int, producer: Producer | None
    ) -> None:
        try:
            decoded = self._decode(key, value) if key is not None else None
        except ProtocolError:
            decoded = None
        if decoded is None:
            self.unreadable += 1
        else:
            shard.replay(decoded, offset, producer)
