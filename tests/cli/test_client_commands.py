"""`snakka topic`, `produce` and `consume` as a user runs them, against a broker that runs in another process."""

import itertools
import json
import signal
import socket
import subprocess
import time
from collections.abc import Iterator

import pytest
from tests.cli.broker_process import SNAKKA, BrokerProcess, run_command, start_broker, user_environment

_numbers = itertools.count()


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    with start_broker(tmp_path_factory.mktemp("commands")) as running:
        yield running


@pytest.fixture
def topic() -> str:
    return f"topic-{next(_numbers)}"


def succeed(broker: BrokerProcess, *arguments: str, stdin: bytes = b"") -> bytes:
    outcome = run_command(*arguments, stdin=stdin, bootstrap=broker.bootstrap)
    assert (outcome.returncode, outcome.stderr) == (0, b""), outcome
    return outcome.stdout


def fail(broker: BrokerProcess, *arguments: str, stdin: bytes = b"") -> str:
    """The one line that says why."""
    outcome = run_command(*arguments, stdin=stdin, bootstrap=broker.bootstrap)
    assert (outcome.returncode, outcome.stdout) == (1, b""), outcome
    lines = outcome.stderr.decode().splitlines()
    assert len(lines) == 1, lines
    assert lines[0].startswith("snakka: ")
    return lines[0].removeprefix("snakka: ")


def test_a_topic_is_created_listed_described_and_deleted(broker: BrokerProcess, topic: str) -> None:
    created = succeed(
        broker,
        "topic",
        "create",
        topic,
        "--partitions",
        "3",
        "--replication-factor",
        "1",
        "--config",
        "retention.ms=5000",
    )
    assert created == f"created topic {topic}\n".encode()
    assert topic in succeed(broker, "topic", "list").decode().split()

    rows = {row["name"]: row for row in json.loads(succeed(broker, "topic", "list", "-o", "json"))}
    assert rows[topic]["partition_count"] == 3
    assert rows[topic]["replication_factor"] == 1

    shown = succeed(broker, "topic", "describe", topic).decode()
    assert "retention.ms=5000" in shown
    assert [line.split() for line in shown.splitlines()[-4:]] == [
        ["PARTITION", "LEADER", "REPLICAS", "ISR"],
        *([str(index), "1", "1", "1"] for index in range(3)),
    ]
    described = json.loads(succeed(broker, "topic", "describe", topic, "-o", "json"))
    assert described["configs"] == {"retention.ms": "5000"}
    assert described["id"] == rows[topic]["id"]
    assert [row["partition"] for row in described["partitions"]] == [0, 1, 2]
    assert described["partitions"][0]["isr"] == [1]

    assert succeed(broker, "topic", "delete", topic) == f"deleted topic {topic}\n".encode()
    assert topic not in succeed(broker, "topic", "list").decode().split()


def test_what_a_broker_refuses_is_said_in_one_line(broker: BrokerProcess, topic: str) -> None:
    succeed(broker, "topic", "create", topic)
    assert "TOPIC_ALREADY_EXISTS" in fail(broker, "topic", "create", topic)
    assert "INVALID_CONFIG" in fail(broker, "topic", "create", f"{topic}-x", "--config", "no.such=1")
    for arguments in (["topic", "describe"], ["topic", "delete"], ["consume"]):
        assert "topic missing does not exist" in fail(broker, *arguments, "missing")
    assert "has no partition 4, only 0 to 0" in fail(broker, "consume", topic, "--partition", "4")
    assert "has no partition 4, only 0 to 0" in fail(
        broker, "produce", topic, "--partition", "4", stdin=b"x\n"
    )
    assert "has the offsets 0 to 0, not 99" in fail(
        broker, "consume", topic, "--offset", "99", "--timeout", "1"
    )
    assert "MESSAGE_TOO_LARGE" in fail(broker, "produce", topic, stdin=b"x" * 2_000_000 + b"\n")


