"""DescribeDelegationToken: API key 41."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_field, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>h')
_S1 = Struct('>i')
_S2 = Struct('>qqq')


class DescribeDelegationTokenOwner(Message):
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
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeDelegationTokenOwner, int]:
        m = _new(DescribeDelegationTokenOwner)
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


class DescribeDelegationTokenRequest(Message):
    __slots__ = ('owners', 'unknown_tags',)
    API_KEY = 41
    MIN_VERSION = 1
    MAX_VERSION = 3
    FLEXIBLE_FROM = 2

    def __init__(
        self,
        *,
        owners: list[DescribeDelegationTokenOwner] | None = UNSET,
    ) -> None:
        self.owners = [] if owners is UNSET else owners
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeDelegationTokenRequest, int]:
        if not 1 <= version <= 3:
            raise unsupported_version('DescribeDelegationTokenRequest', version)
        m = _new(DescribeDelegationTokenRequest)
        if version >= 2:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n == -1:
                m.owners = None
            else:
                if n < 0 or n > len(buf) - pos:
                    raise bad_length('Owners', n)
                items_owners = []
                read_owners = DescribeDelegationTokenOwner.read
                for _ in range(n):
                    item_owners, pos = read_owners(buf, pos, version)
                    items_owners.append(item_owners)
                m.owners = items_owners
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n == -1:
            m.owners = None
        else:
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Owners', n)
            items_owners = []
            read_owners = DescribeDelegationTokenOwner.read
            for _ in range(n):
                item_owners, pos = read_owners(buf, pos, version)
                items_owners.append(item_owners)
            m.owners = items_owners
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 1 <= version <= 3:
            raise unsupported_version('DescribeDelegationTokenRequest', version)
        if version >= 2:
            value_owners = self.owners
            if value_owners is None:
                out += b'\x00'
            else:
                n = len(value_owners) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for item_owners in value_owners:
                    item_owners.write(out, version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            value_owners = self.owners
            if value_owners is None:
                out += b'\xff\xff\xff\xff'
            else:
                out += _S1.pack(len(value_owners))
                for item_owners in value_owners:
                    item_owners.write(out, version)


class DescribedDelegationTokenRenewer(Message):
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
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribedDelegationTokenRenewer, int]:
        m = _new(DescribedDelegationTokenRenewer)
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


class DescribedDelegationToken(Message):
    __slots__ = ('principal_type', 'principal_name', 'token_requester_principal_type', 'token_requester_principal_name', 'issue_timestamp', 'expiry_timestamp', 'max_timestamp', 'token_id', 'hmac', 'renewers', 'unknown_tags',)

    def __init__(
        self,
        *,
        principal_type: str = '',
        principal_name: str = '',
        token_requester_principal_type: str = '',
        token_requester_principal_name: str = '',
        issue_timestamp: int = 0,
        expiry_timestamp: int = 0,
        max_timestamp: int = 0,
        token_id: str = '',
        hmac: bytes = b'',
        renewers: list[DescribedDelegationTokenRenewer] = UNSET,
    ) -> None:
        self.principal_type = principal_type
        self.principal_name = principal_name
        self.token_requester_principal_type = token_requester_principal_type
        self.token_requester_principal_name = token_requester_principal_name
        self.issue_timestamp = issue_timestamp
        self.expiry_timestamp = expiry_timestamp
        self.max_timestamp = max_timestamp
        self.token_id = token_id
        self.hmac = hmac
        self.renewers = [] if renewers is UNSET else renewers
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribedDelegationToken, int]:
        m = _new(DescribedDelegationToken)
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
            m.issue_timestamp, m.expiry_timestamp, m.max_timestamp, = _S2.unpack_from(buf, pos)
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
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Renewers', n)
            items_renewers = []
            read_renewers = DescribedDelegationTokenRenewer.read
            for _ in range(n):
                item_renewers, pos = read_renewers(buf, pos, version)
                items_renewers.append(item_renewers)
            m.renewers = items_renewers
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
        m.issue_timestamp, m.expiry_timestamp, m.max_timestamp, = _S2.unpack_from(buf, pos)
        pos += 24
        n, = _S0.unpack_from(buf, pos)
        pos += 2
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('TokenId', n)
        m.token_id = str(buf[pos:end], 'utf-8')
        pos = end
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Hmac', n)
        m.hmac = bytes(buf[pos:end])
        pos = end
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Renewers', n)
        items_renewers = []
        read_renewers = DescribedDelegationTokenRenewer.read
        for _ in range(n):
            item_renewers, pos = read_renewers(buf, pos, version)
            items_renewers.append(item_renewers)
        m.renewers = items_renewers
        m.token_requester_principal_type = ''
        m.token_requester_principal_name = ''
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version < 3 and not (self.token_requester_principal_type == ''):
            raise unsupported_field('TokenRequesterPrincipalType', version)
        if version < 3 and not (self.token_requester_principal_name == ''):
            raise unsupported_field('TokenRequesterPrincipalName', version)
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
            out += _S2.pack(self.issue_timestamp, self.expiry_timestamp, self.max_timestamp)
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
            value_renewers = self.renewers
            n = len(value_renewers) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_renewers in value_renewers:
                item_renewers.write(out, version)
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
            out += _S2.pack(self.issue_timestamp, self.expiry_timestamp, self.max_timestamp)
            value_token_id = self.token_id
            data = value_token_id.encode()
            out += _S0.pack(len(data))
            out += data
            value_hmac = self.hmac
            out += _S1.pack(len(value_hmac))
            out += value_hmac
            value_renewers = self.renewers
            out += _S1.pack(len(value_renewers))
            for item_renewers in value_renewers:
                item_renewers.write(out, version)


class DescribeDelegationTokenResponse(Message):
    __slots__ = ('error_code', 'tokens', 'throttle_time_ms', 'unknown_tags',)
    API_KEY = 41
    MIN_VERSION = 1
    MAX_VERSION = 3
    FLEXIBLE_FROM = 2

    def __init__(
        self,
        *,
        error_code: int = 0,
        tokens: list[DescribedDelegationToken] = UNSET,
        throttle_time_ms: int = 0,
    ) -> None:
        self.error_code = error_code
        self.tokens = [] if tokens is UNSET else tokens
        self.throttle_time_ms = throttle_time_ms
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[DescribeDelegationTokenResponse, int]:
        if not 1 <= version <= 3:
            raise unsupported_version('DescribeDelegationTokenResponse', version)
        m = _new(DescribeDelegationTokenResponse)
        if version >= 2:
            m.error_code, = _S0.unpack_from(buf, pos)
            pos += 2
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Tokens', n)
            items_tokens = []
            read_tokens = DescribedDelegationToken.read
            for _ in range(n):
                item_tokens, pos = read_tokens(buf, pos, version)
                items_tokens.append(item_tokens)
            m.tokens = items_tokens
            m.throttle_time_ms, = _S1.unpack_from(buf, pos)
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
        n, = _S1.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('Tokens', n)
        items_tokens = []
        read_tokens = DescribedDelegationToken.read
        for _ in range(n):
            item_tokens, pos = read_tokens(buf, pos, version)
            items_tokens.append(item_tokens)
        m.tokens = items_tokens
        m.throttle_time_ms, = _S1.unpack_from(buf, pos)
        pos += 4
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 1 <= version <= 3:
            raise unsupported_version('DescribeDelegationTokenResponse', version)
        if version >= 2:
            out += _S0.pack(self.error_code)
            value_tokens = self.tokens
            n = len(value_tokens) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_tokens in value_tokens:
                item_tokens.write(out, version)
            out += _S1.pack(self.throttle_time_ms)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S0.pack(self.error_code)
            value_tokens = self.tokens
            out += _S1.pack(len(value_tokens))
            for item_tokens in value_tokens:
                item_tokens.write(out, version)
            out += _S1.pack(self.throttle_time_ms)
