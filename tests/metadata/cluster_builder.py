"""Images and rules for tests: a cluster is built by records and decisions, as it would be in life."""

import random
from collections.abc import Mapping

from snakka.metadata.image.cluster import ClusterImage
from snakka.metadata.image.configs import ConfigResourceType
from snakka.metadata.image.partition import PartitionImage
from snakka.metadata.state.decision import Decision
from snakka.metadata.state.heartbeats import Heartbeats
from snakka.metadata.state.rules import Caller, ControllerRules, EffectiveConfig
from snakka.protocol.errors import ApiError, ErrorCode
from snakka.protocol.message import Message
from snakka.protocol.record_types.metadata.broker_registration_change_record import (
    BrokerRegistrationChangeRecord,
)
from snakka.protocol.record_types.metadata.config_record import ConfigRecord
from snakka.protocol.record_types.metadata.feature_level_record import FeatureLevelRecord
from snakka.protocol.record_types.metadata.partition_record import PartitionRecord
from snakka.protocol.record_types.metadata.register_broker_record import (
    BrokerEndpoint,
    BrokerFeature,
    RegisterBrokerRecord,
)
from snakka.protocol.record_types.metadata.topic_record import TopicRecord
from snakka.raft.features import FEATURES, bootstrap_levels

NEWEST = Caller(api_version=99)
LATEST_LEVELS = tuple(bootstrap_levels())
WITHOUT_ELR = tuple((name, level) for name, level in LATEST_LEVELS if not name.startswith("eligible"))


def uuid(number: int) -> bytes:
    """Uuids that are easy to tell apart, and not reserved."""
    return (number + 1_000).to_bytes(16, "big")


def directory_of(broker_id: int, index: int = 0) -> bytes:
    return uuid(broker_id * 100 + index)


class FakeSchema:
    """A catalog of a few configs: a value `bad` is invalid, names that end in `.list` are lists."""

    def __init__(self, **static: str) -> None:
        self.static = {
            "min.insync.replicas": "1",
            "unclean.leader.election.enable": "false",
            "cleanup.policy": "delete",
        }
        self.static.update({name.replace("_", "."): value for name, value in static.items()})

    def validate(
        self, resource_type: int, name: str, configs: Mapping[str, str], before: Mapping[str, str]
    ) -> None:
        for key, value in configs.items():
            if value == "bad":
                raise ApiError(ErrorCode.INVALID_CONFIG, f"{key} must not be bad")

    def is_list(self, resource_type: int, key: str) -> bool:
        return key.endswith(".list") or key == "cleanup.policy"

    def default(self, resource_type: int, key: str) -> str | None:
        return self.static.get(key)

    def topic_config(
        self, key: str, topic: Mapping[str, str], node: Mapping[str, str], cluster: Mapping[str, str]
    ) -> str:
        for configs in (topic, node, cluster, self.static):
            if key in configs:
                return configs[key]
        raise KeyError(key)

    def topic_configs(
        self, topic: Mapping[str, str], node: Mapping[str, str], cluster: Mapping[str, str]
    ) -> list[EffectiveConfig]:
        return [
            EffectiveConfig(
                key, self.topic_config(key, topic, node, cluster), False, 1 if key in topic else 5, False
            )
            for key in ("min.insync.replicas", "cleanup.policy")
        ] + [EffectiveConfig("secret", "hidden", True, 5, True)]


class Cluster:
    """An image, and the means to change it."""

    def __init__(self, levels: tuple[tuple[str, int], ...] = LATEST_LEVELS, **static_configs: str) -> None:
        self.image = ClusterImage()
        self.schema = FakeSchema(**static_configs)
        self.rules = ControllerRules(node_id=1, cluster_id="test-cluster", schema=self.schema)
        self.heartbeats = Heartbeats(session_timeout_ms=9_000)
        self.chance = random.Random(3)
        self.next_offset = 0
        self.replay(*(FeatureLevelRecord(name=name, feature_level=level) for name, level in levels))

    def replay(self, *records: Message) -> None:
        for record in records:
            self.image.replay(record)
            self.next_offset += 1

    def apply(self, decision: Decision) -> object:
        """What the controller does: replay, then answer."""
        self.replay(*decision.records)
        return decision.response

    def add_broker(
        self, broker_id: int, *, rack: str | None = None, fenced: bool = False, directories: int = 1
    ) -> None:
        self.replay(
            RegisterBrokerRecord(
                broker_id=broker_id,
                incarnation_id=uuid(90_000 + broker_id),
                broker_epoch=100 + broker_id,
                end_points=[BrokerEndpoint(name="PLAINTEXT", host="h", port=9092, security_protocol=0)],
                features=[
                    BrokerFeature(
                        name=name,
                        min_supported_version=feature.min_level,
                        max_supported_version=feature.max_level,
                    )
                    for name, feature in FEATURES.items()
                ],
                rack=rack,
                fenced=fenced,
                log_dirs=[directory_of(broker_id, index) for index in range(directories)],
            )
        )
        self.heartbeats.register(broker_id, 100 + broker_id, fenced, now_ms=0)

    def add_brokers(self, *broker_ids: int, **options: bool) -> None:
        for broker_id in broker_ids:
            self.add_broker(broker_id, **options)

    def add_topic(
        self, name: str, *assignments: list[int], isr: list[int] | None = None, **fields: object
    ) -> bytes:
        """A topic with these replicas; all of them in sync, the first leads, unless told otherwise."""
        topic_id = uuid(500_000 + len(self.image.topics.by_id))
        self.replay(TopicRecord(name=name, topic_id=topic_id))
        for number, replicas in enumerate(assignments):
            in_sync = replicas if isr is None else isr
            values: dict[str, object] = {
                "replicas": replicas,
                "isr": in_sync,
                "leader": in_sync[0] if in_sync else -1,
                "leader_epoch": 0,
                "partition_epoch": 0,
                "directories": [directory_of(replica) for replica in replicas],
                **fields,
            }
            self.replay(PartitionRecord(partition_id=number, topic_id=topic_id, **values))
        return topic_id

    def set_config(self, resource_type: ConfigResourceType, name: str, key: str, value: str) -> None:
        self.replay(ConfigRecord(resource_type=resource_type, resource_name=name, name=key, value=value))

    def fence(self, broker_id: int, change: int = 1) -> None:
        """Changes the registration only; no partition hears of it."""
        epoch = self.image.brokers.by_id[broker_id].epoch
        self.replay(BrokerRegistrationChangeRecord(broker_id=broker_id, broker_epoch=epoch, fenced=change))

    def begin_shutdown(self, broker_id: int) -> None:
        epoch = self.image.brokers.by_id[broker_id].epoch
        self.replay(
            BrokerRegistrationChangeRecord(broker_id=broker_id, broker_epoch=epoch, in_controlled_shutdown=1)
        )

    def partition(self, topic: str, number: int = 0) -> PartitionImage:
        return self.image.topics.by_name[topic].partitions[number]
