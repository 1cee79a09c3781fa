"""What every decision of the controller returns."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from snakka.protocol.errors import ApiError, ErrorCode
from snakka.protocol.message import Message

R = TypeVar("R")

# Kafka's limit on what one request of a user may write; the whole request is refused above it.
MAX_RECORDS_PER_REQUEST = 10_000


@dataclass(frozen=True, slots=True)
class Decision(Generic[R]):
    """Records to append and the answer to give once they are committed.

    Atomic records become visible together or not at all, so they must fit into one append.
    """

    records: Sequence[Message]
    response: R
    atomic: bool = True


def check_size(records: Sequence[Message]) -> None:
    check_count(len(records))


def check_count(records: int) -> None:
    """For decisions that would take long to make only to be too large."""
    if records > MAX_RECORDS_PER_REQUEST:
        raise ApiError(
            ErrorCode.POLICY_VIOLATION,
            f"The request would write more than {MAX_RECORDS_PER_REQUEST} records; split it.",
        )
