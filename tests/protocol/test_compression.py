"""Codecs: round trips, other people's framing, and bombs that do not go off."""

import contextlib
import gzip
import random
import zlib
from collections.abc import Callable

import aiokafka.codec
import cramjam
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snakka.protocol.compression import Compression, compress, decompress
from snakka.protocol.errors import ProtocolError

CODECS = [codec for codec in Compression if codec is not Compression.NONE]

AIOKAFKA: dict[Compression, tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]] = {
    Compression.GZIP: (aiokafka.codec.gzip_encode, aiokafka.codec.gzip_decode),
    Compression.SNAPPY: (aiokafka.codec.snappy_encode, aiokafka.codec.snappy_decode),
    Compression.LZ4: (aiokafka.codec.lz4_encode, aiokafka.codec.lz4_decode),
    Compression.ZSTD: (aiokafka.codec.zstd_encode, aiokafka.codec.zstd_decode),
}


def sample(size: int) -> bytes:
    """Half text, half noise, so that compressed and stored blocks both occur."""
    text = b"a line of text that repeats, with a number: %d\n" * (size // 90 + 1)
    return (text[: size // 2] + random.Random(size).randbytes(size))[:size]


@pytest.mark.parametrize("codec", list(Compression))
@pytest.mark.parametrize("size", [0, 1, 100, 32 * 1024, 64 * 1024, 64 * 1024 + 1, 300_000])
def test_round_trip(codec: Compression, size: int) -> None:
    data = sample(size)
    packed = compress(codec, memoryview(bytearray(data)))
    assert bytes(decompress(codec, memoryview(packed), size)) == data


@pytest.mark.parametrize("codec", CODECS)
@settings(max_examples=25)
@given(data=st.binary(min_size=1, max_size=2000))
def test_both_ways_with_aiokafka(codec: Compression, data: bytes) -> None:
    encode, decode = AIOKAFKA[codec]
    assert bytes(decode(compress(codec, data))) == data
    assert bytes(decompress(codec, bytes(encode(data)), len(data))) == data


@pytest.mark.parametrize(
    ("codec", "levels"),
    [(Compression.GZIP, (1, 9)), (Compression.LZ4, (1, 3, 17)), (Compression.ZSTD, (-50, 1, 22))],
)
def test_every_level_can_be_read(codec: Compression, levels: tuple[int, ...]) -> None:
    data = sample(150_000)
    for level in levels:
        assert bytes(decompress(codec, compress(codec, data, level), len(data))) == data


def test_a_higher_level_is_smaller() -> None:
    text = " ".join(str(number * number) for number in range(30_000)).encode()
    assert len(compress(Compression.GZIP, text, 9)) < len(compress(Compression.GZIP, text, 1))
    assert len(compress(Compression.ZSTD, text, 19)) < len(compress(Compression.ZSTD, text, 1))
    assert len(compress(Compression.LZ4, text, 12)) < len(compress(Compression.LZ4, text))


def test_bare_snappy_is_read() -> None:
    data = sample(50_000)
    assert bytes(decompress(Compression.SNAPPY, bytes(cramjam.snappy.compress_raw(data)), 50_000)) == data


def test_lz4_blocks_stand_alone() -> None:
    """Java's reader refuses a frame whose blocks refer to earlier ones."""
    frame = compress(Compression.LZ4, sample(200_000))
    assert frame[4] & 0x20, "the flag of independent blocks"
    assert frame[4:7] == b"\x60\x40\x82", "flags, block size and check byte as Java writes them"


def test_lz4_with_linked_blocks_checksums_and_content_size_is_read() -> None:
    data = sample(200_000)
    assert bytes(decompress(Compression.LZ4, bytes(cramjam.lz4.compress(data)), len(data))) == data


def test_gzip_members_one_after_the_other_are_read() -> None:
    assert (
        bytes(decompress(Compression.GZIP, gzip.compress(b"one ") + gzip.compress(b"two"), 7)) == b"one two"
    )


@pytest.mark.parametrize("codec", list(Compression))
def test_output_is_bounded_exactly(codec: Compression) -> None:
    packed = compress(codec, bytes(100_000))
    assert len(decompress(codec, packed, 100_000)) == 100_000
    with pytest.raises(ProtocolError):
        decompress(codec, packed, 99_999)


@pytest.mark.parametrize("codec", CODECS)
def test_a_bomb_is_refused(codec: Compression) -> None:
    bomb = compress(codec, bytes(16 * 1024 * 1024))
    assert len(bomb) < 1024 * 1024
    with pytest.raises(ProtocolError):
        decompress(codec, bomb, 1024 * 1024)


def test_a_bomb_without_a_stated_size_is_refused() -> None:
    compressor = cramjam.zstd.Compressor()
    compressor.compress(bytes(16 * 1024 * 1024))
    bomb = bytes(compressor.finish())
    with pytest.raises(ProtocolError):
        decompress(Compression.ZSTD, bomb, 1024 * 1024)
    assert len(decompress(Compression.ZSTD, bomb, 16 * 1024 * 1024)) == 16 * 1024 * 1024


def test_claims_without_content_are_refused() -> None:
    snappy_claims_a_gigabyte = b"\x80\x80\x80\x80\x04" + b"\x00a"
    zstd_claims_a_gigabyte = b"\x28\xb5\x2f\xfd\xa0" + (1 << 30).to_bytes(4, "little") + bytes(10)
    for codec, data in (
        (Compression.SNAPPY, snappy_claims_a_gigabyte),
        (Compression.ZSTD, zstd_claims_a_gigabyte),
    ):
        with pytest.raises(ProtocolError):
            decompress(codec, data, 1 << 31)


@pytest.mark.parametrize("codec", CODECS)
@settings(max_examples=60)
@given(data=st.data())
def test_damage_is_a_protocol_error_or_other_bytes(codec: Compression, data: st.DataObject) -> None:
    packed = bytearray(compress(codec, sample(3000)))
    for _ in range(data.draw(st.integers(1, 3))):
        packed[data.draw(st.integers(0, len(packed) - 1))] = data.draw(st.integers(0, 255))
    packed = packed[: data.draw(st.integers(0, len(packed)))]
    try:
        out = decompress(codec, packed, 10_000)
    except ProtocolError:
        return
    assert len(out) <= 10_000


@pytest.mark.parametrize("codec", CODECS)
@given(junk=st.binary(max_size=100))
def test_junk_is_a_protocol_error_or_other_bytes(codec: Compression, junk: bytes) -> None:
    with contextlib.suppress(ProtocolError):
        assert len(decompress(codec, junk, 1000)) <= 1000


def test_a_cut_gzip_stream_is_refused() -> None:
    packed = zlib.compress(b"x" * 1000, wbits=31)
    for size in (0, 5, len(packed) - 1):
        with pytest.raises(ProtocolError):
            decompress(Compression.GZIP, packed[:size], 1000)


@pytest.mark.parametrize("codec", [5, 6, 7])
def test_numbers_without_a_codec_are_refused(codec: int) -> None:
    with pytest.raises(ProtocolError):
        decompress(codec, b"abc", 100)
