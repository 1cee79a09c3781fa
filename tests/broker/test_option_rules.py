"""Options that do not go together are refused with both names."""

import pytest

from snakka.broker.option_catalog import node_options
from snakka.broker.option_rules import log_directories, metadata_directory
from snakka.options.option import OptionError


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ({"node.id": "1", "broker.id": "2"}, "node.id=1 and broker.id=2 must be the same"),
        (
            {"process.roles": "broker", "listeners": "PLAINTEXT://h:1"},
            "needs controller.quorum.bootstrap.servers",
        ),
        ({"controller.quorum.voters": "2@h:1"}, "node.id=1 must be in controller.quorum.voters"),
        (
            {"process.roles": "broker", "listeners": "PLAINTEXT://h:1", "controller.quorum.voters": "1@h:1"},
            "node.id=1 must not be in controller.quorum.voters",
        ),
        ({"log.roll.ms": "0"}, "log.roll.ms must be at least 1"),
        ({"log.roll.jitter.ms": "-1"}, "log.roll.jitter.ms must be at least 0"),
        ({"log.retention.ms": "0"}, "log.retention.ms must be at least 1, or -1"),
        ({"log.retention.minutes": "0"}, "log.retention.ms must be at least 1, or -1"),
        ({"log.cleaner.dedupe.buffer.size": "1048576"}, "more than 1 MiB for each of 1 cleaner threads"),
        ({"cordoned.log.dirs": "/b", "log.dirs": "/a"}, "cordoned.log.dirs: /b must be in log.dirs too"),
        ({"replica.fetch.wait.max.ms": "30001"}, "must not be more than replica.socket.timeout.ms=30000"),
        ({"replica.lag.time.max.ms": "400"}, "must not be more than replica.lag.time.max.ms=400"),
        ({"queued.max.request.bytes": "5"}, "must be at least socket.request.max.bytes=104857600"),
        ({"max.connections.per.ip": "0"}, "unless max.connections.per.ip.overrides is set"),
        ({"connections.max.idle.ms": "100"}, "must be less than connections.max.idle.ms=100"),
    ],
)
def test_what_does_not_go_together(texts: dict[str, str], message: str) -> None:
    identity = {
        "process.roles": "broker,controller",
        "node.id": "1",
        "controller.listener.names": "CONTROLLER",
    }
    listeners = {"listeners": "PLAINTEXT://h:9092,CONTROLLER://h:9093"}
    with pytest.raises(OptionError) as caught:
        node_options(identity | listeners | texts)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        ({"log.retention.hours": "-1"}, [-1]),
        ({"connections.max.idle.ms": "-1"}, [-1]),
        (
            {"max.connections.per.ip": "0", "max.connections.per.ip.overrides": "127.0.0.1:5"},
            [0, "127.0.0.1:5"],
        ),
        ({"queued.max.request.bytes": "104857600"}, [104_857_600]),
        ({"cordoned.log.dirs": "*"}, [("*",)]),
        ({"cordoned.log.dirs": "/a", "log.dirs": "/a,/b"}, [("/a",), ("/a", "/b")]),
        ({"log.cleaner.threads": "0"}, [0]),
    ],
)
def test_what_does(texts: dict[str, str], values: list[object]) -> None:
    options = node_options(texts)
    assert [options.value(name) for name in texts] == values


def test_directories() -> None:
    assert log_directories(node_options({})) == ("/tmp/kafka-logs",)
    assert log_directories(node_options({"log.dir": "/c"})) == ("/c",)
    both = node_options({"log.dir": "/c", "log.dirs": "/a,/b,/a"})
    assert log_directories(both) == ("/a", "/b")
    assert metadata_directory(both) == "/a"
    assert metadata_directory(node_options({"metadata.log.dir": "/m"})) == "/m"
