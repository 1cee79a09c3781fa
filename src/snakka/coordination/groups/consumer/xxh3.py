"""XXH3 with 64 bits and without a seed: the hash that Kafka writes into a group's record for its topics (KIP-1101).

Plain Python: it sees a few hundred bytes, when a group's topics change. The numbers are those of the algorithm.
"""

from struct import unpack_from

_MASK = 0xFFFFFFFFFFFFFFFF
_PRIME32_1, _PRIME32_2, _PRIME32_3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
_PRIME64_1, _PRIME64_2 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F
_PRIME64_3, _PRIME64_4, _PRIME64_5 = 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
_MIX_1, _MIX_2 = 0x165667919E3779F9, 0x9FB21C651E98DF25
_SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221"
    "b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb"
    "170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
)
_STRIPE = 64
_STRIPES_A_BLOCK = (len(_SECRET) - _STRIPE) // 8
_BLOCK = _STRIPE * _STRIPES_A_BLOCK


def xxh3_64(data: bytes) -> int:
    """Without a sign."""
    size = len(data)
    if size <= 16:
        return _short(data, size)
    if size <= 240:
        return _middle(data, size)
    return _long(data, size)


def _word(data: bytes, place: int) -> int:
    return int.from_bytes(data[place : place + 8], "little")


def _fold(left: int, right: int) -> int:
    product = left * right
    return (product & _MASK) ^ (product >> 64)


def _mix(data: bytes, place: int, secret: int) -> int:
    return _fold(
        _word(data, place) ^ _word(_SECRET, secret), _word(data, place + 8) ^ _word(_SECRET, secret + 8)
    )


def _rotated(value: int, bits: int) -> int:
    return (value << bits | value >> (64 - bits)) & _MASK


def _avalanche(value: int) -> int:
    value &= _MASK
    value ^= value >> 37
    value = value * _MIX_1 & _MASK
    return value ^ value >> 32


def _older_avalanche(value: int) -> int:
    value ^= value >> 33
    value = value * _PRIME64_2 & _MASK
    value ^= value >> 29
    value = value * _PRIME64_3 & _MASK
    return value ^ value >> 32


def _short(data: bytes, size: int) -> int:
    if size > 8:
        low = _word(data, 0) ^ _word(_SECRET, 24) ^ _word(_SECRET, 32)
        high = _word(data, size - 8) ^ _word(_SECRET, 40) ^ _word(_SECRET, 48)
        swapped = int.from_bytes(low.to_bytes(8, "little"), "big")
        return _avalanche(size + swapped + high + _fold(low, high))
    if size > 3:
        first, last = (int.from_bytes(part, "little") for part in (data[:4], data[-4:]))
        value = (last + (first << 32)) ^ _word(_SECRET, 8) ^ _word(_SECRET, 16)
        value ^= _rotated(value, 49) ^ _rotated(value, 24)
        value = value * _MIX_2 & _MASK
        value ^= (value >> 35) + size
        value = value * _MIX_2 & _MASK
        return value ^ value >> 28
    if size:
        value = data[0] << 16 | data[size >> 1] << 24 | data[-1] | size << 8
        first, second = unpack_from("<II", _SECRET)
        return _older_avalanche(value ^ first ^ second)
    return _older_avalanche(_word(_SECRET, 56) ^ _word(_SECRET, 64))


def _middle(data: bytes, size: int) -> int:
    total = size * _PRIME64_1
    if size <= 128:
        for pair in range((size - 1) // 32 + 1):
            total += _mix(data, 16 * pair, 32 * pair)
            total += _mix(data, size - 16 * (pair + 1), 32 * pair + 16)
        return _avalanche(total)
    for place in range(8):
        total += _mix(data, 16 * place, 16 * place)
    total = _avalanche(total)
    for place in range(8, size // 16):
        total += _mix(data, 16 * place, 16 * (place - 8) + 3)
    return _avalanche(total + _mix(data, size - 16, 136 - 17))


def _long(data: bytes, size: int) -> int:
    sums = [_PRIME32_3, _PRIME64_1, _PRIME64_2, _PRIME64_3, _PRIME64_4, _PRIME32_2, _PRIME64_5, _PRIME32_1]
    scramble = unpack_from("<8Q", _SECRET, len(_SECRET) - _STRIPE)
    for stripe in range((size - 1) // _STRIPE):
        in_block = stripe % _STRIPES_A_BLOCK
        _accumulate(sums, data, stripe * _STRIPE, 8 * in_block)
        if in_block == _STRIPES_A_BLOCK - 1:
            for lane in range(8):
                value = sums[lane]
                sums[lane] = (value ^ value >> 47 ^ scramble[lane]) * _PRIME32_1 & _MASK
    _accumulate(sums, data, size - _STRIPE, len(_SECRET) - _STRIPE - 7)
    total = size * _PRIME64_1
    for pair in range(4):
        left, right = unpack_from("<QQ", _SECRET, 11 + 16 * pair)
        total += _fold(sums[2 * pair] ^ left, sums[2 * pair + 1] ^ right)
    return _avalanche(total)


def _accumulate(sums: list[int], data: bytes, place: int, secret: int) -> None:
    words = unpack_from("<8Q", data, place)
    keys = unpack_from("<8Q", _SECRET, secret)
    for lane in range(8):
        key = words[lane] ^ keys[lane]
        sums[lane ^ 1] = (sums[lane ^ 1] + words[lane]) & _MASK
        sums[lane] = (sums[lane] + (key & 0xFFFFFFFF) * (key >> 32)) & _MASK
