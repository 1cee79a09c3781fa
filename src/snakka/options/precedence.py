"""What DescribeConfigs tells of an option: its value, where it comes from, and what else would have set it.

Rule: answers are Kafka's, including its oddities (see `_synonyms_of`), because tools compare them. The value of a
secret, and of a name that nobody knows, is never told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from snakka.options.kinds import Value, show_value
from snakka.options.option import READ_ONLY, Option, base_name, find_option
from snakka.options.option_set import ConfigSource, OptionSet

# Broker options that set the same thing in different units; the first that is set counts.
_UNITS = (
    ("log.roll.ms", "log.roll.hours"),
    ("log.roll.jitter.ms", "log.roll.jitter.hours"),
    ("log.retention.ms", "log.retention.minutes", "log.retention.hours"),
)
_ALIASES = {name: names for names in _UNITS for name in names}
_ALIASES["log.flush.interval.ms"] = ("log.flush.interval.ms", "log.flush.scheduler.interval.ms")


class ConfigSynonym(NamedTuple):
    """One place that sets a value, under one name."""

    name: str
    value: str | None
    source: ConfigSource


class ConfigEntry(NamedTuple):
    """What DescribeConfigs answers for one name."""

    name: str
    value: str | None
    source: ConfigSource
    read_only: bool
    sensitive: bool
    synonyms: tuple[ConfigSynonym, ...]
    kind: int  # a Kind, or 0 for a name that is not known
    doc: str | None  # None, as in Kafka, for such a name


def describe_broker(options: OptionSet) -> Iterator[ConfigEntry]:
    """Every option of this node, and whatever else has been set on it."""
    for name in {**options.options, **options.texts}:
        option = find_option(options.options, name)
        if name not in options.options:
            yield _broker_entry(options, name, option, options.texts[name])
        elif name in options.texts or not options.options[name].internal:
            yield _broker_entry(options, name, option, show_value(options.value(name)))


def describe_cluster_default(options: OptionSet) -> Iterator[ConfigEntry]:
    """What has been set at run time for all brokers."""
    source = ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG
    for layer in options.layers:
        if layer.source is not source:
            continue
        for name, text in layer.texts.items():
            entry = _broker_entry(options, name, find_option(options.options, name), text)
            synonyms = tuple(synonym for synonym in entry.synonyms if synonym.source is source)
            yield entry._replace(
                synonyms=synonyms, source=synonyms[0].source if synonyms else ConfigSource.DEFAULT_CONFIG
            )


def describe_topic(
    declared: Mapping[str, Option], overrides: Mapping[str, str], options: OptionSet
) -> Iterator[ConfigEntry]:
    """Every config of one topic."""
    for name, option in _shown(declared, overrides):
        text = show_value(resolve(option, overrides, options.texts))
        synonyms = _synonyms_of(options, option.synonyms[0][0], sensitive=False) if option.synonyms else ()
        yield _own_entry(option, text, name in overrides, synonyms, ConfigSource.DYNAMIC_TOPIC_CONFIG)


def describe_group(
    declared: Mapping[str, Option], overrides: Mapping[str, str], options: OptionSet
) -> Iterator[ConfigEntry]:
    """Every config of one group; unlike a topic's, one without a broker option names itself as its default."""
    for name, option in _shown(declared, overrides):
        text = show_value(resolve(option, overrides, options.texts))
        if option.synonyms:
            synonyms = _synonyms_of(options, option.synonyms[0][0], sensitive=False)
        else:
            synonyms = (ConfigSynonym(name, option.default_text, ConfigSource.DEFAULT_CONFIG),)
        yield _own_entry(option, text, name in overrides, synonyms, ConfigSource.GROUP_CONFIG)


def describe_client_metrics(
    declared: Mapping[str, Option], overrides: Mapping[str, str]
) -> Iterator[ConfigEntry]:
    """Every config of one subscription to clients' metrics."""
    for name, option in _shown(declared, overrides):
        text = show_value(resolve(option, overrides, {}))
        yield _own_entry(option, text, name in overrides, (), ConfigSource.CLIENT_METRICS_CONFIG)


def resolve(option: Option, overrides: Mapping[str, str], broker_texts: Mapping[str, str]) -> Value:
    """What holds for a topic's or a group's config: its override, else the first broker option set, else its default.

    Values are only read, not judged: what was accepted once stays in effect when bounds become narrower.
    """
    if option.name in overrides:
        return option.convert(overrides[option.name])
    for name, factor in option.synonyms:
        if name in broker_texts:
            value = option.convert(broker_texts[name])
            if isinstance(value, int) and value < 0 and _ALIASES.get(name):
                return -1  # however much below zero a time is, it means no limit
            return value * factor if factor > 1 and isinstance(value, int) else value
    return option.default


def _shown(declared: Mapping[str, Option], overrides: Mapping[str, str]) -> Iterator[tuple[str, Option]]:
    return ((name, option) for name, option in declared.items() if name in overrides or not option.internal)


def _own_entry(
    option: Option,
    text: str | None,
    is_override: bool,
    synonyms: tuple[ConfigSynonym, ...],
    own_source: ConfigSource,
) -> ConfigEntry:
    if is_override:
        synonyms = (ConfigSynonym(option.name, text, own_source), *synonyms)
    source = synonyms[0].source if synonyms else ConfigSource.DEFAULT_CONFIG
    return ConfigEntry(option.name, text, source, False, False, synonyms, option.kind, option.doc)


def _broker_entry(options: OptionSet, name: str, option: Option | None, text: str | None) -> ConfigEntry:
    sensitive = option is None or option.sensitive
    synonyms = _synonyms_of(options, name, sensitive)
    return ConfigEntry(
        name,
        None if sensitive else text,
        synonyms[0].source if synonyms else ConfigSource.DEFAULT_CONFIG,
        read_only=name not in options.options or options.options[name].update == READ_ONLY,
        sensitive=sensitive,
        synonyms=synonyms,
        kind=0 if option is None else option.kind,
        doc=None if option is None else option.doc,
    )


def _synonyms_of(options: OptionSet, name: str, sensitive: bool) -> tuple[ConfigSynonym, ...]:
    """All that sets `name`, in order of precedence.

    As in Kafka, what comes before the first entry under this very name is dropped. So a retention.ms that comes from
    log.retention.hours has no synonyms and is called a default.
    """
    aliases = _ALIASES.get(name) or tuple(dict.fromkeys((name, base_name(name))))
    found: list[ConfigSynonym] = []
    for layer in options.layers:
        if layer.source is not ConfigSource.DEFAULT_CONFIG:
            found += (
                ConfigSynonym(alias, layer.texts[alias], layer.source)
                for alias in aliases
                if alias in layer.texts
            )
    for alias in aliases:
        default = _default_text(options, alias)
        if default is not None:
            found.append(ConfigSynonym(alias, default, ConfigSource.DEFAULT_CONFIG))
    first = next((index for index, synonym in enumerate(found) if synonym.name == name), len(found))
    kept = found[first:]
    return tuple(synonym._replace(value=None) for synonym in kept) if sensitive else tuple(kept)


def _default_text(options: OptionSet, name: str) -> str | None:
    for layer in options.layers:
        if layer.source is ConfigSource.DEFAULT_CONFIG and name in layer.texts:
            return layer.texts[name]
    option = options.options.get(name)
    return None if option is None else option.default_text
