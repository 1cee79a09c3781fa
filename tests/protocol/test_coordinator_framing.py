"""Coordinators' records in their frames: whatever is written is read back, and nonsense is an error or nothing."""

import pytest

from snakka.protocol.coordinator_framing import (
    GROUP_RECORDS,
    SHARE_RECORDS,
    TRANSACTION_RECORDS,
    KeyedRecord,
    decoder,
    encode_key,
    encode_value,
)
from snakka.protocol.errors import ProtocolError
from snakka.protocol.message import UNSET
from snakka.protocol.record_types.group_coordinator.consumer_group_member_metadata_value import (
    ClassicMemberMetadata,
    ConsumerGroupMemberMetadataValue,
)
from snakka.protocol.record_types.group_coordinator.offset_commit_key import OffsetCommitKey
from snakka.protocol.record_types.group_coordinator.offset_commit_value import OffsetCommitValue
from snakka.protocol.record_types.keys import COORDINATOR_RECORDS


def test_an_offset_as_kafka_writes_it():
    """The bytes are those that Kafka's own console shows for group g, topic t, partition 1."""
    record = KeyedRecord(
        OffsetCommitKey(group="g", topic="t", partition=1),
        OffsetCommitValue(offset=5, leader_epoch=2, metadata="m", commit_timestamp=9),
        3,
    )
    assert encode_key(record).hex() == "0001" + "000167" + "000174" + "00000001"
    value = encode_value(record)
    assert value is not None
    assert value.hex() == "0003" + f"{5:016x}" + f"{2:08x}" + "00016d" + f"{9:016x}"
    read = decoder(GROUP_RECORDS)(encode_key(record), value)
    assert read is not None
    assert read.version == 3
    assert read.key.group == "g"
    assert read.value.offset == 5


@pytest.mark.parametrize(
    ("classic", "tags"),
    [
        (None, "01" + "00" + "01" + "00"),
        (UNSET, "00"),
        (ClassicMemberMetadata(session_timeout_ms=7), "01" + "00" + "07" + "01" + "00000007" + "01" + "00"),
    ],
)
def test_a_member_of_a_consumer_group_as_kafka_writes_it(classic, tags):
    """In a tag, a struct that is null is 0, not -1."""
    value = ConsumerGroupMemberMetadataValue(client_id="c", client_host="h", classic_member_metadata=classic)
    data = value.encode(0)
    assert data.hex() == "01" + "01" + "0263" + "0268" + "01" + "01" + "ffffffff" + "01" + tags
    assert ConsumerGroupMemberMetadataValue.decode(data, 0) == value


@pytest.mark.parametrize("coordinator", [GROUP_RECORDS, SHARE_RECORDS, TRANSACTION_RECORDS])
def test_every_type_is_read_back_and_has_a_tombstone(coordinator):
    from snakka.protocol.coordinator_framing import _record_class

    decode = decoder(coordinator)
    for number in COORDINATOR_RECORDS[coordinator]:
        key_class, value_class = _record_class(coordinator, number)
        for version in range(value_class.MIN_VERSION, value_class.MAX_VERSION + 1):
            record = KeyedRecord(key_class(), value_class(), version)
            read = decode(encode_key(record), encode_value(record))
            assert (type(read.key), type(read.value), read.version) == (key_class, value_class, version)
            assert read.value.encode(version) == value_class().encode(version)
        assert decode(encode_key(record), None).value is None


def test_nonsense():
    decode = decoder(GROUP_RECORDS)
    assert decode(b"\x7f\x00anything", b"\x00\x00") is None, "a type of a newer version"
    for key, value in ((b"", None), (b"\x00", None), (b"\x00\x01\xff", None)):
        with pytest.raises(ProtocolError):
            decode(key, value)
    good = encode_key(KeyedRecord(OffsetCommitKey(group="g", topic="t", partition=1), None))
    for value in (b"", b"\x00", b"\x00\x63", b"\x00\x03\x00"):
        with pytest.raises(ProtocolError):
            decode(good, value)
    with pytest.raises(ProtocolError):
        decode(good + b"more", None)
