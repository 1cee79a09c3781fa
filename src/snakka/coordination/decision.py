"""What a coordinator's state machine returns: records to append, and whom to answer once they are committed.

The one rule of replicated state: a decision changes nothing that records describe; `replay` does, right after the append.
What no record describes (who waits for an answer, when a session ends) is soft state, which a decision may change at once
and a new leader builds anew.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from snakka.protocol.coordinator_framing import KeyedRecord
from snakka.protocol.error_codes import ErrorCode

R = TypeVar("R")

# Whoever waits for an answer. A state machine keeps it and gives it back in `Decision.answers`; it never looks inside.
Ticket = Hashable


class Moment(NamedTuple):
    """Now, twice: what is written into records, and what never jumps, for everything that times out."""

    wall_ms: int
    steady_ms: int


class Answer(NamedTuple):
    """A response (or the ApiError in its place) for somebody who has been waiting."""

    ticket: Ticket
    outcome: Any


class Producer(NamedTuple):
    """In whose transaction records are written."""

    producer_id: int
    epoch: int


class Marker(NamedTuple):
    """The end of a transaction, as it is written to each partition that the transaction wrote to."""

    producer_id: int
    producer_epoch: int
    committed: bool
    coordinator_epoch: int
    transaction_version: int = 0


@dataclass(frozen=True, slots=True)
class Decision(Generic[R]):
    """Append `records` in one batch, replay them, and after their commit give the answers and carry out the effects."""

    records: Sequence[KeyedRecord] = ()
    # For the one who asked; None: another decision answers, the one who asked left a ticket.
    response: R | None = None
    # For others who were waiting.
    answers: Sequence[Answer] = ()
    # What the coordinator's edge does when the records are committed, for example sending transaction markers.
    effects: Sequence[object] = ()
    # The records belong to a transaction: they count when its marker comes.
    producer: Producer | None = None
    # Too many for one batch may be split, if nobody minds seeing a part of them.
    atomic: bool = True
    # The append was refused: put soft state right. Returns whom to tell; the one who asked is told the error anyway.
    refused: Callable[[ErrorCode], Sequence[Answer]] | None = None
