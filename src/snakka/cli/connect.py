"""How the client commands reach a cluster: one argument, one connection, and every failure as one line."""

import asyncio
import os
from argparse import ArgumentParser, Namespace
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any

from snakka.cli.command import FAILED, USAGE, CommandError

if TYPE_CHECKING:
    from snakka.client.cluster_view import ClusterView

BOOTSTRAP_VARIABLE = "SNAKKA_BOOTSTRAP"
DEFAULT_BOOTSTRAP = "127.0.0.1:9092"
REQUEST_SECONDS = 30.0


def add_bootstrap_argument(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--bootstrap-server",
        metavar="HOST:PORT",
        help=f"a broker, or several with commas between; {BOOTSTRAP_VARIABLE} or {DEFAULT_BOOTSTRAP} unless said",
    )


def run_with_cluster(given: Namespace, work: Callable[["ClusterView"], Awaitable[int]]) -> int:
    """Run `work` with a view of the cluster that the arguments name; its exit code."""
    return run_with_bootstrap(given, lambda bootstrap: _connected(bootstrap, work))


def run_with_bootstrap(given: Namespace, work: Callable[[str], Coroutine[Any, Any, int]]) -> int:
    """Run `work` with the brokers that the arguments name; its exit code."""
    from snakka.client.errors import ClientConfigError, ClientError
    from snakka.protocol.errors import ApiError, ProtocolError

    try:
        return asyncio.run(work(_bootstrap(given)))
    except ClientConfigError as error:
        raise CommandError(
            f"--bootstrap-server: {str(error).removeprefix('bootstrap.servers: ')}", USAGE
        ) from None
    except ClientError as error:
        raise CommandError(str(error), FAILED) from None
    except ApiError as error:
        raise CommandError(_shown(error), FAILED) from None
    except ProtocolError as error:
        raise CommandError(f"a broker sent what can't be understood: {error}", FAILED) from None


def _bootstrap(given: Namespace) -> str:
    return given.bootstrap_server or os.environ.get(BOOTSTRAP_VARIABLE) or DEFAULT_BOOTSTRAP


async def _connected(bootstrap: str, work: Callable[["ClusterView"], Awaitable[int]]) -> int:
    from snakka.client.cluster_view import running_cluster
    from snakka.client.settings import AdminSettings, resolve

    async with running_cluster(resolve(AdminSettings, {"bootstrap_servers": bootstrap})) as cluster:
        return await work(cluster)


def _shown(error: Exception) -> str:
    """The reason in words, and Kafka's name for it behind."""
    code, message = error.args
    return f"{message} ({code.name})" if message else str(code.name)