@pytest.mark.parametrize("compression", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_lines_come_out_as_they_went_in(broker: BrokerProcess, topic: str, compression: str) -> None:
    succeed(broker, "topic", "create", topic)
    lines = b"first\n\nthird \xff\xfe\nno end of line"
    assert succeed(broker, "produce", topic, "--compression", compression, stdin=lines) == b""
    assert succeed(broker, "consume", topic, "--from-beginning", "--max-messages", "4") == lines + b"\n"


@pytest.mark.parametrize("acks", ["0", "1", "all"])
def test_many_lines_arrive_whatever_acknowledgement_is_asked_for(
    broker: BrokerProcess, topic: str, acks: str
) -> None:
    succeed(broker, "topic", "create", topic)
    lines = b"".join(b"line %d of a longer text that fills batches\n" % number for number in range(40_000))
    succeed(broker, "produce", topic, "--acks", acks, stdin=lines)
    consumed = succeed(broker, "consume", topic, "--from-beginning", "--max-messages", "40000")
    assert consumed == lines


def test_keys_decide_the_partition_and_can_be_printed(broker: BrokerProcess, topic: str) -> None:
    succeed(broker, "topic", "create", topic, "--partitions", "4")
    lines = [f"key-{number % 8}=value-{number}" for number in range(32)]
    succeed(broker, "produce", topic, "--key-separator", "=", stdin="\n".join(lines).encode())
    shown = succeed(
        broker,
        *("consume", topic, "--from-beginning", "--max-messages", "32"),
        *("--format", r"%t\t%p\t%k=%v\t%%\t%h"),
    )
    rows = [line.split("\t") for line in shown.decode().splitlines()]
    assert sorted(row[2] for row in rows) == sorted(lines)
    assert {(row[0], row[3], row[4]) for row in rows} == {(topic, "%", "")}
    partitions: dict[str, set[str]] = {}
    for row in rows:
        partitions.setdefault(row[2].partition("=")[0], set()).add(row[1])
    assert all(len(of_one_key) == 1 for of_one_key in partitions.values())
    assert len(set.union(*partitions.values())) > 1


def test_a_line_without_a_key_stops_there(broker: BrokerProcess, topic: str) -> None:
    said = fail(broker, "produce", topic, "--key-separator", ":", stdin=b"a:1\nb:2\nnonsense\nc:3\n")
    assert "line 3 has no ':'" in said
    consumed = succeed(broker, "consume", topic, "--from-beginning", "--timeout", "2", "--format", "%k %v")
    assert consumed == b"a 1\nb 2\n"


def test_it_can_begin_anywhere(broker: BrokerProcess, topic: str) -> None:
    succeed(broker, "topic", "create", topic, "--partitions", "2")
    lines = b"".join(b"%d\n" % number for number in range(10))
    succeed(broker, "produce", topic, "--partition", "1", stdin=lines)
    at_seven = succeed(
        broker,
        *("consume", topic, "--partition", "1", "--offset", "7", "--max-messages", "2", "--format", "%o:%v"),
    )
    assert at_seven == b"7:7\n8:8\n"
    assert succeed(broker, "consume", topic, "--offset", "earliest", "--max-messages", "10") == lines
    assert succeed(broker, "consume", topic, "--offset", "latest", "--timeout", "0.2") == b""
    outcome = run_command(
        *("consume", topic, "--from-beginning", "--max-messages", "11", "--timeout", "2"),
        bootstrap=broker.bootstrap,
    )
    assert (outcome.returncode, outcome.stdout) == (1, lines)
    assert outcome.stderr == b"snakka: only 10 of 11 messages came, and none for 2 s\n"


def test_new_records_are_printed_as_they_come_until_interrupted(broker: BrokerProcess, topic: str) -> None:
    succeed(broker, "topic", "create", topic)
    process = subprocess.Popen(
        [SNAKKA, "consume", topic, "--from-beginning", "--bootstrap-server", broker.bootstrap],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=user_environment(),
    )
    assert process.stdout is not None
    for number in range(3):
        succeed(broker, "produce", topic, stdin=b"%d\n" % number)
        assert process.stdout.readline() == b"%d\n" % number
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=10)
    assert (process.returncode, out, errors) == (130, b"", b"")


def test_a_reader_that_has_seen_enough_is_no_error(broker: BrokerProcess, topic: str) -> None:
    succeed(broker, "produce", topic, stdin=b"x" * 1000 + b"\n" + b"y\n" * 100_000)
    command = f"{SNAKKA} consume {topic} --from-beginning --timeout 30 --bootstrap-server {broker.bootstrap} | head -c 5"
    outcome = subprocess.run(["bash", "-c", command], capture_output=True, timeout=30, env=user_environment())
    assert (outcome.stdout, outcome.stderr) == (b"xxxxx", b"")


def test_nobody_there_is_said_at_once() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{unused.getsockname()[1]}"
        for arguments in (["topic", "list"], ["produce", "t"], ["consume", "t"]):
            began = time.monotonic()
            outcome = run_command(*arguments, "--bootstrap-server", address)
            assert time.monotonic() - began < 5
            assert outcome.returncode == 1
            assert outcome.stderr.decode() == (
                f"snakka: no broker answers: {address} can't be reached: connection refused;"
                " is it running, and is this its address?\n"
            )
