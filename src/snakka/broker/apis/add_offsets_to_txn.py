"""AddOffsetsToTxn: a group's offsets will be committed within a transaction. Versions 0-4.

KIP-98, KIP-588 a fenced producer is told so (2), KIP-890 errors that an abort answers (4). Who plays by transaction.version
2 never asks: TxnOffsetCommit adds the partition itself.
"""

from typing import Any

from snakka.broker.api import Api
from snakka.broker.coordinators import OFFSETS_TOPIC
from snakka.broker.services import Services
from snakka.broker.transaction_requests import decide
from snakka.coordination.decision import Producer
from snakka.coordination.runtime.coordinator import java_hash
from snakka.coordination.runtime.reply import Reply
from snakka.coordination.transactions.adding import Addition, add_partitions
from snakka.network.request_context import RequestContext
from snakka.network.waiting import Waiting
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.add_offsets_to_txn import AddOffsetsToTxnRequest, AddOffsetsToTxnResponse
from snakka.security.operations import Operation, ResourceType

FIRST_WITH_FENCED_ERROR = 2


def handle(
    request: AddOffsetsToTxnRequest, context: RequestContext, services: Services
) -> AddOffsetsToTxnResponse | Waiting:
    transactional_id = request.transactional_id
    if not context.authorize(Operation.WRITE, ResourceType.TRANSACTIONAL_ID, transactional_id):
        return AddOffsetsToTxnResponse(error_code=ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
    if not context.authorize(Operation.READ, ResourceType.GROUP, request.group_id):
        return AddOffsetsToTxnResponse(error_code=ErrorCode.GROUP_AUTHORIZATION_FAILED)
    partition = (OFFSETS_TOPIC, java_hash(request.group_id) % _partition_count(services))
    wish = Addition(transactional_id, Producer(request.producer_id, request.producer_epoch), (partition,))
    waiting = Waiting()

    def answer(outcome: Any) -> None:
        code = outcome.code if isinstance(outcome, ApiError) else ErrorCode.NONE
        if code is ErrorCode.PRODUCER_FENCED and context.api_version < FIRST_WITH_FENCED_ERROR:
            code = ErrorCode.INVALID_PRODUCER_EPOCH
        waiting.complete(AddOffsetsToTxnResponse(error_code=code))

    decide(services, transactional_id, lambda shard, now: add_partitions(shard, wish, now), Reply(answer))
    return waiting


def _partition_count(services: Services) -> int:
    """As it is, or as it will be: the group's coordinator may not have been asked for yet."""
    return services.groups.partition_count or services.options.current.integer("offsets.topic.num.partitions")


API = Api(key=ApiKey.ADD_OFFSETS_TO_TXN, handle=handle)
