"""Any bytes either decode or raise ProtocolError, and cannot ask for more memory than they have."""

import random
import tracemalloc

import pytest
from golden_files import golden, message_class
from hypothesis import given, settings
from hypothesis import strategies as st

from snakka.protocol.api_keys import API_FACTS, request_class, response_class
from snakka.protocol.errors import ProtocolError
from snakka.protocol.messages.api_versions import ApiVersionsRequest
from snakka.protocol.messages.create_topics import CreateTopicsRequest
from snakka.protocol.messages.fetch import FetchRequest, FetchResponse, PartitionData
from snakka.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic

SPOKEN = [facts for facts in API_FACTS.values() if facts.max_version >= 0]
KEYS = [key for key, facts in API_FACTS.items() if facts.max_version >= 0]


def decode_or_refuse(kind, data: bytes, version: int) -> bool:
    return decoded(kind, data, version) is not None


def decoded(kind, data: bytes, version: int):
    """None if it was refused."""
    try:
        return kind.decode(memoryview(data), version)
    except ProtocolError:
        return None


@given(st.data())
@settings(max_examples=1500, deadline=None)
def test_random_bytes_are_refused_or_a_message_that_can_be_sent(data) -> None:
    key = data.draw(st.sampled_from(KEYS))
    facts = API_FACTS[key]
    version = data.draw(st.integers(facts.min_version, facts.max_version))
    kind = data.draw(st.sampled_from([request_class, response_class]))(key)
    message = decoded(kind, data.draw(st.binary(max_size=200)), version)
    if message is not None:
        assert decoded(kind, message.encode(version), version) == message


def test_every_truncation_of_a_golden_message_is_refused() -> None:
    """A shorter message must never pass for a whole one, unless what is cut off is not needed."""
    for line in (*golden("golden")[::3], *golden("golden_records")):
        data = bytes.fromhex(line["hex"])
        kind = message_class(line)
        for length in range(min(len(data), 300)):
            assert not decode_or_refuse(kind, data[:length], line["version"]), (
                message_class(line).__name__,
                length,
            )


def test_flipped_bytes_never_crash_a_codec() -> None:
    chance = random.Random(7)
    outcomes = {True: 0, False: 0}
    for line in golden("golden"):
        data = bytearray.fromhex(line["hex"])
        if not data:
            continue
        for _ in range(10):
            damaged = bytearray(data)
            for _ in range(chance.randrange(1, 4)):
                damaged[chance.randrange(len(damaged))] = chance.randrange(256)
            outcomes[decode_or_refuse(message_class(line), bytes(damaged), line["version"])] += 1
    assert min(outcomes.values()) > 100


@pytest.mark.parametrize("length", [b"\x7f\xff\xff\xff", b"\xff\xff\xff\xff\x07", b"\x7f\xff"])
def test_twenty_bytes_cannot_ask_for_a_gigabyte(length: bytes) -> None:
    requests = [
        (request_class(key), version)
        for key in KEYS
        for version in {API_FACTS[key].min_version, API_FACTS[key].max_version}
    ]
    for request, version in requests:  # so that modules and what is made at the first use do not count
        decode_or_refuse(request, b"", version)
    tracemalloc.start()
    for request, version in requests:
        for lead in range(4):
            frame = (b"\x00" * lead + length * 5)[:20]
            decode_or_refuse(request, frame, version)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000


def test_a_version_that_does_not_exist_is_refused_both_ways() -> None:
    with pytest.raises(ProtocolError, match="no version 99"):
        ApiVersionsRequest.decode(b"", 99)
    with pytest.raises(ProtocolError, match="no version 99"):
        ApiVersionsRequest().encode(99)


def test_a_field_that_a_version_lacks_is_an_error_unless_it_may_be_dropped() -> None:
    with pytest.raises(ProtocolError, match="AllowAutoTopicCreation"):
        MetadataRequest(topics=[], allow_auto_topic_creation=False).encode(3)
    request = FetchRequest(session_id=7)
    assert FetchRequest.decode(request.encode(6), 6).session_id == 0


def test_null_where_null_is_not_allowed() -> None:
    with pytest.raises(ProtocolError, match="Name is null"):
        MetadataRequest(topics=[MetadataRequestTopic(name=None)]).encode(9)
    with pytest.raises(ProtocolError, match="Name"):
        MetadataRequest.decode(MetadataRequest(topics=[MetadataRequestTopic(name=None)]).encode(10), 9)


def test_a_value_that_does_not_fit_is_a_protocol_error() -> None:
    with pytest.raises(ProtocolError):
        CreateTopicsRequest(timeout_ms=2**40).encode(5)


def test_unknown_tagged_fields_are_kept() -> None:
    data = FetchRequest().encode(15)
    tagged = data[:-1] + b"\x01\x63\x02hi"
    request = FetchRequest.decode(tagged, 15)
    assert request.unknown_tags == {99: b"hi"}
    assert request.encode(15) == tagged


def test_a_shared_default_cannot_be_changed_by_mistake() -> None:
    row = PartitionData()
    with pytest.raises(AttributeError, match="shared default"):
        row.current_leader.leader_id = 1
    assert FetchResponse().responses is not FetchResponse().responses
