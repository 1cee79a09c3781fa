"""`snakka start` as a user starts it: the ready line, signals, and everything that keeps a broker from starting."""

import asyncio
import os
import resource
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.broker_process import SNAKKA, BrokerProcess, run_command, start_broker, user_environment

from snakka.broker.option_catalog import node_options
from snakka.cli import start
from snakka.cli.command import CommandError
from snakka.options.option_set import OptionSet


def listing(directory: Path) -> dict[str, int]:
    """Every path below, with the time of its last change."""
    return {str(path): path.stat().st_mtime_ns for path in sorted(directory.rglob("*"))}


@pytest.fixture
def taken_address() -> Iterator[str]:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        yield f"127.0.0.1:{taken.getsockname()[1]}"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    with start_broker(tmp_path_factory.mktemp("running")) as broker:
        yield broker


def refused(*arguments: str, directory: Path) -> str:
    """What a start that must fail says, after all that holds for every refusal has been checked."""
    before = listing(directory)
    outcome = run_command("start", *arguments, directory=directory)
    assert outcome.returncode == 2, outcome
    assert outcome.stdout == b""
    lines = outcome.stderr.decode().splitlines()
    assert len(lines) == 1, lines
    assert lines[0].startswith("snakka: ")
    assert listing(directory) == before, "something was written"
    return lines[0]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_broker_says_once_that_it_is_ready_and_stops_cleanly_when_asked(
    tmp_path: Path, number: signal.Signals
) -> None:
    with start_broker(tmp_path) as broker:
        assert broker.bootstrap.startswith("127.0.0.1:")
        assert broker.port > 0
        with socket.create_connection(("127.0.0.1", broker.port), timeout=5):
            began = time.monotonic()
            assert broker.stop(number) == 0
            assert time.monotonic() - began < 5.0  # not for the client's sake, on a busy machine
        assert broker.rest_of_output() == ""
        assert "Traceback" not in broker.log
        assert (tmp_path / "data" / ".kafka_cleanshutdown").exists()


def test_data_is_found_again(tmp_path: Path) -> None:
    with start_broker(tmp_path) as broker:
        assert run_command("topic", "create", "kept", bootstrap=broker.bootstrap).returncode == 0
        assert run_command("produce", "kept", stdin=b"one\n", bootstrap=broker.bootstrap).returncode == 0
        assert broker.stop() == 0
    with start_broker(tmp_path) as broker:
        consumed = run_command(
            "consume", "kept", "--from-beginning", "--max-messages", "1", bootstrap=broker.bootstrap
        )
        assert consumed.stdout == b"one\n"
        assert broker.stop() == 0


def test_without_a_word_the_data_is_in_the_current_directory(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [SNAKKA, "start", "--listen", "127.0.0.1:0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=tmp_path,
        env=user_environment(),
    )
    with BrokerProcess(process, tmp_path / "none") as broker:
        assert (tmp_path / "snakka-data" / "meta.properties").exists()
        assert broker.stop() == 0


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (
            "server.properties",
            "log.dirs={dir}\nnum.partitions=4\nno.such.option=1\nsasl.kerberos.service.name=x\n",
        ),
        ("server.toml", '"log.dirs" = "{dir}"\n"num.partitions" = 4\n"no.such.option" = 1\n'),
    ],
)
def test_a_config_file_is_read_and_its_unknown_names_are_only_a_warning(
    tmp_path: Path, name: str, content: str
) -> None:
    data = tmp_path / "from-file"
    file = tmp_path / name
    file.write_text(content.format(dir=data))
    process = subprocess.Popen(
        [SNAKKA, "start", "--config", str(file), "--listen", "127.0.0.1:0", "--set", "num.partitions=2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=user_environment(),
    )
    with BrokerProcess(process, tmp_path / "none") as broker:
        assert (data / "meta.properties").exists()
        assert run_command("topic", "create", "t", bootstrap=broker.bootstrap).returncode == 0
        described = run_command("topic", "describe", "t", bootstrap=broker.bootstrap).stdout
        assert described.count(b"\n1  ") == 1, "the command line has precedence: two partitions"
        assert b"\n2  " not in described
        assert broker.stop() == 0
        assert process.stderr is not None
        assert b"unknown option no.such.option is ignored" in process.stderr.read()
        process.stderr.close()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--set", "no.such.option=1"], "unknown option no.such.option"),
        (["--set", "num.partitons=1"], "did you mean num.partitions?"),
        (["--set", "num.partitions=many"], "num.partitions"),
        (["--set", "num.partitions"], "--set needs NAME=VALUE"),
        (["--listen", "nonsense"], "nonsense is no HOST:PORT"),
        (["--listen", "0.0.0.0:0"], "set advertised.listeners"),
        (["--listen", "127.0.0.1:0", "--metrics", "here"], "here is no HOST:PORT"),
        (["--config", "no-such-file"], "can't read the config file no-such-file"),
        (["--data-dir", "a", "--set", "log.dirs=b"], "--data-dir and --set log.dirs say the same thing"),
        (["--log-level", "loud"], "--log-level"),
        (["--no-such-switch"], "--no-such-switch"),
        (["--data-dir", "file", "--listen", "127.0.0.1:0"], "file"),
    ],
)
def test_a_bad_option_is_refused(tmp_path: Path, arguments: list[str], said: str) -> None:
    (tmp_path / "file").write_text("a file, where a directory should be")
    assert said in refused(*arguments, directory=tmp_path)


