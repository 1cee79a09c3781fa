"""Configs of topics, brokers, groups and metrics subscriptions: describe them, change single ones, list what has any."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeVar

from snakka.client.admin.calls import AdminCalls
from snakka.client.admin.outcomes import Outcomes, Row, outcome
from snakka.client.errors import ClientError
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
)
from snakka.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from snakka.protocol.messages.list_config_resources import (
    ListConfigResourcesRequest,
    ListConfigResourcesResponse,
)

V = TypeVar("V")


class ConfigKind(IntEnum):
    """What configs can be of; the numbers are the protocol's."""

    TOPIC = 2
    BROKER = 4
    BROKER_LOGGER = 8
    CLIENT_METRICS = 16
    GROUP = 32


class ConfigSource(IntEnum):
    """Where a value comes from."""

    UNKNOWN = 0
    TOPIC = 1
    BROKER = 2
    ALL_BROKERS = 3
    BROKER_FILE = 4
    DEFAULT = 5
    BROKER_LOGGER = 6
    CLIENT_METRICS = 7
    GROUP = 8


class ConfigType(IntEnum):
    """What kind of value it is."""

    UNKNOWN = 0
    BOOLEAN = 1
    STRING = 2
    INT = 3
    SHORT = 4
    LONG = 5
    DOUBLE = 6
    LIST = 7
    CLASS = 8
    PASSWORD = 9


@dataclass(frozen=True, slots=True)
class ConfigResource:
    """Something that has configs. A broker without a name stands for all brokers."""

    kind: ConfigKind
    name: str

    @classmethod
    def topic(cls, name: str) -> "ConfigResource":
        return cls(ConfigKind.TOPIC, name)

    @classmethod
    def broker(cls, node_id: int | None = None) -> "ConfigResource":
        return cls(ConfigKind.BROKER, "" if node_id is None else str(node_id))

    @classmethod
    def group(cls, group_id: str) -> "ConfigResource":
        return cls(ConfigKind.GROUP, group_id)

    @property
    def home(self) -> int | None:
        """The one broker that knows of it; None if all do."""
        alone = self.kind in (ConfigKind.BROKER, ConfigKind.BROKER_LOGGER)
        return int(self.name) if alone and self.name.isdecimal() else None

    def __str__(self) -> str:
        return f"{self.kind.name.lower().replace('_', ' ')} {self.name}".rstrip()


@dataclass(frozen=True, slots=True)
class ConfigSynonym:
    """Another place where a value could come from."""

    name: str
    value: str | None
    source: ConfigSource


@dataclass(frozen=True, slots=True)
class ConfigEntry:
    """One config. A sensitive value is None."""

    name: str
    value: str | None
    source: ConfigSource
    is_read_only: bool
    is_sensitive: bool
    type: ConfigType
    documentation: str | None
    synonyms: tuple[ConfigSynonym, ...]

    @property
    def is_default(self) -> bool:
        return self.source is ConfigSource.DEFAULT


@dataclass(frozen=True, slots=True)
class Append:
    """Add a value to a list."""

    value: str


@dataclass(frozen=True, slots=True)
class Subtract:
    """Take a value out of a list."""

    value: str


# A text sets the value, None takes it back to its default.
ConfigChange = str | None | Append | Subtract
Configs = dict[str, ConfigEntry]
_SET, _DELETE, _APPEND, _SUBTRACT = range(4)


