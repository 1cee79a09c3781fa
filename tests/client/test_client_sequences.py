"""The order of a partition's batches, against a model of a broker and a network that lose, refuse and forget."""

import random
from collections import deque
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snakka.client.producer.sequences import HIGHEST_EPOCH, DeliveryLine, Identity, Numbered
from snakka.protocol.record_batch import increment_sequence

REMEMBERED = 5  # batches of a producer that a broker knows again
WRITTEN, REFUSED_FOR_NOW, OUT_OF_ORDER, REFUSED = range(4)


class Record(Numbered):
    """A batch with a name."""

    __slots__ = ("is_expired", "number")

    def __init__(self, number: int, count: int) -> None:
        super().__init__(count)
        self.number = number
        self.is_expired = False


class Stamp(NamedTuple):
    """A batch as it is on the wire."""

    number: int
    identity: Identity
    sequence: int
    last: int


class BrokerLog:
    """What Kafka does with the batches of one producer in one partition."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.state: tuple[Identity, int] | None = None  # who wrote last, and its last sequence
        self.recent: deque[Stamp] = deque(maxlen=REMEMBERED)

    def append(self, stamp: Stamp) -> int:
        if self.state is not None and self.state[0].producer_id == stamp.identity.producer_id:
            known, last = self.state
            if stamp.identity.epoch < known.epoch:
                return OUT_OF_ORDER
            if any(each[1:] == stamp[1:] for each in self.recent):
                return WRITTEN
            if stamp.identity.epoch > known.epoch:
                if stamp.sequence != 0:
                    return OUT_OF_ORDER
                self.recent.clear()
            elif stamp.sequence != increment_sequence(last, 1):
                return OUT_OF_ORDER
        else:
            self.recent.clear()
        self.numbers.append(stamp.number)
        self.state = (stamp.identity, stamp.last)
        self.recent.append(stamp)
        return WRITTEN

    def forget_producer(self) -> None:
        self.state = None
        self.recent.clear()


class World:
    """A producer's line, a connection and a broker. Whatever `chance` says happens next."""

    def __init__(self, seed: int, first_epoch: int, is_broker_lossy: bool) -> None:
        self.chance = random.Random(seed)
        self.line: DeliveryLine[Record] = DeliveryLine(is_numbered=True)
        self.line.identify(Identity(1, first_epoch))
        self.log = BrokerLog()
        self.is_broker_lossy = is_broker_lossy
        self.waiting: deque[Record] = deque()
        self.unserved: deque[tuple[Record, Stamp]] = deque()
        self.unanswered: deque[tuple[Record, int]] = deque()
        self.acknowledged: list[int] = []
        self.failed: list[int] = []
        self.next_number = 0

    # -- what can happen ------------------------------------------------------------------------------------------

    def new_batch(self) -> None:
        count = self.chance.choice((1, 2, 150, 2**27))  # sequences wrap after some of the large ones
        self.waiting.append(Record(self.next_number, count))
        self.next_number += 1

    def send(self) -> None:
        line = self.line
        if line.needs_identity:
            assert line.used_up is not None
            line.identify(Identity(line.used_up.producer_id + 1, 0))
        batch = line.next_again()
        if batch is None:
            if not self.waiting or not line.may_take:
                return
            batch = self.waiting.popleft()
            line.take(batch)
        line.sent(batch)
        assert batch.identity is not None
        last = increment_sequence(batch.sequence, batch.count - 1)
        self.unserved.append((batch, Stamp(batch.number, batch.identity, batch.sequence, last)))

    def serve(self) -> None:
        if self.unserved:
            batch, stamp = self.unserved.popleft()
            self.unanswered.append((batch, self.log.append(stamp)))

    def refuse(self, code: int = REFUSED_FOR_NOW) -> None:
        """Without looking at the sequence, as a broker does that does not lead, or whose topic forbids the records."""
        if self.unserved:
            self.unanswered.append((self.unserved.popleft()[0], code))

    def serve_and_refuse(self) -> None:
        """Written, but not replicated in time."""
        if self.unserved:
            batch, stamp = self.unserved.popleft()
            code = self.log.append(stamp)
            self.unanswered.append((batch, REFUSED_FOR_NOW if code == WRITTEN else code))

    def answer(self) -> None:
        if not self.unanswered:
            return
        batch, code = self.unanswered.popleft()
        if code == WRITTEN:
            self.line.written(batch)
            if not batch.is_expired:
                self.acknowledged.append(batch.number)
        elif batch.is_expired:
            self.line.given_up(batch)
        elif code == REFUSED:
            self.give_up(batch)
        elif code == OUT_OF_ORDER:
            if not self.line.out_of_order(batch):
                self.give_up(batch)
        else:
            self.line.lost(batch)

    def cut(self) -> None:
        """The connection is lost. The broker may still serve some of what it has got, nobody hears of it."""
        for _ in range(self.chance.randint(0, len(self.unserved))):
            self.serve()
        batches = [batch for batch, _ in (*self.unanswered, *self.unserved)]
        self.unanswered.clear()
        self.unserved.clear()
        for batch in batches:
            if batch.is_expired:
                self.line.given_up(batch)
            else:
                self.line.lost(batch)

    def expire(self) -> None:
        """The oldest batch has had its time."""
        batch = next((each for each in self.line.unsettled if not each.is_expired), None)
        if batch is None:
            if self.waiting:
                self.failed.append(self.waiting.popleft().number)
        elif batch.is_in_flight:
            batch.is_expired = True
            self.failed.append(batch.number)
        else:
            self.give_up(batch)

    def forget_producer(self) -> None:
        """The producer was silent for so long that the broker has dropped what it knew of it."""
        if self.is_broker_lossy and not self.line.unsettled:
            self.log.forget_producer()
            self.line.assume_forgotten()

    def give_up(self, batch: Record) -> None:
        self.line.given_up(batch)
        self.failed.append(batch.number)

    # -- how it goes ----------------------------------------------------------------------------------------------

    def run(self, steps: int) -> None:
        happenings = (
            *(self.new_batch, self.send, self.send, self.serve, self.serve, self.answer, self.answer),
            *(self.refuse, self.serve_and_refuse, self.cut, self.expire, self.forget_producer),
            lambda: self.refuse(REFUSED),
        )
        for _ in range(steps):
            # Now and then much goes well.
            often = self.chance.choice((happenings[:7], happenings))
            self.chance.choice(often)()
            self.check()

    def calm(self) -> None:
        """Nothing goes wrong any more: all that is left is written."""
        for _ in range(1000):
            if not self.waiting and not self.line.unsettled:
                return
            for step in (self.send, self.serve, self.answer):
                step()
            self.check()
        raise AssertionError("it does not come to an end")

    def check(self) -> None:
        numbers = self.log.numbers
        assert numbers == sorted(set(numbers)), "written twice, or out of order"
        assert set(self.acknowledged) <= set(numbers), "acknowledged and not written"
        assert self.line.in_flight == sum(batch.is_in_flight for batch in self.line.unsettled) <= REMEMBERED
        assert self.line.in_flight == len(self.unserved) + len(self.unanswered)


