"""Registered brokers: their epoch, where they listen, what they support, and whether they are fenced."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from snakka.metadata.image.directories import is_online
from snakka.metadata.image.errors import InconsistentRecord
from snakka.protocol.message import Message
from snakka.protocol.record_types.metadata.register_broker_record import (
    BrokerEndpoint,
    BrokerFeature,
    RegisterBrokerRecord,
)
from snakka.protocol.uuids import MIGRATING_DIRECTORY, UNASSIGNED_DIRECTORY, Uuid

if TYPE_CHECKING:
    from snakka.protocol.record_types.metadata.broker_registration_change_record import (
        BrokerRegistrationChangeRecord,
    )
    from snakka.protocol.record_types.metadata.fence_broker_record import FenceBrokerRecord
    from snakka.protocol.record_types.metadata.unfence_broker_record import UnfenceBrokerRecord
    from snakka.protocol.record_types.metadata.unregister_broker_record import UnregisterBrokerRecord

# How a change record says what becomes of a flag.
_FLAG_CHANGES = {-1: False, 0: None, 1: True}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a node listens; `security_protocol` is Kafka's number of it."""

    host: str
    port: int
    security_protocol: int


@dataclass(frozen=True, slots=True)
class BrokerRegistration:
    id: int
    epoch: int
    incarnation_id: Uuid
    endpoints: dict[str, Endpoint]
    features: dict[str, tuple[int, int]]
    rack: str | None
    fenced: bool
    in_controlled_shutdown: bool
    directories: tuple[Uuid, ...]
    # None until the broker has said anything about cordoned directories (KIP-1066).
    cordoned_directories: tuple[Uuid, ...] | None
    is_migrating_zk_broker: bool = False

    @property
    def is_active(self) -> bool:
        """Fit to lead and to be in sync."""
        return not self.fenced and not self.in_controlled_shutdown

    @property
    def takes_new_replicas(self) -> bool:
        """False when every directory is cordoned."""
        if not self.directories or self.cordoned_directories is None:
            return True
        return any(directory not in self.cordoned_directories for directory in self.directories)

    @property
    def default_directory(self) -> Uuid:
        """What a new replica's directory is until the broker says otherwise."""
        if not self.directories:
            return MIGRATING_DIRECTORY
        return self.directories[0] if len(self.directories) == 1 else UNASSIGNED_DIRECTORY

    def has_online(self, directory: Uuid) -> bool:
        return is_online(directory, self.directories)

    @classmethod
    def from_record(cls, record: RegisterBrokerRecord) -> BrokerRegistration:
        return cls(
            record.broker_id,
            record.broker_epoch,
            record.incarnation_id,
            {
                point.name: Endpoint(point.host, point.port, point.security_protocol)
                for point in record.end_points
            },
            {
                feature.name: (feature.min_supported_version, feature.max_supported_version)
                for feature in record.features
            },
            record.rack,
            record.fenced,
            record.in_controlled_shutdown,
            tuple(record.log_dirs),
            None if record.cordoned_log_dirs is None else tuple(record.cordoned_log_dirs),
            record.is_migrating_zk_broker,
        )

    def to_record(self) -> RegisterBrokerRecord:
        cordoned = self.cordoned_directories
        return RegisterBrokerRecord(
            broker_id=self.id,
            is_migrating_zk_broker=self.is_migrating_zk_broker,
            incarnation_id=self.incarnation_id,
            broker_epoch=self.epoch,
            end_points=[
                BrokerEndpoint(
                    name=name,
                    host=endpoint.host,
                    port=endpoint.port,
                    security_protocol=endpoint.security_protocol,
                )
                for name, endpoint in self.endpoints.items()
            ],
            features=[
                BrokerFeature(name=name, min_supported_version=low, max_supported_version=high)
                for name, (low, high) in self.features.items()
            ],
            rack=self.rack,
            fenced=self.fenced,
            in_controlled_shutdown=self.in_controlled_shutdown,
            log_dirs=list(self.directories),
            cordoned_log_dirs=None if cordoned is None else list(cordoned),
        )


@dataclass(slots=True)
class BrokersImage:
    by_id: dict[int, BrokerRegistration] = field(default_factory=dict)

    def get(self, broker_id: int) -> BrokerRegistration | None:
        return self.by_id.get(broker_id)

    def is_active(self, broker_id: int) -> bool:
        broker = self.by_id.get(broker_id)
        return broker is not None and broker.is_active

    def has_online(self, broker_id: int, directory: Uuid) -> bool:
        broker = self.by_id.get(broker_id)
        return broker is not None and broker.has_online(directory)

    def default_directory(self, broker_id: int) -> Uuid:
        """Unassigned for an unknown broker: what is wrong with the request is said elsewhere."""
        broker = self.by_id.get(broker_id)
        return UNASSIGNED_DIRECTORY if broker is None else broker.default_directory

    def replay_register(self, record: RegisterBrokerRecord) -> None:
        self.by_id[record.broker_id] = BrokerRegistration.from_record(record)

    def replay_unregister(self, record: UnregisterBrokerRecord) -> None:
        del self.by_id[self._current(record.broker_id, record.broker_epoch).id]

    def replay_fence(self, record: FenceBrokerRecord) -> None:
        self.by_id[record.id] = replace(self._current(record.id, record.epoch), fenced=True)

    def replay_unfence(self, record: UnfenceBrokerRecord) -> None:
        self.by_id[record.id] = replace(self._current(record.id, record.epoch), fenced=False)

    def replay_change(self, record: BrokerRegistrationChangeRecord) -> None:
        broker = self._current(record.broker_id, record.broker_epoch)
        fenced = _flag(record.fenced, broker.fenced)
        # There is no way to leave a controlled shutdown but a new registration.
        shutdown = broker.in_controlled_shutdown or _flag(record.in_controlled_shutdown, False)
        cordoned = record.cordoned_log_dirs
        self.by_id[record.broker_id] = replace(
            broker,
            fenced=fenced,
            in_controlled_shutdown=shutdown,
            directories=tuple(record.log_dirs) or broker.directories,
            cordoned_directories=broker.cordoned_directories if cordoned is None else tuple(cordoned),
        )

    def snapshot(self) -> Iterator[Message]:
        for broker in self.by_id.values():
            yield broker.to_record()

    def copy(self) -> BrokersImage:
        return BrokersImage(dict(self.by_id))

    def _current(self, broker_id: int, epoch: int) -> BrokerRegistration:
        broker = self.by_id.get(broker_id)
        if broker is None or broker.epoch != epoch:
            raise InconsistentRecord(f"broker {broker_id} is not registered with epoch {epoch}")
        return broker


def _flag(change: int, current: bool) -> bool:
    if change not in _FLAG_CHANGES:
        raise InconsistentRecord(f"a broker's registration cannot change by {change}")
    changed = _FLAG_CHANGES[change]
    return current if changed is None else changed
