"""What is said of bytes that should be batches and are not, and how the next batch after them is found.

Rule: nothing is passed over in silence. With failOnDataLoss the first damage ends the query, naming file and position;
without it each is a warning.
"""

import logging
from struct import Struct

import numpy

from snakka.protocol.record_batch import (
    HEADER_SIZE,
    MAGIC,
    MAGIC_POSITION,
    SIZE_PREFIX,
    BatchHeader,
    crc_matches,
)
from snakka.protocol.record_batch import read_header as read_batch_header
from snakka.storage.files import File

_logger = logging.getLogger(__name__)

_WINDOW_BYTES = 1 << 20
_LENGTH = Struct(">i")
_SMALLEST_LENGTH = HEADER_SIZE - SIZE_PREFIX


class LogDamageError(Exception):
    """A log is not what its broker wrote, or not any more; `path` and `position` say where."""

    def __init__(self, path: str, position: int, why: str) -> None:
        super().__init__(path, position, why)
        self.path, self.position, self.why = path, position, why

    def __str__(self) -> str:
        return (
            f"{self.path} at position {self.position}: {self.why}."
            " With the option failOnDataLoss=false it is passed over with a warning"
        )


class Damages:
    """What to do about each damage, by the option failOnDataLoss."""

    def __init__(self, fail_on_data_loss: bool) -> None:
        self.fail_on_data_loss = fail_on_data_loss

    def found(self, path: str, position: int, why: str) -> None:
        if self.fail_on_data_loss:
            raise LogDamageError(path, position, why)
        _logger.warning("%s at position %d: %s; passed over", path, position, why)


def is_plausible(header: BatchHeader, lowest: int, end_offset: int | None) -> bool:
    """Whether it can be a batch's header at this place of the log: at `lowest` or later, before `end_offset`."""
    return (
        header.magic == MAGIC
        and header.length >= _SMALLEST_LENGTH
        and header.last_offset_delta >= 0
        and header.count >= 0
        and header.base_offset >= lowest
        and (end_offset is None or header.last_offset < end_offset)
    )


def why_no_batch(data: bytes | memoryview, lowest: int, end_offset: int | None) -> str:
    """In words, of bytes that are no batch as `is_plausible` wants them; as many as there are, up to a header's."""
    if len(data) < HEADER_SIZE:
        return f"{len(data)} bytes are no batch"
    header = read_batch_header(data)
    if header.magic in (0, 1):
        return f"records of format {header.magic}, which no broker writes any more, or no batch at all"
    if is_plausible(header, lowest, end_offset):
        return f"a batch of {header.size} bytes does not end within the file"
    if header.magic != MAGIC or header.length < _SMALLEST_LENGTH:
        return "there is no batch"
    bound = "" if end_offset is None else f" and before {end_offset}"
    return (
        f"a batch has offsets {header.base_offset} to {header.last_offset}, expected from {lowest} on{bound}"
    )


def next_batch(file: File, position: int, lowest: int, end_offset: int | None) -> int | None:
    """The first position, from `position` on, at which a whole batch lies that its checksum proves; None if none does."""
    size = file.size
    while size - position >= HEADER_SIZE:
        window = file.pread(position, _WINDOW_BYTES + HEADER_SIZE)
        if len(window) < HEADER_SIZE:
            return None
        for candidate in _candidates(window):
            header = read_batch_header(window, candidate)
            start = position + candidate
            if not is_plausible(header, lowest, end_offset) or header.size > size - start:
                continue
            if crc_matches(file.pread(start, header.size), 0, header):
                return start
        position += len(window) - HEADER_SIZE + 1
    return None


def _candidates(window: bytes) -> list[int]:
    """Places that have a batch's magic, a length that is not negative, and no offset beyond all logs."""
    data = numpy.frombuffer(window, numpy.uint8)
    count = len(data) - HEADER_SIZE + 1
    fits = data[MAGIC_POSITION : MAGIC_POSITION + count] == MAGIC
    fits &= data[_LENGTH.size * 2 : _LENGTH.size * 2 + count] < 0x80
    fits &= data[:count] == 0
    return [int(place) for place in numpy.flatnonzero(fits)]
