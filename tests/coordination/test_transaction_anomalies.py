"""Everything on the way is late, comes twice, or comes again long after: with transaction.version 2 nothing is harmed.

A producer writes transactions to two partitions by way of a network that keeps every message it ever carried; some take
too long, and the coordinator crashes. A record must be ended by the marker of its own transaction and no other, and each
transaction is seen whole or not at all.
"""

from typing import NamedTuple

import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from hypothesis.strategies import booleans, integers, lists, sampled_from
from tests.coordination.transaction_story import A, B, TransactionStory

from snakka.coordination.decision import Marker, Producer
from snakka.coordination.transactions.shard import SendMarkers
from snakka.protocol.control_records import EndTransaction
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.record_batch import CONTROL_BIT, TRANSACTIONAL_BIT, BatchHeader
from snakka.storage.producer_state import ProducerState


class Write(NamedTuple):
    """A batch of the transaction `number`."""

    number: int
    who: Producer
    partition: tuple[str, int]
    sequence: int


class End(NamedTuple):
    number: int
    who: Producer
    commit: bool


class WriteMarker(NamedTuple):
    """On its way from the coordinator to one partition."""

    sent: SendMarkers
    partition: tuple[str, int]


Message = Write | End | WriteMarker


class Log:
    """A partition: what is in it, and what it knows of its producers."""

    def __init__(self) -> None:
        self.state = ProducerState()
        self.entries: list[Write | Marker] = []

    def append(self, write: Write) -> None:
        header = _header(write.who, TRANSACTIONAL_BIT, write.sequence)
        if self.state.check_client_batch(header) is None:
            self.state.append_data(header, len(self.entries), 0)
            self.entries.append(write)

    def end(self, marker: Marker) -> None:
        who = Producer(marker.producer_id, marker.producer_epoch)
        self.state.check_marker(*who, marker.transaction_version)
        header = _header(who, TRANSACTIONAL_BIT | CONTROL_BIT, -1)
        end = EndTransaction(marker.committed, marker.coordinator_epoch)
        self.state.check_coordinator_batch(header, end)
        completed = self.state.append_marker(header, end, len(self.entries), 0)
        if completed is not None:
            self.state.complete(completed)
        self.entries.append(marker)

    def transactions(self) -> list[tuple[list[Write], Marker | None]]:
        """Records, and the marker that ended them, in the log's order."""
        found: list[tuple[list[Write], Marker | None]] = []
        open_records: list[Write] = []
        for entry in self.entries:
            if isinstance(entry, Write):
                open_records.append(entry)
            elif open_records:
                found.append((open_records, entry))
                open_records = []
        return [*found, (open_records, None)] if open_records else found


def _header(who: Producer, attributes: int, sequence: int) -> BatchHeader:
    return BatchHeader(
        base_offset=0,
        length=0,
        leader_epoch=0,
        magic=2,
        crc=0,
        attributes=attributes,
        last_offset_delta=0,
        base_timestamp=0,
        max_timestamp=0,
        producer_id=who.producer_id,
        producer_epoch=who.epoch,
        base_sequence=sequence,
        count=1,
    )


