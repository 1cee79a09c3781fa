"""The codecs of record batches, as Java, librdkafka and the Python clients write and read them.

The rule of this room: output is bounded. Decompressing never makes more than `max_output` bytes, whatever the input
claims, and every defect is a ProtocolError.

Two formats need care. Snappy comes in the framing of xerial's Java library (a magic and sized blocks), and some
clients write it bare. Java's LZ4 reader refuses frames whose blocks depend on each other, so each block is compressed
by itself.
"""

import zlib
from collections.abc import Callable
from enum import IntEnum
from struct import Struct

import cramjam

from snakka.protocol.errors import ProtocolError

Bytes = bytes | bytearray | memoryview


class Compression(IntEnum):
    """The numbers in a batch's attributes; the names, in lower case, are those of `compression.type`."""

    NONE = 0
    GZIP = 1
    SNAPPY = 2
    LZ4 = 3
    ZSTD = 4


# Kafka's defaults. LZ4's 9 means its fast compressor; other numbers mean the slow, thorough one.
DEFAULT_LEVELS = {Compression.GZIP: -1, Compression.LZ4: 9, Compression.ZSTD: 3}

_INT = Struct(">i")
_GZIP_WINDOW = 31

_XERIAL_MAGIC = b"\x82SNAPPY\x00"
_XERIAL_HEADER = _XERIAL_MAGIC + b"\x00\x00\x00\x01\x00\x00\x00\x01"
_XERIAL_BLOCK_BYTES = 32 * 1024

# Magic, version 1 with independent blocks, blocks of 64 KiB, and the descriptor's own check byte.
_LZ4_HEADER = bytes.fromhex("04224d18604082")
_LZ4_END_MARK = bytes(4)
_LZ4_BLOCK_BYTES = 64 * 1024
_LZ4_FAST_LEVEL = 1
_LZ4_MAX_LEVEL = 12
# A frame of one block as cramjam writes it: 7 bytes of header, the block with its size before it, and 4 bytes each for
# the block's checksum, the end mark and the content's checksum. The batch has its own checksum, so these are left out.
_LZ4_BLOCK_SLICE = slice(7, -12)

_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_FIRST_GUESS_BYTES = 64 * 1024
_FULL = "write whole buffer"


def compress(codec: int, data: Bytes, level: int | None = None) -> bytes:
    """`data` as one stream of the codec; the level is the codec's own, None is Kafka's default."""
    if codec == Compression.NONE:
        return bytes(data)
    if level is None:
        level = DEFAULT_LEVELS.get(Compression(codec), 0)
    return _COMPRESSORS[Compression(codec)](data, level)


def decompress(codec: int, data: Bytes, max_output: int) -> Bytes:
    """The plain bytes, never more than `max_output`; ProtocolError for anything else."""
    if codec == Compression.NONE:
        if len(data) > max_output:
            raise _too_long(max_output)
        return data
    decompressor = _DECOMPRESSORS.get(codec)
    if decompressor is None:
        raise ProtocolError(f"no codec has the number {codec}")
    return decompressor(data, max_output)


def _too_long(max_output: int) -> ProtocolError:
    return ProtocolError(f"decompressed records are larger than {max_output} bytes")


def _compress_gzip(data: Bytes, level: int) -> bytes:
    compressor = zlib.compressobj(level, zlib.DEFLATED, _GZIP_WINDOW)
    return compressor.compress(data) + compressor.flush()


def _decompress_gzip(data: Bytes, max_output: int) -> Bytes:
    parts: list[bytes] = []
    room = max_output
    rest: Bytes = data
    try:
        # The format allows members one after the other, and Java reads them all.
        while rest:
            member = zlib.decompressobj(_GZIP_WINDOW)
            parts.append(member.decompress(rest, room + 1))
            room -= len(parts[-1])
            if room < 0:
                raise _too_long(max_output)
            if not member.eof:
                raise ProtocolError("gzip: the stream is cut off")
            rest = member.unused_data
    except zlib.error as error:
        raise ProtocolError(f"gzip: {error}") from None
    if not parts:
        raise ProtocolError("gzip: the stream is cut off")
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _compress_snappy(data: Bytes, level: int) -> bytes:
    view = memoryview(data)
    parts: list[bytes] = [_XERIAL_HEADER]
    for start in range(0, len(view), _XERIAL_BLOCK_BYTES):
        block = bytes(cramjam.snappy.compress_raw(view[start : start + _XERIAL_BLOCK_BYTES]))
        parts.append(_INT.pack(len(block)))
        parts.append(block)
    return b"".join(parts)


