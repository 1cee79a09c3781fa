"""The buffer that messages are written into.

Small values are copied into it. Records are spliced: the frame remembers where they go and never holds their bytes.
"""

from __future__ import annotations

from struct import Struct

from snakka.protocol.file_region import FileRegion

Part = bytes | bytearray | memoryview | FileRegion

_SIZE = Struct(">i")


class Frame(bytearray):
    """A bytearray with places where other bytes belong. `Frame(4)` begins with room for the size that `seal` fills in."""

    # A class attribute and not a slot: most frames never splice, and creating one costs nothing beyond a bytearray.
    _splices: list[tuple[int, memoryview | FileRegion]] | None = None
    _spliced_size = 0

    def splice(self, records: bytes | bytearray | memoryview | FileRegion) -> None:
        """Puts `records` at the end of what is written so far, without copying them."""
        if isinstance(records, (bytes, bytearray)):
            records = memoryview(records)
        if self._splices is None:
            self._splices = []
        self._splices.append((len(self), records))
        self._spliced_size += len(records)

    @property
    def total_size(self) -> int:
        """The size of all parts together."""
        return len(self) + self._spliced_size

    def seal(self) -> None:
        """Writes the size of what follows into the first four bytes."""
        _SIZE.pack_into(self, 0, len(self) + self._spliced_size - 4)

    def parts(self) -> list[Part]:
        """What is to be sent, in order: the frame itself if nothing was spliced."""
        if self._splices is None:
            return [self]
        view = memoryview(self)
        parts: list[Part] = []
        position = 0
        for place, records in self._splices:
            if place > position:
                parts.append(view[position:place])
                position = place
            if len(records):
                parts.append(records)
        if position < len(view):
            parts.append(view[position:])
        return parts

    def joined(self) -> bytes:
        """All parts as one bytes object: for records in memory, tests, and messages within messages."""
        return b"".join(
            part if isinstance(part, (bytes, bytearray, memoryview)) else part.read_blocking(0, len(part))
            for part in self.parts()
        )
