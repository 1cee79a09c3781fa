"""What the options of the quorum and its log say, as typed values with Kafka 4.3's defaults."""

from collections.abc import Iterable
from dataclasses import dataclass

from snakka.options.option_set import OptionSet
from snakka.raft.state.voters import Endpoint, ReplicaKey, Voter, VoterSet
from snakka.storage.log_config import LogConfig

MAX_BATCH_BYTES = 8 * 1024 * 1024


def static_voters(entries: Iterable[str], listener: str) -> VoterSet:
    """The voters that `controller.quorum.voters` names as ID@HOST:PORT, reached by the first controller listener."""
    voters = []
    for entry in entries:
        node_id, _, address = entry.partition("@")
        host, _, port = address.rpartition(":")
        endpoint = Endpoint(listener, host.strip("[]"), int(port))
        voters.append(Voter(ReplicaKey(int(node_id)), (endpoint,)))
    return VoterSet.of(*voters)


@dataclass(frozen=True, slots=True)
class RaftSettings:
    """One node's settings; a retention or an interval that is not positive sets no limit."""

    segment_bytes: int = 1 << 30
    segment_ms: int = 604_800_000
    retention_bytes: int = 104_857_600
    retention_ms: int = 604_800_000
    file_delete_delay_ms: int = 60_000
    snapshot_after_bytes: int = 20_971_520
    snapshot_after_ms: int = 3_600_000
    idle_interval_ms: int = 500
    election_timeout_ms: int = 1_000

    @classmethod
    def from_options(cls, options: OptionSet) -> "RaftSettings":
        segment_bytes = options.integer_or_none("internal.metadata.log.segment.bytes")
        return cls(
            segment_bytes=segment_bytes or options.integer("metadata.log.segment.bytes"),
            segment_ms=options.integer("metadata.log.segment.ms"),
            retention_bytes=options.integer("metadata.max.retention.bytes"),
            retention_ms=options.integer("metadata.max.retention.ms"),
            file_delete_delay_ms=options.integer("internal.metadata.delete.delay.millis"),
            snapshot_after_bytes=options.integer("metadata.log.max.record.bytes.between.snapshots"),
            snapshot_after_ms=options.integer("metadata.log.max.snapshot.interval.ms"),
            idle_interval_ms=options.integer("metadata.max.idle.interval.ms"),
            election_timeout_ms=options.integer("controller.quorum.election.timeout.ms"),
        )

    def log_config(self) -> LogConfig:
        """Segments go when a snapshot has what they say, never by their own age or size."""
        return LogConfig(
            segment_bytes=self.segment_bytes,
            segment_ms=self.segment_ms,
            retention_ms=-1,
            retention_bytes=-1,
            file_delete_delay_ms=self.file_delete_delay_ms,
            max_message_bytes=MAX_BATCH_BYTES,
        )
