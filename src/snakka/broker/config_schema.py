"""What the controller may know of configs: which exist, which values are good, and what is in effect.

The controller's decisions lie below the catalog of options, so they see it only through the methods of
`metadata.state.rules.ConfigSchema`. Rule: what is in effect is computed from what the controller passes in, which may be
newer than what this node has taken over; only what the node was started with comes from its own options.
"""

from collections import ChainMap
from collections.abc import Iterator, Mapping

from snakka.broker.config_validation import (
    validate_broker_configs,
    validate_client_metrics_configs,
    validate_group_configs,
)
from snakka.broker.live_options import LiveOptions
from snakka.broker.option_catalog import client_metrics_options, group_options, option_catalog
from snakka.metadata.image.configs import ConfigResourceType
from snakka.metadata.state.rules import EffectiveConfig
from snakka.options.kinds import Kind, show_value
from snakka.options.option import Option
from snakka.options.option_set import ConfigSource
from snakka.options.precedence import resolve
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.storage.log_config import topic_options, validate_topic_configs

# Where a broker's option can be set, from what wins to what gives way.
_BROKER_SOURCES = (
    ConfigSource.DYNAMIC_BROKER_CONFIG,
    ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG,
    ConfigSource.STATIC_BROKER_CONFIG,
)

_Texts = Mapping[str, str]


class CatalogSchema:
    """The `ConfigSchema` of a node, on the catalog of options."""

    def __init__(self, live: LiveOptions) -> None:
        self._live = live
        self._static: dict[str, str] = {}
        for layer in reversed(live.current.layers):
            if layer.source >= ConfigSource.STATIC_BROKER_CONFIG:
                self._static.update(layer.texts)
        # What topics without configs of their own have, and for which broker configs that was computed.
        self._shared: dict[str, EffectiveConfig] = {}
        self._shared_for: tuple[dict[str, str], dict[str, str]] | None = None

    def validate(self, resource_type: int, name: str, configs: _Texts, before: _Texts) -> None:
        """ApiError if a resource must not have these configs."""
        if resource_type == ConfigResourceType.TOPIC:
            validate_topic_configs(configs, self._live.log_defaults)
        elif resource_type == ConfigResourceType.BROKER:
            # Of other nodes' options nothing is known here but their names; each checks what it takes over.
            is_here = name in ("", str(self._live.node_id))
            validate_broker_configs(configs, bool(name), self._live.current if is_here else None)
        elif resource_type == ConfigResourceType.GROUP:
            validate_group_configs(configs, self._live.current)
        elif resource_type == ConfigResourceType.CLIENT_METRICS:
            validate_client_metrics_configs(configs)
        else:
            raise ApiError(ErrorCode.INVALID_REQUEST, f"Resources of type {resource_type} have no configs.")

    def is_list(self, resource_type: int, key: str) -> bool:
        # Kafka appends to and subtracts from lists of brokers and topics only.
        if resource_type not in (ConfigResourceType.BROKER, ConfigResourceType.TOPIC):
            return False
        option = _declared(resource_type).get(key)
        return option is not None and option.kind is Kind.LIST

    def default(self, resource_type: int, key: str) -> str | None:
        option = _declared(resource_type).get(key)
        return None if option is None else option.default_text

    def topic_config(self, key: str, topic: _Texts, node: _Texts, cluster: _Texts) -> str:
        text = show_value(resolve(topic_options()[key], topic, self._broker_texts(node, cluster)))
        return "" if text is None else text

    def topic_configs(self, topic: _Texts, node: _Texts, cluster: _Texts) -> list[EffectiveConfig]:
        shared = self._shared_configs(node, cluster)
        if not topic:
            return list(shared.values())
        own = {name: _own_config(topic_options()[name], text) for name, text in topic.items()}
        return list({**shared, **own}.values())

    def _shared_configs(self, node: _Texts, cluster: _Texts) -> dict[str, EffectiveConfig]:
        """Computed once for as long as no broker config changes: many topics may be created at once."""
        if self._shared_for != (node, cluster):
            self._shared = dict(self._inherited_configs(node, cluster))
            self._shared_for = (dict(node), dict(cluster))
        return self._shared

    def _inherited_configs(self, node: _Texts, cluster: _Texts) -> Iterator[tuple[str, EffectiveConfig]]:
        texts = self._broker_texts(node, cluster)
        for name, option in topic_options().items():
            if not option.internal:
                value = show_value(resolve(option, {}, texts))
                source = _inherited_source(option, (node, cluster, self._static))
                yield name, EffectiveConfig(name, value, False, source, option.sensitive)

    def _broker_texts(self, node: _Texts, cluster: _Texts) -> _Texts:
        if not node and not cluster:
            return self._static
        return ChainMap(dict(node), dict(cluster), self._static)


def _declared(resource_type: int) -> Mapping[str, Option]:
    if resource_type == ConfigResourceType.TOPIC:
        return topic_options()
    if resource_type == ConfigResourceType.BROKER:
        return option_catalog()
    if resource_type == ConfigResourceType.GROUP:
        return group_options()
    if resource_type == ConfigResourceType.CLIENT_METRICS:
        return client_metrics_options()
    return {}


def _own_config(option: Option, text: str) -> EffectiveConfig:
    return EffectiveConfig(option.name, text, False, ConfigSource.DYNAMIC_TOPIC_CONFIG, option.sensitive)


def _inherited_source(option: Option, layers: tuple[_Texts, _Texts, _Texts]) -> ConfigSource:
    """Where the broker option comes from that gives a topic its value."""
    for name, _ in option.synonyms:
        for source, texts in zip(_BROKER_SOURCES, layers, strict=True):
            if name in texts:
                return source
    return ConfigSource.DEFAULT_CONFIG
