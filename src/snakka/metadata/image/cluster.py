"""The whole state that the metadata log builds: one replay for each of Kafka's record types."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from snakka.metadata.image.acls import AclsImage
from snakka.metadata.image.brokers import BrokersImage
from snakka.metadata.image.client_quotas import ClientQuotasImage
from snakka.metadata.image.configs import ConfigsImage
from snakka.metadata.image.controllers import ControllersImage
from snakka.metadata.image.delegation_tokens import DelegationTokensImage
from snakka.metadata.image.errors import InconsistentRecord
from snakka.metadata.image.features import FeaturesImage
from snakka.metadata.image.producer_ids import ProducerIdsImage
from snakka.metadata.image.record_keys import RecordKey
from snakka.metadata.image.scram import ScramImage
from snakka.metadata.image.topics import TopicsImage

if TYPE_CHECKING:
    from snakka.metadata.image.delta import Delta
    from snakka.protocol.message import Message


@dataclass(slots=True, eq=False)
class ClusterImage:
    """Mutable, read and written by one event loop. What it holds is frozen, so that a copy is cheap.

    Records between BeginTransactionRecord and EndTransactionRecord are held back and become visible together (KIP-868).
    """

    features: FeaturesImage = field(default_factory=FeaturesImage)
    brokers: BrokersImage = field(default_factory=BrokersImage)
    controllers: ControllersImage = field(default_factory=ControllersImage)
    topics: TopicsImage = field(default_factory=TopicsImage)
    configs: ConfigsImage = field(default_factory=ConfigsImage)
    client_quotas: ClientQuotasImage = field(default_factory=ClientQuotasImage)
    producer_ids: ProducerIdsImage = field(default_factory=ProducerIdsImage)
    acls: AclsImage = field(default_factory=AclsImage)
    scram: ScramImage = field(default_factory=ScramImage)
    delegation_tokens: DelegationTokensImage = field(default_factory=DelegationTokensImage)
    # The last record that is visible here: its offset, its epoch and its time, as a snapshot is named by them.
    offset: int = -1
    epoch: int = -1
    timestamp_ms: int = -1
    _held: list[Message] | None = None
    _replays: dict[int, Callable[[Any], object]] = field(init=False)

    def __post_init__(self) -> None:
        self._replays = {
            RecordKey.REGISTER_BROKER: self.brokers.replay_register,
            RecordKey.UNREGISTER_BROKER: self.brokers.replay_unregister,
            RecordKey.FENCE_BROKER: self.brokers.replay_fence,
            RecordKey.UNFENCE_BROKER: self.brokers.replay_unfence,
            RecordKey.BROKER_REGISTRATION_CHANGE: self.brokers.replay_change,
            RecordKey.REGISTER_CONTROLLER: self.controllers.replay_register,
            RecordKey.TOPIC: self.topics.replay_topic,
            RecordKey.PARTITION: self.topics.replay_partition,
            RecordKey.PARTITION_CHANGE: self.topics.replay_partition_change,
            RecordKey.REMOVE_TOPIC: self._remove_topic,
            RecordKey.CLEAR_ELR: self.topics.replay_clear_elr,
            RecordKey.CONFIG: self.configs.replay_config,
            RecordKey.FEATURE_LEVEL: self.features.replay_level,
            RecordKey.CLIENT_QUOTA: self.client_quotas.replay_quota,
            RecordKey.PRODUCER_IDS: self.producer_ids.replay_producer_ids,
            RecordKey.ACCESS_CONTROL_ENTRY: self.acls.replay_add,
            RecordKey.REMOVE_ACCESS_CONTROL_ENTRY: self.acls.replay_remove,
            RecordKey.USER_SCRAM_CREDENTIAL: self.scram.replay_credential,
            RecordKey.REMOVE_USER_SCRAM_CREDENTIAL: self.scram.replay_remove,
            RecordKey.DELEGATION_TOKEN: self.delegation_tokens.replay_token,
            RecordKey.REMOVE_DELEGATION_TOKEN: self.delegation_tokens.replay_remove,
            # Kept alive so that an idle log moves; and what is left of clusters that came from ZooKeeper.
            RecordKey.NO_OP: _ignore,
            RecordKey.ZK_MIGRATION_STATE: _ignore,
        }

    @property
    def in_transaction(self) -> bool:
        return self._held is not None

    def replay(self, record: Message, delta: Delta | None = None) -> None:
        """Applies one record of the log; `delta` learns what it changed."""
        key = record.RECORD_KEY
        if key == RecordKey.BEGIN_TRANSACTION:
            if self._held is not None:
                raise InconsistentRecord("a metadata transaction begins inside another")
            self._held = []
        elif key == RecordKey.END_TRANSACTION:
            for held in self._end_transaction("ends"):
                self._apply(held, delta)
        elif key == RecordKey.ABORT_TRANSACTION:
            self._end_transaction("is aborted")
        elif self._held is not None:
            self._held.append(record)
        else:
            self._apply(record, delta)

    def snapshot(self) -> Iterator[Message]:
        """Records that rebuild this image; metadata.version is the first. What a transaction holds back is not in it."""
        features = self.features
        yield from features.snapshot()
        yield from self.brokers.snapshot()
        yield from self.controllers.snapshot()
        yield from self.topics.snapshot(
            with_directories=features.names_directories, with_elr=features.writes_elr
        )
        yield from self.configs.snapshot()
        yield from self.client_quotas.snapshot()
        yield from self.producer_ids.snapshot()
        yield from self.acls.snapshot()
        yield from self.scram.snapshot()
        yield from self.delegation_tokens.snapshot()

    def copy(self) -> ClusterImage:
        """A twin that changes on its own; the two share what is frozen."""
        return ClusterImage(
            self.features.copy(),
            self.brokers.copy(),
            self.controllers.copy(),
            self.topics.copy(),
            self.configs.copy(),
            self.client_quotas.copy(),
            self.producer_ids.copy(),
            self.acls.copy(),
            self.scram.copy(),
            self.delegation_tokens.copy(),
            self.offset,
            self.epoch,
            self.timestamp_ms,
            None if self._held is None else list(self._held),
        )

    def content(self) -> tuple[object, ...]:
        """All that records build, for comparison: two images with equal content answer every question alike."""
        return (
            self.features,
            self.brokers,
            self.controllers,
            self.topics,
            self.configs,
            self.client_quotas,
            self.producer_ids,
            self.acls,
            self.scram,
            self.delegation_tokens,
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClusterImage) and self.content() == other.content()

    __hash__ = None  # type: ignore[assignment]

    def _apply(self, record: Message, delta: Delta | None) -> None:
        replay = self._replays.get(record.RECORD_KEY)
        if replay is None:
            raise InconsistentRecord(f"{type(record).__name__} is no metadata record")
        if delta is not None:
            delta.observe(self, record)
        replay(record)

    def _end_transaction(self, how: str) -> list[Message]:
        held = self._held
        if held is None:
            raise InconsistentRecord(f"a metadata transaction {how} that never began")
        self._held = None
        return held

    def _remove_topic(self, record: Any) -> None:
        topic = self.topics.replay_remove_topic(record)
        self.configs.forget_topic(topic.name)


def _ignore(_record: Message) -> None:
    pass
