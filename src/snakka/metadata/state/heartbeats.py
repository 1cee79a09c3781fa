"""What the active controller remembers of brokers beside the log: when they were last heard of, and how far they are.

Soft state: it is not in any record, and a new controller starts it afresh by giving every broker a whole session. Times
are monotonic milliseconds and come in as arguments.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from snakka.metadata.image.brokers import BrokerRegistration

# What a broker without active peers has to wait for: nothing.
_NO_OFFSET = 2**63 - 1


class BrokerState(Enum):
    """What the controller makes of a broker."""

    FENCED = "fenced"
    UNFENCED = "unfenced"
    CONTROLLED_SHUTDOWN = "controlled shutdown"
    SHUTDOWN_NOW = "shutdown now"

    @property
    def fenced(self) -> bool:
        return self in (BrokerState.FENCED, BrokerState.SHUTDOWN_NOW)


@dataclass(slots=True)
class _Session:
    epoch: int
    fenced: bool
    # None: no process with this epoch is known to run.
    last_contact_ms: int | None
    metadata_offset: int = -1
    # The offset that every active broker must reach before this one may stop; -1 outside a controlled shutdown.
    shutdown_offset: int = -1


class Heartbeats:
    """Sessions by broker id; there are as many as registered brokers."""

    def __init__(self, session_timeout_ms: int) -> None:
        self.session_timeout_ms = session_timeout_ms
        self._sessions: dict[int, _Session] = {}

    def start(self, brokers: Iterable[BrokerRegistration], own_id: int, now_ms: int) -> None:
        """On becoming the active controller: unfenced brokers get a whole session to show that they live.

        Not so the broker with this node's id: were it another process, it would hold our directories. A registration
        that is left from before a crash must not keep this node out until it times out, so its session is over.
        """
        for broker in brokers:
            contact = now_ms - self.session_timeout_ms - 1 if broker.id == own_id else now_ms
            self._sessions[broker.id] = _Session(
                broker.epoch, broker.fenced, None if broker.fenced else contact
            )

    def register(self, broker_id: int, epoch: int, fenced: bool, now_ms: int) -> None:
        """A registration, new or amended; a new epoch forgets everything of the old process."""
        session = self._sessions.get(broker_id)
        if session is None or session.epoch != epoch:
            self._sessions[broker_id] = _Session(epoch, fenced, now_ms)
        else:
            session.last_contact_ms = now_ms

    def end(self, broker_id: int) -> None:
        """The broker was told to stop: the next process with its id need not wait for the session to time out."""
        self._sessions[broker_id].last_contact_ms = None

    def touch(self, broker_id: int, *, fenced: bool, metadata_offset: int, now_ms: int) -> None:
        """A heartbeat was answered."""
        session = self._sessions[broker_id]
        session.last_contact_ms = now_ms
        session.metadata_offset = metadata_offset
        session.fenced = fenced
        if fenced:
            # A fenced broker has left its controlled shutdown; at its next heartbeat it may stop at once.
            session.shutdown_offset = -1

    def begin_shutdown(self, broker_id: int, offset: int) -> None:
        """The broker may stop once all active ones know that its partitions have other leaders, at this offset."""
        session = self._sessions[broker_id]
        if session.shutdown_offset < 0:
            session.shutdown_offset = offset

    def fence(self, broker_id: int) -> None:
        session = self._sessions.get(broker_id)
        if session is not None:
            session.fenced = True
            session.shutdown_offset = -1

    def remove(self, broker_id: int) -> None:
        self._sessions.pop(broker_id, None)

    def has_session(self, broker_id: int, epoch: int, now_ms: int) -> bool:
        """Whether a process with this epoch is alive, as far as anybody knows."""
        session = self._sessions.get(broker_id)
        return session is not None and session.epoch == epoch and not self._expired(session, now_ms)

    def stale(self, now_ms: int) -> list[int]:
        """Unfenced brokers that were not heard of for a whole session, the longest silent first."""
        silent = [
            (session.last_contact_ms or 0, broker_id)
            for broker_id, session in self._sessions.items()
            if not session.fenced and self._expired(session, now_ms)
        ]
        return [broker_id for _, broker_id in sorted(silent)]

    def state_of(self, broker: BrokerRegistration) -> BrokerState:
        session = self._sessions.get(broker.id)
        if session is not None and session.shutdown_offset >= 0:
            return BrokerState.CONTROLLED_SHUTDOWN
        return BrokerState.FENCED if broker.fenced else BrokerState.UNFENCED

    def is_shutting_down(self, broker_id: int) -> bool:
        session = self._sessions.get(broker_id)
        return session is not None and session.shutdown_offset >= 0

    def may_stop(self, broker_id: int) -> bool:
        """Whether all active brokers have seen what the broker's shutdown changed."""
        lowest = min(
            (
                session.metadata_offset
                for session in self._sessions.values()
                if not session.fenced and session.shutdown_offset < 0
            ),
            default=_NO_OFFSET,
        )
        return self._sessions[broker_id].shutdown_offset <= lowest

    def _expired(self, session: _Session, now_ms: int) -> bool:
        contact = session.last_contact_ms
        return contact is None or now_ms - contact > self.session_timeout_ms
