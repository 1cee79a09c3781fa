"""Frames that are no request, requests that nobody serves, and versions that nobody knows."""

import struct

from tests.kafka.cases.cluster_cases import LISTENERS
from tests.kafka.referee import Broker, case
from tests.kafka.wire import newest_version

from snakka.broker.apis.table import ALL
from snakka.protocol.api_keys import API_FACTS
from snakka.protocol.messages.api_versions import ApiVersionsRequest
from snakka.protocol.messages.metadata import MetadataRequest

API_VERSIONS, METADATA = ApiVersionsRequest.API_KEY, MetadataRequest.API_KEY


def header(api_key: int, version: int, client_id: bytes | None = b"x") -> bytes:
    fixed = struct.pack(">hhi", api_key, version, 7)
    return fixed + (b"\xff\xff" if client_id is None else struct.pack(">h", len(client_id)) + client_id)


def frame(data: bytes) -> bytes:
    return struct.pack(">i", len(data)) + data


@case(ApiVersionsRequest, first=0, last=0)
def versions_that_nobody_knows(broker: Broker, version: int) -> None:
    for listener in LISTENERS:
        for unknown in (5, 99, -1, 32767):
            broker.send_bytes(frame(header(API_VERSIONS, unknown) + b"\0" * 20), listener=listener)


@case(ApiVersionsRequest, first=0, last=0)
def requests_in_versions_that_nobody_knows(broker: Broker, version: int) -> None:
    for api in ALL:
        if api.key != API_VERSIONS:
            for unknown in (API_FACTS[api.key].min_version - 1, newest_version(api.key) + 1):
                broker.send_bytes(frame(header(api.key, unknown) + b"\0" * 60))


@case(ApiVersionsRequest, first=0, last=0)
def requests_that_nobody_serves(broker: Broker, version: int) -> None:
    for listener in LISTENERS:
        for api_key in (-1, 4, 5, 6, 7, 93, 94, 1000, 32767, -32768):
            broker.send_bytes(frame(header(api_key, 0) + b"\0" * 20), listener=listener)
    broker.send_bytes(frame(header(METADATA, 1) + b"\0" * 4), listener="CONTROLLER")


@case(ApiVersionsRequest, first=0, last=0)
def requests_on_the_wrong_listener(broker: Broker, version: int) -> None:
    for api in ALL:
        facts = API_FACTS[api.key]
        for kind, listener in (("broker", "PLAINTEXT"), ("controller", "CONTROLLER")):
            if kind not in facts.listeners:
                data = header(api.key, facts.min_version) + b"\0" * 60
                broker.send_bytes(frame(data), listener=listener)


@case(ApiVersionsRequest, first=3, last=4)
def headers_from_the_future(broker: Broker, version: int) -> None:
    tagged = header(API_VERSIONS, version) + b"\x01\x63\x02ab"
    broker.send_bytes(frame(tagged + b"\x02a\x021\x00"))
    broker.send_bytes(frame(tagged[:-1] + b"\x02a\x021\x00"))


@case(ApiVersionsRequest, first=0, last=0)
def frames_that_are_none(broker: Broker, version: int) -> None:
    asks = header(METADATA, 1) + struct.pack(">i", 0)
    for data in (
        frame(b""),
        frame(b"\0"),
        frame(asks[:8]),
        frame(asks[:9]),
        frame(asks[:-1]),
        frame(asks + b"more"),
        frame(header(METADATA, 1, None) + struct.pack(">i", 0)),
        frame(header(METADATA, 1, b"") + struct.pack(">i", 0)),
        frame(header(METADATA, 1) + struct.pack(">i", 2**31 - 1)),
        frame(header(METADATA, 1) + struct.pack(">ih", 1, -1)),
        frame(header(METADATA, 1) + struct.pack(">ih", 1, -2)),
        frame(header(METADATA, 1) + struct.pack(">ih", 1, 3) + b"ab"),
        struct.pack(">i", -1),
        struct.pack(">i", 2**31 - 1),
        b"GET / HTTP/1.1\r\n\r\n",
    ):
        broker.send_bytes(data)


@case(ApiVersionsRequest, first=0, last=0)
def text_that_is_not_utf_8(broker: Broker, version: int) -> None:
    broker.send_bytes(frame(header(METADATA, 1, b"\xff\xfe") + struct.pack(">i", 0)))
    broker.send_bytes(frame(header(METADATA, 1) + struct.pack(">ih", 1, 2) + b"\xff\xff"))


@case(ApiVersionsRequest, first=0, last=0)
def lists_of_less_than_nothing(broker: Broker, version: int) -> None:
    broker.send_bytes(frame(header(METADATA, 1) + struct.pack(">i", -2)))
