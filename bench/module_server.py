"""A server that is a module of this package, in a process of its own: `with` ends it.

The rule: the module serves on a free port of 127.0.0.1 until it is killed, and that port is its first line on stdout.
"""

import subprocess
import sys
from types import TracebackType
from typing import Self


class ModuleServer:
    """Runs as soon as it is made; `port` is where."""

    def __init__(self, module: str, *arguments: str) -> None:
        command = [sys.executable, "-m", module, *arguments]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        first_line = self._process.stdout.readline()
        if not first_line:
            self._process.communicate()
            raise RuntimeError(f"{module} ended with {self._process.returncode} before it served")
        self.port = int(first_line)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()
