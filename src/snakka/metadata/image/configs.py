"""Dynamic configs of topics, brokers, groups and client metrics."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from types import MappingProxyType

from snakka.protocol.message import Message
from snakka.protocol.record_types.metadata.config_record import ConfigRecord


class ConfigResourceType(IntEnum):
    """Kafka's numbers of what can have configs."""

    UNKNOWN = 0
    TOPIC = 2
    BROKER = 4
    BROKER_LOGGER = 8
    CLIENT_METRICS = 16
    GROUP = 32


ConfigResource = tuple[int, str]

# The broker with the empty name: what is set here holds for every broker.
CLUSTER_DEFAULT: ConfigResource = (ConfigResourceType.BROKER, "")

_NONE: Mapping[str, str] = MappingProxyType({})


@dataclass(slots=True)
class ConfigsImage:
    by_resource: dict[ConfigResource, dict[str, str]] = field(default_factory=dict)

    def of(self, resource_type: int, name: str) -> Mapping[str, str]:
        return self.by_resource.get((resource_type, name), _NONE)

    def of_topic(self, name: str) -> Mapping[str, str]:
        return self.of(ConfigResourceType.TOPIC, name)

    def replay_config(self, record: ConfigRecord) -> None:
        resource = (record.resource_type, record.resource_name)
        if record.value is not None:
            self.by_resource.setdefault(resource, {})[record.name] = record.value
            return
        configs = self.by_resource.get(resource)
        if configs is not None:
            configs.pop(record.name, None)
            if not configs:
                del self.by_resource[resource]

    def forget_topic(self, name: str) -> None:
        self.by_resource.pop((ConfigResourceType.TOPIC, name), None)

    def snapshot(self) -> Iterator[Message]:
        for (resource_type, name), configs in self.by_resource.items():
            for key, value in configs.items():
                yield ConfigRecord(resource_type=resource_type, resource_name=name, name=key, value=value)

    def copy(self) -> "ConfigsImage":
        return ConfigsImage({resource: dict(configs) for resource, configs in self.by_resource.items()})
