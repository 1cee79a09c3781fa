"""Registered controllers: where they listen and what they support."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from snakka.metadata.image.brokers import Endpoint
from snakka.protocol.message import Message
from snakka.protocol.record_types.metadata.register_controller_record import (
    ControllerEndpoint,
    ControllerFeature,
    RegisterControllerRecord,
)
from snakka.protocol.uuids import Uuid


@dataclass(frozen=True, slots=True)
class ControllerRegistration:
    id: int
    incarnation_id: Uuid
    endpoints: dict[str, Endpoint]
    features: dict[str, tuple[int, int]]
    zk_migration_ready: bool

    @classmethod
    def from_record(cls, record: RegisterControllerRecord) -> "ControllerRegistration":
        return cls(
            record.controller_id,
            record.incarnation_id,
            {
                point.name: Endpoint(point.host, point.port, point.security_protocol)
                for point in record.end_points
            },
            {
                feature.name: (feature.min_supported_version, feature.max_supported_version)
                for feature in record.features
            },
            record.zk_migration_ready,
        )

    def to_record(self) -> RegisterControllerRecord:
        return RegisterControllerRecord(
            controller_id=self.id,
            incarnation_id=self.incarnation_id,
            zk_migration_ready=self.zk_migration_ready,
            end_points=[
                ControllerEndpoint(
                    name=name,
                    host=endpoint.host,
                    port=endpoint.port,
                    security_protocol=endpoint.security_protocol,
                )
                for name, endpoint in self.endpoints.items()
            ],
            features=[
                ControllerFeature(name=name, min_supported_version=low, max_supported_version=high)
                for name, (low, high) in self.features.items()
            ],
        )


@dataclass(slots=True)
class ControllersImage:
    by_id: dict[int, ControllerRegistration] = field(default_factory=dict)

    def replay_register(self, record: RegisterControllerRecord) -> None:
        self.by_id[record.controller_id] = ControllerRegistration.from_record(record)

    def snapshot(self) -> Iterator[Message]:
        for controller in self.by_id.values():
            yield controller.to_record()

    def copy(self) -> "ControllersImage":
        return ControllersImage(dict(self.by_id))
