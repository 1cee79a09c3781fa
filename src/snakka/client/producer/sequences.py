"""The order of one partition's batches: which number each has, what may be sent next, and what an answer means for the rest.

Pure: no event loop, no bytes. Rule: a batch gets another number only when it is proven that it was not written under the
one it has; so whatever is lost, repeated or refused, no batch is written twice and none overtakes another.

A broker takes the batches of a producer's epoch only in the order of their numbers, and knows the last five again. From
that follows what is done here:

- At most five batches of a partition are without an answer, in the order of their numbers, all on one connection.
- A batch whose outcome is unknown is sent again under the same number. If it was written, the broker knows it again.
- When the first of them is refused as out of order, it was not written, nor was any behind it. Then all are numbered from
  zero under the next epoch (KIP-360), once none is on its way any more.
- A batch that was given up leaves a hole: whether it was written is not known. Those behind it are sent again under their
  old numbers. Either one of them is taken, then it was, or the first is refused, then it was not.
- A broker that knows nothing of a producer, or nothing any more, takes any number. So before its first answer, and after a
  long silence, only one batch is on its way.
"""

from collections import deque
from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

from snakka.protocol.record_batch import NO_SEQUENCE, increment_sequence

HIGHEST_EPOCH = 2**15 - 1


class Identity(NamedTuple):
    """Who a producer is for the brokers."""

    producer_id: int
    epoch: int


class Numbered:
    """What a line knows of a batch."""

    __slots__ = ("count", "identity", "is_in_flight", "is_overtaken", "sequence")

    def __init__(self, count: int = 0) -> None:
        self.count = count
        self.identity: Identity | None = None
        self.sequence = NO_SEQUENCE
        self.is_in_flight = False
        self.is_overtaken = False  # one behind it was written


B = TypeVar("B", bound=Numbered)


class DeliveryLine(Generic[B]):
    """The batches of a partition that were sent at least once and are not settled, in order."""

    def __init__(self, *, is_numbered: bool, may_bump: bool = True, most_in_flight: int = 5) -> None:
        """`may_bump`: the producer changes its epoch by itself; one with transactions can't, its line then breaks."""
        self.unsettled: deque[B] = deque()
        self.in_flight = 0
        self.is_broken = False
        self.identity: Identity | None = None
        self.used_up: Identity | None = None  # the last epoch of a producer id
        self._is_numbered = is_numbered
        self._may_bump = may_bump
        self._most = most_in_flight
        self._next_sequence = 0
        self._is_known = not is_numbered  # a broker has answered this producer id
        self._has_hole = False
        self._must_restart = False

    # -- sending --------------------------------------------------------------------------------------------------

    @property
    def needs_identity(self) -> bool:
        return self._is_numbered and self.identity is None

    def identify(self, identity: Identity) -> None:
        """Go on under this identity, from zero; nothing may be on its way."""
        assert not self.in_flight
        if self.identity is None or self.identity.producer_id != identity.producer_id:
            self._is_known = False
        self.is_broken = False
        self._number_anew(identity)

    def assume_forgotten(self) -> None:
        """Nothing was sent for so long that the broker may have dropped what it knew of this producer."""
        if self._is_numbered and not self.unsettled:
            self._is_known = False

    def next_again(self) -> B | None:
        """The batch that must be sent again before anything else may be, if that is allowed now."""
        if self.in_flight == len(self.unsettled) or self._is_held:
            return None
        for position, batch in enumerate(self.unsettled):
            if position >= self._window:
                return None
            if not batch.is_in_flight:
                return batch
        return None

    @property
    def may_take(self) -> bool:
        """Whether a new batch may be sent now."""
        return (
            self.in_flight == len(self.unsettled) < self._window and not self._has_hole and not self._is_held
        )

    def take(self, batch: B) -> None:
        """A new batch joins, and gets its number."""
        self.unsettled.append(batch)
        if self._is_numbered:
            self._number(batch)

    def sent(self, batch: B) -> None:
        batch.is_in_flight = True
        self.in_flight += 1

    # -- answers --------------------------------------------------------------------------------------------------

    def written(self, batch: B) -> None:
        """It is in the log: so is whatever it was sent behind, unless the broker has lost its memory."""
        self._landed(batch)
        for earlier in self.unsettled:
            if earlier is batch:
                break
            earlier.is_overtaken = True
        self.unsettled.remove(batch)
        self._has_hole = False
        self._is_known = True
        self._settle()

    def lost(self, batch: B) -> None:
        """Not known, or not yet: to be sent again."""
        self._landed(batch)
        self._settle()

    def out_of_order(self, batch: B) -> bool:
        """The broker misses one before it; False if the batch can't be written in its order any more."""
        self._landed(batch)
        if batch is self.unsettled[0]:
            if batch.is_overtaken or not self._may_bump:
                return False
            self._must_restart = True
        self._settle()
        return True

    def given_up(self, batch: B) -> None:
        """It failed for good, or its time is over: its number is not used again in this epoch."""
        if batch.is_in_flight:
            self._landed(batch)
        self.unsettled.remove(batch)
        if self.identity is not None:
            self._has_hole = True
        self._settle()

    def split(self, batch: B, parts: Sequence[B]) -> None:
        """Several take the place and the numbers of one that was refused."""
        self._landed(batch)
        position = self.unsettled.index(batch)
        del self.unsettled[position]
        sequence = batch.sequence
        for part in parts:
            if self._is_numbered:
                part.identity, part.sequence = batch.identity, sequence
                sequence = increment_sequence(sequence, part.count)
            self.unsettled.insert(position, part)
            position += 1
        self._settle()

    # -- numbers --------------------------------------------------------------------------------------------------

    @property
    def _window(self) -> int:
        return self._most if self._is_known else 1

    @property
    def _is_held(self) -> bool:
        return self.is_broken or self._must_restart or self.needs_identity

    def _landed(self, batch: B) -> None:
        batch.is_in_flight = False
        self.in_flight -= 1

    def _settle(self) -> None:
        if self._has_hole and not self.unsettled:
            self._must_restart = True
        if not self._must_restart or self.in_flight:
            return
        if not self._may_bump:
            self.is_broken = True
            return
        identity = self.identity
        assert identity is not None
        if identity.epoch < HIGHEST_EPOCH:
            self._number_anew(identity._replace(epoch=identity.epoch + 1))
        else:
            self.used_up, self.identity = identity, None  # a new producer id is needed
            self._must_restart = self._has_hole = False

    def _number_anew(self, identity: Identity) -> None:
        self.identity = identity
        self._next_sequence = 0
        self._must_restart = self._has_hole = False
        for batch in self.unsettled:
            self._number(batch)

    def _number(self, batch: B) -> None:
        batch.identity = self.identity
        batch.sequence = self._next_sequence
        self._next_sequence = increment_sequence(self._next_sequence, batch.count)
