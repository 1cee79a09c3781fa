"""Blocks of producer ids: each is given to one broker, once."""

from snakka.metadata.image.cluster import ClusterImage
from snakka.metadata.state.broker_epochs import check_broker_epoch
from snakka.metadata.state.decision import Decision
from snakka.protocol.errors import ApiError, ErrorCode
from snakka.protocol.messages.allocate_producer_ids import (
    AllocateProducerIdsRequest,
    AllocateProducerIdsResponse,
)
from snakka.protocol.record_types.metadata.producer_ids_record import ProducerIdsRecord

BLOCK_SIZE = 1000
_HIGHEST = 2**63 - 1


def allocate_producer_ids(
    image: ClusterImage, request: AllocateProducerIdsRequest
) -> Decision[AllocateProducerIdsResponse]:
    check_broker_epoch(image, request.broker_id, request.broker_epoch)
    first = max(image.producer_ids.next_producer_id, 0)
    if first > _HIGHEST - BLOCK_SIZE:
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, "There are no producer ids left.")
    record = ProducerIdsRecord(
        broker_id=request.broker_id, broker_epoch=request.broker_epoch, next_producer_id=first + BLOCK_SIZE
    )
    response = AllocateProducerIdsResponse(producer_id_start=first, producer_id_len=BLOCK_SIZE)
    return Decision([record], response)
