"""`snakka start`: one broker in this process, from its options until a signal ends it.

Rule: whatever keeps the broker from starting is one line on stderr and exit code 2, before anything was written; standard
output has one line, when clients may come.
"""

import asyncio
import gc
import os
import resource
from argparse import Namespace
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from snakka.cli.command import FAILED, OK, USAGE, CommandError, CommandParser
from snakka.cli.node_arguments import add_node_arguments, read_options
from snakka.runtime.log_setup import DEFAULT_LEVEL, LEVELS, log_to_stderr

if TYPE_CHECKING:
    from snakka.broker.server import BrokerServer
    from snakka.options.option_set import OptionSet

LEVEL_VARIABLE = "SNAKKA_LOG_LEVEL"

# macOS says that there is no limit, and then refuses more than this.
_DESCRIPTORS_WITHOUT_LIMIT = 10_240
# A full collection over many small objects stalls the loop for tens of milliseconds, and finds nearly nothing.
_COLLECTOR_THRESHOLDS = (50_000, 20, 100)

_DESCRIPTION = """Start a broker. SIGTERM or SIGINT (Ctrl-C) stops it cleanly; a second signal ends it at once.

When clients may connect it prints one line to standard output: ready on HOST:PORT. Its log goes to standard error."""

_EXAMPLES = """examples:
  snakka start
      a broker on 127.0.0.1:9092 with its data in ./snakka-data
  snakka start --data-dir /var/lib/snakka --listen 127.0.0.1:0
      on a port that the system chooses; the line "ready on" names it
  snakka start --set num.partitions=3 --set log.retention.hours=24
      with Kafka's own option names
  snakka start --config server.properties --metrics 127.0.0.1:9404
      Apache Kafka's file (or TOML), and http://127.0.0.1:9404/metrics and /health

What is said on the command line has precedence over the file. A new data directory is formatted as a cluster of one node,
unless controller.quorum.* is set: then `snakka format` does it. To be reached from other machines, set the address that
clients should use:
  snakka start --listen 0.0.0.0:9092 --set advertised.listeners=PLAINTEXT://broker.example.com:9092

exit codes: 0 stopped as asked; 1 failed while running; 2 could not start (an option, an address, a data directory)"""


def run(arguments: Sequence[str]) -> int:
    # From the beginning: imports make many objects and hardly any garbage.
    gc.set_threshold(*_COLLECTOR_THRESHOLDS)
    given = _parser().parse_args(arguments)
    log_to_stderr(_log_level(given))
    options = read_options(given)
    _raise_descriptor_limit()
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        return runner.run(_serve(options, given.metrics))


def _parser() -> CommandParser:
    parser = CommandParser("snakka start", _DESCRIPTION, _EXAMPLES)
    add_node_arguments(parser)
    parser.add_argument(
        "--metrics", metavar="HOST:PORT", help="serve /metrics (Prometheus) and /health over HTTP there"
    )
    parser.add_argument(
        "--log-level",
        choices=LEVELS,
        help=f"what is worth a line on stderr; {LEVEL_VARIABLE} or {DEFAULT_LEVEL} unless said",
    )
    return parser


def _log_level(given: Namespace) -> str:
    level: str = given.log_level or os.environ.get(LEVEL_VARIABLE, "").lower() or DEFAULT_LEVEL
    if level not in LEVELS:
        raise CommandError(f"{LEVEL_VARIABLE}={level} must be one of {', '.join(LEVELS)}", USAGE)
    return level


def _raise_descriptor_limit() -> None:
    """Every segment and every client is a descriptor, and the usual limit is from another time."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = max(soft, _DESCRIPTORS_WITHOUT_LIMIT) if hard == resource.RLIM_INFINITY else hard
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    except (ValueError, OSError):
        return  # what there is must do


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop
    factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return factory


async def _serve(options: "OptionSet", metrics_address: str | None) -> int:
    from snakka.runtime.signals import stop_on_signals

    asked_to_stop = stop_on_signals(asyncio.get_running_loop())
    server = await _started(options, metrics_address, asked_to_stop)
    if server is None:
        return OK
    _settle_garbage_collector()
    print(f"ready on {server.client_endpoints[0].address}", flush=True)
    await asyncio.wait((asked_to_stop, server.failed), return_when=asyncio.FIRST_COMPLETED)
    try:
        await server.stop()
    except OSError as error:
        # What can't be written at the end is checked at the next start; why it came to an end may be said already.
        raise CommandError(_failure(server) or f"the stop was not clean: {_reason(error)}", FAILED) from None
    failure = _failure(server)
    if failure is not None:
        raise CommandError(failure, FAILED)
    return OK


async def _started(
    options: "OptionSet", metrics_address: str | None, asked_to_stop: asyncio.Future[str]
) -> "BrokerServer | None":
    """A broker that serves clients; None if the process is asked to stop before that."""
    from snakka.broker.server import BrokerServer
    from snakka.options.option import OptionError
    from snakka.protocol.errors import ApiError
    from snakka.storage.meta_properties import DataDirectoryError

    try:
        server = BrokerServer(options, metrics_address=metrics_address)
        starting = asyncio.get_running_loop().create_task(server.start(), name="start")
        await asyncio.wait((starting, asked_to_stop, server.failed), return_when=asyncio.FIRST_COMPLETED)
        if not starting.done():
            starting.cancel()
            await asyncio.gather(starting, return_exceptions=True)
            if server.failed.done():
                raise CommandError(server.failed.result(), FAILED)
            return None
        starting.result()
        return server
    except (OptionError, DataDirectoryError, ApiError) as error:
        raise CommandError(str(error), USAGE) from None
    except OSError as error:
        raise CommandError(_reason(error), USAGE) from None


def _reason(error: OSError) -> str:
    """What is wrong with an address, or with a disk and where."""
    where = "" if error.filename is None else f"{error.filename}: "
    return f"{where}{error.strerror or error}"


def _failure(server: "BrokerServer") -> str | None:
    return server.failed.result() if server.failed.done() else None


def _settle_garbage_collector() -> None:
    """What is alive now stays alive: the collector need not look at it again."""
    gc.collect()
    gc.freeze()
