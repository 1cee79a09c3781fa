"""SaslHandshake: API key 17."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_strings, unsupported_version

_new = object.__new__
_S0 = Struct('>h')
_S1 = Struct('>i')


class SaslHandshakeRequest(Message):
    __slots__ = ('mechanism', 'unknown_tags',)
    API_KEY = 17
    MIN_VERSION = 0
    MAX_VERSION = 1
    FLEXIBLE_FROM = None

    def __init__(
        self,
        *,
        mechanism: str = '',
    ) -> None:
        self.mechanism = mechanism
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[SaslHandshakeRequest, int]:
        if not 0 <= version <= 1:
            raise unsupported_version('SaslHandshakeRequest', version)
        m = _new(SaslHandshakeRequest)
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Mechanism', n)
        m.mechanism = str(buf[pos:end], 'utf-8')
        pos = end
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 1:
            raise unsupported_version('SaslHandshakeRequest', version)
        value_mechanism = self.mechanism
        data = value_mechanism.encode()
        out += _S0.pack(len(data))
        out += data


class SaslHandshakeResponse(Message):
    __slots__ = ('error_code', 'mechanisms', 'unknown_tags',)
    API_KEY = 17
    MIN_VERSION = 0
    MAX_VERSION = 1
    FLEXIBLE_FROM = None

    def __init__(
        self,
        *,
        error_code: int = 0,
        mechanisms: list[str] = UNSET,
    ) -> None:
        self.error_code = error_code
        self.mechanisms = [] if mechanisms is UNSET else mechanisms
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[SaslHandshakeResponse, int]:
        if not 0 <= version <= 1:
            raise unsupported_version('SaslHandshakeResponse', version)
        m = _new(SaslHandshakeResponse)
        m.error_code, = _S0.unpack_from(buf, pos)
        pos += 2
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Mechanisms', n)
        m.mechanisms, pos = read_strings(buf, pos, n)
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 1:
            raise unsupported_version('SaslHandshakeResponse', version)
        out += _S0.pack(self.error_code)
        value_mechanisms = self.mechanisms
        out += _S1.pack(len(value_mechanisms))
        for text in value_mechanisms:
            data = text.encode()
            out += _S0.pack(len(data)) + data
