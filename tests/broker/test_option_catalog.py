"""The catalog knows all of Kafka 4.3's options, and a node comes to its own by the command line, its file and defaults."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from tests.options.server_properties import SERVER_PROPERTIES

from snakka.broker.option_catalog import (
    client_metrics_options,
    group_options,
    load_options,
    node_options,
    option_catalog,
    shown_options,
    standalone_defaults,
)
from snakka.network.endpoints import parse_listeners
from snakka.options.kinds import Kind, read_value
from snakka.options.option import READ_ONLY, Option, OptionError
from snakka.options.option_set import OptionSet
from snakka.storage.log_config import topic_options

FACTS = Path(__file__).parent / "kafka_options.tsv"
# Set at run time only: Kafka declares them beside its broker options.
DYNAMIC_ONLY = {
    "leader.replication.throttled.rate",
    "follower.replication.throttled.rate",
    "replica.alter.log.dirs.io.max.bytes.per.second",
}

DECLARATIONS_OF_KAFKA = """
import org.apache.kafka.common.config.ConfigDef;
import java.util.*;

public class Declarations {
    static void print(String resource, ConfigDef declared, Map<String, String> modes) {
        for (var key : declared.configKeys().values()) {
            Object value = key.defaultValue;
            String text = value == ConfigDef.NO_DEFAULT_VALUE ? "<required>"
                : value == null ? "null" : ConfigDef.convertToString(value, key.type());
            String mode = resource.equals("broker") ? modes.getOrDefault(key.name, "read-only") : "";
            System.out.println(String.join("\\t", resource, key.name, key.type().name().toLowerCase(), text, mode));
        }
    }

