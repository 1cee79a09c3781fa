"""CreateDelegationToken: API key 38."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_field, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>h')
_S1 = Struct('>q')
_S2 = Struct('>i')
_S3 = Struct('>qqq')


class CreatableRenewers(Message):
    __slots__ = ('principal_type', 'principal_name', 'unknown_tags',)

    def __init__(
        self,
        *,
        principal_type: str = '',
        principal_name: str = '',
    ) -> None:
        self.principal_type = principal_type
        self.principal_name = principal_name
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[CreatableRenewers, int]:
        m = _new(CreatableRenewers)
        if version >= 2:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('PrincipalType', n)
            m.principal_type = str(buf[pos:end], 'utf-8')
            pos = end
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('PrincipalName', n)
            m.principal_name = str(buf[pos:end], 'utf-8')
            pos = end
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('PrincipalType', n)
        m.principal_type = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('PrincipalName', n)
        m.principal_name = str(buf[pos:end], 'utf-8')
        pos = end
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 2:
            value_principal_type = self.principal_type
            data = value_principal_type.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            value_principal_name = self.principal_name
            data = value_principal_name.encode()
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
        else:
            value_principal_type = self.principal_type
            data = value_principal_type.encode()
            out += _S0.pack(len(data))
            out += data
            value_principal_name = self.principal_name
            data = value_principal_name.encode()
            out += _S0.pack(len(data))
            out += data


class CreateDelegationTokenRequest(Message):
    __slots__ = ('owner_principal_type', 'owner_principal_name', 'renewers', 'max_lifetime_ms', 'unknown_tags',)
    API_KEY = 38
    MIN_VERSION = 1
    MAX_VERSION = 3
    FLEXIBLE_FROM = 2

    def __init__(
        self,
        *,
        owner_principal_type: str | None = '',
        owner_principal_name: str | None = '',
        renewers: list[CreatableRenewers] = UNSET,
        max_lifetime_ms: int = 0,
    ) -> None:
        self.owner_principal_type = owner_principal_type
        self.owner_principal_name = owner_principal_name
        self.renewers = [] if renewers is UNSET else renewers
        self.max_lifetime_ms = max_lifetime_ms
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[CreateDelegationTokenRequest, int]:
        if not 1 <= version <= 3:
            raise unsupported_version('CreateDelegationTokenRequest', version)
        m = _new(CreateDelegationTokenRequest)
        if version >= 2:
            if version >= 3:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = string_length_tail(buf, pos, n)
                n -= 1
                if n == -1:
                    m.owner_principal_type = None
                else:
                    end = pos + n
                    if n < 0 or end > len(buf):
                        raise bad_length('OwnerPrincipalType', n)
                    m.owner_principal_type = str(buf[pos:end], 'utf-8')
                    pos = end
            else:
                m.owner_principal_type = ''
            if version >= 3:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = string_length_tail(buf, pos, n)
                n -= 1
                if n == -1:
                    m.owner_principal_name = None
                else:
                    end = pos + n
                    if n < 0 or end > len(buf):
                        raise bad_length('OwnerPrincipalName', n)
                    m.owner_principal_name = str(buf[pos:end], 'utf-8')
                    pos = end
            else:
                m.owner_principal_name = ''
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Renewers', n)
            items_renewers = []
            read_renewers = CreatableRenewers.read
            for _ in range(n):
                item_renewers, pos = read_renewers(buf, pos, version)
                items_renewers.append(item_renewers)
            m.renewers = items_renewers
            m.max_lifetime_ms, = _S1.unpack_from(buf, pos)
            pos += 8
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        n, = _S2.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Renewers', n)
        items_renewers = []
        read_renewers = CreatableRenewers.read
        for _ in range(n):
            item_renewers, pos = read_renewers(buf, pos, version)
            items_renewers.append(item_renewers)
        m.renewers = items_renewers
        m.max_lifetime_ms, = _S1.unpack_from(buf, pos)
        pos += 8
        m.owner_principal_type = ''
        m.owner_principal_name = ''
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 1 <= version <= 3:
            raise unsupported_version('CreateDelegationTokenRequest', version)
        if version < 3 and not (self.owner_principal_type == ''):
            raise unsupported_field('OwnerPrincipalType', version)
        if version < 3 and not (self.owner_principal_name == ''):
            raise unsupported_field('OwnerPrincipalName', version)
        if version >= 2:
            if version >= 3:
                value_owner_principal_type = self.owner_principal_type
                if value_owner_principal_type is None:
                    out += b'\x00'
                else:
                    data = value_owner_principal_type.encode()
                    n = len(data) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_string_length(out, n)
                    out += data
            if version >= 3:
                value_owner_principal_name = self.owner_principal_name
                if value_owner_principal_name is None:
                    out += b'\x00'
                else:
                    data = value_owner_principal_name.encode()
                    n = len(data) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_string_length(out, n)
                    out += data
            value_renewers = self.renewers
            n = len(value_renewers) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_renewers in value_renewers:
                item_renewers.write(out, version)
            out += _S1.pack(self.max_lifetime_ms)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_renewers = self.renewers
            out += _S2.pack(len(value_renewers))
            for item_renewers in value_renewers:
                item_renewers.write(out, version)
            out += _S1.pack(self.max_lifetime_ms)


class CreateDelegationTokenResponse(Message):
    __slots__ = ('error_code', 'principal_type', 'principal_name', 'token_requester_principal_type', 'token_requester_principal_name', 'issue_timestamp_ms', 'expiry_timestamp_ms', 'max_timestamp_ms', 'token_id', 'hmac', 'throttle_time_ms', 'unknown_tags',)
    API_KEY = 38
    MIN_VERSION = 1
    MAX_VERSION = 3
    FLEXIBLE_FROM = 2

    def __init__(
        self,
        *,
        error_code: int = 0,
        principal_type: str = '',
        principal_name: str = '',
        token_requester_principal_type: str = '',
        token_requester_principal_name: str = '',
        issue_timestamp_ms: int = 0,
        expiry_timestamp_ms: int = 0,
        max_timestamp_ms: int = 0,
        token_id: str = '',
        hmac: bytes = b'',
        throttle_time_ms: int = 0,
    ) -> None:
        self.error_code = error_code
        self.principal_type = principal_type
        self.principal_name = principal_name
        self.token_requester_principal_type = token_requester_principal_type
        self.token_requester_principal_name = token_requester_principal_name
        self.issue_timestamp_ms = issue_timestamp_ms
        self.expiry_timestamp_ms = expiry_timestamp_ms
        self.max_timestamp_ms = max_timestamp_ms
        self.token_id = token_id
        self.hmac = hmac
        self.throttle_time_ms = throttle_time_ms
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[CreateDelegationTokenResponse, int]:
        if not 1 <= version <= 3:
            raise unsupported_version('CreateDelegationTokenResponse', version)
        m = _new(CreateDelegationTokenResponse)
        if version >= 2:
            m.error_code, = _S0.unpack_from(buf, pos)
            pos += 2
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('PrincipalType', n)
            m.principal_type = str(buf[pos:end], 'utf-8')
            pos = end
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('PrincipalName', n)
            m.principal_name = str(buf[pos:end], 'utf-8')
            pos = end
            if version >= 3:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = string_length_tail(buf, pos, n)
                n -= 1
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('TokenRequesterPrincipalType', n)
                m.token_requester_principal_type = str(buf[pos:end], 'utf-8')
                pos = end
            else:
                m.token_requester_principal_type = ''
            if version >= 3:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = string_length_tail(buf, pos, n)
                n -= 1
                end = pos + n
                if n < 0 or end > len(buf):
                    raise bad_length('TokenRequesterPrincipalName', n)
                m.token_requester_principal_name = str(buf[pos:end], 'utf-8')
                pos = end
            else:
                m.token_requester_principal_name = ''
            m.issue_timestamp_ms, m.expiry_timestamp_ms, m.max_timestamp_ms, = _S3.unpack_from(buf, pos)
            pos += 24
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('TokenId', n)
            m.token_id = str(buf[pos:end], 'utf-8')
            pos = end
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('Hmac', n)
            m.hmac = bytes(buf[pos:end])
            pos = end
            m.throttle_time_ms, = _S2.unpack_from(buf, pos)
            pos += 4
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.error_code, = _S0.unpack_from(buf, pos)
        pos += 2
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('PrincipalType', n)
        m.principal_type = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('PrincipalName', n)
        m.principal_name = str(buf[pos:end], 'utf-8')
        pos = end
        m.issue_timestamp_ms, m.expiry_timestamp_ms, m.max_timestamp_ms, = _S3.unpack_from(buf, pos)
        pos += 24
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('TokenId', n)
        m.token_id = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S2.unpack_from(buf, pos)
        pos += 4
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Hmac', n)
        m.hmac = bytes(buf[pos:end])
        pos = end
        m.throttle_time_ms, = _S2.unpack_from(buf, pos)
        pos += 4
        m.token_requester_principal_type = ''
        m.token_requester_principal_name = ''
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 1 <= version <= 3:
            raise unsupported_version('CreateDelegationTokenResponse', version)
        if version < 3 and not (self.token_requester_principal_type == ''):
            raise unsupported_field('TokenRequesterPrincipalType', version)
        if version < 3 and not (self.token_requester_principal_name == ''):
            raise unsupported_field('TokenRequesterPrincipalName', version)
        if version >= 2:
            out += _S0.pack(self.error_code)
            value_principal_type = self.principal_type
            data = value_principal_type.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            value_principal_name = self.principal_name
            data = value_principal_name.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            if version >= 3:
                value_token_requester_principal_type = self.token_requester_principal_type
                data = value_token_requester_principal_type.encode()
                n = len(data) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_string_length(out, n)
                out += data
            if version >= 3:
                value_token_requester_principal_name = self.token_requester_principal_name
                data = value_token_requester_principal_name.encode()
                n = len(data) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_string_length(out, n)
                out += data
            out += _S3.pack(self.issue_timestamp_ms, self.expiry_timestamp_ms, self.max_timestamp_ms)
            value_token_id = self.token_id
            data = value_token_id.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            value_hmac = self.hmac
            n = len(value_hmac) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += value_hmac
            out += _S2.pack(self.throttle_time_ms)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S0.pack(self.error_code)
            value_principal_type = self.principal_type
            data = value_principal_type.encode()
            out += _S0.pack(len(data))
            out += data
            value_principal_name = self.principal_name
            data = value_principal_name.encode()
            out += _S0.pack(len(data))
            out += data
            out += _S3.pack(self.issue_timestamp_ms, self.expiry_timestamp_ms, self.max_timestamp_ms)
            value_token_id = self.token_id
            data = value_token_id.encode()
            out += _S0.pack(len(data))
            out += data
            value_hmac = self.hmac
            out += _S2.pack(len(value_hmac))
            out += value_hmac
            out += _S2.pack(self.throttle_time_ms)
