"""This broker's life as the controller sees it: registered, caught up, unfenced, and one day stopped in an orderly way.

A broker registers once a process. From then on one task sends heartbeats; whoever wants something of the controller sets
what it wants and wakes the task. Nothing here assumes that the controller is near.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum

from snakka.metadata.channel import ControllerChannel
from snakka.metadata.image.brokers import Endpoint
from snakka.protocol.errors import ApiError, ErrorCode
from snakka.protocol.messages.broker_heartbeat import BrokerHeartbeatRequest, BrokerHeartbeatResponse
from snakka.protocol.messages.broker_registration import (
    BrokerRegistrationRequest,
    Feature,
    Listener,
)
from snakka.protocol.uuids import Uuid, random_uuid
from snakka.raft.features import FEATURES
from snakka.runtime import Runtime

log = logging.getLogger(__name__)

# The first pause between heartbeats while this broker waits for its state to change; each further one is twice as long.
_IMPATIENT_SECONDS = 0.005
# Between attempts to register.
_RETRY_SECONDS = 0.1

_REQUEST_SECONDS = 30.0


class LifeStage(Enum):
    """Kafka's stages of a broker, with the numbers of its BrokerState metric."""

    NOT_RUNNING = 0
    STARTING = 1
    RECOVERY = 2
    RUNNING = 3
    PENDING_CONTROLLED_SHUTDOWN = 6
    SHUTTING_DOWN = 7


@dataclass(frozen=True, slots=True)
class BrokerIdentity:
    """What a broker says of itself when it registers."""

    node_id: int
    cluster_id: str
    endpoints: Mapping[str, Endpoint]
    directories: tuple[Uuid, ...]
    rack: str | None = None
    # The epoch before a clean stop; -1 tells that there was none, so that nobody trusts the tails of the logs.
    previous_broker_epoch: int = -1


