"""The life of a broker: starts the parts in order, tells when it is ready or has failed, and stops them in reverse.

Rule: what can refuse to start is asked first. Options, addresses and directories are checked before anything is written.
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace

from snakka.broker.apis.table import ALL
from snakka.broker.assembly import (
    Entrance,
    Parts,
    build_dispatchers,
    build_entrance,
    build_listener,
    build_parts,
    serve_behind,
    set_connection_limits,
    voter_endpoints,
)
from snakka.broker.background import background_tasks
from snakka.broker.metrics import bind_broker_metrics
from snakka.broker.option_catalog import names_quorum
from snakka.broker.option_rules import log_directories
from snakka.broker.services import Services
from snakka.metadata.image.cluster import ClusterImage
from snakka.metadata.image.delta import Delta
from snakka.network.endpoints import Endpoint, Listeners, parse_address, parse_listeners
from snakka.network.http_endpoint import HttpEndpoint, Page
from snakka.network.listener import ListenError
from snakka.options.option_set import OptionSet
from snakka.protocol.uuids import Uuid
from snakka.raft.format import open_node_directories
from snakka.runtime import Runtime
from snakka.storage.files import Files, OsFiles
from snakka.storage.log_directory import DataDirectories
from snakka.storage.log_manager import LogManager
from snakka.storage.partition_log import PartitionLog
from snakka.telemetry.loop_stalls import LoopStallMonitor
from snakka.telemetry.metric_set import MetricSet
from snakka.telemetry.prometheus_text import CONTENT_TYPE, render

log = logging.getLogger(__name__)

START_SECONDS = 60.0
# A stop takes less than a second in all; these are its parts that wait for others.
CONTROLLED_SHUTDOWN_SECONDS = 0.3
LAST_ANSWERS_SECONDS = 0.2


class BrokerServer:
    """One broker on the running event loop. `failed` is done when the broker can't go on, with the reason."""

    def __init__(
        self,
        options: OptionSet,
        *,
        runtime: Runtime | None = None,
        files: Files | None = None,
        metrics_address: str | None = None,
    ) -> None:
        self._options = options
        self.runtime = runtime or Runtime(asyncio.get_running_loop())
        self._files: Files = files or OsFiles(log_directories(options))
        self.metrics = MetricSet()
        # As the options say it; and with the ports that the system chose, where they leave it the choice.
        self._asked_listeners: Listeners = parse_listeners(options)
        self.listeners: Listeners = self._asked_listeners
        self.failed: asyncio.Future[str] = self.runtime.loop.create_future()
        self._metrics_address = parse_address(metrics_address) if metrics_address else None
        self._entrance: Entrance | None = None
        self._directories: DataDirectories | None = None
        self._parts: Parts | None = None
        self._http: HttpEndpoint | None = None
        self._stalls = LoopStallMonitor(self.runtime.loop, self.metrics)
        self._background: list[asyncio.Task[object]] = []
        self._is_serving = False

    @property
    def services(self) -> Services:
        if self._parts is None:
            raise RuntimeError("the broker has not been started")
        return self._parts.services

    @property
    def client_endpoints(self) -> list[Endpoint]:
        """Where clients come in, with the real ports; the first is what `ready on` names."""
        return [endpoint for endpoint in self.listeners.bound if not endpoint.is_controller]

    async def start(self) -> None:
        """Until clients can use the broker. OptionError, ListenError or DataDirectoryError say why it can't start."""
        try:
            await self._start()
        except BaseException:
            # Why it can't start is what the caller must hear, whatever else goes wrong on the way out.
            with contextlib.suppress(Exception):
                await self._stop(clean=False)
            raise

    async def stop(self) -> None:
        """A clean stop: the next start need not check the logs."""
        await self._stop(clean=not self.failed.done())

    # -- starting -------------------------------------------------------------------------------------------------

    async def _start(self) -> None:
        deadline = self.runtime.clock.monotonic() + START_SECONDS
        self.runtime.supervisor.on_fatal = lambda name, error: self._fail(f"{name} failed: {error}")
        entrance = await self._claim_addresses()
        self._directories = self._open_directories()
        parts = self._parts = build_parts(
            self.runtime,
            self._files,
            self._options,
            self.listeners,
            self._directories,
            self.metrics,
            on_fatal=lambda error: self._fail(f"the metadata log failed: {error}"),
        )
        services = parts.services
        services.raft.register(services.loader)
        services.raft.register(services.controller)
        await services.raft.start()
        await services.loader.wait_until_caught_up(deadline)
        await self._open_logs(parts)
        self._connect(parts, entrance)
        await services.registrar.register(deadline)
        await services.registrar.unfence(deadline)
        # With flush.messages=1 readers shall not see less than before a crash, nor what is not on the disk.
        await services.log_manager.flusher.drain(deadline - self.runtime.clock.monotonic())
        build_dispatchers(services, ALL, entrance)
        for listener in entrance.listeners:
            await listener.start()
        self._start_background(parts)
        self._is_serving = True

    async def _claim_addresses(self) -> Entrance:
        entrance = self._entrance = build_entrance(self.runtime, self._options, self.listeners, self.metrics)
        for listener in entrance.listeners:
            await listener.bind()
        self.listeners = self.listeners.with_ports(
            {listener.name: listener.port for listener in entrance.listeners}
        )
        if self._metrics_address is not None:
            host, port = self._metrics_address
            pages = {"/metrics": self._metrics_page, "/health": self._health_page}
            self._http = HttpEndpoint(pages, host, port, self.runtime.loop)
            await self._http.start()
            log.info("metrics on http://%s:%d/metrics", host, self._http.port)
        return entrance

    def _open_directories(self) -> DataDirectories:
        return open_node_directories(
            self._files,
            self.runtime.random,
            log_directories=log_directories(self._options),
            metadata_directory=self._options.text_or_none("metadata.log.dir"),
            node_id=self._options.integer("node.id"),
            endpoints=voter_endpoints(self.listeners),
            may_format=not names_quorum(self._options.texts),
            now_ms=self.runtime.clock.now_ms(),
        )

    async def _open_logs(self, parts: Parts) -> None:
        services = parts.services
        logs = services.log_manager
        logs.on_directory_failure.append(lambda path: self._directory_failed(parts, path))
        logs.on_all_directories_failed.append(lambda: self._fail("no log directory is left"))
        await logs.open_all()
        for directory in logs.directories:
            if directory.online:
                parts.cleaner_checkpoints.load(directory.path)
        topics = services.image.topics

        def is_stray(opened: PartitionLog) -> bool:
            partition = topics.partition(opened.topic_id, opened.partition)
            return partition is None or services.node_id not in partition.replicas

        def id_of(name: str) -> Uuid | None:
            topic = topics.get(name)
            return None if topic is None else topic.id

        logs.mark_strays(is_stray, id_of)

    def _connect(self, parts: Parts, entrance: Entrance) -> None:
        """From here on committed metadata reaches the partitions, and what happens to logs reaches their readers."""
        services = parts.services
        partitions, logs, live = services.partitions, services.log_manager, services.options
        publisher = parts.partition_publisher
        # Nothing may be committed between the two: there is no await.
        everything = Delta.between(ClusterImage(), services.image)
        for one in (publisher, parts.coordinator_publisher):
            one.publish(everything, services.image)
            parts.publishers.add(one)
        live.on_change(lambda: publisher.defaults_changed(services.image))
        live.on_change(lambda: self._options_changed(entrance, live.current))

        def flushed(one: PartitionLog, offset: int) -> None:
            partition = partitions.get(one.topic, one.partition)
            if partition is not None and partition.log is one:
                partition.flushed(offset)

        def log_start_moved(one: PartitionLog) -> None:
            partition = partitions.get(one.topic, one.partition)
            if partition is not None:
                partition.log_start_moved()

        logs.flusher.on_flushed.append(flushed)
        logs.on_log_start_moved.append(log_start_moved)
        registrar = services.registrar
        registrar.identity = replace(registrar.identity, previous_broker_epoch=logs.previous_broker_epoch)

        logs.cordoned = _cordoned(live.current, logs)
        live.on_change(lambda: self._cordon(parts))

    def _cordon(self, parts: Parts) -> None:
        """cordoned.log.dirs was changed: the controller shall place no new replica there (KIP-1066)."""
        services = parts.services
        logs = services.log_manager
        logs.cordoned = _cordoned(services.options.current, logs)
        services.registrar.directories_cordoned()

    def _options_changed(self, entrance: Entrance, options: OptionSet) -> None:
        set_connection_limits(entrance.limits, options, self.listeners.bound)
        entrance.memory.limit_bytes = options.integer("queued.max.request.bytes")
        for listener in entrance.listeners:
            own = options.for_listener(listener.name)
            listener.connections_max_idle_ms = own.integer("connections.max.idle.ms")
        wanted = parse_listeners(options)
        if wanted.bound != self._asked_listeners.bound:
            self._asked_listeners = wanted
            self.runtime.supervisor.spawn("listeners", self._change_listeners(entrance, options, wanted))

    async def _change_listeners(self, entrance: Entrance, options: OptionSet, wanted: Listeners) -> None:
        """Open and close listeners as `listeners` says now. What this broker advertises stays until its next start."""
        asked = {endpoint.name: endpoint for endpoint in wanted.bound}
        known = {endpoint.name: endpoint for endpoint in self.listeners.bound}
        for listener in list(entrance.listeners):
            if not _is_served(asked.get(listener.name), known[listener.name]):
                entrance.listeners.remove(listener)
                await listener.close(LAST_ANSWERS_SECONDS)
        for endpoint in wanted.bound:
            if all(listener.name != endpoint.name for listener in entrance.listeners):
                await self._open_listener(entrance, options, endpoint)
        ports = {listener.name: listener.port for listener in entrance.listeners}
        open_now = tuple(endpoint for endpoint in wanted.bound if endpoint.name in ports)
        self.listeners = self.listeners._replace(
            bound=tuple(endpoint._replace(port=ports[endpoint.name]) for endpoint in open_now)
        )

    async def _open_listener(self, entrance: Entrance, options: OptionSet, endpoint: Endpoint) -> None:
        listener = build_listener(self.runtime, options, endpoint, entrance, self.metrics)
        serve_behind(listener, entrance, self.services)
        try:
            await listener.bind()
            await listener.start()
        except ListenError as error:
            log.error("listener %s is not opened: %s", endpoint.name, error)
            return
        entrance.listeners.append(listener)
        log.info("listener %s is open on port %d", listener.name, listener.port)

    def _start_background(self, parts: Parts) -> None:
        supervisor = self.runtime.supervisor
        first = self._options.integer("log.initial.task.delay.ms") / 1000
        for task in background_tasks(parts):
            self._background.append(
                supervisor.every(task.name, task.interval_seconds, task.work, first_after_seconds=first)
            )
        self._stalls.start()
        bind_broker_metrics(self.metrics, parts.services, parts.compactor, supervisor)

    # -- running --------------------------------------------------------------------------------------------------

    @property
    def metrics_port(self) -> int | None:
        """The real port of `/metrics` and `/health`, if they are served."""
        return self._http.port if self._http is not None else None

    def _metrics_page(self) -> Page:
        return Page(200, CONTENT_TYPE, render(self.metrics))

    def _health_page(self) -> Page:
        if self.failed.done():
            return Page(503, "text/plain", f"failed: {self.failed.result()}\n")
        if not self._is_serving:
            return Page(503, "text/plain", "starting\n")
        return Page(200, "text/plain", "ok\n")

    def _directory_failed(self, parts: Parts, path: str) -> None:
        logs = parts.services.log_manager
        parts.partition_publisher.directory_failed(path)
        parts.services.registrar.directory_failed(logs.directory_id(path))
        is_metadata = self._directories is not None and path == self._directories.metadata.path
        if is_metadata and any(directory.online for directory in logs.directories):
            # There are others for records, but a broker without its metadata does not know what it may do.
            self._fail(f"the directory of the metadata log failed: {path}")

    def _fail(self, reason: str) -> None:
        log.critical("the broker stops: %s", reason)
        if not self.failed.done():
            self.failed.set_result(reason)

    # -- stopping -------------------------------------------------------------------------------------------------

    async def _stop(self, clean: bool) -> None:
        """Every part is stopped, whatever becomes of the others; the first failure is raised at the end."""
        self._is_serving = False
        steps: list[Callable[[], Awaitable[None]]] = [
            self._leave_the_cluster,
            self._end_coordination,
            self._end_connections,
            self._end_background,
            lambda: self._close_logs(clean),
            self._close_metadata,
            self.runtime.close,
        ]
        failures = []
        for step in steps:
            try:
                await step()
            except Exception as error:
                failures.append(error)
        if failures:
            raise failures[0]

    async def _leave_the_cluster(self) -> None:
        if self._entrance is not None:
            for listener in self._entrance.listeners:
                listener.stop_accepting()
        if self._parts is not None:
            deadline = self.runtime.clock.monotonic() + CONTROLLED_SHUTDOWN_SECONDS
            await self._parts.services.registrar.controlled_shutdown(deadline)

    async def _end_connections(self) -> None:
        if self._entrance is not None:
            listeners = self._entrance.listeners
            await asyncio.gather(*(listener.close(LAST_ANSWERS_SECONDS) for listener in listeners))
        if self._http is not None:
            self._http.close()

    async def _end_background(self) -> None:
        self._stalls.close()
        for task in self._background:
            task.cancel()
        if self._background:
            await asyncio.wait(self._background, timeout=1.0)

    async def _end_coordination(self) -> None:
        if self._parts is not None:
            self._parts.coordinators.groups.close()
            self._parts.coordinators.transactions.close()

    async def _close_logs(self, clean: bool) -> None:
        if self._parts is not None:
            services = self._parts.services
            await services.log_manager.close(clean=clean, broker_epoch=services.registrar.broker_epoch)

    async def _close_metadata(self) -> None:
        try:
            if self._parts is not None:
                await self._parts.services.raft.close()
        finally:
            if self._directories is not None:
                self._directories.release()


def _is_served(asked: Endpoint | None, known: Endpoint) -> bool:
    """Whether an open listener is what is asked for; any port will do for port 0."""
    return asked is not None and (asked.host, asked.port or known.port) == (known.host, known.port)


def _cordoned(options: OptionSet, logs: LogManager) -> list[str]:
    """The directories that take no new partitions; `*` means all of them."""
    named = options.entries("cordoned.log.dirs")
    return [directory.path for directory in logs.directories if "*" in named or directory.path in named]
