"""Where a stream's first batch began, remembered by the cluster: Spark's checkpoint knows its end only.

Spark asks for the initial offset again when it repeats a first batch that did not finish, and tells us nothing of its
checkpoint. So before Spark hears where the first batch ends, a note of both is committed to a group of its own, whose name
says which end the note is about; nobody else's commits can touch it, and it goes when the batch is done.

Rule: a first batch is repeated only from a note that is certain. Without one it is refused: nothing is lost silently.
"""

import hashlib
import json
import logging

from snakka.client.admin.group_offsets import CommittedOffset
from snakka.client.blocking import Admin
from snakka.client.errors import ClientError
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.errors import ApiError
from snakka.spark.source.offset_json import Offsets, offsets_text

_log = logging.getLogger(__name__)
_INITIALS = "initial"
NOTE_TIMEOUT_MS = 20_000


class UnknownStartError(Exception):
    """A first batch is to be repeated, but nobody knows where it began."""


class FirstBatchNotes:
    """The notes of one query. `origin` says how it was told to begin, since others may read the same topics."""

    def __init__(self, admin: Admin, group_id: str, origin: str) -> None:
        self._admin = admin
        self._group_id = group_id
        self._origin = origin
        self._open: tuple[str, str] | None = (
            None  # the group and the key of the note of a batch that is not done
        )

    def group_of(self, end: Offsets) -> str:
        """The group that has the note of a first batch that ends so."""
        return f"{self._group_id}-first-batch-{_digest(self._origin, offsets_text(end))}"

    def write(self, initial: Offsets, end: Offsets) -> None:
        """Let the cluster remember it. If it can't be, the query runs, and its first batch can't be repeated."""
        group, key = self.group_of(end), _digest(offsets_text(initial))
        try:
            # Another query may end where this one does but have begun elsewhere: then nobody's start is certain.
            notes = self._read(group, end)
            for partition in end:
                notes.setdefault(partition, {})[key] = initial.get(partition)
            self._commit(group, end, notes)
        except (ApiError, ClientError) as error:
            _log.warning(
                "the first batch can't be repeated if it fails, since its start can't be kept: %s", error
            )
        else:
            self._open = group, key

    def initial(self, end: Offsets) -> Offsets:
        """Where the first batch began that ends so; UnknownStartError if that is not certain."""
        group = self.group_of(end)
        notes = self._read(group, end)
        keys = set.intersection(*(set(notes.get(each, {})) for each in end)) if end else {""}
        if len(keys) != 1:
            raise UnknownStartError(
                "the query's first batch must be repeated, but "
                + ("two queries may have begun it" if keys else "where it began is not known")
                + ": the checkpoint is another connector's, the query has other options now, or the note in group"
                f" {group} is gone. Begin with another checkpointLocation, and startingOffsets where the rows go on"
            )
        (key,) = keys
        self._open = group, key
        return {each: offset for each in end if (offset := notes[each][key]) is not None}

    def finished(self) -> None:
        """The first batch is done: its note is of no use any more."""
        if self._open is None:
            return
        (group, key), self._open = self._open, None
        try:
            listed = self._admin.list_group_offsets(group, timeout_ms=NOTE_TIMEOUT_MS).results
            if all(set(_initials(each.metadata)) <= {key} for each in listed.values()):
                self._admin.delete_groups([group], timeout_ms=NOTE_TIMEOUT_MS)
        except (ApiError, ClientError) as error:
            _log.info("the note in group %s stays until it expires: %s", group, error)

    def _read(self, group: str, end: Offsets) -> dict[TopicPartition, dict[str, int | None]]:
        listed = self._admin.list_group_offsets(group, timeout_ms=NOTE_TIMEOUT_MS).raise_for_errors()
        return {
            partition: _initials(each.metadata)
            for partition, each in listed.items()
            if end.get(partition) == each.offset
        }

    def _commit(self, group: str, end: Offsets, notes: dict[TopicPartition, dict[str, int | None]]) -> None:
        committed = {
            partition: CommittedOffset(offset, metadata=json.dumps({_INITIALS: notes[partition]}))
            for partition, offset in end.items()
        }
        if committed:
            self._admin.alter_group_offsets(group, committed, timeout_ms=NOTE_TIMEOUT_MS).raise_for_errors()


def _initials(metadata: str) -> dict[str, int | None]:
    try:
        found = json.loads(metadata)[_INITIALS]
    except (ValueError, KeyError, TypeError):
        return {}
    return dict(found)


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]
