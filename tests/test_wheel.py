"""What an installation gets: the compiled module where there is a compiler, and a whole Snakka where there is none."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BUILD_SECONDS = 100
MODULE = "snakka/protocol/_records.abi3.so"


def build(directory: Path, **environment: str) -> Path | None:
    """The wheel that is built with this environment; None if the build fails."""
    run = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(directory)],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=BUILD_SECONDS,
    )
    wheels = list(directory.glob("*.whl"))
    assert bool(wheels) == (run.returncode == 0), run.stderr
    return wheels[0] if wheels else None


def active_engine(wheel: Path, directory: Path) -> str:
    """What the unpacked wheel says of itself."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(directory)
        assert not [name for name in archive.namelist() if name.endswith((".c", ".h"))]
    script = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from snakka.protocol import record_engine, record_objects\n"
        "print(record_engine.ENGINE_NAME, record_engine.__file__)"
    )
    environment = {name: value for name, value in os.environ.items() if name != "SNAKKA_RECORDS"}
    run = subprocess.run(
        [sys.executable, "-c", script, str(directory)],
        capture_output=True,
        text=True,
        timeout=BUILD_SECONDS,
        check=True,
        env=environment,
    )
    engine, path = run.stdout.split()
    assert Path(path).is_relative_to(directory)
    return engine


def test_with_a_compiler_the_module_is_in_the_wheel(tmp_path: Path) -> None:
    if not any(map(shutil.which, ("cc", "gcc", "clang"))):
        pytest.skip("needs a C compiler")
    wheel = build(tmp_path / "wheels", SNAKKA_COMPILE="always")
    assert wheel is not None
    # One wheel for every Python from 3.11 on, and for this platform only.
    assert "-cp311-abi3-" in wheel.name
    assert not wheel.name.endswith("-any.whl")
    assert active_engine(wheel, tmp_path / "unpacked") == "compiled"


@pytest.mark.parametrize(
    "environment",
    [{"CC": "there-is-no-such-compiler"}, {"CC": "false"}, {"CC": "true"}, {"SNAKKA_COMPILE": "never"}],
    ids=["no compiler", "a compiler that fails", "a compiler that does nothing", "not wanted"],
)
def test_without_a_compiler_the_wheel_is_pure(tmp_path: Path, environment: dict[str, str]) -> None:
    wheel = build(tmp_path / "wheels", **{"SNAKKA_COMPILE": "auto", **environment})
    assert wheel is not None
    assert wheel.name.endswith("-py3-none-any.whl")
    assert active_engine(wheel, tmp_path / "unpacked") == "python"


def test_those_who_insist_hear_why_it_cannot_be_compiled(tmp_path: Path) -> None:
    assert build(tmp_path, CC="false", SNAKKA_COMPILE="always") is None
