"""EndTxn: commit a transaction, or abort it. Versions 0-5.

KIP-98, KIP-588 a fenced producer is told so (2), KIP-890 errors that an abort answers (4) and an epoch for each transaction,
which comes with the answer (5).
"""

from typing import Any

from snakka.broker.api import Api
from snakka.broker.services import Services
from snakka.broker.transaction_requests import decide_with_id
from snakka.coordination.decision import Producer
from snakka.coordination.runtime.reply import Reply
from snakka.coordination.transactions.ending import Ending, end_transaction
from snakka.network.request_context import RequestContext
from snakka.network.waiting import Waiting
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.end_txn import EndTxnRequest, EndTxnResponse
from snakka.security.operations import Operation, ResourceType
from snakka.storage.producer_state import EPOCH_BUMP_SINCE

FIRST_WITH_FENCED_ERROR = 2
# Who speaks this version plays by transaction.version 2.
FIRST_WITH_EPOCH_BUMP = 5


def handle(request: EndTxnRequest, context: RequestContext, services: Services) -> EndTxnResponse | Waiting:
    transactional_id = request.transactional_id
    if not context.authorize(Operation.WRITE, ResourceType.TRANSACTIONAL_ID, transactional_id):
        return EndTxnResponse(error_code=ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
    bumps = context.api_version >= FIRST_WITH_EPOCH_BUMP
    wish = Ending(
        transactional_id,
        Producer(request.producer_id, request.producer_epoch),
        request.committed,
        EPOCH_BUMP_SINCE if bumps else 0,
    )
    waiting = Waiting()

    def answer(outcome: Any) -> None:
        if isinstance(outcome, ApiError):
            code = outcome.code
            if code is ErrorCode.PRODUCER_FENCED and context.api_version < FIRST_WITH_FENCED_ERROR:
                code = ErrorCode.INVALID_PRODUCER_EPOCH
            waiting.complete(EndTxnResponse(error_code=code))
        else:
            waiting.complete(EndTxnResponse(producer_id=outcome.producer_id, producer_epoch=outcome.epoch))

    decide_with_id(
        services,
        transactional_id,
        lambda shard, new_id, now: end_transaction(shard, wish, new_id, now),
        Reply(answer),
    )
    return waiting


API = Api(key=ApiKey.END_TXN, handle=handle)
