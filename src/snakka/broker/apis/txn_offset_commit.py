"""TxnOffsetCommit: a group's progress as a part of a transaction (KIP-98). Versions 0-5.

KIP-447 members and generations (3), KIP-890 TRANSACTION_ABORTABLE (4) and offsets without AddOffsetsToTxn before (5). The
transaction's coordinator is asked first whether the group's partition belongs to the transaction, or is told so (5).
"""

from collections.abc import Sequence

from snakka.broker.api import Api
from snakka.broker.coordinators import OFFSETS_TOPIC
from snakka.broker.offset_requests import merged, sort_out
from snakka.broker.services import Services
from snakka.broker.transaction_verification import Refusals, verify_or_add
from snakka.coordination.groups.offsets.committing import commit_in_transaction
from snakka.coordination.runtime.reply import Reply
from snakka.network.request_context import RequestContext
from snakka.network.waiting import Waiting
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
    TxnOffsetCommitResponse,
    TxnOffsetCommitResponsePartition,
    TxnOffsetCommitResponseTopic,
)
from snakka.security.operations import Operation, ResourceType

FIRST_THAT_KNOWS_LOADING = 2
FIRST_THAT_KNOWS_ABORTABLE = 4
FIRST_THAT_ADDS = 5

# What the transaction's coordinator says, in the words of the group's coordinator.
_VERIFICATION_ERRORS = {
    ErrorCode.NETWORK_EXCEPTION: ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_ENOUGH_REPLICAS: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.REQUEST_TIMED_OUT: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_LEADER_OR_FOLLOWER: ErrorCode.NOT_COORDINATOR,
    ErrorCode.KAFKA_STORAGE_ERROR: ErrorCode.NOT_COORDINATOR,
}


def handle(
    request: TxnOffsetCommitRequest, context: RequestContext, services: Services
) -> TxnOffsetCommitResponse | Waiting:
    if not context.authorize(Operation.WRITE, ResourceType.TRANSACTIONAL_ID, request.transactional_id):
        return error_response(request, ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
    if not context.authorize(Operation.READ, ResourceType.GROUP, request.group_id):
        return error_response(request, ErrorCode.GROUP_AUTHORIZATION_FAILED)
    asked, refused = sort_out(request.topics, context, services, _rows)
    if not asked:
        return TxnOffsetCommitResponse(topics=merged(refused, [], _name))
    request.topics = asked
    waiting = Waiting()

    def tell(outcome: TxnOffsetCommitResponse | ApiError) -> None:
        if isinstance(outcome, ApiError):
            code = _for_version(outcome.code, context.api_version)
            outcome = error_response(request, code)
        outcome.topics = merged(refused, outcome.topics, _name)
        waiting.complete(outcome)

    _commit(request, context.api_version, services, Reply(tell))
    return waiting


def _commit(request: TxnOffsetCommitRequest, version: int, services: Services, reply: Reply) -> None:
    """Verify, then commit within the call that says so."""
    if not request.group_id:
        reply.complete(ApiError(ErrorCode.INVALID_GROUP_ID))
        return
    try:
        partition = services.groups.partition_of(request.group_id)
        services.groups.host(partition)
    except ApiError as error:
        reply.complete(error)
        return

    def verified(refusals: Refusals) -> None:
        for code in refusals.values():
            reply.complete(ApiError(_VERIFICATION_ERRORS.get(code, code)))
            return
        services.groups.submit(
            request.group_id, lambda shard, now: commit_in_transaction(shard, request, version, now), reply
        )

    verify_or_add(
        services,
        request.transactional_id,
        request.producer_id,
        request.producer_epoch,
        [(OFFSETS_TOPIC, partition)],
        add=version >= FIRST_THAT_ADDS,
        knows_abortable=version >= FIRST_THAT_KNOWS_ABORTABLE,
        reply=Reply(verified),
    )


def _for_version(code: ErrorCode, version: int) -> ErrorCode:
    """Producers before Kafka 2.0 fail for good when they are told that a coordinator is loading."""
    if code == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS and version < FIRST_THAT_KNOWS_LOADING:
        return ErrorCode.COORDINATOR_NOT_AVAILABLE
    return code


def _name(row: TxnOffsetCommitResponseTopic) -> str:
    return row.name


def _rows(
    topic: TxnOffsetCommitRequestTopic,
    partitions: Sequence[TxnOffsetCommitRequestPartition],
    code: ErrorCode,
) -> TxnOffsetCommitResponseTopic:
    return TxnOffsetCommitResponseTopic(
        name=topic.name,
        partitions=[
            TxnOffsetCommitResponsePartition(partition_index=row.partition_index, error_code=code)
            for row in partitions
        ],
    )


def error_response(
    request: TxnOffsetCommitRequest, code: ErrorCode, _text: str = ""
) -> TxnOffsetCommitResponse:
    return TxnOffsetCommitResponse(topics=[_rows(topic, topic.partitions, code) for topic in request.topics])


API = Api(key=ApiKey.TXN_OFFSET_COMMIT, handle=handle, error_response=error_response)
