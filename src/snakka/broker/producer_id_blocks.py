"""Producer ids for this broker's clients, out of blocks that the controller hands to one broker each.

Rule: an id is given away once. A block that is got and not used up is lost with the process, which is cheap: there are
2^63 ids.
"""

import asyncio
import logging
from collections.abc import Callable

from snakka.metadata.channel import ControllerChannel
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.allocate_producer_ids import AllocateProducerIdsRequest
from snakka.runtime import Runtime

log = logging.getLogger(__name__)

# The next block is asked for when this part of the current one is left, so that nobody waits for it.
PREFETCH_BELOW = 0.1
# Between attempts while somebody waits, and how long the controller has for each.
RETRY_SECONDS = 0.05
REQUEST_SECONDS = 30.0

_NO_IDS = range(0)


class ProducerIdBlocks:
    """The ids that this broker may give away now, and the block that comes after them."""

    def __init__(
        self, runtime: Runtime, channel: ControllerChannel, node_id: int, broker_epoch: Callable[[], int]
    ) -> None:
        self._runtime = runtime
        self._channel = channel
        self._node_id = node_id
        self._broker_epoch = broker_epoch
        self._left = _NO_IDS
        self._prefetch_at = 0
        self._next = _NO_IDS
        self._request: asyncio.Task[None] | None = None
        self._was_refused = False

    def take(self) -> int | None:
        """An id, if one is at hand; the next block is asked for in time."""
        if not self._left:
            self._left, self._next = self._next, _NO_IDS
            self._prefetch_at = int(len(self._left) * PREFETCH_BELOW)
        if not self._left:
            return None
        producer_id = self._left[0]
        self._left = self._left[1:]
        if len(self._left) <= self._prefetch_at and not self._next:
            self._ask_for_block()
        return producer_id

    async def wait_for_one(self, deadline: float) -> int:
        """An id, as soon as there is one.

        After the deadline, in monotonic seconds, COORDINATOR_LOAD_IN_PROGRESS, as Kafka answers: old clients give up on
        REQUEST_TIMED_OUT, but try again after this.
        """
        while (producer_id := self.take()) is None:
            remaining = deadline - self._runtime.clock.monotonic()
            if remaining <= 0:
                raise ApiError(
                    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, "The controller has sent no producer ids yet."
                )
            await asyncio.wait([self._ask_for_block()], timeout=remaining)
            if self._was_refused:
                await asyncio.sleep(min(RETRY_SECONDS, remaining))
        return producer_id

    def _ask_for_block(self) -> asyncio.Task[None]:
        """One request at a time, whoever asks."""
        if self._request is None or self._request.done():
            self._request = self._runtime.supervisor.spawn("producer id block", self._fetch_block())
        return self._request

    async def _fetch_block(self) -> None:
        request = AllocateProducerIdsRequest(broker_id=self._node_id, broker_epoch=self._broker_epoch())
        deadline = self._runtime.clock.monotonic() + REQUEST_SECONDS
        self._was_refused = True
        try:
            response = await self._channel.allocate_producer_ids(request, deadline)
        except ApiError as error:
            log.warning("the controller gives no producer ids: %s", error)
            return
        start, count = response.producer_id_start, response.producer_id_len
        if response.error_code or start < 0 or count <= 0:
            log.error("the controller answered with no usable block of producer ids: %s", response)
            return
        self._next = range(start, start + count)
        self._was_refused = False