@settings(max_examples=300, deadline=None)
@given(
    st.integers(0, 2**32),
    st.integers(1, 400),
    st.sampled_from((0, HIGHEST_EPOCH - 1, HIGHEST_EPOCH)),
    st.booleans(),
)
def test_whatever_happens_each_batch_is_written_once_and_in_order(
    seed: int, steps: int, first_epoch: int, is_broker_lossy: bool
) -> None:
    world = World(seed, first_epoch, is_broker_lossy)
    world.run(steps)
    world.calm()
    settled = world.acknowledged + world.failed
    assert sorted(settled) == list(range(world.next_number)), "each batch has one outcome"


def line_with(count: int, *, may_bump: bool = True) -> tuple[DeliveryLine[Record], list[Record]]:
    """A line that a broker knows, with so many batches in flight."""
    line: DeliveryLine[Record] = DeliveryLine(is_numbered=True, may_bump=may_bump)
    line.identify(Identity(7, 0))
    first = Record(-1, 10)
    line.take(first)
    line.sent(first)
    line.written(first)
    batches = [Record(number, 10) for number in range(count)]
    for batch in batches:
        assert line.may_take
        line.take(batch)
        line.sent(batch)
    return line, batches


def numbers_of(batches: list[Record]) -> list[tuple[int, int]]:
    return [(batch.identity.epoch if batch.identity else -1, batch.sequence) for batch in batches]


def test_before_a_broker_has_answered_only_one_batch_is_on_its_way() -> None:
    """A broker that knows nothing of a producer would take the second if it refused the first."""
    line: DeliveryLine[Record] = DeliveryLine(is_numbered=True)
    assert line.needs_identity
    assert not line.may_take
    line.identify(Identity(7, 0))
    first, second = Record(0, 3), Record(1, 4)
    line.take(first)
    line.sent(first)
    assert not line.may_take
    line.written(first)
    line.take(second)
    line.sent(second)
    assert line.may_take
    assert numbers_of([first, second]) == [(0, 0), (0, 3)]


def test_no_more_than_five_are_on_their_way() -> None:
    line, _ = line_with(5)
    assert not line.may_take
    assert line.next_again() is None


