"""How a broker's parts are put together: constructor calls only, in the order in which one needs the other.

Nothing here waits, opens or decides; `server` starts what is built here, and stops it in reverse.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from snakka.broker.api import BROKER, CONTROLLER, Api, ApiRange
from snakka.broker.config_schema import CatalogSchema
from snakka.broker.coordinators import CoordinatorPublisher, Coordinators, build_coordinators
from snakka.broker.dispatch import Dispatcher
from snakka.broker.live_options import LiveOptions
from snakka.broker.producer_id_blocks import ProducerIdBlocks
from snakka.broker.services import Services
from snakka.metadata.channel import LocalControllerChannel
from snakka.metadata.controller import Controller
from snakka.metadata.image.brokers import Endpoint as AdvertisedEndpoint
from snakka.metadata.loader import MetadataLoader
from snakka.metadata.publisher import Publishers
from snakka.metadata.registration import BrokerIdentity, BrokerRegistrar
from snakka.metadata.state.rules import ControllerRules
from snakka.network.connection_limits import ConnectionLimits
from snakka.network.endpoints import PROTOCOLS, Endpoint, Listeners, parse_host_counts
from snakka.network.listener import SYSTEM_DEFAULT, Listener
from snakka.network.receive_buffer import ReceiveMemory
from snakka.options.option_set import OptionSet
from snakka.raft.driver import RaftDriver
from snakka.raft.format import local_voter
from snakka.raft.settings import RaftSettings
from snakka.raft.state.voters import Endpoint as VoterEndpoint
from snakka.replication.directory_assignments import DirectoryAssignments
from snakka.replication.fetch_watch import FetchWatches
from snakka.replication.fetching import FetchTarget, TargetKey
from snakka.replication.partition_publisher import PartitionPublisher
from snakka.replication.partition_table import PartitionTable
from snakka.replication.state.fetch_sessions import FetchSessionCache
from snakka.runtime import Runtime
from snakka.security.authorizer import AllowAll
from snakka.storage.cleaner_checkpoint import CleanerCheckpoints
from snakka.storage.compactor import CleanerSettings, Compactor
from snakka.storage.directory_checkpoints import Checkpoint
from snakka.storage.files import Files
from snakka.storage.log_directory import DataDirectories
from snakka.storage.log_manager import LogManager
from snakka.telemetry.metric_set import MetricSet

if TYPE_CHECKING:
    from snakka.broker.transaction_markers import MarkerSender


class _NobodyYet:
    """The addresses are claimed before there is anybody to serve them; no client is let in until there is."""

    api_ranges: tuple[ApiRange, ...] = ()

    def dispatch(self, connection: object, frame: memoryview) -> None:
        raise AssertionError("a client was let in before the broker was built")


@dataclass(slots=True)
class Entrance:
    """The listeners, and what they share."""

    listeners: list[Listener]
    memory: ReceiveMemory
    limits: ConnectionLimits
    # By listener type, once there is somebody to serve clients.
    dispatchers: dict[str, Dispatcher] = field(default_factory=dict)


@dataclass(slots=True)
class Parts:
    """Everything that is built once the addresses and the directories are this broker's."""

    services: Services
    publishers: Publishers
    partition_publisher: PartitionPublisher
    coordinators: Coordinators
    coordinator_publisher: CoordinatorPublisher
    compactor: Compactor
    cleaner_checkpoints: CleanerCheckpoints


def build_entrance(
    runtime: Runtime, options: OptionSet, listeners: Listeners, metrics: MetricSet
) -> Entrance:
    entrance = Entrance([], ReceiveMemory(options.integer("queued.max.request.bytes")), ConnectionLimits())
    set_connection_limits(entrance.limits, options, listeners.bound)
    for endpoint in listeners.bound:
        entrance.listeners.append(build_listener(runtime, options, endpoint, entrance, metrics))
    return entrance


def build_listener(
    runtime: Runtime, options: OptionSet, endpoint: Endpoint, entrance: Entrance, metrics: MetricSet
) -> Listener:
    """A listener that is not bound yet; `serve_behind` gives it somebody to serve its clients."""
    own = options.for_listener(endpoint.name)
    return Listener(
        endpoint,
        _NobodyYet(),
        runtime,
        memory=entrance.memory,
        limits=entrance.limits,
        authorizer=AllowAll(),
        metrics=metrics,
        largest_frame=own.integer("socket.request.max.bytes"),
        send_buffer_bytes=_buffer_bytes(own, "socket.send.buffer.bytes"),
        receive_buffer_bytes=_buffer_bytes(own, "socket.receive.buffer.bytes"),
        backlog=own.integer("socket.listen.backlog.size"),
        connections_max_idle_ms=own.integer("connections.max.idle.ms"),
    )


