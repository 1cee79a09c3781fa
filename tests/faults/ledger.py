"""What was sent, what was acknowledged where, and whether what came back agrees with both.

Every partition is written by one producer with numbers that grow by one, so order, loss and doubles show in the numbers.
"""

import itertools
from typing import NamedTuple

TopicPartition = tuple[str, int]
# librdkafka's answer for a batch that the broker has had already and remembers no longer by its offset.
UNKNOWN_OFFSET = -1001


class Found(NamedTuple):
    """A record that a reader got."""

    offset: int
    key: bytes | None
    number: int


class Ledger:
    """One partition's. `acknowledged` maps a number to the offset that the broker gave for it."""

    def __init__(self, *, compacted: bool = False) -> None:
        self.compacted = compacted
        self.sent = 0
        self.acknowledged: dict[int, int] = {}
        # The first offset that nobody asked to delete.
        self.deleted_before = 0

    def judge(self, found: list[Found], log_start: int) -> list[str]:
        """What is wrong with these records, which are all from `log_start` on; nothing if all is well."""
        return [
            *self._order(found),
            *self._places(found, log_start),
            *(self._newest_of_keys(found, log_start) if self.compacted else self._lost(found, log_start)),
        ]

    def _order(self, found: list[Found]) -> list[str]:
        problems = []
        for before, after in itertools.pairwise(found):
            if after.offset <= before.offset or after.number <= before.number:
                problems.append(f"doubled or reordered: {before} and then {after}")
            elif not self.compacted and after.offset != before.offset + 1:
                problems.append(f"a gap: {before} and then {after}")
        return problems[:5]

    def _places(self, found: list[Found], log_start: int) -> list[str]:
        problems = [
            f"{one} was acknowledged at offset {self.acknowledged[one.number]}"
            for one in found
            if self.acknowledged.get(one.number, one.offset) not in (one.offset, UNKNOWN_OFFSET)
        ]
        problems += [f"{one} was never sent" for one in found if one.number >= self.sent]
        if found and found[0].offset < log_start:
            problems.append(f"{found[0]} lies before the log's start {log_start}")
        return problems[:5]

    def _lost(self, found: list[Found], log_start: int) -> list[str]:
        there = {one.number for one in found}
        lost = [
            f"number {number}, acknowledged at {offset}, is lost (the log starts at {log_start})"
            for number, offset in self.acknowledged.items()
            if offset >= log_start and number not in there
        ]
        return lost[:5]

    def _newest_of_keys(self, found: list[Found], log_start: int) -> list[str]:
        newest: dict[bytes, int] = {}
        for number in self.acknowledged:
            key = key_of(number)
            newest[key] = max(newest.get(key, -1), number)
        there: dict[bytes | None, int] = {one.key: one.number for one in found}
        lost = [
            f"the newest value of {key!r} is {number}, and {there.get(key)} is there"
            for key, number in newest.items()
            if self.acknowledged[number] >= log_start and there.get(key, -1) < number
        ]
        return lost[:5]


KEYS = 40


def key_of(number: int) -> bytes:
    """Few enough keys that compaction has something to do."""
    return b"key-%d" % (number % KEYS)
