"""Reads a broker from every offset, as a client that trusts nobody, and compares all that it gets with the truth.

A record that comes back must be the one that was acknowledged at that offset. One that does not come back must be missed
loudly: by an error code, by a checksum that the reader finds wrong, or by an end of the log that the broker's log explains.
"""

from dataclasses import dataclass, field

from snakka.protocol.batch_reader import read_records
from snakka.protocol.control_records import ControlType, read_control_key
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ProtocolError
from snakka.protocol.messages.fetch import FetchResponse, PartitionData
from snakka.protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from snakka.protocol.record_batch import BatchHeader, crc_matches, iter_headers
from tests.faults.data_template import Truth
from tests.faults.wire import FETCH_VERSION, ClosedByBrokerError, Wire, fetch

LIST_OFFSETS_VERSION = 7
CHECKSUM = "the reader's checksum"
CLOSED = "the connection was closed"
NOTHING = "nothing, and no error"


@dataclass
class Findings:
    """Of one topic. `wrong` is what must never be; `missed` says how each record that did not come was missed."""

    wrong: list[str] = field(default_factory=list)
    missed: dict[int, str] = field(default_factory=dict)
    # Up to where a read_committed client may read.
    end: int = -1

    @property
    def is_intact(self) -> bool:
        return not self.wrong and not self.missed

    @property
    def ways(self) -> set[str]:
        """How records were missed."""
        return set(self.missed.values())


def audit(bootstrap: str, records: dict[str, dict[int, Truth]]) -> dict[str, Findings]:
    """Each topic has one partition."""
    with Auditor(bootstrap) as auditor:
        return {topic: auditor.audit(topic, truth) for topic, truth in records.items()}


class Auditor:
    """One connection, opened again if the broker closes it."""

    def __init__(self, bootstrap: str) -> None:
        self._bootstrap = bootstrap
        self._wire = Wire(bootstrap)

    def __enter__(self) -> "Auditor":
        return self

    def __exit__(self, *_: object) -> None:
        self._wire.close()

    def audit(self, topic: str, truth: dict[int, Truth]) -> Findings:
        findings = Findings()
        for offset in truth:
            # One batch from this very offset, found by the index; and all that fits, found by walking.
            self._look(topic, truth, offset, 1, findings)
        offset = min(truth, default=0)
        while offset is not None and offset <= max(truth):
            offset = self._look(topic, truth, offset, 1 << 20, findings)
        return findings

    def offset_at(self, topic: str, timestamp: int) -> int:
        """What ListOffsets answers."""
        wanted = ListOffsetsPartition(partition_index=0, timestamp=timestamp)
        request = ListOffsetsRequest(topics=[ListOffsetsTopic(name=topic, partitions=[wanted])])
        answer = self._wire.ask(request, LIST_OFFSETS_VERSION)
        assert isinstance(answer, ListOffsetsResponse)
        row = answer.topics[0].partitions[0]
        assert row.error_code == ErrorCode.NONE, row
        return row.offset

    def _look(
        self, topic: str, truth: dict[int, Truth], offset: int, max_bytes: int, findings: Findings
    ) -> int | None:
        """One fetch; where the next one has to begin, or None if this one did not get further."""
        request = fetch(topic, 0, offset, max_bytes=max_bytes, read_committed=True)
        try:
            answer = self._wire.ask(request, FETCH_VERSION)
        except ClosedByBrokerError:
            self._wire = Wire(self._bootstrap)
            findings.missed[offset] = CLOSED
            return None
        assert isinstance(answer, FetchResponse)
        row = answer.responses[0].partitions[0]
        findings.end = max(findings.end, row.last_stable_offset)
        if row.error_code != ErrorCode.NONE:
            findings.missed[offset] = ErrorCode(row.error_code).name
            return None
        return self._judge(row, truth, offset, findings)

    def _judge(
        self, row: PartitionData, truth: dict[int, Truth], offset: int, findings: Findings
    ) -> int | None:
        data = bytes(row.records or b"")
        view = _CommittedView(row)
        next_offset = offset
        got = set()
        try:
            for position, header in iter_headers(data):
                batch = data[position : position + header.size]
                if not crc_matches(batch, 0, header):
                    findings.missed[next_offset] = CHECKSUM
                    return None
                for number, found in view.records(header, batch):
                    if number >= offset:
                        got.add(number)
                        if truth.get(number) != found:
                            findings.wrong.append(f"offset {number} came as {found}, asked for {offset}")
                if header.next_offset <= next_offset and header.last_offset < offset:
                    findings.wrong.append(f"a batch of offset {header.base_offset}, asked for {next_offset}")
                next_offset = header.next_offset
        except ProtocolError:
            findings.missed[next_offset] = (
                CHECKSUM  # what is in no batch has no checksum: a reader notices as well
            )
            return None
        if next_offset == offset:
            findings.missed[offset] = NOTHING
            return None
        skipped = [number for number in truth if offset <= number < next_offset and number not in got]
        if skipped:
            findings.wrong.append(f"asked for {offset}, offsets {skipped} were passed over in silence")
        return next_offset


class _CommittedView:
    """What a read_committed client makes of a fetch: it leaves out what the broker names as aborted."""

    def __init__(self, row: PartitionData) -> None:
        self._aborted = sorted(
            ((one.first_offset, one.producer_id) for one in row.aborted_transactions or ()), reverse=True
        )
        self._open: set[int] = set()

    def records(self, header: BatchHeader, batch: bytes) -> list[tuple[int, Truth]]:
        while self._aborted and self._aborted[-1][0] <= header.last_offset:
            self._open.add(self._aborted.pop()[1])
        records = list(read_records(batch))
        if header.is_control:
            if read_control_key(records[0].key) == ControlType.ABORT:
                self._open.discard(header.producer_id)
            return []
        if header.is_transactional and header.producer_id in self._open:
            return []
        return [(record.offset, Truth(record.value or b"", record.timestamp)) for record in records]
