"""What native/module.c offers."""

from typing import Any, TypeVar

from typing_extensions import Buffer

from snakka.protocol.fetched_batches import PlainBatch
from snakka.protocol.record_batch import Bytes
from snakka.protocol.record_encoder import PairedHeaders
from snakka.protocol.record_objects import Message

INTERFACE: int
HAS_CRC32C: int

_M = TypeVar("_M", bound=Message)
_ByColumn = tuple[int, int, int, int]  # keys, values, headers' names, headers' values
# Arrow's positions, bytes and validity, and the bit at which the validity begins; None: all are null.
_ArrowColumn = tuple[Buffer, Buffer | None, Buffer | None, int] | None

def read_messages(batch: PlainBatch, topic: str, partition: int, kind: type[_M], /) -> list[_M]: ...
def measure_columns(batches: list[PlainBatch], /) -> tuple[int, int, _ByColumn, _ByColumn]: ...
def fill_columns(batches: list[PlainBatch], memory: tuple[Any, ...], /) -> int: ...
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
