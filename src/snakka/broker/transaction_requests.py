"""How an API's handler asks the transaction coordinator. What no shard needs to know is judged here."""

from collections.abc import Callable
from typing import Any

from snakka.broker.services import Services
from snakka.coordination.decision import Decision, Moment
from snakka.coordination.runtime.reply import Reply
from snakka.coordination.transactions.ending import NeedsProducerId
from snakka.coordination.transactions.shard import TransactionShard
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError

# How long a producer waits for a block of producer ids; then it is told to try again.
BLOCK_SECONDS = 5.0

Decide = Callable[[TransactionShard, Moment], Decision[Any]]
# With a producer id that nobody has had, if the decision without one asked for it.
DecideWithId = Callable[[TransactionShard, int | None, Moment], Decision[Any]]


def _objection(services: Services, transactional_id: str) -> ApiError | None:
    if not transactional_id:
        return ApiError(ErrorCode.INVALID_REQUEST, "The transactional id is empty.")
    if not services.transactions.partition_count:
        # Nobody has asked for a coordinator yet; who looks for one brings it into being.
        return ApiError(ErrorCode.NOT_COORDINATOR, "There is no coordinator of transactions yet.")
    return None


def decide(services: Services, transactional_id: str, decision: Decide, reply: Reply) -> None:
    """The reply gets the decision's response, or an ApiError."""
    objection = _objection(services, transactional_id)
    if objection is not None:
        reply.complete(objection)
    else:
        services.transactions.submit(transactional_id, decision, reply)


def ask(
    services: Services,
    transactional_id: str,
    question: Callable[[TransactionShard, Moment], Any],
    reply: Reply,
) -> None:
    """The reply gets the answer, or an ApiError."""
    objection = _objection(services, transactional_id)
    if objection is not None:
        reply.complete(objection)
    else:
        services.transactions.query(transactional_id, question, reply)


def decide_with_id(services: Services, transactional_id: str, decision: DecideWithId, reply: Reply) -> None:
    """For a decision that may need a new producer id, which few do."""

    def again(producer_id: int) -> None:
        decide(services, transactional_id, lambda shard, now: decision(shard, producer_id, now), reply)

    async def wait_for_id() -> None:
        deadline = services.runtime.clock.monotonic() + BLOCK_SECONDS
        try:
            producer_id = await services.producer_ids.wait_for_one(deadline)
        except ApiError as error:
            reply.complete(error)
        else:
            again(producer_id)

    def first(outcome: Any) -> None:
        if outcome is not NeedsProducerId.NEEDED:
            reply.complete(outcome)
        elif (producer_id := services.producer_ids.take()) is not None:
            again(producer_id)
        else:
            services.runtime.supervisor.spawn("producer id of a transaction", wait_for_id())

    decide(services, transactional_id, lambda shard, now: decision(shard, None, now), Reply(first))
