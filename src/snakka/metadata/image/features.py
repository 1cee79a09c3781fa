"""Finalized feature levels, and what the level of metadata.version allows."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from snakka.metadata.image.record_keys import RecordKey
from snakka.protocol.message import Message
from snakka.protocol.record_types.metadata.feature_level_record import FeatureLevelRecord
from snakka.raft.features import ELIGIBLE_LEADER_REPLICAS_VERSION, KRAFT_VERSION, METADATA_VERSION

# The levels of metadata.version from which something may be written, by Kafka's name of the level.
MIGRATION_SINCE = 8  # 3.4-IV0
SHRINK_KEEPS_LEADER_EPOCH_SINCE = 12  # 3.6-IV0
TRANSACTIONS_SINCE = 14  # 3.6-IV2
CONTROLLER_REGISTRATION_SINCE = 15  # 3.7-IV0
DIRECTORIES_SINCE = 17  # 3.7-IV2
ELR_SINCE = 23  # 4.0-IV1
CORDONED_DIRECTORIES_SINCE = 30  # 4.3-IV0


@dataclass(slots=True)
class FeaturesImage:
    """A feature that is not in `levels` is at level 0. Without metadata.version the log is empty."""

    levels: dict[str, int] = field(default_factory=dict)

    @property
    def metadata_version(self) -> int | None:
        return self.levels.get(METADATA_VERSION)

    def level(self, name: str) -> int:
        return self.levels.get(name, 0)

    @property
    def names_directories(self) -> bool:
        return self.level(METADATA_VERSION) >= DIRECTORIES_SINCE

    @property
    def writes_elr(self) -> bool:
        """Whether the records have fields for eligible leader replicas at all."""
        return self.level(METADATA_VERSION) >= ELR_SINCE

    @property
    def elr_enabled(self) -> bool:
        return self.level(ELIGIBLE_LEADER_REPLICAS_VERSION) >= 1

    def record_versions(self) -> dict[int, int]:
        """Versions by record key that every node at this metadata.version can read, where they are not the newest."""
        level = self.level(METADATA_VERSION)
        if level >= CORDONED_DIRECTORIES_SINCE:
            return {}
        partition = 2 if level >= ELR_SINCE else 1 if level >= DIRECTORIES_SINCE else 0
        directories = level >= DIRECTORIES_SINCE
        return {
            RecordKey.REGISTER_BROKER: 3 if directories else 2 if level >= MIGRATION_SINCE else 1,
            RecordKey.BROKER_REGISTRATION_CHANGE: 2 if directories else 1,
            RecordKey.PARTITION: partition,
            RecordKey.PARTITION_CHANGE: partition,
        }

    def replay_level(self, record: FeatureLevelRecord) -> None:
        # The quorum keeps kraft.version in records of its own; one here was written by mistake (KAFKA-18979).
        if record.name == KRAFT_VERSION:
            return
        if record.feature_level == 0:
            self.levels.pop(record.name, None)
        else:
            self.levels[record.name] = record.feature_level

    def snapshot(self) -> Iterator[Message]:
        """metadata.version comes first: it says how to read the rest."""
        for name in sorted(self.levels, key=lambda name: (name != METADATA_VERSION, name)):
            yield FeatureLevelRecord(name=name, feature_level=self.levels[name])

    def copy(self) -> "FeaturesImage":
        return FeaturesImage(dict(self.levels))