    public static void main(String[] arguments) throws Exception {
        var modes = org.apache.kafka.server.config.DynamicBrokerConfig.dynamicConfigUpdateModes();
        print("broker", kafka.server.KafkaConfig.configDef(), modes);
        print("topic", org.apache.kafka.storage.internals.log.LogConfig.configDefCopy(), modes);
        print("group", org.apache.kafka.coordinator.group.GroupConfig.CONFIG_DEF, modes);
    }
}
"""


def declared(resource: str) -> Mapping[str, Option]:
    if resource == "topic":
        return topic_options()
    return {"broker": option_catalog, "group": group_options, "client-metrics": client_metrics_options}[
        resource
    ]()


def facts() -> Iterator[list[str]]:
    for line in FACTS.read_text().splitlines():
        if not line.startswith("#"):
            yield [*line.split("\t"), "", ""][:5]


def differences(rows: Iterator[list[str]]) -> list[str]:
    found = []
    seen: dict[str, set[str]] = {}
    for resource, name, kind, default, mode in rows:
        seen.setdefault(resource, set()).add(name)
        option = declared(resource).get(name)
        if option is None:
            found.append(f"{resource} {name} is not known")
            continue
        expected = None if default in ("null", "<required>") else read_value(Kind[kind.upper()], default)
        actual = option.default
        if name == "listener.security.protocol.map":  # a map, in no order
            expected, actual = sorted(str(expected).split(",")), sorted(str(actual).split(","))  # type: ignore[assignment]
        if (option.kind.name.lower(), actual, option.required) != (kind, expected, default == "<required>"):
            found.append(f"{resource} {name}: {option.kind.name} {actual} is not {kind} {expected}")
        if resource == "broker" and option.update != mode:
            found.append(f"{name}: {option.update} is not {mode}")
    for resource, names in seen.items():
        found += (
            f"{resource} {name} is not Kafka's" for name in set(declared(resource)) - names - DYNAMIC_ONLY
        )
    return found


def test_every_option_of_kafka_is_known_with_its_type_default_and_update_mode() -> None:
    assert differences(facts()) == []
    assert len(option_catalog()) == 363


def test_the_facts_are_those_of_kafka_s_own_classes(tmp_path: Path) -> None:
    libraries = os.environ.get("SNAKKA_KAFKA_LIBS")
    if not libraries or not shutil.which("java"):
        pytest.skip("needs java, and SNAKKA_KAFKA_LIBS naming the directory of Apache Kafka 4.3's jars")
    program = tmp_path / "Declarations.java"
    program.write_text(DECLARATIONS_OF_KAFKA)
    output = subprocess.run(
        ["java", "-cp", f"{libraries}/*", str(program)],
        capture_output=True,
        text=True,
        timeout=90,
        check=True,
    ).stdout
    rows = [line.split("\t") for line in output.splitlines()]
    assert len(rows) > 400
    assert differences(iter(rows)) == []


def test_every_option_says_what_it_does_and_its_default_is_allowed() -> None:
    for resource in ("broker", "topic", "group", "client-metrics"):
        for name, option in declared(resource).items():
            assert option.doc.endswith("."), name
            assert len(option.doc) > 15, name
            if option.default_text:
                option.parse(option.default_text)


def test_the_options_that_give_topics_and_groups_their_defaults_exist() -> None:
    for option in (*topic_options().values(), *group_options().values()):
        for name, _ in option.synonyms:
            assert name in option_catalog()


def load(tmp_path: Path, text: str = "", **arguments: object) -> tuple[OptionSet, list[str]]:
    lines: list[str] = []
    if text:
        path = tmp_path / "server.properties"
        path.write_text(text)
        arguments["config_file"] = str(path)
    return load_options(log=lines.append, **arguments), lines  # type: ignore[arg-type]


def test_kafka_s_own_server_properties_are_understood(tmp_path: Path) -> None:
    options, lines = load(tmp_path, SERVER_PROPERTIES)
    listeners = parse_listeners(options)
    assert [str(endpoint) for endpoint in listeners.bound] == ["PLAINTEXT://:9092", "CONTROLLER://:9093"]
    assert [str(endpoint) for endpoint in listeners.advertised] == ["PLAINTEXT://localhost:9092"]
    assert options.entries("log.dirs") == ("/tmp/kraft-combined-logs",)
    assert all("unknown" not in line for line in lines)


def test_a_node_on_its_own_needs_nothing(tmp_path: Path) -> None:
    options, lines = load(tmp_path)
    assert lines == []
    assert options.entries("process.roles") == ("broker", "controller")
    assert options.integer("node.id") == 1
    assert options.integer("offsets.topic.replication.factor") == 1
    assert options.integer("transaction.state.log.min.isr") == 1
    assert options.integer("group.initial.rebalance.delay.ms") == 0
    assert [str(endpoint) for endpoint in parse_listeners(options).bound] == [
        "PLAINTEXT://127.0.0.1:9092",
        "CONTROLLER://127.0.0.1:0",
    ]


def test_a_node_that_is_given_a_quorum_has_kafka_s_defaults(tmp_path: Path) -> None:
    options, _ = load(
        tmp_path,
        "process.roles=broker\nnode.id=2\ncontroller.listener.names=CONTROLLER\n"
        "controller.quorum.bootstrap.servers=a:9093,b:9093\nlisteners=PLAINTEXT://h:9092\n",
    )
    assert options.integer("offsets.topic.replication.factor") == 3
    assert options.integer("share.coordinator.state.topic.min.isr") == 2
    assert options.integer("group.initial.rebalance.delay.ms") == 3000


@pytest.mark.parametrize("missing", ["process.roles", "node.id", "controller.listener.names"])
def test_a_node_with_a_quorum_must_say_who_it_is(missing: str) -> None:
    texts = {
        "process.roles": "broker",
        "node.id": "2",
        "controller.listener.names": "CONTROLLER",
        "controller.quorum.bootstrap.servers": "a:9093",
        "listeners": "PLAINTEXT://h:9092",
    }
    del texts[missing]
    with pytest.raises(OptionError, match=f'"{missing}"'):
        node_options(texts)


def test_the_command_line_goes_over_the_file(tmp_path: Path) -> None:
    options, _ = load(
        tmp_path,
        "num.partitions=2\nlog.dirs=/from/file\nbroker.rack=r1\n",
        assignments=["num.partitions=3", "num.partitions=4"],
        data_dir="/from/line",
        listen="127.0.0.1:0",
    )
    assert options.integer("num.partitions") == 4
    assert options.entries("log.dirs") == ("/from/line",)
    assert options.text("broker.rack") == "r1"
    assert parse_listeners(options).bound[0].port == 0


def test_listening_is_shorthand_that_respects_roles_and_names(tmp_path: Path) -> None:
    broker, _ = load(
        tmp_path,
        "process.roles=broker\nnode.id=2\ncontroller.listener.names=CONTROLLER\n"
        "controller.quorum.bootstrap.servers=a:9093\n",
        listen="127.0.0.1:9092",
    )
    assert len(parse_listeners(broker).bound) == 1
    renamed, _ = load(tmp_path, "controller.listener.names=QUORUM\n", listen="127.0.0.1:9092")
    assert [endpoint.name for endpoint in parse_listeners(renamed).bound] == ["PLAINTEXT", "QUORUM"]


def test_listeners_without_a_controller_get_one_on_loopback(tmp_path: Path) -> None:
    options, _ = load(tmp_path, assignments=["listeners=PLAINTEXT://127.0.0.1:0"])
    assert str(parse_listeners(options).bound[1]) == "CONTROLLER://127.0.0.1:0"


def test_the_older_name_of_the_node_id_counts(tmp_path: Path) -> None:
    for text in ("broker.id=7\n", "node.id=7\n", "node.id=7\nbroker.id=-1\n"):
        options, _ = load(tmp_path, text)
        assert options.integer("node.id") == 7
        assert options.integer("broker.id") == 7
    with pytest.raises(OptionError, match="must be the same"):
        load(tmp_path, "broker.id=7\nnode.id=8\n")


def test_an_unknown_name_in_a_file_warns_and_helps(tmp_path: Path) -> None:
    _, lines = load(tmp_path, "num.partition=2\nzookeeper.connect=a:1\nretention.ms=5\n")
    assert len(lines) == 3
    assert "unknown option num.partition is ignored; did you mean num.partitions?" in lines[0]
    assert "zookeeper.connect" in lines[1]
    assert "the broker's option is log.retention.ms" in lines[2]


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("num.partition=2", "unknown option num.partition; did you mean num.partitions?"),
        ("retention.ms=2", "unknown option retention.ms; the broker's option is log.retention.ms"),
        ("xyzzy=2", "unknown option xyzzy"),
        ("num.partitions", "--set needs NAME=VALUE, for example --set num.partitions=3"),
        ("=5", "--set needs NAME=VALUE, for example --set num.partitions=3"),
        (
            "num.partitions=none",
            "Invalid value none for configuration num.partitions: must be a whole number (int)",
        ),
        ("ssl.key.password=", None),
        ("advertised.listeners=PLAINTEXT://h:1", None),
        ("listener.name.plaintext.max.connections=5", None),
    ],
)
def test_a_bad_assignment_is_one_clear_line(tmp_path: Path, assignment: str, message: str | None) -> None:
    if message is None:
        load(tmp_path, assignments=[assignment])
        return
    with pytest.raises(OptionError) as caught:
        load(tmp_path, assignments=[assignment])
    assert str(caught.value) == message


def test_two_ways_of_saying_one_thing_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="--listen and --set listeners"):
        load(tmp_path, assignments=["listeners=PLAINTEXT://h:1"], listen="h:2")
    with pytest.raises(OptionError, match=r"--data-dir and --set log\.dirs"):
        load(tmp_path, assignments=["log.dirs=/a"], data_dir="/b")


def test_a_wildcard_is_refused_with_what_to_set(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"set advertised\.listeners .* PLAINTEXT://HOST:9092"):
        load(tmp_path, listen="0.0.0.0:9092")
    options, _ = load(
        tmp_path, listen="0.0.0.0:9092", assignments=["advertised.listeners=PLAINTEXT://me:9092"]
    )
    assert str(parse_listeners(options).advertised[0]) == "PLAINTEXT://me:9092"


def test_an_option_without_effect_says_so_once_and_only_if_it_was_changed(tmp_path: Path) -> None:
    _, lines = load(tmp_path, "num.io.threads=4\nnum.network.threads=3\nssl.key.password=geheim\n")
    assert lines == [
        "num.io.threads is set, but has no effect in Snakka",
        "ssl.key.password is set, but has no effect in Snakka",
    ]


def test_secrets_are_not_shown(tmp_path: Path) -> None:
    options, lines = load(tmp_path, "ssl.key.password=geheim\nfoo=geheim\nnum.partitions=2\n")
    assert shown_options(options)["num.partitions"] == "2"
    assert "geheim" not in repr(shown_options(options)) + repr(lines)


def test_toml_is_a_config_file_too(tmp_path: Path) -> None:
    path = tmp_path / "broker.toml"
    path.write_text('[num]\npartitions = 5\n[log]\ndirs = ["/a", "/b"]\n')
    options = load_options(config_file=str(path), log=pytest.fail)
    assert options.integer("num.partitions") == 5
    assert options.entries("log.dirs") == ("/a", "/b")


def test_standalone_defaults_are_options_that_are_read_at_start_only() -> None:
    for name in standalone_defaults():
        assert option_catalog()[name].update == READ_ONLY or name == "listeners"
