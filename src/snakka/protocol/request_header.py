"""The header before every message: which API, which version, which request.

A request's header has its form by the API and version that its first bytes name; its client id keeps the old form always. An
API or version that nobody knows is read as the oldest form, so that an answer can still name the request.
"""

from __future__ import annotations

from struct import Struct
from struct import error as StructError  # noqa: N812
from typing import NamedTuple

from snakka.protocol.api_keys import API_FACTS, NEVER, ApiKey
from snakka.protocol.errors import ProtocolError
from snakka.protocol.frame import Frame
from snakka.protocol.primitives import Buffer, read_tag, read_uvarint

_FIXED = Struct(">hhi")
_LENGTH = Struct(">h")
_CORRELATION = Struct(">i")
FIXED_SIZE = 8

# The first flexible version of each API, by its key: a list, because it is asked for on every request.
_FLEXIBLE_FROM = [
    API_FACTS[key].flexible_from if key in API_FACTS else NEVER for key in range(max(API_FACTS) + 1)
]


class RequestHeader(NamedTuple):
    """What a request says of itself; its body begins at `body_pos`."""

    api_key: int
    api_version: int
    correlation_id: int
    client_id: str | None
    body_pos: int


def is_flexible(api_key: int, version: int) -> bool:
    """Whether this version has tagged fields and compact lengths."""
    return 0 <= api_key < len(_FLEXIBLE_FROM) and version >= _FLEXIBLE_FROM[api_key]


def peek_header(frame: Buffer) -> tuple[int, int, int]:
    """API key, API version and correlation id; ProtocolError if the frame is too short for them."""
    if len(frame) < FIXED_SIZE:
        raise ProtocolError(f"a request of {len(frame)} bytes has no header")
    key, version, correlation_id = _FIXED.unpack_from(frame)
    return key, version, correlation_id


def read_request_header(frame: Buffer) -> RequestHeader:
    """The whole header; ProtocolError if the frame ends before it does."""
    key, version, correlation_id = peek_header(frame)
    try:
        (length,) = _LENGTH.unpack_from(frame, FIXED_SIZE)
        position = FIXED_SIZE + 2
        client_id = None
        if length >= 0:
            end = position + length
            if end > len(frame):
                raise ProtocolError(f"a client id of {length} bytes in {len(frame) - position}")
            client_id = str(frame[position:end], "utf-8")
            position = end
        elif length != -1:
            raise ProtocolError(f"a client id of {length} bytes")
        if is_flexible(key, version):
            position = skip_tags(frame, position)
    except (StructError, ValueError, IndexError) as error:
        raise ProtocolError(f"a damaged request header: {error}") from error
    return RequestHeader(key, version, correlation_id, client_id, position)


def skip_tags(frame: Buffer, position: int) -> int:
    """Where the tagged fields that begin at `position` end."""
    count, position = read_uvarint(frame, position)
    for _ in range(count):
        _, _, position = read_tag(frame, position)
    return position


def write_request_header(
    out: Frame, api_key: int, version: int, correlation_id: int, client_id: str | None
) -> None:
    """The header of a request that we send."""
    out += _FIXED.pack(api_key, version, correlation_id)
    if client_id is None:
        out += b"\xff\xff"
    else:
        data = client_id.encode()
        out += _LENGTH.pack(len(data)) + data
    if is_flexible(api_key, version):
        out.append(0)


def write_response_header(out: Frame, api_key: int, version: int, correlation_id: int) -> None:
    """The header of an answer. ApiVersions' has no tags in any version: the client may not know ours yet."""
    out += _CORRELATION.pack(correlation_id)
    if is_flexible(api_key, version) and api_key != ApiKey.API_VERSIONS:
        out.append(0)


def read_response_header(frame: Buffer, api_key: int, version: int) -> tuple[int, int]:
    """Correlation id, and where the body begins."""
    if len(frame) < 4:
        raise ProtocolError(f"a response of {len(frame)} bytes has no header")
    (correlation_id,) = _CORRELATION.unpack_from(frame)
    position = 4
    if is_flexible(api_key, version) and api_key != ApiKey.API_VERSIONS:
        try:
            position = skip_tags(frame, position)
        except IndexError as error:
            raise ProtocolError("a response header that ends too early") from error
    return correlation_id, position