class LateAndTwice(RuleBasedStateMachine):
    """The producer's epoch is the number of its transaction, so everybody can see which one a message belongs to."""

    def __init__(self) -> None:
        super().__init__()
        self.story = TransactionStory()
        self.logs = {A: Log(), B: Log()}
        self.who = self.story.init()
        self.sequences: dict[tuple[str, int], int] = {}
        self.on_the_way: list[Message] = []
        self.history: list[Message] = []
        self.unacknowledged: dict[Write, None] = {}
        self.acknowledged: set[Write] = set()
        self.ending: End | None = None
        # What the client was told.
        self.outcomes: dict[int, bool] = {}
        self.markers_left: dict[SendMarkers, set[tuple[str, int]]] = {}

    # -- the client -----------------------------------------------------------------------------------------------

    # A client has at most five batches under way: as many as a partition remembers.
    @precondition(lambda self: self.ending is None and len(self.unacknowledged) < 5)
    @rule(partition=sampled_from((A, B)))
    def write(self, partition):
        sequence = self.sequences.get(partition, 0)
        self.sequences[partition] = sequence + 1
        message = Write(self.who.epoch, self.who, partition, sequence)
        self.unacknowledged[message] = None
        self._send(message)

    @precondition(lambda self: self.ending is None and not self.unacknowledged and self.sequences)
    @rule()
    def commit(self):
        self._end(True)

    @precondition(lambda self: self.ending is None)
    @rule()
    def abort(self):
        self.unacknowledged.clear()
        self._end(False)

    def _end(self, commit: bool) -> None:
        self.ending = End(self.who.epoch, self.who, commit)
        self._send(self.ending)

    @precondition(lambda self: self.ending is None)
    @rule(commit=booleans())
    def write_and_end(self, commit):
        """A transaction like most others."""
        self.settle()
        self.write(A)
        self.write(B)
        self.settle()
        self._end(commit)
        self.settle()

    @rule()
    def retry(self):
        """Whatever has not been answered is sent again."""
        for message in (*self.unacknowledged, *([self.ending] if self.ending else ())):
            if message not in self.on_the_way:
                self._send(message)

    def _give_up(self, error: ApiError) -> None:
        """Some errors pass; when the epoch is over, so is the transaction."""
        if error.code in (ErrorCode.INVALID_PRODUCER_EPOCH, ErrorCode.PRODUCER_FENCED):
            self.unacknowledged.clear()
            self._end(False)

    def _send(self, message: Message) -> None:
        self.on_the_way.append(message)
        self.history.append(message)

    # -- the network ----------------------------------------------------------------------------------------------

    @precondition(lambda self: self.on_the_way)
    @rule(place=integers(0, 1 << 16), is_lost=booleans())
    def deliver(self, place, is_lost):
        """In any order; the answer may be lost."""
        self._handle(self.on_the_way.pop(place % len(self.on_the_way)), is_lost)

    @rule()
    def settle(self):
        """For a while nothing goes wrong: everything arrives, in order, and is answered."""
        for _ in range(1_000):
            if not self.on_the_way and not self.unacknowledged and self.ending is None:
                return
            if not self.on_the_way:
                self.retry()
            self._handle(self.on_the_way.pop(0), is_lost=False)
        raise AssertionError("it does not come to an end")

    @precondition(lambda self: self.history)
    @rule(places=lists(integers(0, 1 << 16), min_size=1, max_size=8))
    def deliver_again(self, places):
        """Anything that was ever sent."""
        for place in places:
            self._handle(self.history[place % len(self.history)], is_lost=True)

    def _handle(self, message: Message, is_lost: bool) -> None:
        try:
            if isinstance(message, Write):
                self._write(message)
            elif isinstance(message, End):
                self._finish(message, is_lost)
                return
            else:
                self.logs[message.partition].end(message.sent.marker)
        except ApiError as error:
            # Its epoch is behind: the marker has been written before. Anything else is a refusal.
            if isinstance(message, WriteMarker) and error.code is ErrorCode.INVALID_PRODUCER_EPOCH:
                self._marked(message)
            elif not is_lost and message in self.unacknowledged:
                self._give_up(error)
            return
        if isinstance(message, WriteMarker):
            self._marked(message)
        elif not is_lost and message in self.unacknowledged:
            del self.unacknowledged[message]
            self.acknowledged.add(message)

    def _write(self, write: Write) -> None:
        """As a broker does for a client of version 2: the coordinator adds the partition, then it is written to."""
        log = self.logs[write.partition]
        question = log.state.verify(*write.who, write.sequence, adds=True, now_ms=0)
        if question is not None:
            self.story.add(write.who, write.partition)
        log.append(write)

    def _finish(self, end: End, is_lost: bool) -> None:
        try:
            next_one = (self.story.commit if end.commit else self.story.abort)(end.who)
        except ApiError as error:
            if not is_lost and end == self.ending and error.code is ErrorCode.INVALID_TXN_STATE:
                # It took too long, and was aborted.
                self._end(False)
            return
        finally:
            self._send_markers()
        if not is_lost and end == self.ending:
            assert next_one == Producer(self.who.producer_id, end.number + 1)
            self.outcomes[end.number] = end.commit
            self.who, self.ending = next_one, None
            self.sequences.clear()

    def _send_markers(self) -> None:
        sent, self.story.markers = self.story.markers, []
        for one in sent:
            self.markers_left[one] = set(one.partitions)
            for partition in one.partitions:
                self._send(WriteMarker(one, partition))
            if not one.partitions:
                self.story.hear_of(one)

    def _marked(self, message: WriteMarker) -> None:
        left = self.markers_left.get(message.sent)
        if left is not None:
            left.discard(message.partition)
            if not left:
                del self.markers_left[message.sent]
                self.story.hear_of(message.sent)

    @rule()
    def crash(self):
        """Another coordinator goes on; what the old one sent is still on the way."""
        self.markers_left.clear()
        self.story.crash()
        self._send_markers()

    @rule()
    def run_out_of_time(self):
        """Whatever is under way is aborted, and its producer fenced."""
        self.story.pass_ms(60_001)
        self.story.reap()
        self._send_markers()

    # -- what must be true ----------------------------------------------------------------------------------------

    @invariant()
    def every_record_is_ended_by_its_own_marker(self):
        outcomes: dict[int, set[bool]] = {}
        for log in self.logs.values():
            for records, marker in log.transactions():
                assert len({record.number for record in records}) == 1
                sequences = [record.sequence for record in records]
                assert sequences == list(range(len(sequences)))
                if marker is not None:
                    number = records[0].number
                    assert marker.producer_epoch == number + 1
                    outcomes.setdefault(number, set()).add(marker.committed)
        assert all(len(found) == 1 for found in outcomes.values())
        for number, told in self.outcomes.items():
            assert outcomes.get(number, {told}) == {told}

    def teardown(self):
        """Everything arrives in the end; then whatever was acknowledged has the outcome that the client was told."""
        self.settle()
        self.every_record_is_ended_by_its_own_marker()
        for write in self.acknowledged:
            if write.number in self.outcomes:
                endings = [
                    marker
                    for records, marker in self.logs[write.partition].transactions()
                    if write in records
                ]
                assert [one and one.committed for one in endings] == [self.outcomes[write.number]]


