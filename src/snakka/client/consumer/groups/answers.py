"""What an error code of a group's coordinator means for a member: tables, pure."""

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType

from snakka.client.errors import ClientError, MemberFencedError
from snakka.client.retry_policy import STALE_COORDINATOR
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError


class Outcome(Enum):
    """What to do next."""

    GO_ON = "all is well"
    AGAIN = "the same again, after a pause"
    FIND_COORDINATOR = "another broker coordinates the group; then the same again"
    NAMED = "the broker has given us a name; the same again with it, at once"
    REJOIN = "the group assigns anew"
    BEGIN_ANEW = "we are no member any more: what we had is lost"
    FAIL = "somebody must change something"


_COORDINATOR = {
    ErrorCode.NONE: Outcome.GO_ON,
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS: Outcome.AGAIN,
    **dict.fromkeys(STALE_COORDINATOR, Outcome.FIND_COORDINATOR),
}

JOIN: Mapping[ErrorCode, Outcome] = MappingProxyType(
    {
        **_COORDINATOR,
        ErrorCode.MEMBER_ID_REQUIRED: Outcome.NAMED,
        ErrorCode.REBALANCE_IN_PROGRESS: Outcome.AGAIN,
        ErrorCode.UNKNOWN_MEMBER_ID: Outcome.BEGIN_ANEW,
        ErrorCode.ILLEGAL_GENERATION: Outcome.BEGIN_ANEW,
    }
)

SYNC: Mapping[ErrorCode, Outcome] = MappingProxyType(
    {
        **_COORDINATOR,
        ErrorCode.REBALANCE_IN_PROGRESS: Outcome.REJOIN,
        ErrorCode.UNKNOWN_MEMBER_ID: Outcome.BEGIN_ANEW,
        ErrorCode.ILLEGAL_GENERATION: Outcome.BEGIN_ANEW,
    }
)

HEARTBEAT: Mapping[ErrorCode, Outcome] = SYNC

MODERN_HEARTBEAT: Mapping[ErrorCode, Outcome] = MappingProxyType(
    {
        **_COORDINATOR,
        ErrorCode.FENCED_MEMBER_EPOCH: Outcome.BEGIN_ANEW,
        ErrorCode.UNKNOWN_MEMBER_ID: Outcome.BEGIN_ANEW,
    }
)

_ADVICE = {
    ErrorCode.GROUP_AUTHORIZATION_FAILED: "we may not read as this group: it needs an ACL",
    ErrorCode.TOPIC_AUTHORIZATION_FAILED: "we may not read one of the topics: it needs an ACL",
    ErrorCode.INCONSISTENT_GROUP_PROTOCOL: "the other members have no assignor in common with"
    " partition.assignment.strategy, or use another group.protocol",
    ErrorCode.INVALID_SESSION_TIMEOUT: "the broker does not allow this session.timeout.ms",
    ErrorCode.GROUP_MAX_SIZE_REACHED: "the group is full",
    ErrorCode.UNSUPPORTED_ASSIGNOR: "the broker has no such group.remote.assignor",
    ErrorCode.UNRELEASED_INSTANCE_ID: "another member has this group.instance.id",
    ErrorCode.INVALID_REGULAR_EXPRESSION: "the broker can't read the pattern: it must be one of RE2",
}


def failure(code: ErrorCode, group_id: str, message: str | None = None) -> ApiError | ClientError:
    """What the application hears of it."""
    if code is ErrorCode.FENCED_INSTANCE_ID:
        return MemberFencedError(
            f"group {group_id}: another member with the same group.instance.id has taken this one's place"
        )
    advice = _ADVICE.get(code, message)
    return ApiError(code, f"group {group_id}: {advice}" if advice else f"group {group_id}")
