"""Builds the compiled records (src/snakka/protocol/native) into the wheel where there is a C compiler.

The rule: an installation never fails because of it. Without a compiler, without Python's header files, or on another Python
than CPython the wheel is the pure one, and Snakka decodes records in Python and NumPy. SNAKKA_COMPILE=never builds the pure
wheel on purpose; SNAKKA_COMPILE=always fails where it cannot be compiled, for those who publish wheels.
"""

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import sys_tags

SOURCES = Path("src/snakka/protocol/native")
MODULE = Path("snakka/protocol/_records.abi3.so")
COMPILE_SECONDS = 120
CHECK_SECONDS = 60


class CompiledRecords(BuildHookInterface[Any]):
    """Adds the module to the wheel, or puts it into the source tree if that is what is installed."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        wanted = os.environ.get("SNAKKA_COMPILE", "auto")
        if self.target_name != "wheel" or wanted == "never":
            return
        self._directory = tempfile.mkdtemp(prefix="snakka-build-")
        built = Path(self._directory, MODULE.name)
        problem = compile_records(Path(self.root, SOURCES), built)
        if problem:
            if wanted == "always":
                raise RuntimeError(f"the compiled records could not be built: {problem}")
            self.app.display_info(f"records are decoded in Python, there is no compiled module: {problem}")
        elif version == "editable":
            # Replaced, not written over: a process that runs may have the old one in its memory.
            installed = Path(self.root, "src", MODULE)
            shutil.move(built, installed.with_suffix(".new"))
            installed.with_suffix(".new").replace(installed)
        else:
            build_data["pure_python"] = False
            build_data["tag"] = f"cp311-abi3-{_platform()}"
            build_data["force_include"][str(built)] = str(MODULE)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if hasattr(self, "_directory"):
            shutil.rmtree(self._directory, ignore_errors=True)


def compile_records(sources: Path, target: Path) -> str:
    """What is in the way, or nothing: then `target` is there and can be imported."""
    if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return "only CPython with its global lock has the stable binary interface"
    if not sys.platform.startswith(("linux", "darwin")):
        return f"{sys.platform} is not supported"
    compiler = _compiler()
    if compiler is None:
        return "there is no C compiler"
    shared = ["-bundle", "-undefined", "dynamic_lookup"] if sys.platform == "darwin" else ["-shared"]
    command = [
        *compiler,
        *("-O3", "-std=c11", "-fPIC", "-fvisibility=hidden", "-DNDEBUG"),
        *shared,
        *(f"-I{sysconfig.get_path(name)}" for name in ("include", "platinclude")),
        *(str(path) for path in sorted(sources.glob("*.c"))),
        *("-o", str(target)),
    ]
    return _run(command, COMPILE_SECONDS) or _run([sys.executable, "-c", _CHECK, str(target)], CHECK_SECONDS)


# It can be loaded; what it imports from Snakka need not be installed yet.
_CHECK = "import ctypes, sys; ctypes.PyDLL(sys.argv[1]).PyInit__records"


def _compiler() -> list[str] | None:
    names = (os.environ.get("CC"), sysconfig.get_config_var("CC"), "cc", "gcc", "clang")
    for name in names:
        command = shlex.split(name or "")
        if command and shutil.which(command[0]):
            return command
        if command and name == os.environ.get("CC"):
            return None
    return None


def _run(command: list[str], timeout_seconds: float) -> str:
    """Nothing, or what went wrong."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout_seconds
        )
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    return "" if done.returncode == 0 else done.stderr.strip() or f"{command[0]} failed"


def _platform() -> str:
    """This machine, without a promise about others: that is for tools that repair wheels."""
    return next(
        tag.platform for tag in sys_tags() if not tag.platform.startswith(("manylinux", "musllinux", "any"))
    )