class BrokerRegistrar:
    """Registers and keeps registered."""

    def __init__(
        self,
        runtime: Runtime,
        channel: ControllerChannel,
        identity: BrokerIdentity,
        *,
        metadata_offset: Callable[[], int],
        heartbeat_interval_ms: Callable[[], int] = lambda: 2_000,
        cordoned_directories: Callable[[], list[Uuid] | None] = lambda: None,
    ) -> None:
        self.identity = identity
        self.incarnation_id = random_uuid(runtime.random)
        self.broker_epoch = -1
        self.stage = LifeStage.NOT_RUNNING
        self._runtime = runtime
        self._channel = channel
        self._metadata_offset = metadata_offset
        self._heartbeat_interval_ms = heartbeat_interval_ms
        self._cordoned_directories = cordoned_directories
        self._offline_directories: dict[Uuid, None] = {}
        self._ready = False
        self._wake = asyncio.Event()
        self._heartbeats: asyncio.Task[None] | None = None
        self._running: asyncio.Future[None] | None = None
        self._may_stop: asyncio.Future[None] | None = None

    async def register(self, deadline: float) -> None:
        """Until the controller has accepted this process; ApiError if it does not before the deadline.

        From then on it is kept registered by heartbeats, but fenced: nobody sends it anything yet.
        """
        self.stage = LifeStage.STARTING
        request = self._registration()
        while True:
            try:
                response = await self._channel.register_broker(request, deadline)
                break
            except ApiError as error:
                if self._runtime.clock.monotonic() + _RETRY_SECONDS >= deadline:
                    raise
                log.info("the controller does not register this broker yet: %s", error)
            await asyncio.sleep(_RETRY_SECONDS)
        self.broker_epoch = response.broker_epoch
        log.info("broker %d is registered with epoch %d", self.identity.node_id, self.broker_epoch)
        self._heartbeats = self._runtime.supervisor.spawn(
            "broker heartbeats", self._send_heartbeats(), fatal=True
        )

    async def unfence(self, deadline: float) -> None:
        """Say that this broker can serve, and wait until the controller has told everybody."""
        self.stage = LifeStage.RECOVERY
        self._ready = True
        self._running = self._runtime.loop.create_future()
        self._wake.set()
        try:
            async with asyncio.timeout(deadline - self._runtime.clock.monotonic()):
                await self._running
        except TimeoutError:
            raise ApiError(
                ErrorCode.REQUEST_TIMED_OUT, "The controller has not unfenced this broker in time."
            ) from None

    def directory_failed(self, directory: Uuid) -> None:
        """Tell the controller with the next heartbeat, which goes out now."""
        self._offline_directories[directory] = None
        self._wake.set()

    def directories_cordoned(self) -> None:
        """The cordoned directories have changed: tell the controller now."""
        self._wake.set()

    async def controlled_shutdown(self, deadline: float) -> bool:
        """Hand leaderships over and leave; False if that was not done by the deadline, or there was nothing to leave."""
        if self.stage is not LifeStage.RUNNING:
            await self.close()
            return False
        self.stage = LifeStage.PENDING_CONTROLLED_SHUTDOWN
        self._may_stop = self._runtime.loop.create_future()
        self._wake.set()
        try:
            async with asyncio.timeout(deadline - self._runtime.clock.monotonic()):
                await self._may_stop
        except TimeoutError:
            log.warning("the controller did not let this broker go in time; it stops all the same")
            return False
        finally:
            await self.close()
        return True

    async def close(self) -> None:
        """Send nothing more."""
        self.stage = LifeStage.SHUTTING_DOWN
        task, self._heartbeats = self._heartbeats, None
        if task is not None:
            task.cancel()
            await asyncio.wait([task])

    async def _send_heartbeats(self) -> None:
        impatience = _IMPATIENT_SECONDS
        while True:
            pause = self._heartbeat_interval_ms() / 1000
            self._wake.clear()
            try:
                response = await self._channel.broker_heartbeat(
                    self._heartbeat(), self._runtime.clock.monotonic() + _REQUEST_SECONDS
                )
            except ApiError as error:
                log.warning("the controller refused a heartbeat: %s", error)
            else:
                if self._awaits_more(response):
                    pause = min(pause, impatience)
                    impatience *= 2
                else:
                    impatience = _IMPATIENT_SECONDS
            try:
                async with asyncio.timeout(pause):
                    await self._wake.wait()
            except TimeoutError:
                pass

    def _awaits_more(self, response: BrokerHeartbeatResponse) -> bool:
        """Move on as the answer allows; True if the state that this broker is waiting for has not come yet."""
        if self.stage is LifeStage.RECOVERY:
            if response.is_fenced:
                return True
            self.stage = LifeStage.RUNNING
            if self._running is not None and not self._running.done():
                self._running.set_result(None)
        elif self.stage is LifeStage.PENDING_CONTROLLED_SHUTDOWN:
            if not response.should_shut_down:
                return True
            if self._may_stop is not None and not self._may_stop.done():
                self._may_stop.set_result(None)
        return False

    def _registration(self) -> BrokerRegistrationRequest:
        identity = self.identity
        return BrokerRegistrationRequest(
            broker_id=identity.node_id,
            cluster_id=identity.cluster_id,
            incarnation_id=self.incarnation_id,
            listeners=[
                Listener(
                    name=name,
                    host=endpoint.host,
                    port=endpoint.port,
                    security_protocol=endpoint.security_protocol,
                )
                for name, endpoint in identity.endpoints.items()
            ],
            features=[
                Feature(
                    name=feature.name,
                    min_supported_version=feature.min_level,
                    max_supported_version=feature.max_level,
                )
                for feature in FEATURES.values()
            ],
            rack=identity.rack,
            log_dirs=sorted(identity.directories),
            previous_broker_epoch=identity.previous_broker_epoch,
        )

    def _heartbeat(self) -> BrokerHeartbeatRequest:
        return BrokerHeartbeatRequest(
            broker_id=self.identity.node_id,
            broker_epoch=self.broker_epoch,
            current_metadata_offset=self._metadata_offset(),
            want_fence=not self._ready,
            want_shut_down=self.stage is LifeStage.PENDING_CONTROLLED_SHUTDOWN,
            offline_log_dirs=list(self._offline_directories),
            cordoned_log_dirs=self._cordoned_directories(),
        )
