"""AlterUserScramCredentials: API key 51."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>b')
_S1 = Struct('>bi')
_S2 = Struct('>h')
_S3 = Struct('>i')


class ScramCredentialDeletion(Message):
    __slots__ = ('name', 'mechanism', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        mechanism: int = 0,
    ) -> None:
        self.name = name
        self.mechanism = mechanism
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ScramCredentialDeletion, int]:
        m = _new(ScramCredentialDeletion)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Name', n)
        m.name = str(buf[pos:end], 'utf-8')
        pos = end
        m.mechanism, = _S0.unpack_from(buf, pos)
        pos += 1
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        value_name = self.name
        data = value_name.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        out += _S0.pack(self.mechanism)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class ScramCredentialUpsertion(Message):
    __slots__ = ('name', 'mechanism', 'iterations', 'salt', 'salted_password', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        mechanism: int = 0,
        iterations: int = 0,
        salt: bytes = b'',
        salted_password: bytes = b'',
    ) -> None:
        self.name = name
        self.mechanism = mechanism
        self.iterations = iterations
        self.salt = salt
        self.salted_password = salted_password
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ScramCredentialUpsertion, int]:
        m = _new(ScramCredentialUpsertion)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Name', n)
        m.name = str(buf[pos:end], 'utf-8')
        pos = end
        m.mechanism, m.iterations, = _S1.unpack_from(buf, pos)
        pos += 5
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Salt', n)
        m.salt = bytes(buf[pos:end])
        pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('SaltedPassword', n)
        m.salted_password = bytes(buf[pos:end])
        pos = end
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        value_name = self.name
        data = value_name.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        out += _S1.pack(self.mechanism, self.iterations)
        value_salt = self.salt
        n = len(value_salt) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += value_salt
        value_salted_password = self.salted_password
        n = len(value_salted_password) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += value_salted_password
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class AlterUserScramCredentialsRequest(Message):
    __slots__ = ('deletions', 'upsertions', 'unknown_tags',)
    API_KEY = 51
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        deletions: list[ScramCredentialDeletion] = UNSET,
        upsertions: list[ScramCredentialUpsertion] = UNSET,
    ) -> None:
        self.deletions = [] if deletions is UNSET else deletions
        self.upsertions = [] if upsertions is UNSET else upsertions
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AlterUserScramCredentialsRequest, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('AlterUserScramCredentialsRequest', version)
        m = _new(AlterUserScramCredentialsRequest)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Deletions', n)
        items_deletions = []
        read_deletions = ScramCredentialDeletion.read
        for _ in range(n):
            item_deletions, pos = read_deletions(buf, pos, version)
            items_deletions.append(item_deletions)
        m.deletions = items_deletions
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Upsertions', n)
        items_upsertions = []
        read_upsertions = ScramCredentialUpsertion.read
        for _ in range(n):
            item_upsertions, pos = read_upsertions(buf, pos, version)
            items_upsertions.append(item_upsertions)
        m.upsertions = items_upsertions
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('AlterUserScramCredentialsRequest', version)
        value_deletions = self.deletions
        n = len(value_deletions) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_deletions in value_deletions:
            item_deletions.write(out, version)
        value_upsertions = self.upsertions
        n = len(value_upsertions) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_upsertions in value_upsertions:
            item_upsertions.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class AlterUserScramCredentialsResult(Message):
    __slots__ = ('user', 'error_code', 'error_message', 'unknown_tags',)

    def __init__(
        self,
        *,
        user: str = '',
        error_code: int = 0,
        error_message: str | None = '',
    ) -> None:
        self.user = user
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AlterUserScramCredentialsResult, int]:
        m = _new(AlterUserScramCredentialsResult)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('User', n)
        m.user = str(buf[pos:end], 'utf-8')
        pos = end
        m.error_code, = _S2.unpack_from(buf, pos)
        pos += 2
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.error_message = None
        else:
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('ErrorMessage', n)
            m.error_message = str(buf[pos:end], 'utf-8')
            pos = end
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        value_user = self.user
        data = value_user.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        out += _S2.pack(self.error_code)
        value_error_message = self.error_message
        if value_error_message is None:
            out += b'\x00'
        else:
            data = value_error_message.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class AlterUserScramCredentialsResponse(Message):
    __slots__ = ('throttle_time_ms', 'results', 'unknown_tags',)
    API_KEY = 51
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        results: list[AlterUserScramCredentialsResult] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = [] if results is UNSET else results
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[AlterUserScramCredentialsResponse, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('AlterUserScramCredentialsResponse', version)
        m = _new(AlterUserScramCredentialsResponse)
        m.throttle_time_ms, = _S3.unpack_from(buf, pos)
        pos += 4
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Results', n)
        items_results = []
        read_results = AlterUserScramCredentialsResult.read
        for _ in range(n):
            item_results, pos = read_results(buf, pos, version)
            items_results.append(item_results)
        m.results = items_results
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('AlterUserScramCredentialsResponse', version)
        out += _S3.pack(self.throttle_time_ms)
        value_results = self.results
        n = len(value_results) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_results in value_results:
            item_results.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)
