"""What a broker's answer means for a batch. Pure."""

from enum import Enum, auto

from snakka.protocol.error_codes import RETRIABLE, ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.produce import PartitionProduceResponse


class Meaning(Enum):
    """What to do about a batch."""

    WRITTEN = auto()
    AGAIN = auto()  # it may succeed later
    OUT_OF_ORDER = auto()  # the broker misses batches before it, or has forgotten this producer
    TOO_LARGE = auto()  # its records may fit in smaller batches
    FENCED = auto()  # another producer has taken over
    REFUSED = auto()


# DUPLICATE_SEQUENCE_NUMBER is told of a batch that is older than the last five, so it was written.
_MEANINGS = {
    ErrorCode.NONE: Meaning.WRITTEN,
    ErrorCode.DUPLICATE_SEQUENCE_NUMBER: Meaning.WRITTEN,
    ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER: Meaning.OUT_OF_ORDER,
    ErrorCode.UNKNOWN_PRODUCER_ID: Meaning.OUT_OF_ORDER,
    ErrorCode.INVALID_PRODUCER_EPOCH: Meaning.OUT_OF_ORDER,
    ErrorCode.MESSAGE_TOO_LARGE: Meaning.TOO_LARGE,
    ErrorCode.PRODUCER_FENCED: Meaning.FENCED,
}

_ADVICE = {
    ErrorCode.MESSAGE_TOO_LARGE: "the record is larger than max.message.bytes of the topic allows",
    ErrorCode.TOPIC_AUTHORIZATION_FAILED: "this client may not write to it: it needs an ACL for Write",
    ErrorCode.CLUSTER_AUTHORIZATION_FAILED: "this client may not write: it needs an ACL for IdempotentWrite",
    ErrorCode.NOT_ENOUGH_REPLICAS: "fewer replicas are in sync than min.insync.replicas wants",
    ErrorCode.INVALID_PRODUCER_EPOCH: "the transaction took longer than transaction.timeout.ms, or another producer"
    " with the same transactional.id has begun",
    ErrorCode.INVALID_REQUIRED_ACKS: "acks must be 0, 1 or all",
    ErrorCode.UNSUPPORTED_COMPRESSION_TYPE: "the broker does not know this compression",
}


def meaning_of(code: int, *, is_numbered: bool) -> Meaning:
    """What the error code of a batch means; one without a number can't be out of order."""
    meaning = _MEANINGS.get(code)  # type: ignore[call-overload]
    if meaning is Meaning.OUT_OF_ORDER and not is_numbered:
        return Meaning.REFUSED
    if meaning is not None:
        assert isinstance(meaning, Meaning)
        return meaning
    return Meaning.AGAIN if code in RETRIABLE else Meaning.REFUSED


def error_of(shown: str, row: PartitionProduceResponse) -> ApiError:
    """The error of a partition's answer, with the broker's own words if it has any."""
    code = ErrorCode(row.error_code)
    reasons = [
        row.error_message,
        *(each.batch_index_error_message for each in row.record_errors),
        _ADVICE.get(code),
    ]
    reason = next(filter(None, reasons), "the broker gives no reason")
    errors = [(each.batch_index, each.batch_index_error_message or "") for each in row.record_errors]
    return ApiError(code, f"{shown}: {reason}", errors)
