"""What the command line makes of its arguments, before anything is connected or started."""

import subprocess
import sys
from resource import RUSAGE_CHILDREN, getrusage

import pytest
from tests.cli.broker_process import SNAKKA, user_environment

from snakka import __version__
from snakka.cli.consume import parse_format
from snakka.cli.main import COMMANDS, main
from snakka.client.consumer import Message
from snakka.protocol.record_engine import engine_line


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["nonsense"],
            "there is no command nonsense; the commands are start, format, topic, produce, consume",
        ),
        (["topic"], "ACTION"),
        (["topic", "rename"], "rename"),
        (["topic", "create"], "name"),
        (["topic", "create", "t", "--partitions", "0"], "0 is no whole number of at least 1"),
        (["topic", "create", "t", "--partitions", "many"], "many is no whole number of at least 1"),
        (["topic", "create", "t", "--config", "retention.ms"], "retention.ms must be NAME=VALUE"),
        (["topic", "list", "-o", "xml"], "xml"),
        (["topic", "list", "--bootstrap-server", "nonsense"], "nonsense is no HOST:PORT"),
        (["topic", "list", "--bootstrap-server", "host:0"], "must name a host and a port"),
        (["topic", "list", "--bootstrap-server", ","], "names no broker"),
        (["produce"], "topic"),
        (["produce", "t", "--acks", "2"], "--acks"),
        (["produce", "t", "--compression", "zip"], "--compression"),
        (["consume", "t", "--offset", "-3"], "-3 is no offset; give a number, earliest or latest"),
        (["consume", "t", "--offset", "1", "--from-beginning"], "not allowed with"),
        (["consume", "t", "--timeout", "soon"], "soon is no number of seconds"),
        (["consume", "t", "--timeout", "nan"], "nan is no number of seconds"),
        (["consume", "t", "--format", "%x"], "%x means nothing"),
        (["consume", "t", "--format", "100%"], "% means nothing"),
        (["consume", "t", "--format", r"\q"], r"\q means nothing"),
    ],
)
def test_what_cannot_be_meant_is_one_line_and_exit_code_2(
    capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert main(arguments) == 2
    out, errors = capsys.readouterr()
    assert out == ""
    assert errors.count("\n") == 1
    assert errors.startswith("snakka: ")
    assert said in errors


@pytest.mark.parametrize("command", COMMANDS)
def test_help_teaches_by_examples(capsys: pytest.CaptureFixture[str], command: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    assert "examples:" in text
    assert f"snakka {command}" in text


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["help"]])
def test_the_overview_names_every_command(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    assert main(arguments) == 0
    text = capsys.readouterr().out
    assert all(f"  {command} " in text for command in COMMANDS)


def test_without_a_command_the_overview_is_shown_as_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "commands:" in capsys.readouterr().out


def test_the_version_is_the_package_s(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    version, engine = capsys.readouterr().out.splitlines()
    assert version == f"snakka {__version__}"
    assert engine == engine_line()


def test_help_imports_next_to_nothing() -> None:
    script = "import sys; from snakka.cli.main import main; main(['--help']); print(*sorted(sys.modules))"
    out = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=30
    )
    loaded = out.stdout.splitlines()[-1].split()
    assert [name for name in loaded if name.startswith("snakka")] == [
        "snakka",
        "snakka.cli",
        "snakka.cli.command",
        "snakka.cli.main",
    ]
    assert "asyncio" not in loaded


def test_help_is_quick() -> None:
    def seconds() -> float:
        """Of the processor: who has to share it takes longer."""
        before = getrusage(RUSAGE_CHILDREN)
        subprocess.run(
            [SNAKKA, "--help"], check=True, capture_output=True, timeout=30, env=user_environment()
        )
        after = getrusage(RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    # The best of several: others may slow a process down, but nobody makes it quicker than it is.
    assert min(seconds() for _ in range(8)) < 0.1


def test_a_format_shows_every_field_of_a_record() -> None:
    headers = b"\x04\x02h\x021\x08none\x01"
    record = Message("orders", 3, 42, 1700000000000, 0, b"k\xff", b"v", headers)
    assert parse_format("%v")(record) == b"v\n"
    assert parse_format(r"%t %p\t%o\n%T %k%%\\ %h ä")(record) == (
        b"orders 3\t42\n1700000000000 k\xff%\\ h=1,none= " + "ä".encode() + b"\n"
    )
    assert parse_format("[%k|%v]")(record._replace(key=None, value=None)) == b"[|]\n"
