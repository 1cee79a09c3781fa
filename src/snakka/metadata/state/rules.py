"""What decisions need to know that is not in the image: options of this controller, and the catalog of configs.

The catalog of options lies above this layer, so it comes in as an object with the methods of `ConfigSchema`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from snakka.metadata.image.cluster import ClusterImage
from snakka.metadata.image.configs import CLUSTER_DEFAULT, ConfigResourceType
from snakka.security.operations import Operation, ResourceType

MIN_INSYNC_REPLICAS = "min.insync.replicas"
UNCLEAN_LEADER_ELECTION = "unclean.leader.election.enable"


class EffectiveConfig(NamedTuple):
    """A topic config as a client is told it; `source` is Kafka's number of where the value comes from."""

    name: str
    value: str | None
    read_only: bool
    source: int
    sensitive: bool


class ConfigSchema(Protocol):
    """What configs exist and what they mean."""

    def validate(
        self, resource_type: int, name: str, configs: Mapping[str, str], before: Mapping[str, str]
    ) -> None:
        """ApiError if a resource must not have these configs; `before` is what it has now."""

    def is_list(self, resource_type: int, key: str) -> bool:
        """Whether a value is a list that can be appended to and subtracted from."""

    def default(self, resource_type: int, key: str) -> str | None:
        """The value when nothing is set anywhere."""

    def topic_config(
        self, key: str, topic: Mapping[str, str], node: Mapping[str, str], cluster: Mapping[str, str]
    ) -> str:
        """The value in effect: the topic's own, else this node's, else the cluster's, else the static one."""

    def topic_configs(
        self, topic: Mapping[str, str], node: Mapping[str, str], cluster: Mapping[str, str]
    ) -> list[EffectiveConfig]:
        """All configs of a topic in effect."""


@dataclass(frozen=True, slots=True)
class ControllerRules:
    """The options that decisions depend on."""

    node_id: int
    cluster_id: str
    schema: ConfigSchema
    default_partitions: int = 1
    default_replication_factor: int = 1
    topic_deletion_enabled: bool = True
    max_elections_per_round: int = 1000
    # The voters of the quorum and the finalized level of kraft.version live in the raft layer.
    quorum_node_ids: Callable[[], tuple[int, ...]] = tuple
    kraft_version: Callable[[], int] = lambda: 1

    def node_configs(self, image: ClusterImage) -> Mapping[str, str]:
        return image.configs.of(ConfigResourceType.BROKER, str(self.node_id))

    def topic_config(self, image: ClusterImage, topic: str, key: str) -> str:
        return self.schema.topic_config(
            key, image.configs.of_topic(topic), self.node_configs(image), image.configs.of(*CLUSTER_DEFAULT)
        )

    def min_isr(self, image: ClusterImage, topic: str) -> int:
        return int(self.topic_config(image, topic, MIN_INSYNC_REPLICAS))

    def unclean_election_enabled(self, image: ClusterImage, topic: str) -> bool:
        return self.topic_config(image, topic, UNCLEAN_LEADER_ELECTION).lower() == "true"


def allow_all(_operation: Operation, _resource: ResourceType, _name: str) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: the version of the request, and what its principal may do."""

    api_version: int
    authorize: Callable[[Operation, ResourceType, str], bool] = allow_all
