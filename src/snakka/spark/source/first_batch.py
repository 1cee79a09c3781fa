"""Where a stream's first batch began, remembered by the cluster: Spark's checkpoint knows its end only.

Spark asks for the initial offset again when it repeats a first batch that did not finish, and tells us nothing of its
checkpoint. So before Spark hears where the first batch ends, a note of both is committed to a group of its own, whose name
says which end the note is about; nobody else's commits can touch it, and it goes when the batch is done. Each query writes a
note of its own, since others may begin and end as it does: whoever is done first must not take theirs away. Which of those
notes was its own a query does not know after a restart, and need not, as long as they all say the same.

Notes of queries that are never repeated stay until brokers forget the group as any that nobody uses: after
offsets.retention.minutes, a week.

Rule: a first batch is repeated only from a note that is certain. Without one it is refused: nothing is lost silently.
"""

import hashlib
import json
import logging
import secrets
from collections.abc import Iterable
from typing import NamedTuple, NoReturn

from snakka.client.admin.group_offsets import CommittedOffset
from snakka.client.blocking import Admin
from snakka.client.errors import ClientError
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.errors import ApiError
from snakka.spark.source.offset_json import Offsets, offsets_text

_log = logging.getLogger(__name__)
_INITIALS = "initial"
_INFIX = "-first-batch-"
NOTE_TIMEOUT_MS = 20_000


class UnknownStartError(Exception):
    """A first batch is to be repeated, but nobody knows where it began."""


class Note(NamedTuple):
    """Where a first batch began, in a group. What wrote them before kept those of several starts in one, by these keys."""

    group: str
    key: str
    initial: Offsets


class FirstBatchNotes:
    """The notes of one query. `origin` says how it was told to begin, since others may read the same topics.

    New notes are named after the first of the groups. Those of the others are looked for too: the query had no group of its
    own when it began, perhaps.
    """

    def __init__(self, admin: Admin, group_ids: Iterable[str], origin: str) -> None:
        self._admin = admin
        self._group_ids = tuple(dict.fromkeys(group_ids))
        self._origin = origin
        self._token = secrets.token_hex(6)
        self._open: Note | None = None  # of a batch that is not done

    def write(self, initial: Offsets, end: Offsets) -> None:
        """Let the cluster remember it. If it can't be, the query runs, and its first batch can't be repeated."""
        group = f"{self._group_ids[0]}{self._subject(end)}-{self._token}"
        note = Note(group, _digest(offsets_text(initial)), initial)
        if note == self._open or not end:
            return
        self.finished()  # Spark asks again for an end that it did not use
        try:
            self._commit(note, end)
        except (ApiError, ClientError) as error:
            _log.warning(
                "the first batch can't be repeated if it fails, since its start can't be kept: %s", error
            )
        else:
            self._open = note

    def initial(self, end: Offsets) -> Offsets:
        """Where the first batch began that ends so; UnknownStartError if that is not certain."""
        if not end:
            return {}
        subject = self._subject(end)
        groups = [each.group_id for each in self._admin.list_groups(timeout_ms=NOTE_TIMEOUT_MS)]
        for group_id in self._group_ids:
            own = [each for each in groups if each.startswith(group_id + subject)]
            notes = [note for group in own for note in self._read(group, end)]
            if notes:
                break
        else:
            others = {each.rpartition(_INFIX)[0] for each in groups if subject in each}
            _refuse_unknown(others.difference(self._group_ids))
        if any(note.initial != notes[0].initial for note in notes):
            _refuse_ambiguous(notes)
        self._open = notes[0]
        return self._open.initial

    def finished(self) -> None:
        """The first batch is done: its note is of no use any more."""
        if self._open is None:
            return
        note, self._open = self._open, None
        try:
            listed = self._admin.list_group_offsets(note.group, timeout_ms=NOTE_TIMEOUT_MS).results
            if all(set(_initials(each.metadata)) <= {note.key} for each in listed.values()):
                self._admin.delete_groups([note.group], timeout_ms=NOTE_TIMEOUT_MS)
        except (ApiError, ClientError) as error:
            _log.info("the note in group %s stays until it expires: %s", note.group, error)

    def _subject(self, end: Offsets) -> str:
        """How the names of the groups that have notes of a first batch with this end go on after the query's group."""
        return f"{_INFIX}{_digest(self._origin, offsets_text(end))}"

    def _read(self, group: str, end: Offsets) -> list[Note]:
        """What is noted there of this end; for some partitions only is not noted."""
        listed = self._admin.list_group_offsets(group, timeout_ms=NOTE_TIMEOUT_MS).raise_for_errors()
        initials = {
            partition: _initials(each.metadata)
            for partition, each in listed.items()
            if end.get(partition) == each.offset
        }
        keys = set.intersection(*(set(initials.get(each, {})) for each in end))
        return [
            Note(group, key, {each: offset for each in end if (offset := initials[each][key]) is not None})
            for key in sorted(keys)
        ]

    def _commit(self, note: Note, end: Offsets) -> None:
        def described(partition: TopicPartition) -> str:
            return json.dumps({_INITIALS: {note.key: note.initial.get(partition)}})

        committed = {each: CommittedOffset(offset, metadata=described(each)) for each, offset in end.items()}
        self._admin.alter_group_offsets(note.group, committed, timeout_ms=NOTE_TIMEOUT_MS).raise_for_errors()


def _refuse_unknown(elsewhere: set[str]) -> NoReturn:
    hint = (
        f". There are notes of such a batch for other groups: if the query began with one of them, set it again:"
        f" {' or '.join(f'kafka.group.id={each}' for each in sorted(elsewhere))}. Else begin"
        if elsewhere
        else ". Begin"
    )
    raise UnknownStartError(
        "the query's first batch must be repeated, but where it began is not known: the checkpoint is another"
        " connector's, the query has other options now (kafka.group.id and groupIdPrefix among them), or the note of it"
        f" is gone{hint} with another checkpointLocation, and startingOffsets where the rows go on"
    )


def _refuse_ambiguous(notes: list[Note]) -> NoReturn:
    told = "; ".join(sorted(f"at {offsets_text(each.initial)} (group {each.group})" for each in notes))
    raise UnknownStartError(
        "the query's first batch must be repeated, but two queries may have begun it, and they began elsewhere:"
        f" {told}. Delete the groups that are not this query's, or begin with another checkpointLocation, and"
        " startingOffsets where the rows go on"
    )


def _initials(metadata: str) -> dict[str, int | None]:
    try:
        found = json.loads(metadata)[_INITIALS]
    except (ValueError, KeyError, TypeError):
        return {}
    return dict(found)


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]
