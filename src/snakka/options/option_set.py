"""All options of a node with their values: typed access, and what gives way to what.

Rule: an OptionSet never changes. A change at run time makes a new one, so a reader holds values that belong together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple, TypeVar

from snakka.options.kinds import Value
from snakka.options.option import Option, OptionError, find_option

_T = TypeVar("_T", bool, int, float, str)


class ConfigSource(IntEnum):
    """Where a value comes from; the numbers are those of DescribeConfigs."""

    DYNAMIC_TOPIC_CONFIG = 1
    DYNAMIC_BROKER_CONFIG = 2
    DYNAMIC_DEFAULT_BROKER_CONFIG = 3
    STATIC_BROKER_CONFIG = 4
    DEFAULT_CONFIG = 5
    DYNAMIC_BROKER_LOGGER_CONFIG = 6
    CLIENT_METRICS_CONFIG = 7
    GROUP_CONFIG = 8


class Layer(NamedTuple):
    """Texts that come from one place, by option name."""

    source: ConfigSource
    texts: Mapping[str, str]


class OptionSet:
    """Values in layers, the first of which that names an option wins; below all of them is the option's own default.

    The layers of a node are, from the top: dynamic for this broker, dynamic for the cluster, the command line, the file,
    and defaults that depend on the kind of node. Names that no option has are kept but never parsed.
    """

    __slots__ = ("_values", "layers", "options", "texts")

    def __init__(self, options: Mapping[str, Option], layers: Sequence[Layer]) -> None:
        self.options = options
        self.layers = tuple(layers)
        self.texts: dict[str, str] = {}  # what is set, whatever the layer
        self._values: dict[str, Value] = {}
        for layer in reversed(self.layers):
            self.texts.update(layer.texts)
        for name, text in self.texts.items():
            option = find_option(options, name)
            if option is not None:
                self._values[name] = option.parse(text)

    def value(self, name: str) -> Value:
        if name not in self._values:
            self._values[name] = self.options[name].default
        return self._values[name]

    def is_set(self, name: str) -> bool:
        """Whether somebody has set it, at start or at run time; defaults do not count."""
        return any(
            name in layer.texts for layer in self.layers if layer.source is not ConfigSource.DEFAULT_CONFIG
        )

    def boolean(self, name: str) -> bool:
        return self._typed(name, bool)

    def integer(self, name: str) -> int:
        return self._typed(name, int)

    def double(self, name: str) -> float:
        return self._typed(name, float)

    def text(self, name: str) -> str:
        return self._typed(name, str)

    def integer_or_none(self, name: str) -> int | None:
        return None if self.value(name) is None else self._typed(name, int)

    def text_or_none(self, name: str) -> str | None:
        return None if self.value(name) is None else self._typed(name, str)

    def entries(self, name: str) -> tuple[str, ...]:
        """A list's entries; a list without a value has none."""
        value = self.value(name)
        if value is None:
            return ()
        if not isinstance(value, tuple):
            raise TypeError(f"{name} is no list")
        return value

    def _typed(self, name: str, kind: type[_T]) -> _T:
        value = self.value(name)
        if value is None:
            raise OptionError(f'Missing required configuration "{name}", which has no default: set {name}')
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise TypeError(f"{name} is {type(value).__name__}, not {kind.__name__}")
        return value

    def for_listener(self, listener_name: str) -> OptionSet:
        """The options as one listener sees them: what is set with its prefix has precedence."""
        prefix = f"listener.name.{listener_name.lower()}."
        own = {name[len(prefix) :]: text for name, text in self.texts.items() if name.startswith(prefix)}
        if not own:
            return self
        return OptionSet(self.options, (Layer(ConfigSource.STATIC_BROKER_CONFIG, own), *self.layers))

    def with_dynamic(
        self, cluster: Mapping[str, str], broker: Mapping[str, str], on_invalid: Callable[[str], None]
    ) -> OptionSet:
        """The same start-up options under what has been set at run time, for the cluster and for this broker.

        A stored value that can't be read is left out, and `on_invalid` is told why: a node must start all the same.
        """
        static = [layer for layer in self.layers if layer.source >= ConfigSource.STATIC_BROKER_CONFIG]
        dynamic = [
            Layer(ConfigSource.DYNAMIC_BROKER_CONFIG, self._readable(broker, on_invalid)),
            Layer(ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG, self._readable(cluster, on_invalid)),
        ]
        return OptionSet(self.options, dynamic + static)

    def _readable(self, texts: Mapping[str, str], on_invalid: Callable[[str], None]) -> dict[str, str]:
        readable = {}
        for name, text in texts.items():
            option = find_option(self.options, name)
            try:
                if option is not None:
                    option.parse(text)
                readable[name] = text
            except OptionError as error:
                on_invalid(str(error))
        return readable
