"""Where clients come in: a bound address, its connections, and how both end.

`bind` claims the address, `start` lets clients in, `close` lets the requests in work be answered and then ends every
connection by a deadline. The rule: a listener never outlives its deadline, and an idle client never stays for ever.
"""

import asyncio
import contextlib
import errno
import ipaddress
import logging
import os
import socket

from snakka.network.connection import Connection, ConnectionEnvironment, FrameHandler
from snakka.network.connection_limits import ConnectionLimits
from snakka.network.endpoints import Endpoint
from snakka.network.local_connections import begin_unpaced
from snakka.network.metrics import ListenerMetrics
from snakka.network.receive_buffer import ReceiveMemory
from snakka.network.rejection_log import RejectionLog
from snakka.runtime import Runtime
from snakka.security.authorizer import Authorizer
from snakka.telemetry.metric_set import MetricSet

log = logging.getLogger(__name__)

SYSTEM_DEFAULT = -1
# Kafka's default of 50 is for a thread that does nothing but accept. A client that finds the queue full tries again after a
# second, so what comes in while the loop serves others must fit.
SMALLEST_BACKLOG = 1024
# How much later than its time an idle connection may be closed, as a fraction of that time.
SWEEPS_PER_IDLE_TIME = 10
# An address family that this machine does not have is no reason not to listen on the other one.
_NO_SUCH_FAMILY = (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL)


class ListenError(OSError):
    """The address cannot be listened on; its text is one line for the user."""

    def __str__(self) -> str:
        return str(self.args[-1])


def listen_error(host: str, port: int, error: OSError) -> ListenError:
    """What went wrong, in the words of a user."""
    if isinstance(error, socket.gaierror) or error.errno is None:
        reason = error.strerror or str(error)
    else:
        reason = os.strerror(error.errno).lower()
    return ListenError(error.errno, f"cannot listen on {host or '*'}:{port}: {reason}")


class Listener:
    """One listener of the broker. `connections_max_idle_ms` and the sizes in `environment` may change live."""

    def __init__(
        self,
        endpoint: Endpoint,
        handler: FrameHandler,
        runtime: Runtime,
        *,
        memory: ReceiveMemory,
        limits: ConnectionLimits,
        authorizer: Authorizer,
        metrics: MetricSet,
        largest_frame: int = 100 * 1024 * 1024,
        send_buffer_bytes: int = SYSTEM_DEFAULT,
        receive_buffer_bytes: int = SYSTEM_DEFAULT,
        backlog: int = 50,
        connections_max_idle_ms: int = 600_000,
    ) -> None:
        self.name = endpoint.name
        self.host = endpoint.host
        self.port = endpoint.port
        self.connections_max_idle_ms = connections_max_idle_ms
        self.environment = ConnectionEnvironment(
            listener_name=endpoint.name,
            handler=handler,
            runtime=runtime,
            memory=memory,
            limits=limits,
            authorizer=authorizer,
            metrics=ListenerMetrics(metrics, endpoint.name, lambda: len(self.connections)),
            rejections=RejectionLog(log, runtime.clock),
            largest_frame=largest_frame,
            send_buffer_bytes=send_buffer_bytes,
            receive_buffer_bytes=receive_buffer_bytes,
        )
        self._loop = runtime.loop
        self._backlog = backlog
        self._servers: list[asyncio.Server] = []
        self._sweep: asyncio.TimerHandle | None = None

    @property
    def connections(self) -> dict[Connection, None]:
        return self.environment.connections

    async def bind(self) -> None:
        """Claim the address and learn the real port. Nobody is let in yet. ListenError if it is taken."""
        hosts = await self._resolve()
        for index, host in enumerate(hosts):
            try:
                server = await self._bind_one(host)
            except OSError as error:
                if index and error.errno in _NO_SUCH_FAMILY:
                    continue
                self._close_servers()
                raise listen_error(self.host, self.port, error) from None
            self._servers.append(server)
            for bound in server.sockets:
                begin_unpaced(bound)
            # All addresses of a host share the port that the first one got.
            self.port = server.sockets[0].getsockname()[1]

    async def start(self) -> None:
        """Let clients in."""
        try:
            for server in self._servers:
                await server.start_serving()
        except OSError as error:
            self._close_servers()
            raise listen_error(self.host, self.port, error) from None
        self._schedule_sweep()

    async def close(self, deadline_seconds: float = 0.3) -> None:
        """Let nobody in, answer what is in work, end every connection; what takes longer is cut off."""
        self.stop_accepting()
        for connection in list(self.connections):
            connection.finish()
        await self._until_gone(deadline_seconds)
        for connection in list(self.connections):
            connection.abort()
        # An aborted connection is reported lost in the loop's next turn.
        await self._until_gone(deadline_seconds)

    def stop_accepting(self) -> None:
        """New clients are refused; those that are here stay."""
        self._close_servers()
        if self._sweep is not None:
            self._sweep.cancel()
            self._sweep = None

    def close_idle(self) -> None:
        """End every connection that was idle for too long."""
        idle_seconds = self.connections_max_idle_ms / 1000
        oldest = self._loop.time() - idle_seconds
        for connection in list(self.connections):
            if connection.last_active < oldest:
                self.environment.metrics.connections_expired.value += 1
                connection.abort()

    async def _resolve(self) -> list[str]:
        if not self.host:
            return ["0.0.0.0", "::"]
        try:
            ipaddress.ip_address(self.host)
            return [self.host]
        except ValueError:
            pass
        try:
            found = await self._loop.getaddrinfo(self.host, None, type=socket.SOCK_STREAM)
        except OSError as error:
            raise listen_error(self.host, self.port, error) from None
        return list(dict.fromkeys(str(address[0]) for *_, address in found))

    async def _bind_one(self, host: str) -> asyncio.Server:
        return await self._loop.create_server(
            self._new_connection,
            host,
            self.port,
            backlog=max(self._backlog, SMALLEST_BACKLOG),
            reuse_address=True,
            start_serving=False,
        )

    def _new_connection(self) -> Connection:
        return Connection(self.environment)

    def _close_servers(self) -> None:
        for server in self._servers:
            server.close()
        self._servers.clear()

    def _schedule_sweep(self) -> None:
        idle_seconds = self.connections_max_idle_ms / 1000
        # Asked again from time to time even while it is switched off, since it may be changed live.
        interval = min(idle_seconds / SWEEPS_PER_IDLE_TIME, 30.0) if idle_seconds >= 0 else 30.0
        self._sweep = self._loop.call_later(max(interval, 0.01), self._run_sweep)

    def _run_sweep(self) -> None:
        if self.connections_max_idle_ms >= 0:
            self.close_idle()
        self._schedule_sweep()

    async def _until_gone(self, deadline_seconds: float) -> None:
        """Until no connection is left, at most until the deadline."""
        if not self.connections:
            return
        gone = asyncio.Event()
        self.environment.when_empty = gone.set
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(gone.wait(), deadline_seconds)
        self.environment.when_empty = None
