"""How an API's handler asks a coordinator: the answer comes when what it rests on is committed, without a task."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from snakka.coordination.decision import Decision, Moment
from snakka.coordination.runtime.coordinator import Coordinator
from snakka.coordination.runtime.reply import Reply
from snakka.coordination.shard import Shard
from snakka.network.waiting import Waiting
from snakka.protocol.errors import ApiError
from snakka.protocol.message import Message

S = TypeVar("S", bound=Shard)


def submit(
    coordinator: Coordinator[S],
    key: str,
    decide: Callable[[S, Moment, Reply], Decision[Any]],
    failed: Callable[[ApiError], Message],
    finish: Callable[[Any], Message] | None = None,
) -> Waiting:
    """Decide at the shard of `key`; `decide` also gets the ticket under which the asker may be answered later.

    `failed` makes the API's answer of an error, whether the decision or the commit raised it. `finish` gives every other
    answer the form of the request's version, which a state machine that answers several clients at once does not know.
    """
    waiting = Waiting()

    def tell(outcome: Any) -> None:
        if isinstance(outcome, ApiError):
            waiting.complete(failed(outcome))
        else:
            waiting.complete(outcome if finish is None else finish(outcome))

    reply = Reply(tell)
    coordinator.submit(key, lambda shard, now: decide(shard, now, reply), reply)
    return waiting


def query(
    coordinator: Coordinator[S],
    key: str,
    ask: Callable[[S, Moment], Message],
    failed: Callable[[ApiError], Message],
) -> Waiting:
    """Ask the shard of `key` without changing it."""
    waiting = Waiting()
    reply = Reply(
        lambda outcome: waiting.complete(failed(outcome) if isinstance(outcome, ApiError) else outcome)
    )
    coordinator.query(key, ask, reply)
    return waiting


def gathered(count: int, join: Callable[[Sequence[Any]], Message]) -> tuple[Waiting, list[Reply]]:
    """For a request that concerns several keys: one reply for each, and `join` makes one answer of all outcomes.

    Outcomes are in the replies' order; one may be an ApiError.
    """
    waiting = Waiting()
    outcomes: list[Any] = [None] * count
    missing = count

    def teller(place: int) -> Callable[[Any], None]:
        def tell(outcome: Any) -> None:
            nonlocal missing
            outcomes[place] = outcome
            missing -= 1
            if not missing:
                waiting.complete(join(outcomes))

        return tell

    if not count:
        waiting.complete(join(()))
    return waiting, [Reply(teller(place)) for place in range(count)]
