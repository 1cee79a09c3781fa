"""StreamsGroupMetadataValue."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from struct import Struct

from snakka.protocol.frame import Frame
from snakka.protocol.message import UNSET, Message
from snakka.protocol.primitives import Buffer, bad_length, bad_tag, read_tag, read_unknown_tags, string_length_tail, unsupported_version, uvarint_tail, write_string_length, write_tags, write_uvarint

_new = object.__new__
_S0 = Struct('>iq')
_S1 = Struct('>i')


class LastAssignmentConfig(Message):
    __slots__ = ('key', 'value', 'unknown_tags',)

    def __init__(
        self,
        *,
        key: str = '',
        value: str = '',
    ) -> None:
        self.key = key
        self.value = value
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[LastAssignmentConfig, int]:
        m = _new(LastAssignmentConfig)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Key', n)
        m.key = str(buf[pos:end], 'utf-8')
        pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        n -= 1
        end = pos + n
        if n < 0 or end > len(buf):
            raise bad_length('Value', n)
        m.value = str(buf[pos:end], 'utf-8')
        pos = end
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            tags, pos = read_unknown_tags(buf, pos, n)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        value_key = self.key
        data = value_key.encode()
        n = len(data) + 1
        if n < 128:
            out.append(n)
        else:
            write_string_length(out, n)
        out += data
        value_value = self.value
        data = value_value.encode()
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


class StreamsGroupMetadataValue(Message):
    __slots__ = ('epoch', 'metadata_hash', 'validated_topology_epoch', 'last_assignment_configs', 'unknown_tags',)
    RECORD_KEY = 17
    MIN_VERSION = 0
    MAX_VERSION = 0
    FLEXIBLE_FROM = 0

    def __init__(
        self,
        *,
        epoch: int = 0,
        metadata_hash: int = 0,
        validated_topology_epoch: int = -1,
        last_assignment_configs: list[LastAssignmentConfig] | None = UNSET,
    ) -> None:
        self.epoch = epoch
        self.metadata_hash = metadata_hash
        self.validated_topology_epoch = validated_topology_epoch
        self.last_assignment_configs = [] if last_assignment_configs is UNSET else last_assignment_configs
        self.unknown_tags: dict[int, bytes] | None = None

    @staticmethod
    def read(buf: Buffer, pos: int, version: int) -> tuple[StreamsGroupMetadataValue, int]:
        if not 0 <= version <= 0:
            raise unsupported_version('StreamsGroupMetadataValue', version)
        m = _new(StreamsGroupMetadataValue)
        m.epoch, m.metadata_hash, = _S0.unpack_from(buf, pos)
        pos += 12
        m.validated_topology_epoch = -1
        m.last_assignment_configs = []
        tags: dict[int, bytes] | None = None
        n = buf[pos]
        pos += 1
        if n:
            if n > 127:
                n, pos = uvarint_tail(buf, pos, n)
            for _ in range(n):
                tag, pos, end_of_tag = read_tag(buf, pos)
                if tag == 0:
                    m.validated_topology_epoch, = _S1.unpack_from(buf, pos)
                    pos += 4
                elif tag == 1:
                    n = buf[pos]
                    pos += 1
                    if n > 127:
                        n, pos = uvarint_tail(buf, pos, n)
                    n -= 1
                    if n == -1:
                        m.last_assignment_configs = None
                    else:
                        if n < 0 or n > len(buf) - pos:
                            raise bad_length('LastAssignmentConfigs', n)
                        items_last_assignment_configs = []
                        read_last_assignment_configs = LastAssignmentConfig.read
                        for _ in range(n):
                            item_last_assignment_configs, pos = read_last_assignment_configs(buf, pos, version)
                            items_last_assignment_configs.append(item_last_assignment_configs)
                        m.last_assignment_configs = items_last_assignment_configs
                else:
                    if tags is None:
                        tags = {}
                    tags[tag] = bytes(buf[pos:end_of_tag])
                    pos = end_of_tag
                if pos != end_of_tag:
                    raise bad_tag(tag)
        m.unknown_tags = tags
        return m, pos

    def write(self, out: Frame, version: int) -> None:
        if not 0 <= version <= 0:
            raise unsupported_version('StreamsGroupMetadataValue', version)
        out += _S0.pack(self.epoch, self.metadata_hash)
        tags: dict[int, bytes | bytearray] | None = None if self.unknown_tags is None else dict(self.unknown_tags)
        if not (self.validated_topology_epoch == -1):
            value = Frame()
            value += _S1.pack(self.validated_topology_epoch)
            if tags is None:
                tags = {}
            tags[0] = value
        if not (self.last_assignment_configs == []):
            value = Frame()
            value_last_assignment_configs = self.last_assignment_configs
            if value_last_assignment_configs is None:
                value += b'\x00'
            else:
                n = len(value_last_assignment_configs) + 1
                if n < 128:
                    value.append(n)
                else:
                    write_uvarint(value, n)
                for item_last_assignment_configs in value_last_assignment_configs:
                    item_last_assignment_configs.write(value, version)
            if tags is None:
                tags = {}
            tags[1] = value
        if tags is None:
            out.append(0)
        else:
            write_tags(out, tags)
