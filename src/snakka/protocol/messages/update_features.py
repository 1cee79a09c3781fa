"""UpdateFeatures: API key 57."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, read_unknown_tags, string_length_tail, unsupported_field, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>h')
_S1 = Struct('>?')
_S2 = Struct('>b')
_S3 = Struct('>i')
_S4 = Struct('>ih')


class FeatureUpdateKey(Message):
    __slots__ = ('feature', 'max_version_level', 'allow_downgrade', 'upgrade_type', 'unknown_tags',)

    def __init__(
        self,
        *,
        feature: str = '',
        max_version_level: int = 0,
        allow_downgrade: bool = False,
        upgrade_type: int = 1,
    ) -> None:
        self.feature = feature
        self.max_version_level = max_version_level
        self.allow_downgrade = allow_downgrade
        self.upgrade_type = upgrade_type
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[FeatureUpdateKey, int]:
        m = _new(FeatureUpdateKey)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Feature', n)
        m.feature = str(buf[pos:end], 'utf-8')
        pos = end
        m.max_version_level, = _S0.unpack_from(buf, pos)
        pos += 2
        if version <= 0:
            m.allow_downgrade, = _S1.unpack_from(buf, pos)
            pos += 1
        else:
            m.allow_downgrade = False
        if version >= 1:
            m.upgrade_type, = _S2.unpack_from(buf, pos)
            pos += 1
        else:
            m.upgrade_type = 1
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if version > 0 and not (self.allow_downgrade == False):
            raise unsupported_field('AllowDowngrade', version)
        if version < 1 and not (self.upgrade_type == 1):
            raise unsupported_field('UpgradeType', version)
        value_feature = self.feature
        data = value_feature.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        out += _S0.pack(self.max_version_level)
        if version <= 0:
            out += _S1.pack(self.allow_downgrade)
        if version >= 1:
            out += _S2.pack(self.upgrade_type)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class UpdateFeaturesRequest(Message):
    __slots__ = ('timeout_ms', 'feature_updates', 'validate_only', 'unknown_tags',)
    API_KEY = 57
    MIN_VERSION = 0
    MAX_VERSION = 2
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        timeout_ms: int = 60000,
        feature_updates: list[FeatureUpdateKey] = UNSET,
        validate_only: bool = False,
    ) -> None:
        self.timeout_ms = timeout_ms
        self.feature_updates = [] if feature_updates is UNSET else feature_updates
        self.validate_only = validate_only
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[UpdateFeaturesRequest, int]:
        if not 0 <= version <= 2:
            raise unsupported_version('UpdateFeaturesRequest', version)
        m = _new(UpdateFeaturesRequest)
        m.timeout_ms, = _S3.unpack_from(buf, pos)
        pos += 4
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = uvarint_tail(buf, pos, n)
        n -= 1
        if n < 0 or n > len(buf) - pos:
            raise bad_length('FeatureUpdates', n)
        items_feature_updates = []
        read_feature_updates = FeatureUpdateKey.read
        for _ in range(n):
            item_feature_updates, pos = read_feature_updates(buf, pos, version)
            items_feature_updates.append(item_feature_updates)
        m.feature_updates = items_feature_updates
        if version >= 1:
            m.validate_only, = _S1.unpack_from(buf, pos)
            pos += 1
        else:
            m.validate_only = False
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 2:
            raise unsupported_version('UpdateFeaturesRequest', version)
        if version < 1 and not (self.validate_only == False):
            raise unsupported_field('ValidateOnly', version)
        out += _S3.pack(self.timeout_ms)
        value_feature_updates = self.feature_updates
        n = len(value_feature_updates) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for item_feature_updates in value_feature_updates:
            item_feature_updates.write(out, version)
        if version >= 1:
            out += _S1.pack(self.validate_only)
        if self.unknown_tags is None:
            out.append(0)
        else:
            write_tags(out, self.unknown_tags)


class UpdatableFeatureResult(Message):
    __slots__ = ('feature', 'error_code', 'error_message', 'unknown_tags',)

    def __init__(
        self,
        *,
        feature: str = '',
        error_code: int = 0,
        error_message: str | None = '',
    ) -> None:
        self.feature = feature
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[UpdatableFeatureResult, int]:
        m = _new(UpdatableFeatureResult)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Feature', n)
        m.feature = str(buf[pos:end], 'utf-8')
        pos = end
        m.error_code, = _S0.unpack_from(buf, pos)
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
        value_feature = self.feature
        data = value_feature.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        out += _S0.pack(self.error_code)
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


class UpdateFeaturesResponse(Message):
    __slots__ = ('throttle_time_ms', 'error_code', 'error_message', 'results', 'unknown_tags',)
    API_KEY = 57
    MIN_VERSION = 0
    MAX_VERSION = 2
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = '',
        results: list[UpdatableFeatureResult] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.results = [] if results is UNSET else results
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[UpdateFeaturesResponse, int]:
        if not 0 <= version <= 2:
            raise unsupported_version('UpdateFeaturesResponse', version)
        m = _new(UpdateFeaturesResponse)
        m.throttle_time_ms, m.error_code, = _S4.unpack_from(buf, pos)
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
        if version <= 1:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            n -= 1
            if n < 0 or n > len(buf) - pos:
                raise bad_length('Results', n)
            items_results = []
            read_results = UpdatableFeatureResult.read
            for _ in range(n):
                item_results, pos = read_results(buf, pos, version)
                items_results.append(item_results)
            m.results = items_results
        else:
            m.results = []
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 2:
            raise unsupported_version('UpdateFeaturesResponse', version)
        out += _S4.pack(self.throttle_time_ms, self.error_code)
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
        if version <= 1:
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
