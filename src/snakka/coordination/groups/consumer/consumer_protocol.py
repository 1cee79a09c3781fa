"""What consumers of the classic protocol say to each other: subscriptions and assignments, each with its version in front.

Versions only add at the end, so one that is not known yet is read as the newest that is.
"""

from struct import Struct

from snakka.protocol.errors import ProtocolError
from snakka.protocol.record_types.embedded.consumer_protocol_assignment import ConsumerProtocolAssignment
from snakka.protocol.record_types.embedded.consumer_protocol_subscription import ConsumerProtocolSubscription

_VERSION = Struct(">h")


def version_of(data: bytes) -> int:
    """ProtocolError if there is none."""
    if len(data) < _VERSION.size:
        raise ProtocolError("a consumer's metadata without a version")
    version: int = _VERSION.unpack_from(data)[0]
    if version < 0:
        raise ProtocolError(f"version {version} of a consumer's metadata")
    return min(version, ConsumerProtocolSubscription.MAX_VERSION)


def read_subscription(data: bytes) -> ConsumerProtocolSubscription:
    return ConsumerProtocolSubscription.decode(data, version_of(data), _VERSION.size)


def read_assignment(data: bytes) -> ConsumerProtocolAssignment:
    return ConsumerProtocolAssignment.decode(data, version_of(data), _VERSION.size)


def write_assignment(assignment: ConsumerProtocolAssignment, version: int) -> bytes:
    return _VERSION.pack(version) + assignment.encode(version)