def test_what_was_lost_is_sent_again_in_order_under_its_old_number() -> None:
    line, batches = line_with(3)
    for batch in batches:
        line.lost(batch)
    assert not line.may_take
    for batch in batches:
        assert line.next_again() is batch
        line.sent(batch)
    assert line.may_take
    assert numbers_of(batches) == [(0, 10), (0, 20), (0, 30)]


def test_those_behind_a_refused_one_wait_for_it() -> None:
    line, (first, second, third) = line_with(3)
    line.lost(first)
    assert line.next_again() is first
    assert line.out_of_order(second)
    assert line.out_of_order(third)
    line.sent(first)
    assert line.next_again() is second
    assert numbers_of([first, second, third]) == [(0, 10), (0, 20), (0, 30)]


def test_when_the_first_is_out_of_order_all_begin_again_in_the_next_epoch() -> None:
    line, (first, second, third) = line_with(3)
    assert line.out_of_order(first)
    assert line.next_again() is None, "others are still on their way under their old numbers"
    assert line.out_of_order(second)
    line.lost(third)
    assert line.next_again() is first
    assert numbers_of([first, second, third]) == [(1, 0), (1, 10), (1, 20)]


def test_a_hole_that_was_written_after_all_changes_nothing() -> None:
    line, (first, second) = line_with(2)
    line.lost(first)
    line.given_up(first)
    line.lost(second)
    assert not line.may_take
    line.sent(second)
    line.written(second)
    assert line.may_take
    third = Record(3, 10)
    line.take(third)
    assert numbers_of([third]) == [(0, 30)]


def test_a_hole_that_was_not_written_leads_to_the_next_epoch() -> None:
    line, (first, second) = line_with(2)
    line.given_up(first)
    assert line.out_of_order(second)
    assert numbers_of([second]) == [(1, 0)]


def test_after_a_last_batch_that_was_given_up_the_next_epoch_begins() -> None:
    line, (only,) = line_with(1)
    line.given_up(only)
    batch = Record(1, 5)
    line.take(batch)
    assert numbers_of([batch]) == [(1, 0)]


def test_after_the_last_epoch_a_new_producer_id_is_needed() -> None:
    line: DeliveryLine[Record] = DeliveryLine(is_numbered=True)
    line.identify(Identity(7, HIGHEST_EPOCH))
    batch = Record(0, 5)
    line.take(batch)
    line.sent(batch)
    assert line.out_of_order(batch)
    assert line.needs_identity
    assert line.used_up == Identity(7, HIGHEST_EPOCH)
    assert line.next_again() is None
    line.identify(Identity(8, 0))
    assert line.next_again() is batch
    assert (batch.identity, batch.sequence) == (Identity(8, 0), 0)


def test_a_split_batch_s_parts_share_its_numbers() -> None:
    line, (first, second) = line_with(2)
    parts = [Record(10, 4), Record(11, 6)]
    line.split(first, parts)
    assert line.out_of_order(second)
    assert numbers_of(parts) == [(0, 10), (0, 14)]
    assert [line.next_again()] == parts[:1]
    line.sent(parts[0])
    line.sent(parts[1])
    assert line.next_again() is second
    assert numbers_of([second]) == [(0, 20)]


def test_one_that_was_overtaken_is_not_written_behind_the_other() -> None:
    """The broker forgot the producer between the two, and took the second as a beginning."""
    line, (first, second) = line_with(2)
    line.lost(first)
    line.written(second)
    line.sent(first)
    assert not line.out_of_order(first)
    line.given_up(first)
    assert not line.unsettled


def test_with_transactions_a_gap_breaks_the_line_until_there_is_a_new_epoch() -> None:
    line, (first, second) = line_with(2, may_bump=False)
    assert not line.out_of_order(first)
    line.given_up(first)
    assert not line.is_broken, "another is still on its way"
    assert not line.out_of_order(second)
    line.given_up(second)
    assert line.is_broken
    assert not line.may_take
    line.identify(Identity(7, 1))
    assert line.may_take


@pytest.mark.parametrize("most", [1, 8])
def test_without_numbers_only_the_limit_counts(most: int) -> None:
    line: DeliveryLine[Record] = DeliveryLine(is_numbered=False, most_in_flight=most)
    batches = [Record(number, 1) for number in range(most)]
    for batch in batches:
        assert line.may_take
        line.take(batch)
        line.sent(batch)
    assert not line.may_take
    line.lost(batches[0])
    assert line.next_again() is batches[0]
    line.given_up(batches[0])
    assert line.may_take
    assert batches[0].identity is None
