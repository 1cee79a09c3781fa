"""Administration: topics are created, listed, described and deleted here. Any broker takes these requests."""

from collections.abc import Mapping
from dataclasses import dataclass

from snakka.client.cluster_view import ClusterView, TopicView
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.create_topics import (
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from snakka.protocol.messages.delete_topics import (
    DeleteTopicsRequest,
    DeleteTopicsResponse,
    DeleteTopicState,
)
from snakka.protocol.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResponse,
)

BROKER_DEFAULT = -1

_TOPIC_RESOURCE = 2
_DYNAMIC_TOPIC_CONFIG = 1


@dataclass(frozen=True, slots=True)
class TopicDescription:
    """A topic, and the configs that were set on it."""

    topic: TopicView
    configs: Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Admin:
    """Deadlines are in monotonic seconds of the pool's clock."""

    cluster: ClusterView

    async def create_topic(
        self,
        name: str,
        *,
        partitions: int = BROKER_DEFAULT,
        replication_factor: int = BROKER_DEFAULT,
        configs: Mapping[str, str] | None = None,
        deadline: float,
    ) -> None:
        """ApiError says why it could not be created."""
        topic = CreatableTopic(
            name=name,
            num_partitions=partitions,
            replication_factor=replication_factor,
            configs=[CreatableTopicConfig(name=key, value=value) for key, value in (configs or {}).items()],
        )
        request = CreateTopicsRequest(topics=[topic], timeout_ms=self._timeout_ms(deadline))
        response = await self.cluster.pool.ask_any(request, CreateTopicsResponse, deadline)
        for row in response.topics:
            _raise_error(row.error_code, row.error_message)

    async def delete_topic(self, name: str, *, deadline: float) -> None:
        request = DeleteTopicsRequest(
            topics=[DeleteTopicState(name=name)], timeout_ms=self._timeout_ms(deadline)
        )
        response = await self.cluster.pool.ask_any(request, DeleteTopicsResponse, deadline)
        self.cluster.forget(name)
        for row in response.responses:
            if row.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
                raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"topic {name} does not exist")
            _raise_error(row.error_code, row.error_message)

    async def list_topics(self, *, deadline: float) -> list[TopicView]:
        return await self.cluster.all_topics(deadline)

    async def describe_topic(self, name: str, *, deadline: float) -> TopicDescription:
        self.cluster.forget(name)
        topic = await self.cluster.topic(name, deadline)
        resource = DescribeConfigsResource(
            resource_type=_TOPIC_RESOURCE, resource_name=name, configuration_keys=None
        )
        response = await self.cluster.pool.ask_any(
            DescribeConfigsRequest(resources=[resource]), DescribeConfigsResponse, deadline
        )
        result = response.results[0]
        _raise_error(result.error_code, result.error_message)
        return TopicDescription(
            topic,
            {
                config.name: config.value
                for config in result.configs
                if config.config_source == _DYNAMIC_TOPIC_CONFIG
            },
        )

    def _timeout_ms(self, deadline: float) -> int:
        """How long the broker may take: it should give up a little before this client does."""
        remaining_ms = int((deadline - self.cluster.pool.clock.monotonic()) * 1000)
        return max(remaining_ms - 500, remaining_ms // 2, 0)


def _raise_error(code: int, message: str | None) -> None:
    if code != ErrorCode.NONE:
        raise ApiError(ErrorCode(code), message or "")
