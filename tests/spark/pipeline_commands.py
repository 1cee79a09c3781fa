"""`snakka pipeline ...` in processes of its own, as from terminals."""

import contextlib
import fcntl
import json
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

# Spark takes its time where many tests share few cores.
WAIT_SECONDS = 400.0
_TICK_SECONDS = 0.2
_LAST_PROCESS_SECONDS = 60.0


def warm_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with the archive of classes, which makes every start faster; made once, by the command, for all tests."""
    cache = tmp_path_factory.getbasetemp() / "a warm cache"  # with blanks, as homes may have them
    if not cache.exists():
        cache.mkdir()
        warmed = Terminal(cache, XDG_CACHE_HOME=str(cache)).run("warmup")
        assert warmed.returncode == 0, warmed.stderr
        (archive,) = (cache / "snakka").glob("spark-*.jsa")
        assert str(archive) in warmed.stdout
        assert archive.stat().st_size > 1_000_000
        assert not list((cache / "snakka").glob("snakka-warmup-*"))
    return cache


class Terminal:
    """Runs commands with one environment and directory."""

    def __init__(self, directory: Path, **environment: str) -> None:
        self.directory = directory
        self.environment = {**os.environ, **environment}
        self.environment.pop("COLUMNS", None)  # the terminal itself says how wide it is

    def run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            _command(arguments),
            cwd=self.directory,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=WAIT_SECONDS,
            check=False,
        )

    def start(self, *arguments: str) -> "RunningCommand":
        """Its output goes to a file."""
        return RunningCommand(self, arguments)

    def show(self, *arguments: str, columns: int) -> "ScreenCommand":
        """Its output goes to a screen that is so wide."""
        return ScreenCommand(self, arguments, columns)

    def status(self, file: str) -> dict[str, Any]:
        shown = self.run("status", file, "-o", "json")
        content: dict[str, Any] = json.loads(shown.stdout)
        return content


class RunningCommand:
    """A command that goes on until it ends, or is ended; with `with`, nothing of it is left."""

    def __init__(self, terminal: Terminal, arguments: tuple[str, ...]) -> None:
        self._output = terminal.directory / f"output-{time.monotonic_ns()}"
        with self._output.open("w") as output:
            self.process = self._open(terminal, arguments, stdout=output, stderr=output)

    def _open(
        self, terminal: Terminal, arguments: tuple[str, ...], **streams: Any
    ) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            _command(arguments),
            cwd=terminal.directory,
            env=terminal.environment,
            start_new_session=True,
            **streams,
        )

    def __enter__(self) -> "RunningCommand":
        return self

    def __exit__(self, *_: object) -> None:
        self.signal(signal.SIGKILL)

    @property
    def output(self) -> str:
        return self._output.read_text()

    def signal(self, which: signal.Signals) -> int:
        """To it and its JVM, as the terminal's Ctrl-C goes to all; the exit code."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, which)
        return self.process.wait(WAIT_SECONDS)

    def until(self, condition: Callable[[], bool]) -> None:
        """Wait for something while it runs."""
        deadline = time.monotonic() + WAIT_SECONDS
        while not condition():
            assert self.process.poll() is None, f"it ended: {self.output}"
            assert time.monotonic() < deadline, f"nothing came of it: {self.output}"
            time.sleep(_TICK_SECONDS)

    def wait_for_the_last_process(self) -> None:
        """It has ended, and its JVM and its workers must, by themselves."""
        deadline = time.monotonic() + _LAST_PROCESS_SECONDS
        while left := self._processes():
            assert time.monotonic() < deadline, f"these are left: {list(left.values())}"
            time.sleep(_TICK_SECONDS)

    def find(self, words: str) -> int:
        """The number of its one process with that on its command line."""
        (found,) = (number for number, shown in self._processes().items() if words in shown)
        return found

    def _processes(self) -> dict[int, str]:
        """Command lines by number, of those that have not ended."""
        shown = subprocess.run(
            ["ps", "-A", "-ww", "-o", "sess=,pid=,stat=,args="], capture_output=True, text=True, check=True
        )
        fields = [line.split(maxsplit=3) for line in shown.stdout.splitlines()]
        own = str(self.process.pid)
        return {
            int(number): rest
            for session, number, state, rest in fields
            if session == own and not state.startswith("Z")
        }


class ScreenCommand(RunningCommand):
    """A command on a pseudo-terminal, which is its controlling one: keys reach it as they do from a keyboard."""

    def __init__(self, terminal: Terminal, arguments: tuple[str, ...], columns: int) -> None:
        self._output = terminal.directory / f"screen-{time.monotonic_ns()}"
        self._output.touch()
        self._screen, keyboard = pty.openpty()
        self.resize(columns)
        self.process = self._open(
            terminal,
            arguments,
            stdin=keyboard,
            stdout=keyboard,
            stderr=keyboard,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(keyboard)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        self._reader.join(_LAST_PROCESS_SECONDS)
        os.close(self._screen)

    def resize(self, columns: int) -> None:
        fcntl.ioctl(self._screen, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))

    def press(self, key: bytes) -> None:
        os.write(self._screen, key)

    def frames(self) -> list[str]:
        """What was drawn, each time anew."""
        return self.output.replace("\r", "").split("\x1b[J")

    def _read(self) -> None:
        with (
            contextlib.suppress(OSError),
            self._output.open("ab") as output,
        ):  # OSError: nobody has it open any more
            while read := os.read(self._screen, 65536):
                output.write(read)
                output.flush()


def _command(arguments: tuple[str, ...]) -> list[str]:
    return [sys.executable, "-m", "snakka.cli.main", "pipeline", *arguments]
