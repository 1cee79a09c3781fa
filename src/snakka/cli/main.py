"""The `snakka` command: finds the command that was asked for, runs it, and turns its outcome into an exit code.

Rule: a command's code is imported when that command runs, because start-up time is what a command line feels like.
Exit codes: 0 it worked, 1 it failed while running, 2 it was asked for something that can't be done.
"""

import os
import sys
from collections.abc import Sequence
from importlib import import_module

from snakka import __version__
from snakka.cli.command import FAILED, INTERRUPTED, OK, USAGE, CommandError

# Each is a module of this package with `run(arguments) -> exit code`.
COMMANDS = {
    "start": "start a broker",
    "format": "prepare the data directories of a node that is told of a quorum",
    "topic": "create, list, describe and delete topics",
    "produce": "send lines from standard input to a topic",
    "consume": "print the records of a topic",
    "demo": "show it all in a minute: events, a pipeline on Spark, a table and a plot",
    "pipeline": "run data pipelines on Spark that are declared in a file",
}

_HELP = """usage: snakka COMMAND [OPTIONS]

A Kafka-compatible event-streaming platform.

commands:
{commands}

options:
  -h, --help     show this help; snakka COMMAND --help explains a command
  --version      show the version, and whether records are handled by compiled code

examples:
  snakka start                                  a broker on 127.0.0.1:9092
  snakka topic create orders --partitions 3
  echo 'hello' | snakka produce orders
  snakka consume orders --from-beginning
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = _run(given)
        sys.stdout.flush()
        return code
    except CommandError as error:
        print(f"snakka: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has seen enough. An ordinary exit would try to flush the rest of it, and complain.
        os._exit(FAILED)


def _run(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(
            _HELP.format(commands="\n".join(f"  {name:<12} {doc}" for name, doc in COMMANDS.items())), end=""
        )
        return OK if arguments else USAGE
    name = arguments[0]
    if name == "--version":
        from snakka.protocol.record_engine import engine_line

        print(f"snakka {__version__}\n{engine_line()}")
        return OK
    if name not in COMMANDS:
        raise CommandError(f"there is no command {name}; the commands are {', '.join(COMMANDS)}", USAGE)
    code: int = import_module(f"snakka.cli.{name}").run(arguments[1:])
    return code


if __name__ == "__main__":
    sys.exit(main())
