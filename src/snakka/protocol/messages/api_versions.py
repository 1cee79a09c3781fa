"""ApiVersions: API key 18."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, bad_tag, read_tag, read_unknown_tags, string_length_tail, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>hhh')
_S1 = Struct('>hh')
_S2 = Struct('>h')
_S3 = Struct('>i')
_S4 = Struct('>q')
_S5 = Struct('>?')


class ApiVersionsRequest(Message):
    __slots__ = ('client_software_name', 'client_software_version', 'unknown_tags',)
    API_KEY = 18
    MIN_VERSION = 0
    MAX_VERSION = 4
    FLEXIBLE_FROM = 3

    def __init__(
        self,
        *,
        client_software_name: str = '',
        client_software_version: str = '',
    ) -> None:
        self.client_software_name = client_software_name
        self.client_software_version = client_software_version
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ApiVersionsRequest, int]:
        if not 0 <= version <= 4:
            raise unsupported_version('ApiVersionsRequest', version)
        m = _new(ApiVersionsRequest)
        if version >= 3:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('ClientSoftwareName', n)
            m.client_software_name = str(buf[pos:end], 'utf-8')
            pos = end
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            n -= 1
            end = pos + n
            if n < 0 or end > len(buf):
                raise bad_length('ClientSoftwareVersion', n)
            m.client_software_version = str(buf[pos:end], 'utf-8')
            pos = end
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.client_software_name = ''
        m.client_software_version = ''
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 4:
            raise unsupported_version('ApiVersionsRequest', version)
        if version >= 3:
            value_client_software_name = self.client_software_name
            data = value_client_software_name.encode()
            n = len(data) + 1
            if n < 128:
                out.append(n)
            else:
                write_string_length(out, n)
            out += data
            value_client_software_version = self.client_software_version
            data = value_client_software_version.encode()
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
            pass


class ApiVersion(Message):
    __slots__ = ('api_key', 'min_version', 'max_version', 'unknown_tags',)

    def __init__(
        self,
        *,
        api_key: int = 0,
        min_version: int = 0,
        max_version: int = 0,
    ) -> None:
        self.api_key = api_key
        self.min_version = min_version
        self.max_version = max_version
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ApiVersion, int]:
        m = _new(ApiVersion)
        if version >= 3:
            m.api_key, m.min_version, m.max_version, = _S0.unpack_from(buf, pos)
            pos += 6
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                tags, pos = read_unknown_tags(buf, pos, n)
            m.unknown_tags = tags
            return m, pos
        m.api_key, m.min_version, m.max_version, = _S0.unpack_from(buf, pos)
        pos += 6
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version >= 3:
            out += _S0.pack(self.api_key, self.min_version, self.max_version)
            if self.unknown_tags is None:
                out.append(0)
            else:
                write_tags(out, self.unknown_tags)
        else:
            out += _S0.pack(self.api_key, self.min_version, self.max_version)


class SupportedFeatureKey(Message):
    __slots__ = ('name', 'min_version', 'max_version', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        min_version: int = 0,
        max_version: int = 0,
    ) -> None:
        self.name = name
        self.min_version = min_version
        self.max_version = max_version
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[SupportedFeatureKey, int]:
        m = _new(SupportedFeatureKey)
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
        m.min_version, m.max_version, = _S1.unpack_from(buf, pos)
        pos += 4
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
        out += _S1.pack(self.min_version, self.max_version)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class FinalizedFeatureKey(Message):
    __slots__ = ('name', 'max_version_level', 'min_version_level', 'unknown_tags',)

    def __init__(
        self,
        *,
        name: str = '',
        max_version_level: int = 0,
        min_version_level: int = 0,
    ) -> None:
        self.name = name
        self.max_version_level = max_version_level
        self.min_version_level = min_version_level
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[FinalizedFeatureKey, int]:
        m = _new(FinalizedFeatureKey)
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
        m.max_version_level, m.min_version_level, = _S1.unpack_from(buf, pos)
        pos += 4
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
        out += _S1.pack(self.max_version_level, self.min_version_level)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class ApiVersionsResponse(Message):
    __slots__ = ('error_code', 'api_keys', 'throttle_time_ms', 'supported_features', 'finalized_features_epoch', 'finalized_features', 'zk_migration_ready', 'unknown_tags',)
    API_KEY = 18
    MIN_VERSION = 0
    MAX_VERSION = 4
    FLEXIBLE_FROM = 3

    def __init__(
        self,
        *,
        error_code: int = 0,
        api_keys: list[ApiVersion] = UNSET,
        throttle_time_ms: int = 0,
        supported_features: list[SupportedFeatureKey] = UNSET,
        finalized_features_epoch: int = -1,
        finalized_features: list[FinalizedFeatureKey] = UNSET,
        zk_migration_ready: bool = False,
    ) -> None:
        self.error_code = error_code
        self.api_keys = [] if api_keys is UNSET else api_keys
        self.throttle_time_ms = throttle_time_ms
        self.supported_features = [] if supported_features is UNSET else supported_features
        self.finalized_features_epoch = finalized_features_epoch
        self.finalized_features = [] if finalized_features is UNSET else finalized_features
        self.zk_migration_ready = zk_migration_ready
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[ApiVersionsResponse, int]:
        if not 0 <= version <= 4:
            raise unsupported_version('ApiVersionsResponse', version)
        m = _new(ApiVersionsResponse)
        if version >= 3:
            m.error_code, = _S2.unpack_from(buf, pos)
            pos += 2
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('ApiKeys', n)
            items_api_keys = []
            read_api_keys = ApiVersion.read
            for _ in range(n):
                item_api_keys, pos = read_api_keys(buf, pos, version)
                items_api_keys.append(item_api_keys)
            m.api_keys = items_api_keys
            m.throttle_time_ms, = _S3.unpack_from(buf, pos)
            pos += 4
            m.supported_features = []
            m.finalized_features_epoch = -1
            m.finalized_features = []
            m.zk_migration_ready = False
            tags: dict[int, bytes] | None = None
            n = buf[pos]
            pos += 1
            if n:
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                for _ in range(n):
                    tag, pos, end_of_tag = read_tag(buf, pos)
                    if tag == 0:
                        n = buf[pos]
                        pos += 1
                        if n > 127:
                            n, pos = uvarint_tail(buf, pos, n)
                        n -= 1
                        if n < 0 or n > len(buf) - pos:
                            raise bad_length('SupportedFeatures', n)
                        items_supported_features = []
                        read_supported_features = SupportedFeatureKey.read
                        for _ in range(n):
                            item_supported_features, pos = read_supported_features(buf, pos, version)
                            items_supported_features.append(item_supported_features)
                        m.supported_features = items_supported_features
                    elif tag == 1:
                        m.finalized_features_epoch, = _S4.unpack_from(buf, pos)
                        pos += 8
                    elif tag == 2:
                        n = buf[pos]
                        pos += 1
                        if n > 127:
                            n, pos = uvarint_tail(buf, pos, n)
                        n -= 1
                        if n < 0 or n > len(buf) - pos:
                            raise bad_length('FinalizedFeatures', n)
                        items_finalized_features = []
                        read_finalized_features = FinalizedFeatureKey.read
                        for _ in range(n):
                            item_finalized_features, pos = read_finalized_features(buf, pos, version)
                            items_finalized_features.append(item_finalized_features)
                        m.finalized_features = items_finalized_features
                    elif tag == 3:
                        m.zk_migration_ready, = _S5.unpack_from(buf, pos)
                        pos += 1
                    else:
                        if tags is None:
                            tags = {}
                        tags[tag] = bytes(buf[pos:end_of_tag])
                        pos = end_of_tag
                    if pos != end_of_tag:
                        raise bad_tag(tag)
            m.unknown_tags = tags
            return m, pos
        m.error_code, = _S2.unpack_from(buf, pos)
        pos += 2
        n, = _S3.unpack_from(buf, pos)
        pos += 4
        if n < 0 or n > len(buf) - pos:
            raise bad_length('ApiKeys', n)
        items_api_keys = []
        read_api_keys = ApiVersion.read
        for _ in range(n):
            item_api_keys, pos = read_api_keys(buf, pos, version)
            items_api_keys.append(item_api_keys)
        m.api_keys = items_api_keys
        if version >= 1:
            m.throttle_time_ms, = _S3.unpack_from(buf, pos)
            pos += 4
        else:
            m.throttle_time_ms = 0
        m.supported_features = []
        m.finalized_features_epoch = -1
        m.finalized_features = []
        m.zk_migration_ready = False
        m.unknown_tags = None
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 4:
            raise unsupported_version('ApiVersionsResponse', version)
        if version >= 3:
            out += _S2.pack(self.error_code)
            value_api_keys = self.api_keys
            n = len(value_api_keys) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for item_api_keys in value_api_keys:
                item_api_keys.write(out, version)
            out += _S3.pack(self.throttle_time_ms)
            tags: dict[int, bytes | bytearray] | None = None if self.unknown_tags is None else dict(self.unknown_tags)
            if not (not self.supported_features):
                value = Frame()
                value_supported_features = self.supported_features
                n = len(value_supported_features) + 1
                if n < 128:
                    value.append(n)
                else:
                    write_uvarint(value, n)
                for item_supported_features in value_supported_features:
                    item_supported_features.write(value, version)
                if tags is None:
                    tags = {}
                tags[0] = value
            if not (self.finalized_features_epoch == -1):
                value = Frame()
                value += _S4.pack(self.finalized_features_epoch)
                if tags is None:
                    tags = {}
                tags[1] = value
            if not (not self.finalized_features):
                value = Frame()
                value_finalized_features = self.finalized_features
                n = len(value_finalized_features) + 1
                if n < 128:
                    value.append(n)
                else:
                    write_uvarint(value, n)
                for item_finalized_features in value_finalized_features:
                    item_finalized_features.write(value, version)
                if tags is None:
                    tags = {}
                tags[2] = value
            if not (self.zk_migration_ready == False):
                value = Frame()
                value += _S5.pack(self.zk_migration_ready)
                if tags is None:
                    tags = {}
                tags[3] = value
            if tags is None:
                out.append(0)
            else:
                write_tags(out, tags)
        else:
            out += _S2.pack(self.error_code)
            value_api_keys = self.api_keys
            out += _S3.pack(len(value_api_keys))
            for item_api_keys in value_api_keys:
                item_api_keys.write(out, version)
            if version >= 1:
                out += _S3.pack(self.throttle_time_ms)
