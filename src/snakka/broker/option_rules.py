"""Rules between options: each may be right for itself and yet not go with another.

Rule: one short function a matter, called in order by `check_rules`; each raises OptionError with both names and what to set.
"""

from __future__ import annotations

from snakka.network.endpoints import parse_host_counts
from snakka.options.option import OptionError
from snakka.options.option_set import OptionSet
from snakka.storage.log_config import LogConfig

_MEBIBYTE = 1 << 20


def check_rules(options: OptionSet) -> None:
    """Kafka's checks of a whole configuration; listeners have their own in network.endpoints."""
    _check_node(options)
    _check_quorum(options)
    _check_logs(options)
    _check_replication(options)
    _check_connections(options)


def log_directories(options: OptionSet) -> tuple[str, ...]:
    """Where the partition logs are: log.dirs, else log.dir."""
    return options.entries("log.dirs") or options.entries("log.dir")


def metadata_directory(options: OptionSet) -> str:
    """Where the metadata log is: metadata.log.dir, else the first of the log directories."""
    return options.text_or_none("metadata.log.dir") or log_directories(options)[0]


def _check_node(options: OptionSet) -> None:
    node_id, broker_id = options.integer("node.id"), options.integer("broker.id")
    if broker_id not in (-1, node_id):
        raise OptionError(f"node.id={node_id} and broker.id={broker_id} must be the same; set only node.id")


def _check_quorum(options: OptionSet) -> None:
    node_id, roles = options.integer("node.id"), options.entries("process.roles")
    voters = [int(voter.partition("@")[0]) for voter in options.entries("controller.quorum.voters")]
    if (
        "controller" not in roles
        and not voters
        and not options.entries("controller.quorum.bootstrap.servers")
    ):
        raise OptionError(
            "process.roles=broker needs controller.quorum.bootstrap.servers: HOST:PORT of the controllers"
        )
    if voters and ("controller" in roles) != (node_id in voters):
        verb = "must be" if "controller" in roles else "must not be"
        raise OptionError(
            f"node.id={node_id} {verb} in controller.quorum.voters when process.roles={','.join(roles)}"
        )


def _check_logs(options: OptionSet) -> None:
    logs = LogConfig.from_broker(options.texts)
    if logs.segment_ms < 1:
        raise OptionError("log.roll.ms must be at least 1")
    if logs.segment_jitter_ms < 0:
        raise OptionError("log.roll.jitter.ms must be at least 0")
    if logs.retention_ms == 0:
        raise OptionError("log.retention.ms must be at least 1, or -1 for no limit")
    threads = options.integer("log.cleaner.threads")
    if options.integer("log.cleaner.dedupe.buffer.size") <= threads * _MEBIBYTE:
        raise OptionError(
            f"log.cleaner.dedupe.buffer.size must be more than 1 MiB for each of {threads} cleaner threads"
        )
    unknown = set(options.entries("cordoned.log.dirs")) - set(log_directories(options)) - {"*"}
    if unknown:
        raise OptionError(f"cordoned.log.dirs: {', '.join(sorted(unknown))} must be in log.dirs too")


def _check_replication(options: OptionSet) -> None:
    wait = options.integer("replica.fetch.wait.max.ms")
    for longer in ("replica.socket.timeout.ms", "replica.lag.time.max.ms"):
        if wait > options.integer(longer):
            raise OptionError(
                f"replica.fetch.wait.max.ms={wait} must not be more than {longer}={options.integer(longer)}"
            )


def _check_connections(options: OptionSet) -> None:
    queued, frame = options.integer("queued.max.request.bytes"), options.integer("socket.request.max.bytes")
    if 0 < queued < frame:
        raise OptionError(
            f"queued.max.request.bytes={queued} must be at least socket.request.max.bytes={frame}"
        )
    overrides = parse_host_counts(options.text("max.connections.per.ip.overrides"))
    if options.integer("max.connections.per.ip") == 0 and not overrides:
        raise OptionError(
            "max.connections.per.ip=0 refuses everybody unless max.connections.per.ip.overrides is set"
        )
    idle, delay = (
        options.integer("connections.max.idle.ms"),
        options.integer("connection.failed.authentication.delay.ms"),
    )
    if 0 <= idle <= delay:
        raise OptionError(
            f"connection.failed.authentication.delay.ms={delay} must be less than connections.max.idle.ms={idle}"
        )
