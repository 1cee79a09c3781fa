"""How the client commands reach a cluster: the same arguments for all, one connection, and every failure as one line.

Rule: the names are Kafka's: what its tools take as --command-config works here. What is said of a secret is shown
nowhere.
"""

import asyncio
import os
from argparse import ArgumentParser, Namespace
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any

from snakka.cli.command import FAILED, USAGE, CommandError, assignment

if TYPE_CHECKING:
    from snakka.client.cluster_view import ClusterView

BOOTSTRAP_VARIABLE = "SNAKKA_BOOTSTRAP"
DEFAULT_BOOTSTRAP = "127.0.0.1:9092"
REQUEST_SECONDS = 30.0
_BOOTSTRAP = "bootstrap.servers"

Settings = dict[str, object]


def add_connection_arguments(parser: ArgumentParser) -> None:
    """Which brokers, and how to log in."""
    parser.add_argument(
        "--bootstrap-server",
        metavar="HOST:PORT",
        help=f"a broker, or several with commas between; {BOOTSTRAP_VARIABLE} or {DEFAULT_BOOTSTRAP} unless said",
    )
    parser.add_argument(
        "--command-config",
        metavar="FILE",
        help="a properties file with Kafka's client settings, for TLS and logins: security.protocol=SASL_SSL ...",
    )
    parser.add_argument(
        "--command-property",
        type=assignment,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="one such setting; may be given often, and counts before the file",
    )


def run_with_cluster(given: Namespace, work: Callable[["ClusterView"], Awaitable[int]]) -> int:
    """Run `work` with a view of the cluster that the arguments name; its exit code."""
    return run_with_settings(given, lambda settings: _connected(settings, work))


def run_with_settings(given: Namespace, work: Callable[[Settings], Coroutine[Any, Any, int]]) -> int:
    """Run `work` with the settings of a client that the arguments give; its exit code."""
    from snakka.client.errors import ClientConfigError, ClientError
    from snakka.protocol.errors import ApiError, ProtocolError

    try:
        return asyncio.run(work(_settings(given)))
    except ClientConfigError as error:
        raise CommandError(_named(str(error), given), USAGE) from None
    except ClientError as error:
        raise CommandError(str(error), FAILED) from None
    except ApiError as error:
        raise CommandError(_shown(error), FAILED) from None
    except ProtocolError as error:
        raise CommandError(f"a broker sent what can't be understood: {error}", FAILED) from None


def _settings(given: Namespace) -> Settings:
    from snakka.options.option import OptionError
    from snakka.options.properties_file import read_config_file

    settings: Settings = {}
    if given.command_config is not None:
        try:
            settings |= read_config_file(given.command_config)
        except OptionError as error:
            raise CommandError(str(error), USAGE) from None
    settings |= dict(given.command_property)
    if given.bootstrap_server is not None:
        settings[_BOOTSTRAP] = given.bootstrap_server
    settings.setdefault(_BOOTSTRAP, os.environ.get(BOOTSTRAP_VARIABLE) or DEFAULT_BOOTSTRAP)
    return settings


def _named(complaint: str, given: Namespace) -> str:
    """What is wrong, by the argument that it came with."""
    prefix = f"{_BOOTSTRAP}: "
    if complaint.startswith(prefix) and given.command_config is None and not given.command_property:
        return f"--bootstrap-server: {complaint.removeprefix(prefix)}"
    return complaint


async def _connected(settings: Settings, work: Callable[["ClusterView"], Awaitable[int]]) -> int:
    from snakka.client.cluster_view import running_cluster
    from snakka.client.settings import AdminSettings, resolve

    async with running_cluster(resolve(AdminSettings, {}, settings)) as cluster:
        return await work(cluster)


def _shown(error: Exception) -> str:
    """The reason in words, and Kafka's name for it behind."""
    code, message = error.args
    return f"{message} ({code.name})" if message else str(code.name)
