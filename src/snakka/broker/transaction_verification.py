"""Whoever writes into a partition within a transaction asks its coordinator first (KIP-890).

Rule: a partition gets no transactional records that its coordinator does not know of: nobody would ever end them, and
readers of committed records would wait for ever.
"""

from collections.abc import Sequence

from snakka.broker.services import Services
from snakka.coordination.runtime.reply import Reply
from snakka.protocol.error_codes import ErrorCode

TopicPartition = tuple[str, int]
# The partitions that may not be written to, and why; empty: write now, within the call of the reply.
Refusals = dict[TopicPartition, ErrorCode]


def verify_or_add(
    services: Services,
    transactional_id: str,
    producer_id: int,
    producer_epoch: int,
    partitions: Sequence[TopicPartition],
    *,
    add: bool,
    knows_abortable: bool = True,
    reply: Reply,
) -> None:
    """Ask whether the partitions belong to the producer's transaction, or let them: `add`, for clients of version 2.

    The reply gets `Refusals`, never an ApiError: at once, if nothing has to be waited for. `knows_abortable` is false for
    clients that have not heard of TRANSACTION_ABORTABLE (Produce before 11, TxnOffsetCommit before 4). An unrefused write
    must happen within the call of the reply: what is true now may not be true later.
    """
    reply.complete({})
