"""DescribeUserScramCredentials: API key 50."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>bi')
_S1 = Struct('>h')
_S2 = Struct('>ih')


class UserName(Message):
    __slots__ = ('name', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
    ) -> None:
        self.name = name
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[UserName, int]:
        m = _new(UserName)
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
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class DescribeUserScramCredentialsRequest(Message):
    __slots__ = ('users', 'unknown_tags',)
    API_KEY = 50
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        users: list[UserName] | None = UNSET,
    ) -> None:
        self.users = [] if users is UNSET else users
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeUserScramCredentialsRequest, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('DescribeUserScramCredentialsRequest', version)
        m = _new(DescribeUserScramCredentialsRequest)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n == -1:
            m.users = None
        else:
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Users', n)
            items_users = []
            read_users = UserName.read
            for _ in range(n):
                item_users, pos = read_users(buf, pos, version)
                items_users.append(item_users)
            m.users = items_users
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('DescribeUserScramCredentialsRequest', version)
        value_users = self.users
        if value_users is None:
            out += b'\x00'
        else:
            n = len(value_users) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_users in value_users:
                item_users.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class CredentialInfo(Message):
    __slots__ = ('mechanism', 'iterations', 'unknown_tags',)

    def __init__(
        self,
        *,
        mechanism: int = 0,
        iterations: int = 0,
    ) -> None:
        self.mechanism = mechanism
        self.iterations = iterations
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[CredentialInfo, int]:
        m = _new(CredentialInfo)
        m.mechanism, m.iterations, = _S0.unpack_from(buf, pos)
        pos += 5
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        out += _S0.pack(self.mechanism, self.iterations)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class DescribeUserScramCredentialsResult(Message):
    __slots__ = ('user', 'error_code', 'error_message', 'credential_infos', 'unknown_tags',)

    def __init__(
        self,
        *,
        user: str = '',
        error_code: int = 0,
        error_message: str | None = '',
        credential_infos: list[CredentialInfo] = UNSET,
    ) -> None:
        self.user = user
        self.error_code = error_code
        self.error_message = error_message
        self.credential_infos = [] if credential_infos is UNSET else credential_infos
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeUserScramCredentialsResult, int]:
        m = _new(DescribeUserScramCredentialsResult)
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
        m.error_code, = _S1.unpack_from(buf, pos)
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
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('CredentialInfos', n)
        items_credential_infos = []
        read_credential_infos = CredentialInfo.read
        for _ in range(n):
            item_credential_infos, pos = read_credential_infos(buf, pos, version)
            items_credential_infos.append(item_credential_infos)
        m.credential_infos = items_credential_infos
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
        out += _S1.pack(self.error_code)
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
        value_credential_infos = self.credential_infos
        n = len(value_credential_infos) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_credential_infos in value_credential_infos:
            item_credential_infos.write(out, version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class DescribeUserScramCredentialsResponse(Message):
    __slots__ = ('throttle_time_ms', 'error_code', 'error_message', 'results', 'unknown_tags',)
    API_KEY = 50
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = '',
        results: list[DescribeUserScramCredentialsResult] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.results = [] if results is UNSET else results
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeUserScramCredentialsResponse, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('DescribeUserScramCredentialsResponse', version)
        m = _new(DescribeUserScramCredentialsResponse)
        m.throttle_time_ms, m.error_code, = _S2.unpack_from(buf, pos)
        pos += 6
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
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Results', n)
        items_results = []
        read_results = DescribeUserScramCredentialsResult.read
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
            raise unsupported_version('DescribeUserScramCredentialsResponse', version)
        out += _S2.pack(self.throttle_time_ms, self.error_code)
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
