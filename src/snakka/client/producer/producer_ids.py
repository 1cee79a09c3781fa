"""A producer's id, which a broker gives: numbers of batches count within it."""

import asyncio
from collections.abc import Callable

from snakka.client.cluster_view import ClusterView
from snakka.client.errors import ClientError, UnsupportedByBrokerError
from snakka.client.producer.sequences import Identity
from snakka.client.retry_policy import is_retriable
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.init_producer_id import InitProducerIdRequest, InitProducerIdResponse

# A producer id without a transactional id times nothing out.
_NO_TIMEOUT_MS = 2**31 - 1


class ProducerIds:
    """The id that new lines begin with. It is had in the background, when the first asks for it."""

    def __init__(
        self,
        cluster: ClusterView,
        on_given: Callable[[], None],
        on_refused: Callable[[Exception], None],
    ) -> None:
        self.current: Identity | None = None
        self._cluster = cluster
        self._on_given = on_given
        self._on_refused = on_refused
        self._is_asking = False

    def ask(self) -> None:
        """Get one, if nobody is at it."""
        if not self._is_asking:
            self._is_asking = True
            self._cluster.pool.tasks.spawn("producer id", self._asked())

    def renew(self, used_up: Identity | None) -> None:
        """All epochs of an id are used up."""
        if self.current is None or used_up is None or self.current.producer_id == used_up.producer_id:
            self.current = None
            self.ask()

    async def _asked(self) -> None:
        cluster = self._cluster
        failures = 0
        try:
            while self.current is None:
                try:
                    self.current = await self._answer()
                except (ClientError, ApiError) as error:
                    if not is_retriable(error):
                        self._on_refused(_explained(error))
                        return
                    failures += 1
                    await asyncio.sleep(cluster.backoff.seconds(failures))
        finally:
            self._is_asking = False
        self._on_given()

    async def _answer(self) -> Identity:
        cluster = self._cluster
        deadline = cluster.clock.monotonic() + cluster.settings.request_seconds
        request = InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=_NO_TIMEOUT_MS)
        response = await cluster.pool.ask_any(request, InitProducerIdResponse, deadline)
        if response.error_code:
            raise ApiError(ErrorCode(response.error_code), "asking for a producer id")
        return Identity(response.producer_id, response.producer_epoch)


def _explained(error: Exception) -> Exception:
    if isinstance(error, ApiError) and error.code is ErrorCode.UNSUPPORTED_VERSION:
        return UnsupportedByBrokerError(
            f"the broker gives no producer ids ({error.message}): set enable.idempotence=false"
        )
    if isinstance(error, ApiError) and error.code is ErrorCode.CLUSTER_AUTHORIZATION_FAILED:
        return ApiError(
            error.code, "this client may not write idempotently: it needs an ACL for IdempotentWrite"
        )
    return error
