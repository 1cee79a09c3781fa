"""`snakka demo`: a broker, a day of events and a pipeline on Spark, shown in a minute.

Rule: it ends by itself and leaves nothing behind unless it was told to. Exit codes: 0 all figures agree, 1 it failed or
they do not, 2 something that it needs is missing, 130 it was interrupted.
"""

import importlib.util
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from snakka.cli.command import (
    FAILED,
    INTERRUPTED,
    OK,
    USAGE,
    CommandError,
    CommandParser,
    ended_in_order,
    not_negative,
    positive,
)

if TYPE_CHECKING:
    from snakka.demo.picture import Style

_DESCRIPTION = (
    "Start a broker, send it a made-up day of a shop, run a pipeline on Spark, and show what came of it."
)

_EXAMPLES = """examples:
  snakka demo
  snakka demo --seed 7 --orders 200000
  snakka demo --keep shop      everything stays in ./shop: the pipeline's file, its table, the broker's data

It takes about a minute, needs Java 17 and snakka[spark], and listens on loopback only.
exit codes: 0 all figures agree; 1 it failed; 2 something is missing; 130 interrupted"""

_NEEDED = ("pyspark", "pyarrow", "yaml", "deltalake")
_MOST_ORDERS = 5_000_000


def run(arguments: Sequence[str]) -> int:
    parser = CommandParser("snakka demo", _DESCRIPTION, _EXAMPLES)
    parser.add_argument("--orders", type=positive, default=60_000, metavar="N", help="60000 unless said")
    parser.add_argument(
        "--seed", type=not_negative, default=14, metavar="N", help="which day; 14 unless said"
    )
    parser.add_argument("--keep", type=Path, metavar="DIR", help="leave everything in this directory")
    given = parser.parse_args(arguments)
    if given.orders > _MOST_ORDERS:
        raise CommandError(f"--orders may be {_MOST_ORDERS:,} at most: the demo makes them in memory", USAGE)
    _require()
    from snakka.demo.story import Demo, DemoError, DemoSettings

    settings = DemoSettings(given.orders, given.seed, given.keep, _command())
    try:
        with ended_in_order():
            agrees = Demo(settings, sys.stdout, _style()).run()
    except DemoError as error:
        raise CommandError(str(error), FAILED) from None
    if agrees is None:
        return INTERRUPTED
    return OK if agrees else FAILED


def _require() -> None:
    for name in _NEEDED:
        if importlib.util.find_spec(name) is None:
            raise CommandError(f"the demo needs {name}: pip install 'snakka[spark]'", USAGE)
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=str(Path(home) / "bin")) if home else shutil.which("java")
    if java is None:
        raise CommandError("the demo needs Java 17 on the PATH, or JAVA_HOME: Spark runs on it", USAGE)


def _command() -> str:
    """How the user can call us again: `make demo` needs no `snakka` on the PATH."""
    called = Path(sys.argv[0])
    return str(called) if called.name == "snakka" and shutil.which("snakka") is None else "snakka"


def _style() -> "Style":
    from snakka.demo.picture import Style

    is_utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    return Style(colours=sys.stdout.isatty() and "NO_COLOR" not in os.environ, unicode=is_utf8)