def _buffer_bytes(options: OptionSet, name: str) -> int:
    """Kafka's default of 100 KiB is smaller than what the system gives by itself, and costs a third at 1 MiB a request."""
    return options.integer(name) if options.is_set(name) else SYSTEM_DEFAULT


def set_connection_limits(limits: ConnectionLimits, options: OptionSet, bound: Iterable[Endpoint]) -> None:
    """At start, and again when an option changes."""
    limits.most = options.integer("max.connections")
    limits.most_per_address = options.integer("max.connections.per.ip")
    limits.set_overrides(parse_host_counts(options.text("max.connections.per.ip.overrides")))
    limits.listener_limits = {
        endpoint.name: options.for_listener(endpoint.name).integer("max.connections") for endpoint in bound
    }


def voter_endpoints(listeners: Listeners) -> list[VoterEndpoint]:
    return [
        VoterEndpoint(endpoint.name, endpoint.host, endpoint.port)
        for endpoint in listeners.advertised_controllers
    ]


def build_parts(
    runtime: Runtime,
    files: Files,
    options: OptionSet,
    listeners: Listeners,
    directories: DataDirectories,
    metrics: MetricSet,
    on_fatal: Callable[[BaseException], None],
) -> Parts:
    """The broker behind its entrance, not yet started."""
    live = LiveOptions(options.integer("node.id"), options)
    schema = CatalogSchema(live)
    publishers = Publishers([live])
    raft = _build_raft(runtime, files, options, listeners, directories, on_fatal)
    loader = MetadataLoader(runtime, raft, publishers)
    controller = Controller(
        runtime,
        raft,
        loader,
        _controller_rules(options, schema, raft),
        session_timeout_ms=options.integer("broker.session.timeout.ms"),
    )
    channel = LocalControllerChannel(controller)
    logs = _build_logs(runtime, files, live, loader, directories)
    registrar = BrokerRegistrar(
        runtime,
        channel,
        _identity(options, listeners, directories),
        metadata_offset=lambda: loader.offset,
        heartbeat_interval_ms=lambda: live.current.integer("broker.heartbeat.interval.ms"),
        cordoned_directories=lambda: [logs.directory_id(path) for path in logs.cordoned],
    )
    partitions = PartitionTable()
    watches = FetchWatches(partitions)
    coordinators = build_coordinators(
        runtime,
        live,
        lambda: loader.image,
        lambda failure: logs.fail_directory(failure.directory, failure),
    )
    services = Services(
        runtime=runtime,
        node_id=live.node_id,
        cluster_id=directories.cluster_id,
        options=live,
        metrics=metrics,
        raft=raft,
        controller=controller,
        loader=loader,
        registrar=registrar,
        log_manager=logs,
        partitions=partitions,
        fetch_sessions=_build_sessions(live, watches),
        fetch_watches=watches,
        producer_ids=ProducerIdBlocks(runtime, channel, live.node_id, lambda: registrar.broker_epoch),
        groups=coordinators.groups,
        transactions=coordinators.transactions,
        config_schema=schema,
        controller_listeners=frozenset(listeners.controller_names),
    )
    coordinators.carry_out_transaction.append(_marker_sender(services))
    publisher = _build_publisher(services, channel)
    follower = CoordinatorPublisher(coordinators, partitions)
    compaction = _build_compactor(runtime, files, live, logs)
    return Parts(services, publishers, publisher, coordinators, follower, *compaction)


def _marker_sender(services: Services) -> Callable[[int, Any], None]:
    """Imported with the first transaction that ends: most brokers see none."""
    senders: list[MarkerSender] = []

    def carry_out(index: int, effect: Any) -> None:
        if not senders:
            from snakka.broker.transaction_markers import MarkerSender

            senders.append(MarkerSender(services))
        senders[0].carry_out(index, effect)

    return carry_out


