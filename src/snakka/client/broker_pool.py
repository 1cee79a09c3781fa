"""Connections to the brokers of one cluster: opened when they are needed, and opened anew when they are lost.

Rule: everything here fails with a ClientError that names the broker; a request is never sent twice, since only the caller
knows whether that would be right. A broker that fails is left alone for a while, whoever asks for it.
"""

import asyncio
import random
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import TypeVar

from snakka.client.authentication import peer_security
from snakka.client.broker_addresses import Address, BrokerNode, canonical_addresses, parse_bootstrap
from snakka.client.errors import (
    AuthenticationError,
    BrokerUnreachableError,
    ClientClosedError,
    ClientError,
    NoBrokerError,
    RequestTimedOutError,
    UnreadableAnswerError,
)
from snakka.client.retry_policy import Backoff
from snakka.client.settings import ConnectionSettings
from snakka.client.tasks import Tasks
from snakka.network.answer_stream import AnswerMemory
from snakka.network.peer_connection import (
    MOST_IN_FLIGHT,
    PeerAuthenticationError,
    PeerConnection,
    PeerTimeoutError,
    SocketBuffers,
)
from snakka.protocol.errors import ProtocolError
from snakka.protocol.message import Message
from snakka.protocol.messages.api_versions import ApiVersionsRequest
from snakka.runtime.clock import Clock, SystemClock

__all__ = ["Address", "BrokerNode", "BrokerPool", "Purpose", "Target", "client_error", "parse_bootstrap"]

CLIENT_ID = "snakka"
CLOSE_SECONDS = 5.0
# When one broker is slow to take a connection, the next one is dialled too after this long.
NEXT_DIAL_SECONDS = 0.5
# After so many requests without an answer one with an answer is sent, so that what is on its way stays bounded.
MOST_UNANSWERED = 16
# Who sets a deadline just as far away as request.timeout.ms has waited as long as a broker may take, but for a moment.
_HASTE_SECONDS = 0.05

R = TypeVar("R", bound=Message)


class Purpose(Enum):
    """What a connection is for. A coordinator has one of its own, and so have fetches, since a broker answers the requests
    of one connection one after the other: a fetch that waits for records must delay neither a heartbeat nor a question.
    """

    DATA = "data"
    FETCH = "fetch"
    COORDINATOR = "coordinator"


Target = int | Address  # a broker's node id, or one of the bootstrap servers


class _Peer:
    """One broker for one purpose: its connection, or the attempts at it."""

    __slots__ = ("connection", "dialling", "failure", "failures", "not_before", "unanswered")

    def __init__(self) -> None:
        self.connection: PeerConnection | None = None
        self.dialling: asyncio.Future[PeerConnection] | None = None
        self.failures = 0
        self.failure: ClientError | None = None
        self.not_before = 0.0
        self.unanswered = 0

    @property
    def open_connection(self) -> PeerConnection | None:
        connection = self.connection
        return connection if connection is not None and connection.is_open else None