def sent(machine: LateAndTwice, kind: type[Message]) -> list[int]:
    """Where messages of a kind are in the history."""
    return [place for place, message in enumerate(machine.history) if isinstance(message, kind)]


@pytest.mark.parametrize("kind", [End, WriteMarker, Write])
@pytest.mark.parametrize("commit", [True, False])
def test_the_next_transaction_is_not_touched_by_what_comes_late(kind, commit):
    machine = LateAndTwice()
    machine.write_and_end(commit)
    late = sent(machine, kind)
    assert late
    machine.write(A)
    machine.settle()
    before = list(machine.logs[A].entries)
    machine.deliver_again(late)
    assert machine.logs[A].entries == before
    assert machine.story.state() == "Ongoing"
    machine.commit()
    machine.settle()
    machine.deliver_again(late)
    machine.teardown()
    assert machine.outcomes == {0: commit, 1: True}


def test_markers_of_a_coordinator_that_crashed_arrive_beside_those_of_the_next():
    machine = LateAndTwice()
    machine.write(A)
    machine.write(B)
    machine.settle()
    machine.commit()
    machine.deliver(0, is_lost=True)
    # One partition has its marker, the other's is on the way.
    machine.deliver(0, is_lost=False)
    machine.crash()
    machine.settle()
    assert machine.story.state() == "CompleteCommit"
    machine.write_and_end(False)
    machine.deliver_again(sent(machine, WriteMarker))
    machine.teardown()
    assert machine.outcomes == {0: True, 1: False}


LateAndTwice.TestCase.settings = settings(max_examples=60, stateful_step_count=60, deadline=None)
TestLateAndTwice = LateAndTwice.TestCase