class ConfigAdmin(AdminCalls):
    """What can be done to configs."""

    async def describe_configs(
        self,
        resources: Iterable[ConfigResource],
        *,
        names: Iterable[str] | None = None,
        include_synonyms: bool = False,
        include_documentation: bool = False,
        timeout_ms: int | None = None,
    ) -> Outcomes[ConfigResource, Configs]:
        """All configs of each, or those of these names.

        >>> created = await admin.create_topic("orders", configs={"retention.ms": "1000"})
        >>> orders = ConfigResource.topic("orders")
        >>> configs = (await admin.describe_configs([orders]))[orders]
        >>> configs["retention.ms"].value, configs["cleanup.policy"].is_default
        ('1000', True)
        """
        deadline = self._deadline(timeout_ms)
        keys = None if names is None else list(names)

        async def ask(home: int | None, ours: list[ConfigResource]) -> list[Row[ConfigResource, Configs]]:
            request = DescribeConfigsRequest(
                resources=[
                    DescribeConfigsResource(
                        resource_type=each.kind, resource_name=each.name, configuration_keys=keys
                    )
                    for each in ours
                ],
                include_synonyms=include_synonyms,
                include_documentation=include_documentation,
            )
            if home is None:
                response = await self._ask_any(request, DescribeConfigsResponse, deadline)
            else:
                response = await self._ask_broker(home, request, DescribeConfigsResponse, deadline)
            return [
                (key, outcome(configs, row.error_code, row.error_message, str(key)))
                for row in response.results
                for key in (ConfigResource(ConfigKind(row.resource_type), row.resource_name),)
                for configs in ({config.name: _entry(config) for config in row.configs},)
            ]

        return await self._at_homes(resources, ask, deadline)

    async def alter_configs(
        self,
        changes: Mapping[ConfigResource, Mapping[str, ConfigChange]],
        *,
        validate_only: bool = False,
        timeout_ms: int | None = None,
    ) -> Outcomes[ConfigResource, None]:
        """Change single configs; those that are not named stay as they are. None takes one back to its default.

        >>> created = await admin.create_topic("orders")
        >>> orders = ConfigResource.topic("orders")
        >>> changes = {"retention.ms": "1000", "cleanup.policy": Append("compact"), "segment.bytes": None}
        >>> (await admin.alter_configs({orders: changes}))[orders]
        >>> (await admin.describe_configs([orders]))[orders]["cleanup.policy"].value
        'delete,compact'
        """
        deadline = self._deadline(timeout_ms)

        async def ask(home: int | None, ours: list[ConfigResource]) -> list[Row[ConfigResource, None]]:
            request = IncrementalAlterConfigsRequest(
                resources=[
                    AlterConfigsResource(
                        resource_type=each.kind,
                        resource_name=each.name,
                        configs=[_alterable(name, change) for name, change in changes[each].items()],
                    )
                    for each in ours
                ],
                validate_only=validate_only,
            )
            if home is None:
                response = await self._ask_any(request, IncrementalAlterConfigsResponse, deadline)
            else:
                response = await self._ask_broker(home, request, IncrementalAlterConfigsResponse, deadline)
            return [
                (key, outcome(None, row.error_code, row.error_message, str(key)))
                for row in response.responses
                for key in (ConfigResource(ConfigKind(row.resource_type), row.resource_name),)
            ]

        return await self._at_homes(changes, ask, deadline)

    async def list_config_resources(
        self, kinds: Iterable[ConfigKind] = (), *, timeout_ms: int | None = None
    ) -> list[ConfigResource]:
        """Everything that may have configs, of these kinds or of all.

        >>> created = await admin.create_topic("orders")
        >>> await admin.list_config_resources([ConfigKind.TOPIC])
        [ConfigResource(kind=<ConfigKind.TOPIC: 2>, name='orders')]
        """
        request = ListConfigResourcesRequest(resource_types=list(kinds))
        response = await self._ask_any(request, ListConfigResourcesResponse, self._deadline(timeout_ms))
        return [
            ConfigResource(ConfigKind(row.resource_type), row.resource_name)
            for row in response.config_resources
        ]

    async def _at_homes(
        self,
        resources: Iterable[ConfigResource],
        ask: Callable[[int | None, list[ConfigResource]], Awaitable[list[Row[ConfigResource, V]]]],
        deadline: float,
    ) -> Outcomes[ConfigResource, V]:
        """Each broker is asked for its own configs, and any broker for all others."""

        async def attempt(pending: list[ConfigResource]) -> list[Row[ConfigResource, V]]:
            homes: dict[int | None, list[ConfigResource]] = {}
            for resource in pending:
                homes.setdefault(resource.home, []).append(resource)
            rows: list[Row[ConfigResource, V]] = []
            for home, ours in homes.items():
                try:
                    rows += await ask(home, ours)
                except (ApiError, ClientError) as error:
                    if home is None:
                        raise
                    rows += [(resource, error) for resource in ours]
            return rows

        return await self._each(resources, attempt, deadline)


def _alterable(name: str, change: ConfigChange) -> AlterableConfig:
    match change:
        case None:
            return AlterableConfig(name=name, config_operation=_DELETE, value=None)
        case Append(value):
            return AlterableConfig(name=name, config_operation=_APPEND, value=value)
        case Subtract(value):
            return AlterableConfig(name=name, config_operation=_SUBTRACT, value=value)
        case _:
            return AlterableConfig(name=name, config_operation=_SET, value=change)


def _entry(row: DescribeConfigsResourceResult) -> ConfigEntry:
    return ConfigEntry(
        row.name,
        row.value,
        ConfigSource(max(row.config_source, 0)),
        row.read_only,
        row.is_sensitive,
        ConfigType(row.config_type),
        row.documentation or None,
        tuple(ConfigSynonym(each.name, each.value, ConfigSource(each.source)) for each in row.synonyms),
    )