def _decompress_snappy(data: Bytes, max_output: int) -> Bytes:
    view = memoryview(data)
    if bytes(view[: len(_XERIAL_MAGIC)]) != _XERIAL_MAGIC:
        return _snappy_blocks([view], max_output)
    blocks: list[memoryview] = []
    pos = len(_XERIAL_HEADER)
    while pos < len(view):
        if len(view) - pos < 4:
            raise ProtocolError("snappy: the stream is cut off")
        size: int = _INT.unpack_from(view, pos)[0]
        pos += 4
        if size <= 0 or size > len(view) - pos:
            raise ProtocolError(f"snappy: a block says {size} bytes, there are {len(view) - pos}")
        blocks.append(view[pos : pos + size])
        pos += size
    return _snappy_blocks(blocks, max_output)


def _snappy_blocks(blocks: list[memoryview], max_output: int) -> bytearray:
    try:
        sizes = [int(cramjam.snappy.decompress_raw_len(block)) for block in blocks]
        if sum(sizes) > max_output:
            raise _too_long(max_output)
        # A block of n bytes makes at most 64 bytes of each 3, so a false claim cannot make us allocate without end.
        if any(size > 32 * len(block) for size, block in zip(sizes, blocks, strict=True)):
            raise ProtocolError("snappy: a block claims more than it can hold")
        out = bytearray(sum(sizes))
        view = memoryview(out)
        pos = 0
        for size, block in zip(sizes, blocks, strict=True):
            if size and cramjam.snappy.decompress_raw_into(block, view[pos : pos + size]) != size:
                raise ProtocolError("snappy: a block is shorter than it claims")
            pos += size
        return out
    except cramjam.DecompressionError as error:
        raise ProtocolError(f"snappy: {error}") from None


def _compress_lz4(data: Bytes, level: int) -> bytes:
    if level == DEFAULT_LEVELS[Compression.LZ4]:
        level = _LZ4_FAST_LEVEL
    view = memoryview(data)
    parts: list[bytes] = [_LZ4_HEADER]
    for start in range(0, len(view), _LZ4_BLOCK_BYTES):
        frame = cramjam.lz4.compress(view[start : start + _LZ4_BLOCK_BYTES], min(level, _LZ4_MAX_LEVEL))
        parts.append(bytes(frame)[_LZ4_BLOCK_SLICE])
    parts.append(_LZ4_END_MARK)
    return b"".join(parts)


def _decompress_lz4(data: Bytes, max_output: int) -> Bytes:
    return _decompress_growing("lz4", cramjam.lz4.decompress_into, data, 4 * len(data), max_output)


def _compress_zstd(data: Bytes, level: int) -> bytes:
    return bytes(cramjam.zstd.compress(data, level))


def _decompress_zstd(data: Bytes, max_output: int) -> Bytes:
    guess = _zstd_content_size(data)
    if guess is not None and guess > max_output:
        raise _too_long(max_output)
    # A frame of a few bytes may claim any size: what is allocated on its word alone is bounded by what it could hold
    # in ordinary data, and grows only while there is output.
    guess = min(guess or 4 * len(data), 64 * len(data) + _FIRST_GUESS_BYTES)
    return _decompress_growing("zstd", cramjam.zstd.decompress_into, data, guess, max_output)


def _zstd_content_size(data: Bytes) -> int | None:
    """The size that the first frame's header states, if it states one."""
    if len(data) < 14 or bytes(data[:4]) != _ZSTD_MAGIC:
        return None
    descriptor = data[4]
    single_segment = descriptor >> 5 & 1
    pos = 5 + (1 - single_segment) + (0, 1, 2, 4)[descriptor & 3]
    kind = descriptor >> 6
    if kind == 0:
        return int(data[pos]) if single_segment else None
    width = (0, 2, 4, 8)[kind]
    if pos + width > len(data):
        return None
    size = int.from_bytes(data[pos : pos + width], "little")
    return size + 256 if kind == 1 else size


def _decompress_growing(
    name: str, into: Callable[[Bytes, bytearray], int], data: Bytes, guess: int, max_output: int
) -> bytearray:
    """Decompress into a buffer of bounded size; when it is full, begin again with a four times larger one."""
    room = min(max(guess, _FIRST_GUESS_BYTES), max_output)
    while True:
        out = bytearray(room)
        try:
            size = into(data, out)
        except cramjam.DecompressionError as error:
            if _FULL not in str(error):
                raise ProtocolError(f"{name}: {error}") from None
            if room >= max_output:
                raise _too_long(max_output) from None
            room = min(room * 4, max_output)
            continue
        del out[size:]
        return out


_COMPRESSORS: dict[Compression, Callable[[Bytes, int], bytes]] = {
    Compression.GZIP: _compress_gzip,
    Compression.SNAPPY: _compress_snappy,
    Compression.LZ4: _compress_lz4,
    Compression.ZSTD: _compress_zstd,
}
_DECOMPRESSORS: dict[int, Callable[[Bytes, int], Bytes]] = {
    Compression.GZIP: _decompress_gzip,
    Compression.SNAPPY: _decompress_snappy,
    Compression.LZ4: _decompress_lz4,
    Compression.ZSTD: _decompress_zstd,
}
