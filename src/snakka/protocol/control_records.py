"""Control records: what the cluster itself writes between the clients' records.

The key is a version and a type. The value of a transaction marker is a version and the coordinator's epoch; the values
of the others are messages of their own (`protocol.record_types.raft`), which begin with their version.
"""

from enum import IntEnum
from struct import Struct
from typing import NamedTuple

from snakka.protocol.errors import ProtocolError

_KEY = Struct(">hh")
_END_TRANSACTION = Struct(">hi")


class ControlType(IntEnum):
    """The kinds that Kafka 4.3 knows. Readers skip a kind that they do not know."""

    ABORT = 0
    COMMIT = 1
    LEADER_CHANGE = 2
    SNAPSHOT_HEADER = 3
    SNAPSHOT_FOOTER = 4
    KRAFT_VERSION = 5
    KRAFT_VOTERS = 6


class EndTransaction(NamedTuple):
    """What a transaction marker says."""

    committed: bool
    coordinator_epoch: int


def control_key(kind: ControlType) -> bytes:
    return _KEY.pack(0, kind)


def read_control_key(key: bytes | None) -> int:
    """The kind's number, which `ControlType` may not have: a newer version's kind is not an error."""
    if key is None or len(key) < _KEY.size:
        raise ProtocolError("the key of a control record is cut off")
    version, kind = _KEY.unpack_from(key)
    if version < 0:
        raise ProtocolError(f"the key of a control record says version {version}")
    return int(kind)


def end_transaction_value(coordinator_epoch: int) -> bytes:
    return _END_TRANSACTION.pack(0, coordinator_epoch)


def read_end_transaction(key: bytes | None, value: bytes | None) -> EndTransaction | None:
    """What a marker says; None if the control record is of another kind."""
    kind = read_control_key(key)
    if kind not in (ControlType.ABORT, ControlType.COMMIT):
        return None
    if value is None or len(value) < _END_TRANSACTION.size:
        raise ProtocolError("the value of a transaction marker is cut off")
    version, coordinator_epoch = _END_TRANSACTION.unpack_from(value)
    if version < 0:
        raise ProtocolError(f"a transaction marker says version {version}")
    return EndTransaction(kind == ControlType.COMMIT, coordinator_epoch)
