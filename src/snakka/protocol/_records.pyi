"""What native/module.c offers."""

from typing import TypeVar

from typing_extensions import Buffer

from snakka.protocol.fetched_batches import PlainBatch
from snakka.protocol.record_batch import Bytes
from snakka.protocol.record_encoder import PairedHeaders
from snakka.protocol.record_objects import Message

INTERFACE: int
HAS_CRC32C: int

_M = TypeVar("_M", bound=Message)
Place = tuple[int, int]  # in memory: where it begins, and how many bytes it has
# Arrow's positions and bytes, the validity if any value is null, and how many are; without positions it is not wanted.
BinaryColumn = tuple[Place | None, Place | None, Place | None, int]
# Arrow's positions, bytes and validity, and the bit at which the validity begins; None: all are null.
_ArrowColumn = tuple[Buffer, Buffer | None, Buffer | None, int] | None

def read_messages(batch: PlainBatch, topic: str, partition: int, kind: type[_M], /) -> list[_M]: ...
def crc32c(data: Bytes, /) -> int: ...
def fresh_memory(size: int, /) -> bytearray: ...
def murmur2(key: Bytes, /) -> int: ...
def partition_keys(keys: _ArrowColumn, rows: int, partition_count: int, partitions: Buffer, /) -> None: ...

class Encoder:
    def __new__(cls, limit: int, /) -> Encoder: ...
    @property
    def size(self) -> int: ...
    @property
    def count(self) -> int: ...
    @property
    def base_timestamp(self) -> int: ...
    @property
    def max_timestamp(self) -> int: ...
    def append(
        self, timestamp: int, key: Bytes | None, value: Bytes | None, headers: PairedHeaders, /
    ) -> bool: ...
    def extend(
        self,
        timestamps: Buffer,
        keys: _ArrowColumn,
        values: _ArrowColumn,
        headers: _ArrowColumn,
        row: int,
        stop: int,
        /,
    ) -> int: ...
    def take(self) -> bytearray: ...

class ColumnBuilder:
    def __new__(cls, wanted: int, /) -> ColumnBuilder: ...
    def add_batch(self, batch: PlainBatch, /) -> None: ...
    def add_run(
        self,
        records: Bytes,
        position: int,
        first: int,
        stop: int,
        most_bytes: int,
        largest_body: int,
        check_crc: bool,
        has_aborted: bool,
        /,
    ) -> tuple[int, int, int]: ...
    def finish(
        self,
    ) -> tuple[
        int,
        int,
        Place | None,
        Place | None,
        Place | None,
        Place | None,
        BinaryColumn,
        BinaryColumn,
        BinaryColumn,
        BinaryColumn,
    ]: ...
