"""The life of a producer's transactions, and what a coordinator's errors mean for it. Pure.

    NEW -> READY -> OPEN -> COMMITTING -> READY
                     |  \\        |
                     |   v        v
                     |   DOOMED (it can only be aborted)
                     v   v
                     ABORTING -> READY             any -> DEAD (of no use any more)

    OPEN -> DETACHING -> DEAD (somebody else ends it); what can't be detached is DOOMED, or is aborted

Rule: nothing leads from DOOMED to a commit, and nothing out of DEAD. Who commits and does not hear the outcome can only
commit again: the coordinator knows what it has decided.

With transaction.version 2 a partition joins by being written to, and each end brings a new epoch (KIP-890). Before that
partitions are added first, and an epoch is changed by asking for one, after failures that left its numbers in doubt.
"""

from enum import Enum, auto

from snakka.client.errors import (
    ClientError,
    OutOfOrderError,
    TransactionAbortedError,
    TransactionStateError,
)
from snakka.client.producer.sequences import Identity
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.error_codes import RETRIABLE, ErrorCode
from snakka.protocol.errors import ApiError

IMPLICIT_VERSION = 2


class Phase(Enum):
    """Where in its life a transaction is."""

    NEW = auto()
    READY = auto()
    OPEN = auto()
    COMMITTING = auto()
    DETACHING = auto()
    ABORTING = auto()
    DOOMED = auto()
    DEAD = auto()


# What was sent may still be on its way to the partitions.
WRITING = (Phase.OPEN, Phase.COMMITTING, Phase.DETACHING)

_NEXT = {
    Phase.NEW: (Phase.READY,),
    Phase.READY: (Phase.OPEN,),
    Phase.OPEN: (Phase.COMMITTING, Phase.DETACHING, Phase.ABORTING, Phase.DOOMED),
    Phase.COMMITTING: (Phase.READY, Phase.DOOMED),
    Phase.DETACHING: (Phase.ABORTING, Phase.DOOMED, Phase.DEAD),
    Phase.ABORTING: (Phase.READY,),
    Phase.DOOMED: (Phase.ABORTING,),
    Phase.DEAD: (),
}

_ADVICE = {
    Phase.NEW: "the producer was not started",
    Phase.READY: "there is no transaction: begin one",
    Phase.OPEN: "the transaction before was not ended: commit or abort it",
    Phase.COMMITTING: "the outcome of the commit is not known yet: commit again to hear it",
    Phase.DETACHING: "the transaction is being handed over: detach it again to wait longer, or abort it",
    Phase.ABORTING: "the abort has not come through yet: abort again",
    Phase.DOOMED: "the transaction can only be aborted",
}


class Verdict(Enum):
    """What an error code of a coordinator means."""

    DONE = auto()
    AGAIN = auto()
    SOON = auto()  # the transaction before is still being ended, which takes a moment only
    ELSEWHERE = auto()  # another broker is the coordinator now
    DOOMED = auto()
    FENCED = auto()  # by another producer, or by the coordinator since it took too long
    FATAL = auto()


_VERDICTS = {
    ErrorCode.NONE: Verdict.DONE,
    ErrorCode.CONCURRENT_TRANSACTIONS: Verdict.SOON,
    ErrorCode.NOT_COORDINATOR: Verdict.ELSEWHERE,
    ErrorCode.COORDINATOR_NOT_AVAILABLE: Verdict.ELSEWHERE,
    ErrorCode.INVALID_PRODUCER_EPOCH: Verdict.FENCED,
    ErrorCode.PRODUCER_FENCED: Verdict.FENCED,
    ErrorCode.TRANSACTION_ABORTABLE: Verdict.DOOMED,
    ErrorCode.INVALID_TXN_STATE: Verdict.DOOMED,
    ErrorCode.UNKNOWN_PRODUCER_ID: Verdict.DOOMED,
    ErrorCode.TOPIC_AUTHORIZATION_FAILED: Verdict.DOOMED,
    ErrorCode.OPERATION_NOT_ATTEMPTED: Verdict.DOOMED,
    ErrorCode.GROUP_AUTHORIZATION_FAILED: Verdict.DOOMED,
    ErrorCode.FENCED_INSTANCE_ID: Verdict.DOOMED,
    ErrorCode.UNKNOWN_MEMBER_ID: Verdict.DOOMED,
    ErrorCode.ILLEGAL_GENERATION: Verdict.DOOMED,
    ErrorCode.STALE_MEMBER_EPOCH: Verdict.DOOMED,
}


# What a batch was refused with, and may not be the next time: the coordinator has ended the transaction, or the brokers'
# memory of the producer has gaps.
_PASSING = frozenset(
    {
        *RETRIABLE,
        ErrorCode.INVALID_PRODUCER_EPOCH,
        ErrorCode.PRODUCER_FENCED,
        ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
        ErrorCode.UNKNOWN_PRODUCER_ID,
        ErrorCode.INVALID_TXN_STATE,
        ErrorCode.TRANSACTION_ABORTABLE,
    }
)


def reason_to_abort(error: Exception) -> Exception:
    """For a transaction of which a batch failed: an error that says so if trying again may help, else the error itself."""
    is_passing = isinstance(error, OutOfOrderError | TimeoutError) or (
        isinstance(error, ClientError) and error.retriable
    )
    if isinstance(error, ApiError):
        is_passing = error.code in _PASSING
    if not is_passing:
        return error
    aborted = TransactionAbortedError(
        f"the transaction can't be committed: {error}; abort it and try it again as a whole"
    )
    aborted.__cause__ = error
    return aborted


