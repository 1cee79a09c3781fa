"""WriteTxnMarkers: a coordinator, or an administrator, ends transactions in partitions of this broker. Versions 1-2.

KIP-98, KIP-664 administrators who end what hangs, KIP-1228 the transaction.version of a marker, which says what a late one
looks like (2).
"""

from typing import Any

from snakka.broker.api import Api
from snakka.broker.coordinator_requests import gathered
from snakka.broker.services import Services
from snakka.broker.transaction_markers import write_marker
from snakka.coordination.decision import Marker
from snakka.network.request_context import RequestContext
from snakka.network.waiting import Waiting
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerPartitionResult,
    WritableTxnMarkerResult,
    WritableTxnMarkerTopicResult,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)
from snakka.security.operations import CLUSTER_NAME, Operation, ResourceType

# Producer id -> topic -> partition -> error: as Kafka answers, whatever the markers' order was.
_Errors = dict[int, dict[str, dict[int, ErrorCode]]]


def handle(request: WriteTxnMarkersRequest, context: RequestContext, services: Services) -> Waiting:
    if not context.authorize(Operation.ALTER, ResourceType.CLUSTER, CLUSTER_NAME) and not context.authorize(
        Operation.CLUSTER_ACTION, ResourceType.CLUSTER, CLUSTER_NAME
    ):
        raise ApiError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    places = [
        (marker, topic.name, index)
        for marker in request.markers
        for topic in marker.topics
        for index in dict.fromkeys(topic.partition_indexes)
    ]

    def join(outcomes: Any) -> WriteTxnMarkersResponse:
        errors: _Errors = {}
        for (marker, topic, index), outcome in zip(places, outcomes, strict=True):
            code = outcome.code if isinstance(outcome, ApiError) else ErrorCode.NONE
            errors.setdefault(marker.producer_id, {}).setdefault(topic, {})[index] = code
        return _response(errors)

    waiting, replies = gathered(len(places), join)
    for (marker, topic, index), reply in zip(places, replies, strict=True):
        write_marker(services, (topic, index), _marker(marker), reply)
    return waiting


def _marker(row: WritableTxnMarker) -> Marker:
    return Marker(
        row.producer_id,
        row.producer_epoch,
        row.transaction_result,
        row.coordinator_epoch,
        row.transaction_version,
    )


def _response(errors: _Errors) -> WriteTxnMarkersResponse:
    return WriteTxnMarkersResponse(
        markers=[
            WritableTxnMarkerResult(
                producer_id=producer_id,
                topics=[
                    WritableTxnMarkerTopicResult(
                        name=topic,
                        partitions=[
                            WritableTxnMarkerPartitionResult(partition_index=index, error_code=code)
                            for index, code in rows.items()
                        ],
                    )
                    for topic, rows in topics.items()
                ],
            )
            for producer_id, topics in errors.items()
        ]
    )


def _failed(request: WriteTxnMarkersRequest, code: ErrorCode, text: str) -> WriteTxnMarkersResponse:
    return _response(
        {
            marker.producer_id: {
                topic.name: dict.fromkeys(topic.partition_indexes, code) for topic in marker.topics
            }
            for marker in request.markers
        }
    )


API = Api(key=ApiKey.WRITE_TXN_MARKERS, handle=handle, error_response=_failed)