def test_a_used_port_is_refused(tmp_path: Path, taken_address: str) -> None:
    said = refused("--data-dir", "data", "--listen", taken_address, directory=tmp_path)
    assert f"cannot listen on {taken_address}: address already in use" in said


def test_a_used_port_for_metrics_is_refused(tmp_path: Path, taken_address: str) -> None:
    arguments = ("--data-dir", "data", "--listen", "127.0.0.1:0", "--metrics", taken_address)
    assert f"cannot listen on {taken_address}" in refused(*arguments, directory=tmp_path)


def test_a_directory_of_another_node_is_refused(tmp_path: Path) -> None:
    with start_broker(tmp_path) as broker:
        assert broker.stop() == 0
    arguments = ("--data-dir", "data", "--listen", "127.0.0.1:0", "--set", "node.id=7")
    said = refused(*arguments, directory=tmp_path)
    assert "data belongs to node 1, and this is node 7" in said


def test_a_directory_with_other_peoples_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "thesis.txt").write_text("years of work")
    said = refused("--data-dir", "data", "--listen", "127.0.0.1:0", directory=tmp_path)
    assert "has files but no meta.properties" in said


def test_a_directory_that_a_running_broker_has_is_refused(running: BrokerProcess) -> None:
    data = running.log_file.parent / "data"
    names = sorted(os.listdir(data))
    outcome = run_command("start", "--data-dir", str(data), "--listen", "127.0.0.1:0")
    assert (outcome.returncode, outcome.stdout) == (2, b"")
    assert outcome.stderr.decode().splitlines() == [f"snakka: {data} is in use: locked by another process"]
    assert sorted(os.listdir(data)) == names
    listed = run_command("topic", "list", bootstrap=running.bootstrap)
    assert listed.returncode == 0, "the broker that has it does not even notice"


def test_a_node_that_is_told_of_a_quorum_does_not_format_itself(tmp_path: Path) -> None:
    arguments = (
        *("--data-dir", "data", "--listen", "127.0.0.1:0", "--set", "process.roles=broker,controller"),
        *("--set", "node.id=1", "--set", "controller.listener.names=CONTROLLER"),
        *("--set", "controller.quorum.bootstrap.servers=127.0.0.1:9093"),
    )
    assert "is not formatted" in refused(*arguments, directory=tmp_path)


def test_a_broker_whose_metadata_cannot_be_written_any_more_ends_with_1(tmp_path: Path) -> None:
    def forbid_large_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))

    process = subprocess.Popen(
        [SNAKKA, "start", "--data-dir", str(tmp_path / "data"), "--listen", "127.0.0.1:0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=user_environment(),
        preexec_fn=forbid_large_files,
    )
    with BrokerProcess(process, tmp_path / "none") as broker:
        run_command("topic", "create", "large", "--partitions", "100", bootstrap=broker.bootstrap)
        assert process.wait(10) == 1
        assert process.stderr is not None
        last = process.stderr.read().decode().splitlines()[-1]
        process.stderr.close()
        assert last.startswith("snakka: the metadata log failed: ")


class SlowServer:
    """A broker that never gets ready, and may fail meanwhile."""

    def __init__(self, options: OptionSet, *, metrics_address: str | None) -> None:
        self.failed: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.was_cleaned_up = False

    async def start(self) -> None:
        try:
            await asyncio.sleep(60)
        finally:
            self.was_cleaned_up = True


async def test_a_broker_can_be_stopped_while_it_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[SlowServer] = []

    def build(options: OptionSet, *, metrics_address: str | None) -> SlowServer:
        built.append(SlowServer(options, metrics_address=metrics_address))
        return built[-1]

    monkeypatch.setattr("snakka.broker.server.BrokerServer", build)
    loop = asyncio.get_running_loop()
    asked_to_stop: asyncio.Future[str] = loop.create_future()
    loop.call_soon(lambda: loop.call_soon(asked_to_stop.set_result, "SIGTERM"))
    assert await start._started(node_options({}), None, asked_to_stop) is None
    assert built[0].was_cleaned_up

    loop.call_soon(lambda: loop.call_soon(built[1].failed.set_result, "the disk is gone"))
    with pytest.raises(CommandError, match="the disk is gone") as failed:
        await start._started(node_options({}), None, loop.create_future())
    assert failed.value.exit_code == 1
    assert built[1].was_cleaned_up


def test_the_log_level_decides_what_is_logged(tmp_path: Path) -> None:
    with start_broker(tmp_path, environment={"SNAKKA_LOG_LEVEL": "error"}) as broker:
        assert broker.stop() == 0
        assert broker.log == ""
    said = run_command("start", directory=tmp_path, environment={"SNAKKA_LOG_LEVEL": "loud"})
    assert said.returncode == 2
    assert b"SNAKKA_LOG_LEVEL=loud must be one of" in said.stderr


def test_a_broker_has_as_many_descriptors_as_the_system_allows(running: BrokerProcess) -> None:
    limits = Path(f"/proc/{running.process.pid}/limits")
    if not limits.exists():
        pytest.skip("needs /proc")
    soft, hard = next(line for line in limits.read_text().splitlines() if "open files" in line).split()[3:5]
    assert soft == hard
