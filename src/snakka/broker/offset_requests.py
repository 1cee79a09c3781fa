"""What OffsetCommit, TxnOffsetCommit and OffsetDelete have in common: topics, each with partitions, and a row for each.

What does not exist or may not be touched is answered here, with Kafka's codes and in Kafka's order: the refused rows come
first, and the coordinator's rows of the same topic join them.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Protocol, TypeVar

from snakka.broker.services import Services
from snakka.network.request_context import RequestContext
from snakka.protocol.error_codes import ErrorCode
from snakka.security.operations import Operation, ResourceType


class Topic(Protocol):
    """A topic's rows in one of these requests or responses: generated classes of one shape."""

    name: str
    partitions: list[Any]


Q = TypeVar("Q", bound=Topic)
R = TypeVar("R", bound=Topic)


def sort_out(
    topics: Sequence[Q],
    context: RequestContext,
    services: Services,
    refuse: Callable[[Q, Sequence[Any], ErrorCode], R],
    *,
    by_id: bool = False,
) -> tuple[list[Q], list[R]]:
    """What the coordinator is asked, and the rows of the rest, which `refuse` makes of a topic, partitions and a code.

    Topics of the request lose the partitions that do not exist. `by_id`: a topic without a name has an id that nobody knows.
    """
    asked: list[Q] = []
    refused: list[R] = []
    known_topics = services.image.topics.by_name
    for topic in topics:
        name = topic.name
        if by_id and not name:
            refused.append(refuse(topic, topic.partitions, ErrorCode.UNKNOWN_TOPIC_ID))
            continue
        if not context.authorize(Operation.READ, ResourceType.TOPIC, name):
            refused.append(refuse(topic, topic.partitions, ErrorCode.TOPIC_AUTHORIZATION_FAILED))
            continue
        known = known_topics.get(name)
        if known is None:
            refused.append(refuse(topic, topic.partitions, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION))
            continue
        existing = known.partitions
        missing = [partition for partition in topic.partitions if partition.partition_index not in existing]
        if missing:
            refused.append(refuse(topic, missing, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION))
            topic.partitions = [row for row in topic.partitions if row.partition_index in existing]
        if topic.partitions:
            asked.append(topic)
    return asked, refused


def merged(refused: list[R], answered: list[R], key: Callable[[R], Hashable]) -> list[R]:
    """All rows, a topic's under one heading; the key says which topic it is."""
    if not refused:
        return answered
    by_key: dict[Hashable, R] = {}
    for row in [*refused, *answered]:
        first = by_key.setdefault(key(row), row)
        if first is not row:
            first.partitions.extend(row.partitions)
    return list(by_key.values())
