"""Telling a metadata log that was damaged from one that a crash has torn.

Recovery cuts a log at the first batch that is not right. That is what a crash calls for, which can only have torn what was
not synced, that is, not committed. But a bit that flips in the middle of the log would cost every topic that was made
later. Rule: where what comes after the bad batch shows that it was committed once, nothing is cut and the node does not
start; a person decides.
"""

import os
from collections.abc import Iterator, Sequence

from snakka.protocol.errors import ProtocolError
from snakka.protocol.record_batch import (
    HEADER_SIZE,
    MAGIC,
    BatchHeader,
    crc_matches,
    iter_headers,
    read_header,
)
from snakka.storage.files import Files
from snakka.storage.meta_properties import DataDirectoryError
from snakka.storage.segment_files import LOG

# No sync takes so long that a node goes on appending for this time: what is older was committed.
_LONGEST_SYNC_MS = 30_000
_MAGIC_PLACE = 16
_MAGIC_BYTE = bytes([MAGIC])


class DamageJudge:
    """Asked by recovery before it cuts the log in `directory`. `epoch` was current where the log begins."""

    def __init__(self, files: Files, directory: str, *, epoch: int, was_clean: bool) -> None:
        self._files = files
        self._directory = directory
        self._epoch = epoch
        self._was_clean = was_clean

    def before_cut(self, path: str, position: int, offset: int) -> None:
        """The batch at `position` of the file, which should have `offset`, is bad: DataDirectoryError if it must stay."""
        later = list(self._intact_after(path, position, offset))
        if later and (self._was_clean or self._were_committed(later, path, position)):
            raise DataDirectoryError(
                f"{path} is damaged at byte {position} (offset {offset}), and what comes later is not: restore the file"
                " from a copy, or cut it there, which loses all later changes of topics and configs"
            )

    def _intact_after(self, path: str, position: int, offset: int) -> Iterator[BatchHeader]:
        """The batches after the bad one that are whole: found by trying, since its length may be what is wrong."""
        position += 1
        for segment in self._segments_from(path):
            data = self._files.read(segment)
            while position + HEADER_SIZE <= len(data):
                header = _intact_batch(data, position)
                if header is not None and header.base_offset > offset:
                    yield header
                    position += header.size
                    continue
                magic = data.find(_MAGIC_BYTE, position + 1 + _MAGIC_PLACE)
                if magic < 0:
                    break
                position = magic - _MAGIC_PLACE
            position = 0

    def _segments_from(self, path: str) -> list[str]:
        names = self._files.list(self._directory)
        paths = (os.path.join(self._directory, name) for name in names if name.endswith(LOG))
        return sorted(one for one in paths if one >= path)

    def _were_committed(self, later: Sequence[BatchHeader], path: str, position: int) -> bool:
        """A new epoch begins with a sync of all before it; and no node waits for ever for a sync that it has begun."""
        before = [header for _, header in iter_headers(memoryview(self._files.read(path))[:position])]
        epoch = before[-1].leader_epoch if before else self._epoch
        times = [header.max_timestamp for header in later]
        is_newer = max(header.leader_epoch for header in later) > epoch
        return is_newer or max(times) - min(times) > _LONGEST_SYNC_MS


def _intact_batch(data: bytes, position: int) -> BatchHeader | None:
    try:
        header = read_header(data, position)
        is_whole = header.magic == MAGIC and header.size <= len(data) - position
        return header if is_whole and crc_matches(data, position, header) else None
    except ProtocolError:
        return None
