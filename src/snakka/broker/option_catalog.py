"""Every option there is, and how a node comes to its own: defaults, file, command line, and changes at run time.

Rule: the declarations are assembled here and nowhere else. Every option of Kafka 4.3 is known; one that has no effect here
says so in one log line; a name that nobody knows is a warning in a file and an error on the command line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache

from snakka.broker import options as broker_options
from snakka.broker.option_rules import check_rules
from snakka.metadata import options as metadata_options
from snakka.network import options as network_options
from snakka.network.endpoints import (
    CONTROLLER_LISTENER,
    CONTROLLER_ON_LOOPBACK,
    listen_shorthand,
    parse_listeners,
)
from snakka.options.kinds import show_value
from snakka.options.option import (
    Option,
    OptionError,
    base_name,
    declare,
    find_option,
)
from snakka.options.option_set import ConfigSource, Layer, OptionSet
from snakka.options.properties_file import read_config_file
from snakka.raft import options as raft_options
from snakka.replication import options as replication_options
from snakka.security import options as security_options
from snakka.storage import options as storage_options
from snakka.storage.log_config import topic_options

_FEATURES = (
    metadata_options,
    network_options,
    storage_options,
    raft_options,
    replication_options,
    broker_options,
    security_options,
)
_DEFAULT_ADDRESS = "127.0.0.1:9092"


@cache
def option_catalog() -> Mapping[str, Option]:
    """All broker options by name."""
    catalog: dict[str, Option] = {}
    for feature in _FEATURES:
        catalog.update(declare(feature.OPTIONS))
    return catalog


@cache
def group_options() -> Mapping[str, Option]:
    """The configs that a group may have for itself."""
    return declare(broker_options.GROUP_OPTIONS)


@cache
def client_metrics_options() -> Mapping[str, Option]:
    """The configs of a subscription to clients' metrics."""
    return declare(broker_options.CLIENT_METRICS_OPTIONS)


def standalone_defaults() -> dict[str, str]:
    """What differs from Kafka's defaults on a node that is a cluster of its own: nobody to replicate to or to wait for."""
    return {
        "process.roles": "broker,controller",
        "node.id": "1",
        "controller.listener.names": CONTROLLER_LISTENER,
        "listeners": listen_shorthand(_DEFAULT_ADDRESS),
        "offsets.topic.replication.factor": "1",
        "transaction.state.log.replication.factor": "1",
        "transaction.state.log.min.isr": "1",
        "share.coordinator.state.topic.replication.factor": "1",
        "share.coordinator.state.topic.min.isr": "1",
        "group.initial.rebalance.delay.ms": "0",
    }


def names_quorum(texts: Mapping[str, str]) -> bool:
    """Whether the node is told of a quorum; one that is not may form its own."""
    return any(texts.get(f"controller.quorum.{name}", "").strip() for name in ("voters", "bootstrap.servers"))


def load_options(
    *,
    config_file: str | None = None,
    assignments: Sequence[str] = (),
    listen: str | None = None,
    data_dir: str | None = None,
    log: Callable[[str], None],
) -> OptionSet:
    """The options of a node that starts: the command line, then its file, then defaults. OptionError says what is wrong."""
    texts = {} if config_file is None else read_config_file(config_file)
    for name in texts:
        if find_option(option_catalog(), name) is None:
            log(f"{config_file}: unknown option {name} is ignored{suggestion(name)}")
    assigned = _assigned(assignments)
    texts.update(assigned)
    if data_dir is not None:
        _refuse_twice("--data-dir", "log.dirs", assigned)
        texts["log.dirs"] = data_dir
    if listen is not None:
        _refuse_twice("--listen", "listeners", assigned)
        _apply_listen(texts, listen)
    _unify_node_id(texts)
    options = node_options(texts)
    for name in texts:
        option = find_option(option_catalog(), name)
        if option is not None and not option.effect and options.value(name) != option.default:
            log(f"{name} is set, but has no effect in Snakka")
    return options


def node_options(texts: Mapping[str, str]) -> OptionSet:
    """The options of a node from what is set on it, complete and checked against each other."""
    layers = [Layer(ConfigSource.STATIC_BROKER_CONFIG, texts)]
    if not names_quorum(texts):
        layers = [Layer(ConfigSource.STATIC_BROKER_CONFIG, _with_controller_listener(texts))]
        layers.append(Layer(ConfigSource.DEFAULT_CONFIG, standalone_defaults()))
    options = OptionSet(option_catalog(), layers)
    for name in ("process.roles", "node.id", "controller.listener.names"):
        if options.value(name) is None:
            raise OptionError(f'Missing required configuration "{name}": a node with a quorum must set it')
    check_rules(options)
    parse_listeners(options, own_host_name=lambda: "")
    return options


def suggestion(name: str) -> str:
    """What somebody who wrote an unknown name may have meant, as the end of a sentence."""
    topic_option = topic_options().get(name)
    if topic_option is not None and topic_option.synonyms:
        return f"; the broker's option is {topic_option.synonyms[0][0]}"
    from difflib import get_close_matches  # only a typo pays for it

    close = get_close_matches(base_name(name), option_catalog(), n=1, cutoff=0.8)
    return f"; did you mean {close[0]}?" if close else ""


def _assigned(assignments: Sequence[str]) -> dict[str, str]:
    texts = {}
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        name = name.strip()
        if not equals or not name:
            raise OptionError("--set needs NAME=VALUE, for example --set num.partitions=3")
        if find_option(option_catalog(), name) is None:
            raise OptionError(f"unknown option {name}{suggestion(name)}")
        texts[name] = text.strip()
    return texts


def _refuse_twice(switch: str, name: str, assigned: Mapping[str, str]) -> None:
    if name in assigned:
        raise OptionError(f"{switch} and --set {name} say the same thing: give one of them")


def _apply_listen(texts: dict[str, str], address: str) -> None:
    roles = [role.strip() for role in texts.get("process.roles", "controller").split(",")]
    controller = texts.get("controller.listener.names", CONTROLLER_LISTENER).partition(",")[0].strip()
    texts["listeners"] = listen_shorthand(address, controller if "controller" in roles else None)


def _unify_node_id(texts: dict[str, str]) -> None:
    """broker.id is the older name of node.id: whichever is set gives both."""
    if texts.get("broker.id", "").strip() == "-1":
        del texts["broker.id"]
    node_id = texts.get("node.id", texts.get("broker.id"))
    if node_id is not None:
        texts.setdefault("node.id", node_id)
        texts.setdefault("broker.id", node_id)


def _with_controller_listener(texts: Mapping[str, str]) -> Mapping[str, str]:
    """Listeners that were set without a word of controllers get one on loopback, for a node that is its own controller."""
    listeners = texts.get("listeners")
    if (
        not listeners
        or "controller.listener.names" in texts
        or f"{CONTROLLER_LISTENER}://" in listeners.upper()
    ):
        return texts
    if "controller" not in texts.get("process.roles", "controller"):
        return texts
    return {**texts, "listeners": f"{listeners},{CONTROLLER_LISTENER}://{CONTROLLER_ON_LOOPBACK}"}


def shown_options(options: OptionSet) -> dict[str, str | None]:
    """What is set, for the log: secrets, and whatever is not known, without their values."""
    shown: dict[str, str | None] = {}
    for name in options.texts:
        option = find_option(options.options, name)
        shown[name] = "[hidden]" if option is None or option.sensitive else show_value(options.value(name))
    return shown
