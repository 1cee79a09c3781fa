"""`snakka pipeline ...` in processes of its own, as from terminals."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Spark takes its time where many tests share few cores.
WAIT_SECONDS = 400.0
_TICK_SECONDS = 0.2


class Terminal:
    """Runs commands with one environment and directory."""

    def __init__(self, directory: Path, **environment: str) -> None:
        self.directory = directory
        self.environment = {**os.environ, **environment}

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
        return RunningCommand(self, arguments)

    def status(self, file: str) -> dict[str, Any]:
        shown = self.run("status", file, "-o", "json")
        content: dict[str, Any] = json.loads(shown.stdout)
        return content


class RunningCommand:
    """A command that goes on until it ends, or is ended; with `with`, nothing of it is left."""

    def __init__(self, terminal: Terminal, arguments: tuple[str, ...]) -> None:
        self._output = terminal.directory / f"output-{time.monotonic_ns()}"
        with self._output.open("w") as output:
            self.process = subprocess.Popen(
                _command(arguments),
                cwd=terminal.directory,
                env=terminal.environment,
                stdout=output,
                stderr=output,
                start_new_session=True,
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


def _command(arguments: tuple[str, ...]) -> list[str]:
    return [sys.executable, "-m", "snakka.cli.main", "pipeline", *arguments]
