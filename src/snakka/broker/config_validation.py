"""What may be set at run time, on brokers, groups and metrics subscriptions; topics have theirs in storage.log_config.

Rule: each function takes all that would then be set, and returns, or raises ApiError with the code that Kafka answers:
INVALID_REQUEST for brokers, INVALID_CONFIG for groups, and one or the other for metrics subscriptions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from snakka.broker.option_catalog import client_metrics_options, group_options, option_catalog
from snakka.broker.option_rules import check_rules
from snakka.network.endpoints import parse_listeners
from snakka.options.option import CLUSTER_WIDE, READ_ONLY, Option, OptionError, base_name, find_option
from snakka.options.option_set import ConfigSource, OptionSet
from snakka.options.precedence import resolve
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError

# Keys and certificates belong to a listener; Kafka changes them at run time only under its prefix.
_LISTENER_ONLY_AT_RUN_TIME = frozenset(
    f"ssl.{name}"
    for name in (
        "keystore.type",
        "keystore.location",
        "keystore.password",
        "key.password",
        "keystore.key",
        "keystore.certificate.chain",
        "truststore.type",
        "truststore.location",
        "truststore.password",
        "truststore.certificates",
    )
)
_CLUSTER_WIDE_FOR_LISTENERS = frozenset(
    {"max.connections", "max.connection.creation.rate", "num.network.threads"}
)


# Pools of threads in Kafka, which grow and shrink in steps.
_THREAD_COUNTS = (
    "background.threads",
    "log.cleaner.threads",
    "num.io.threads",
    "num.network.threads",
    "num.recovery.threads.per.data.dir",
    "num.replica.fetchers",
)
# What a metrics subscription may choose clients by.
_CLIENT_SELECTORS = (
    "client_instance_id",
    "client_id",
    "client_software_name",
    "client_software_version",
    "client_source_address",
    "client_source_port",
)


def validate_broker_configs(
    overrides: Mapping[str, str | None], per_broker: bool, current: OptionSet | None = None
) -> None:
    """Refuse, with ApiError(INVALID_REQUEST) as Kafka does, what can't be set on a running broker or on all of them.

    `overrides` is all that would then be set for the broker (`per_broker`) or for the cluster. With `current`, the node's
    options now, the outcome must also keep to the rules between options.
    """
    try:
        texts = _no_nulls(overrides, "broker")
        _refuse_names(texts, _is_read_only, "Cannot update these configs dynamically")
        _refuse_names(
            texts,
            _LISTENER_ONLY_AT_RUN_TIME.__contains__,
            "These security configs can be dynamically updated only per-listener using the listener prefix",
        )
        for name, text in texts.items():
            option = find_option(option_catalog(), name)
            if option is not None and option.update != READ_ONLY:
                option.parse(text)
        if not per_broker:
            _refuse_names(
                texts,
                _is_per_broker,
                "Cannot update these configs at default cluster level, broker id must be specified",
            )
        if current is not None:
            _check_outcome(current, texts, per_broker)
    except OptionError as error:
        raise ApiError(ErrorCode.INVALID_REQUEST, str(error)) from None


def _check_outcome(current: OptionSet, texts: Mapping[str, str], per_broker: bool) -> None:
    layers = {layer.source: layer.texts for layer in current.layers}
    broker = layers.get(ConfigSource.DYNAMIC_BROKER_CONFIG, {})
    cluster = layers.get(ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG, {})
    outcome = current.with_dynamic(
        cluster if per_broker else texts, texts if per_broker else broker, on_invalid=lambda _: None
    )
    check_rules(outcome)
    _check_thread_counts(current, outcome)
    parse_listeners(outcome, own_host_name=lambda: "")


def _check_thread_counts(current: OptionSet, outcome: OptionSet) -> None:
    for name in _THREAD_COUNTS:
        before, after = current.integer(name), outcome.integer(name)
        if not before // 2 <= after <= before * 2:
            raise OptionError(
                f"{name} can at most be halved or doubled at once, not go from {before} to {after}"
            )


def _is_read_only(name: str) -> bool:
    option = option_catalog().get(name)
    return option is not None and option.update == READ_ONLY


def _is_per_broker(name: str) -> bool:
    base = base_name(name)
    if base != name:
        return base not in _CLUSTER_WIDE_FOR_LISTENERS
    option = option_catalog().get(name)
    return option is not None and option.update != CLUSTER_WIDE


def _refuse_names(texts: Mapping[str, str], refused: Callable[[str], bool], why: str) -> None:
    names = sorted(filter(refused, texts))
    if names:
        raise OptionError(f"{why}: [{', '.join(names)}]")


def _no_nulls(overrides: Mapping[str, str | None], resource: str) -> dict[str, str]:
    nulls = [name for name, text in overrides.items() if text is None]
    if nulls:
        raise OptionError(f"Null value not supported for {resource} configs: {','.join(nulls)}")
    return {name: text for name, text in overrides.items() if text is not None}


def validate_group_configs(overrides: Mapping[str, str | None], options: OptionSet) -> None:
    """Refuse what is no config of a group, or lies outside of what the broker allows groups to set."""
    declared = group_options()
    try:
        texts = _no_nulls(overrides, "group")
        for name, text in texts.items():
            if name not in declared:
                raise OptionError(f"Unknown group config name: {name}")
            value = declared[name].parse(text)
            if isinstance(value, int):
                _check_group_range(name, value, options)
        for group_type in ("consumer", "share", "streams"):
            _check_session_exceeds_heartbeat(group_type, texts, options)
    except OptionError as error:
        raise ApiError(ErrorCode.INVALID_CONFIG, str(error)) from None


def _check_group_range(name: str, value: int, options: OptionSet) -> None:
    group_type, _, rest = name.partition(".")
    low, high = f"group.{group_type}.min.{rest}", f"group.{group_type}.max.{rest.removeprefix('num.')}"
    if low in options.options and value < options.integer(low):
        raise OptionError(f"{name} must be greater than or equal to {low}={options.integer(low)}")
    if high in options.options and value > options.integer(high):
        raise OptionError(f"{name} must be less than or equal to {high}={options.integer(high)}")


def _check_session_exceeds_heartbeat(group_type: str, texts: Mapping[str, str], options: OptionSet) -> None:
    session, heartbeat = f"{group_type}.session.timeout.ms", f"{group_type}.heartbeat.interval.ms"
    declared = group_options()
    if session not in texts and heartbeat not in texts:
        return
    timeout, interval = (resolve(declared[name], texts, options.texts) for name in (session, heartbeat))
    if isinstance(timeout, int) and isinstance(interval, int) and timeout <= interval:
        raise OptionError(f"{session}={timeout} must be greater than {heartbeat}={interval}")


def validate_client_metrics_configs(overrides: Mapping[str, str | None]) -> None:
    """Refuse what is no config of a subscription to clients' metrics, or no value of it."""
    declared = client_metrics_options()
    try:
        texts = _no_nulls(overrides, "client metrics")
        for name, text in texts.items():
            if name not in declared:
                raise OptionError(f"Unknown client metrics configuration: {name}")
            _check_client_metrics_value(declared[name], text)
    except OptionError as error:
        raise ApiError(ErrorCode.INVALID_REQUEST, str(error)) from None
    for selector in filter(None, texts.get("match", "").split(",")):
        name, equals, pattern = (part.strip() for part in selector.partition("="))
        if not equals or name not in _CLIENT_SELECTORS or not _is_pattern(pattern):
            raise ApiError(ErrorCode.INVALID_CONFIG, f"Illegal client matching pattern: {selector}")


def _check_client_metrics_value(option: Option, text: str) -> None:
    try:
        option.convert(text)
    except OptionError as error:
        raise ApiError(ErrorCode.INVALID_CONFIG, str(error)) from None
    option.parse(text)


def _is_pattern(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True