def _build_publisher(services: Services, channel: LocalControllerChannel) -> PartitionPublisher:
    live, logs, registrar = services.options, services.log_manager, services.registrar
    assignments = DirectoryAssignments(
        services.runtime, channel, live.node_id, lambda: registrar.broker_epoch
    )
    return PartitionPublisher(
        live.node_id,
        logs,
        services.partitions,
        lambda: live.log_defaults,
        logs.flusher.flush_soon,
        assignments.assign,
    )


def _build_raft(
    runtime: Runtime,
    files: Files,
    options: OptionSet,
    listeners: Listeners,
    directories: DataDirectories,
    on_fatal: Callable[[BaseException], None],
) -> RaftDriver:
    local = local_voter(
        options.integer("node.id"), directories.metadata.directory_id, voter_endpoints(listeners)
    )
    return RaftDriver(
        runtime,
        files,
        directories.metadata.path,
        cluster_id=directories.cluster_id,
        local=local,
        settings=RaftSettings.from_options(options),
        on_fatal=on_fatal,
    )


def _build_logs(
    runtime: Runtime, files: Files, live: LiveOptions, loader: MetadataLoader, directories: DataDirectories
) -> LogManager:
    return LogManager(
        files,
        runtime,
        directories.logs,
        config_for=lambda topic: live.log_defaults.with_overrides(loader.image.configs.of_topic(topic)),
        recovery_threads=lambda: live.current.integer("num.recovery.threads.per.data.dir"),
    )


def _build_sessions(live: LiveOptions, watches: FetchWatches) -> FetchSessionCache[TargetKey, FetchTarget]:
    return FetchSessionCache(
        lambda: live.current.integer("max.incremental.fetch.session.cache.slots"), watches.stop
    )


def build_dispatchers(services: Services, table: Iterable[Api], entrance: Entrance) -> None:
    """Put the dispatchers behind the listeners: one a listener type."""
    apis = list(table)
    unstable = services.options.current.boolean("unstable.api.versions.enable")
    entrance.dispatchers = {
        kind: Dispatcher(apis, kind, services, services.runtime, services.metrics, unstable_versions=unstable)
        for kind in (BROKER, CONTROLLER)
    }
    for listener in entrance.listeners:
        serve_behind(listener, entrance, services)


def serve_behind(listener: Listener, entrance: Entrance, services: Services) -> None:
    kind = CONTROLLER if listener.name in services.controller_listeners else BROKER
    listener.environment.handler = entrance.dispatchers[kind]


def _controller_rules(options: OptionSet, schema: CatalogSchema, raft: RaftDriver) -> ControllerRules:
    return ControllerRules(
        node_id=raft.node_id,
        cluster_id=raft.cluster_id,
        schema=schema,
        default_partitions=options.integer("num.partitions"),
        default_replication_factor=options.integer("default.replication.factor"),
        topic_deletion_enabled=options.boolean("delete.topic.enable"),
        quorum_node_ids=lambda: tuple(
            voter.key.node_id for voter in raft.quorum_description().nodes if raft.is_leader
        ),
        kraft_version=lambda: raft.kraft_version,
    )


def _identity(options: OptionSet, listeners: Listeners, directories: DataDirectories) -> BrokerIdentity:
    return BrokerIdentity(
        options.integer("node.id"),
        directories.cluster_id,
        {
            endpoint.name: AdvertisedEndpoint(
                endpoint.host, endpoint.port, PROTOCOLS.index(endpoint.protocol)
            )
            for endpoint in listeners.advertised
        },
        tuple(directory.directory_id for directory in directories.logs if directory.online),
        rack=options.text_or_none("broker.rack"),
    )


def _build_compactor(
    runtime: Runtime, files: Files, live: LiveOptions, logs: LogManager
) -> tuple[Compactor, CleanerCheckpoints]:
    checkpoints = CleanerCheckpoints(files)

    def settings() -> CleanerSettings:
        current = live.current
        return CleanerSettings(
            current.boolean("log.cleaner.enable"),
            current.integer("log.cleaner.dedupe.buffer.size"),
            current.double("log.cleaner.io.buffer.load.factor"),
            current.double("log.cleaner.io.max.bytes.per.second"),
        )

    compactor = Compactor(
        files,
        runtime,
        logs=lambda: logs,
        settings=settings,
        checkpoints=checkpoints,
        write_recovery_points=lambda: logs.checkpoint(Checkpoint.RECOVERY_POINT),
        remove_later=logs.remove_later,
        failed=logs.fail_directory,
    )
    return compactor, checkpoints