def verdict_of(code: int) -> Verdict:
    verdict = _VERDICTS.get(ErrorCode(code))
    if verdict is not None:
        return verdict
    return Verdict.AGAIN if code in RETRIABLE else Verdict.FATAL


class TransactionState:
    """The transactions of one producer, one after the other."""

    def __init__(self) -> None:
        self.phase = Phase.NEW
        self.identity: Identity | None = None
        self.version = 0
        self.reason: Exception | None = None  # why it is doomed or dead
        self.has_begun = False  # the coordinator has something to end
        self.must_bump = False  # numbers are in doubt, so the next transaction needs another epoch
        self.wanted: dict[TopicPartition, None] = {}  # partitions to be added
        self.added: set[TopicPartition] = set()

    # -- what users do --------------------------------------------------------------------------------------------

    def begin(self) -> None:
        self._check_alive()
        if self.phase is not Phase.READY:
            raise TransactionStateError(f"can't begin a transaction: {_ADVICE[self.phase]}")
        self.phase = Phase.OPEN

    def check_open(self, what: str) -> None:
        """Raises unless something may be added to the transaction."""
        if self.phase is not Phase.OPEN:
            self._check_alive()
            if self.phase is Phase.DOOMED:
                raise self.refusal
            raise TransactionStateError(f"can't {what}: {_ADVICE[self.phase]}")

    def commit(self) -> None:
        """Begin to commit, or go on with it."""
        self._check_alive()
        if self.phase is Phase.DOOMED:
            raise self.refusal
        if self.phase not in (Phase.OPEN, Phase.COMMITTING):
            raise TransactionStateError(f"can't commit: {_ADVICE[self.phase]}")
        self.phase = Phase.COMMITTING

    def abort(self) -> None:
        """Begin to abort, or go on with it."""
        self._check_alive()
        if self.phase not in (Phase.OPEN, Phase.DETACHING, Phase.DOOMED, Phase.ABORTING):
            raise TransactionStateError(f"can't abort: {_ADVICE[self.phase]}")
        self.phase = Phase.ABORTING

    def detach(self) -> None:
        """Begin to hand it over, or go on with it."""
        self._check_alive()
        if self.phase is Phase.DOOMED:
            raise self.refusal
        if self.phase not in (Phase.OPEN, Phase.DETACHING):
            raise TransactionStateError(f"can't detach the transaction: {_ADVICE[self.phase]}")
        self.phase = Phase.DETACHING

    def detached(self) -> Identity:
        """All of it is written: who it belongs to. From now on it is somebody else's to end."""
        if self.phase is Phase.DOOMED:
            raise self.refusal
        if not self.has_begun:
            raise TransactionStateError("can't detach the transaction: nothing was written in it; abort it")
        assert self.identity is not None
        self._move(Phase.DEAD)
        self.reason = TransactionStateError("the transaction was handed over: make another producer")
        return self.identity

    # -- what happens ---------------------------------------------------------------------------------------------

    def initialised(self, identity: Identity, version: int) -> None:
        self.identity = identity
        self.version = version
        self._move(Phase.READY)

    def ended(self, identity: Identity | None) -> None:
        """The coordinator has carried it out; it may have given a new identity."""
        if identity is not None:
            self.identity = identity
        self._move(Phase.READY)
        self._forget()

    def timed_out(self, identity: Identity, reason: Exception) -> None:
        """The coordinator has aborted it by itself; under the new identity there is nothing to end."""
        self.identity = identity
        self._forget()
        self.doom(reason)
        self.must_bump = False

    def doom(self, reason: Exception) -> bool:
        """It can't be committed any more; False if that changes nothing."""
        if self.phase not in WRITING:
            return False
        self._move(Phase.DOOMED)
        self.reason = reason
        self.must_bump = self.version < IMPLICIT_VERSION
        return True

    def die(self, reason: Exception) -> None:
        self.phase = Phase.DEAD
        self.reason = reason

    @property
    def refusal(self) -> Exception:
        """For whoever wants to go on with a transaction that is doomed, dead or being aborted."""
        return self.reason or TransactionAbortedError("the transaction was aborted")

    # -- partitions -----------------------------------------------------------------------------------------------

    def includes(self, partition: TopicPartition) -> bool:
        """Whether a partition may be written to; if not, it is wanted from now on."""
        if self.version >= IMPLICIT_VERSION:
            self.has_begun = True
            return True
        if partition in self.added:
            return True
        self.wanted[partition] = None
        return False

    def joined(self, partitions: list[TopicPartition]) -> None:
        """The coordinator has added them."""
        self.has_begun = True
        self.added.update(partitions)
        for partition in partitions:
            self.wanted.pop(partition, None)

    def _check_alive(self) -> None:
        if self.phase is Phase.DEAD:
            raise self.refusal
        if self.phase is Phase.NEW:
            raise TransactionStateError(_ADVICE[Phase.NEW])

    def _forget(self) -> None:
        self.reason = None
        self.has_begun = self.must_bump = False
        self.wanted.clear()
        self.added.clear()

    def _move(self, phase: Phase) -> None:
        if phase not in _NEXT[self.phase]:
            raise ClientError(f"a transaction can't go from {self.phase.name} to {phase.name}")
        self.phase = phase