class BrokerPool:
    """One connection a broker and purpose. Deadlines are in monotonic seconds of `clock`."""

    def __init__(
        self,
        settings: ConnectionSettings,
        tasks: Tasks,
        *,
        most_in_flight: int = MOST_IN_FLIGHT,
        clock: Clock | None = None,
        chance: random.Random | None = None,
    ) -> None:
        """`most_in_flight` is for data; what goes to coordinators is bounded only by MOST_IN_FLIGHT."""
        self.settings = settings
        self.tasks = tasks
        self.clock: Clock = clock or SystemClock()
        self.chance = chance or random.Random()
        self.bootstrap = parse_bootstrap(settings.bootstrap_servers)
        self.nodes: dict[int, BrokerNode] = {}
        self._most_in_flight = {**dict.fromkeys(Purpose, MOST_IN_FLIGHT), Purpose.DATA: most_in_flight}
        self._security = peer_security(settings, self.clock, self.chance)
        self._memory = AnswerMemory()
        self._peers: dict[tuple[Target, Purpose], _Peer] = {}
        self._backoff = Backoff.of_ms(
            settings.reconnect_backoff_ms, settings.reconnect_backoff_max_ms, self.chance
        )
        self._dial_time = Backoff.of_ms(
            settings.socket_connection_setup_timeout_ms,
            settings.socket_connection_setup_timeout_max_ms,
            self.chance,
        )
        self.connections_opened = 0
        self._idle_timer: asyncio.TimerHandle | None = None
        self._is_closed = False

    # -- asking ---------------------------------------------------------------------------------------------------

    async def ask(
        self,
        target: Target,
        request: Message,
        kind: type[R],
        deadline: float,
        *,
        purpose: Purpose = Purpose.DATA,
        timeout_seconds: float | None = None,
    ) -> R:
        """One broker's answer. It may take `timeout_seconds`, which is request.timeout.ms unless said."""
        connection = await self.connection(target, deadline, purpose)
        return await self.ask_on(connection, request, kind, deadline, timeout_seconds=timeout_seconds)

    async def ask_any(self, request: Message, kind: type[R], deadline: float) -> R:
        """The answer of any broker."""
        connection = await self.any_connection(deadline)
        return await self.ask_on(connection, request, kind, deadline)

    async def ask_on(
        self,
        connection: PeerConnection,
        request: Message,
        kind: type[R],
        deadline: float,
        *,
        timeout_seconds: float | None = None,
        version: int | None = None,
    ) -> R:
        """The answer on a connection that the pool has given, in the highest common version unless one is given."""
        allowed = self.settings.request_seconds if timeout_seconds is None else timeout_seconds
        remaining = self._remaining(deadline)
        try:
            response = await connection.start(
                request, timeout_seconds=min(allowed, remaining), version=version
            )
        except PeerTimeoutError as error:
            if allowed <= remaining + _HASTE_SECONDS:
                connection.close()  # what is stuck there would only delay the next requests too
            raise client_error(error) from None
        except OSError as error:
            raise client_error(error) from None
        except ProtocolError as error:
            connection.close()  # who knows what else comes there
            raise UnreadableAnswerError(
                f"{connection.address} has given an answer that can't be read: {error}"
            ) from None
        assert isinstance(response, kind)
        return response

    async def tell(self, target: Target, request: Message, deadline: float) -> None:
        """Send what a broker does not answer. `close` makes sure that it arrived."""
        connection = await self.connection(target, deadline)
        peer = self._peer(target, Purpose.DATA)
        try:
            connection.send_without_answer(request)
            peer.unanswered += 1
            if peer.unanswered >= MOST_UNANSWERED:
                await self._settle(peer, self._remaining(deadline))
        except OSError as error:
            raise client_error(error) from None

    # -- connections ----------------------------------------------------------------------------------------------

    @property
    def in_flight(self) -> int:
        """Requests that no broker has answered yet."""
        return sum(peer.connection.in_flight for peer in self._peers.values() if peer.connection is not None)

    def open_connections(self) -> Iterator[tuple[Target, Purpose, PeerConnection]]:
        """All that are open now, with whom and what for."""
        for (target, purpose), peer in self._peers.items():
            if peer.connection is not None and peer.open_connection is not None:
                yield target, purpose, peer.connection

    def open_connection(self, target: Target, purpose: Purpose = Purpose.DATA) -> PeerConnection | None:
        """The connection if it is open now; nothing is begun."""
        peer = self._peers.get((target, purpose))
        return None if peer is None else peer.open_connection

    def is_failing(self, target: Target, purpose: Purpose = Purpose.DATA) -> bool:
        """Whether the last attempt at this broker failed, so that it is left alone for a moment."""
        peer = self._peers.get((target, purpose))
        return peer is not None and peer.failures > 0 and self.clock.monotonic() < peer.not_before

    async def connection(
        self, target: Target, deadline: float, purpose: Purpose = Purpose.DATA
    ) -> PeerConnection:
        """An open connection to this broker, dialled if there is none; a pause that is due is waited for."""
        peer = self._peer(target, purpose)
        connection = peer.open_connection
        if connection is not None:
            return connection
        dialling = self._dial(target, purpose, peer)
        await asyncio.wait((dialling,), timeout=self._remaining(deadline))
        if not dialling.done():
            reason = f": {peer.failure}" if peer.failure is not None else ""
            raise RequestTimedOutError(f"no connection to {self._shown(target)} in time{reason}")
        return dialling.result()

    async def any_connection(self, deadline: float) -> PeerConnection:
        """A connection to any broker: one that is open and least busy, else whichever can be opened first.

        NoBrokerError when each has been tried and none could be reached.
        """
        open_ones = [peer.connection for peer in self._peers.values() if peer.open_connection is not None]
        data = [
            peer.connection
            for (_, purpose), peer in self._peers.items()
            if purpose is Purpose.DATA and peer.open_connection is not None
        ]
        least_busy = min(data or open_ones, key=lambda each: each.in_flight if each else 0, default=None)
        if least_busy is not None:
            return least_busy
        failure: ClientError | None = None
        for candidates in self._rounds():
            try:
                return await self._first_to_open(await self._named(candidates, deadline), deadline)
            except (NoBrokerError, BrokerUnreachableError, RequestTimedOutError) as error:
                failure = error
        raise NoBrokerError(f"no broker answers: {failure}; is it running, and is this its address?")

    def set_nodes(self, nodes: Mapping[int, BrokerNode]) -> None:
        """The cluster's brokers as they are now; connections to an address that is no longer theirs end."""
        self.nodes = dict(nodes)
        for (target, _), peer in self._peers.items():
            connection = peer.connection
            if connection is None or not isinstance(target, int) or target not in nodes:
                continue
            if nodes[target].address != (connection.host, connection.port):
                connection.close()
        for node in self.nodes.values():
            self._adopt(node)

    def rebootstrap(self) -> None:
        """Forget the brokers: the next question goes to a bootstrap server."""
        self.nodes = {}
        self._close_connections()

    async def close(self) -> None:
        """End all connections, after what needs no answer has arrived."""
        self._is_closed = True
        for peer in self._peers.values():
            if peer.unanswered and peer.open_connection is not None:
                try:
                    await self._settle(peer, CLOSE_SECONDS)
                except OSError:
                    continue  # it was asked for without an answer, so nobody hears of it
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        self._close_connections()

    def _adopt(self, node: BrokerNode) -> None:
        """A bootstrap server turns out to be this broker: the connection to it becomes the broker's."""
        peer = self._peers.get((node.address, Purpose.DATA))
        if peer is not None and peer.open_connection and (node.node_id, Purpose.DATA) not in self._peers:
            self._peers[node.node_id, Purpose.DATA] = self._peers.pop((node.address, Purpose.DATA))

    # -- dialling -------------------------------------------------------------------------------------------------

    def _rounds(self) -> list[list[Target]]:
        """Whom to try, in order: the cluster's brokers, then where it all began if that is wanted."""
        nodes: list[Target] = list(self.nodes)
        self.chance.shuffle(nodes)
        nodes.sort(key=self.is_failing)
        bootstrap: list[Target] = list(self.bootstrap)
        if not nodes:
            return [bootstrap]
        if self.settings.metadata_recovery_strategy == "rebootstrap":
            return [nodes, bootstrap]
        return [nodes]

    async def _named(self, candidates: list[Target], deadline: float) -> list[Target]:
        """Bootstrap servers by the canonical names of all their addresses, if the settings want that."""
        if self.settings.client_dns_lookup == "use_all_dns_ips":
            return candidates
        named: list[Target] = []
        for target in candidates:
            # Half of the time, so that some is left for dialling.
            seconds = min(self._remaining(deadline) / 2, self._dial_time.seconds(1))
            named += await canonical_addresses(target, seconds) if isinstance(target, Address) else [target]
        return named

    async def _first_to_open(self, candidates: list[Target], deadline: float) -> PeerConnection:
        """Whichever answers first; the next one is dialled when one has failed or is slow."""
        dials: dict[asyncio.Future[PeerConnection], Target] = {}
        waiting = list(candidates)
        failure: ClientError = NoBrokerError("no broker is known")
        while waiting or dials:
            if waiting:
                target = waiting.pop(0)
                dials[self._dial(target, Purpose.DATA, self._peer(target, Purpose.DATA))] = target
            patience = self._remaining(deadline)
            if waiting:
                patience = min(patience, NEXT_DIAL_SECONDS)
            done, _ = await asyncio.wait(dials, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
            for dial in done:
                del dials[dial]
                error = dial.exception()
                if error is None:
                    return dial.result()
                if isinstance(error, AuthenticationError):
                    raise error
                assert isinstance(error, ClientError)
                failure = error
            if not done and self._remaining(deadline) <= 0:
                names = ", ".join(self._shown(target) for target in dials.values())
                raise RequestTimedOutError(f"no connection to {names} in time")
        raise failure

    def _dial(self, target: Target, purpose: Purpose, peer: _Peer) -> asyncio.Future[PeerConnection]:
        if peer.dialling is None or peer.dialling.done():
            if self._is_closed:
                raise ClientClosedError("the client is closed")
            peer.dialling = asyncio.get_running_loop().create_future()
            if peer.open_connection is not None:
                peer.dialling.set_result(peer.open_connection)
            else:
                self.tasks.spawn(
                    f"dial {self._shown(target)}", self._dialled(target, purpose, peer, peer.dialling)
                )
        return peer.dialling

    async def _dialled(
        self, target: Target, purpose: Purpose, peer: _Peer, outcome: asyncio.Future[PeerConnection]
    ) -> None:
        """Open a connection after the pause that is due; whoever waits for `outcome` gets it or the reason."""
        try:
            await asyncio.sleep(max(peer.not_before - self.clock.monotonic(), 0.0))
            peer.connection = await self._opened(target, purpose, peer.failures)
            self._check_still_wanted(target, peer.connection)
        except Exception as error:
            peer.failures += 1
            peer.not_before = self.clock.monotonic() + self._backoff.seconds(peer.failures)
            peer.failure = client_error(error)
            _fail(outcome, peer.failure)
            return
        except asyncio.CancelledError:
            _fail(outcome, ClientClosedError("the client is closed"))
            raise
        peer.failures, peer.failure, peer.not_before = 0, None, 0.0
        self.connections_opened += 1
        self._watch_idle()
        outcome.set_result(peer.connection)

    async def _opened(self, target: Target, purpose: Purpose, failures: int) -> PeerConnection:
        address = target if isinstance(target, Address) else self._address(target)
        return await PeerConnection.open(
            address.host,
            address.port,
            client_id=self.settings.client_id or CLIENT_ID,
            memory=self._memory,
            deadline_seconds=self._dial_time.seconds(failures + 1),
            security=self._security,
            most_in_flight=self._most_in_flight[purpose],
            spawn=self.tasks.spawn,
            buffers=SocketBuffers(self.settings.send_buffer_bytes, self.settings.receive_buffer_bytes),
        )

    def _check_still_wanted(self, target: Target, connection: PeerConnection) -> None:
        """While it was dialled the client may have been closed, or the broker may have moved."""
        try:
            if self._is_closed:
                raise ClientClosedError("the client is closed")
            if isinstance(target, int) and self._address(target) != (connection.host, connection.port):
                raise BrokerUnreachableError(f"broker {target} has moved while it was dialled")
        except ClientError:
            connection.close()
            raise

    def _address(self, node_id: int) -> Address:
        node = self.nodes.get(node_id)
        if node is None:
            raise BrokerUnreachableError(f"broker {node_id} is not in the cluster now")
        return node.address

    # -- idle connections, and the end ----------------------------------------------------------------------------

    def _watch_idle(self) -> None:
        """One timer for all connections, at the moment when the first of them may be idle for too long."""
        idle_ms = self.settings.connections_max_idle_ms
        if idle_ms >= 0 and self._idle_timer is None and not self._is_closed:
            loop = asyncio.get_running_loop()
            self._idle_timer = loop.call_later(idle_ms / 1000, self._end_idle)

    def _end_idle(self) -> None:
        self._idle_timer = None
        loop = asyncio.get_running_loop()
        allowed = self.settings.connections_max_idle_ms / 1000
        next_end: float | None = None
        for key, peer in list(self._peers.items()):
            connection = peer.open_connection
            if connection is None:
                if peer.dialling is None or peer.dialling.done():
                    del self._peers[key]
                continue
            ends = connection.last_used + allowed
            if ends <= loop.time() and not connection.in_flight:
                connection.close()
                del self._peers[key]
            else:
                next_end = min(max(ends, loop.time() + 1.0), next_end or float("inf"))
        if next_end is not None:
            self._idle_timer = loop.call_at(next_end, self._end_idle)

    async def _settle(self, peer: _Peer, seconds: float) -> None:
        """Requests are served in order: when this one is answered, all before it have been."""
        peer.unanswered = 0
        connection = peer.open_connection
        if connection is not None:
            request = ApiVersionsRequest(client_software_name="snakka", client_software_version="0")
            await connection.request(request, deadline_seconds=seconds)

    def _close_connections(self) -> None:
        for peer in self._peers.values():
            if peer.connection is not None:
                peer.connection.close()

    def _peer(self, target: Target, purpose: Purpose) -> _Peer:
        peer = self._peers.get((target, purpose))
        if peer is None:
            peer = self._peers[target, purpose] = _Peer()
        return peer

    def _shown(self, target: Target) -> str:
        node = None if isinstance(target, Address) else self.nodes.get(target)
        return (
            f"broker {target}"
            if node is None and isinstance(target, int)
            else str(node.address if node else target)
        )

    def _remaining(self, deadline: float) -> float:
        return max(deadline - self.clock.monotonic(), 0.0)


def _fail(outcome: asyncio.Future[PeerConnection], error: ClientError) -> None:
    outcome.set_exception(error)
    outcome.exception()  # perhaps nobody waits for it any more


def client_error(error: Exception) -> ClientError:
    """The client's own error for what a connection has failed with."""
    if isinstance(error, ClientError):
        return error
    if isinstance(error, PeerAuthenticationError):
        return AuthenticationError(str(error))
    if isinstance(error, TimeoutError):
        return RequestTimedOutError(str(error))
    return BrokerUnreachableError(str(error))
