"""Commands as a user starts them: `snakka start` in a process of its own, and any other command until it ends."""

import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

SNAKKA = Path(sys.executable).with_name("snakka")
# The machine may be busy: long enough not to fail for that.
START_SECONDS = 30.0
STOP_SECONDS = 30.0
COMMAND_SECONDS = 30.0


class BrokerProcess:
    """A running broker. `bootstrap` is HOST:PORT; what it logs is in `log_file`."""

    def __init__(self, process: subprocess.Popen[bytes], log_file: Path) -> None:
        self.process = process
        self.log_file = log_file
        self.bootstrap = self._wait_until_ready()

    @property
    def port(self) -> int:
        return int(self.bootstrap.rpartition(":")[2])

    @property
    def log(self) -> str:
        return self.log_file.read_text()

    def kill(self) -> None:
        """kill -9."""
        self.process.kill()
        self._ended()

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """A signal that asks for a clean stop; the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self._ended()

    def rest_of_output(self) -> str:
        """Standard output after the line that says ready, once the process has ended."""
        assert self.process.stdout is not None
        return self.process.stdout.read().decode()

    def _wait_until_ready(self) -> str:
        assert self.process.stdout is not None
        output = self.process.stdout
        deadline = time.monotonic() + START_SECONDS
        line = b""
        while not line.endswith(b"\n"):
            remaining = max(deadline - time.monotonic(), 0)
            if not select.select([output], [], [], remaining)[0]:
                self.process.kill()
                break
            byte = os.read(output.fileno(), 1)
            if not byte:
                break
            line += byte
        text = line.decode()
        if not text.startswith("ready on ") or not text.endswith("\n"):
            self._ended()
            raise AssertionError(f"the broker did not start: it said {text!r}, and logged:\n{self.log}")
        return text.removeprefix("ready on ").strip()

    def _ended(self) -> int:
        try:
            return self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise

    def close(self) -> None:
        """Let go of what the process left behind; it is ended if it was not."""
        if self.process.poll() is None:
            self.kill()
        if self.process.stdout is not None:
            self.process.stdout.close()

    def __enter__(self) -> "BrokerProcess":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()


def start_broker(
    tmp_path: Path, *arguments: str, environment: dict[str, str] | None = None, only_these: bool = False
) -> BrokerProcess:
    """A broker with its data in `tmp_path`/data, on a free port unless the arguments say otherwise, ready for clients.

    Started again with the same path it finds its data again. With `only_these` the arguments say everything.
    """
    given = list(arguments)
    if "--data-dir" not in given and not only_these:
        given += ["--data-dir", str(tmp_path / "data")]
    if "--listen" not in given and not only_these:
        given += ["--listen", "127.0.0.1:0"]
    log_file = tmp_path / "broker.log"
    with log_file.open("ab") as log:
        process = subprocess.Popen(
            [SNAKKA, "start", *given],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            env=user_environment(environment),
        )
    return BrokerProcess(process, log_file)


def run_command(
    *arguments: str,
    stdin: bytes = b"",
    bootstrap: str | None = None,
    environment: dict[str, str] | None = None,
    directory: Path | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Any command until it ends."""
    changes = dict(environment or {})
    if bootstrap is not None:
        changes["SNAKKA_BOOTSTRAP"] = bootstrap
    return subprocess.run(
        [SNAKKA, *arguments],
        input=stdin,
        capture_output=True,
        timeout=COMMAND_SECONDS,
        env=user_environment(changes),
        cwd=directory,
    )


def user_environment(changes: dict[str, str] | None = None) -> dict[str, str]:
    """As a user's: compiled modules are kept, since starts without them take three times as long."""
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONDONTWRITEBYTECODE", "SNAKKA_BOOTSTRAP")
    }
    return {**inherited, **(changes or {})}
