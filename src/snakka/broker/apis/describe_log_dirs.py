"""DescribeLogDirs: directories, what is in them and how much room they have (KIP-113). Versions 1-5.

KIP-827 total and usable bytes (4), KIP-1066 cordoned directories (5).
"""

from snakka.broker.api import Api
from snakka.broker.services import Services
from snakka.network.request_context import RequestContext
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.describe_log_dirs import (
    DescribeLogDirsPartition,
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
    DescribeLogDirsResult,
    DescribeLogDirsTopic,
)
from snakka.security.operations import CLUSTER_NAME, Operation, ResourceType
from snakka.storage.log_manager import DescribedDirectory


def handle(
    request: DescribeLogDirsRequest, context: RequestContext, services: Services
) -> DescribeLogDirsResponse:
    if not context.authorize(Operation.DESCRIBE, ResourceType.CLUSTER, CLUSTER_NAME):
        return DescribeLogDirsResponse(error_code=ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    wanted = None
    if request.topics is not None:
        wanted = {(topic.topic, index) for topic in request.topics for index in topic.partitions}
    return DescribeLogDirsResponse(
        results=[_result(directory, wanted) for directory in services.log_manager.describe()]
    )


def _result(directory: DescribedDirectory, wanted: set[tuple[str, int]] | None) -> DescribeLogDirsResult:
    topics: dict[str, DescribeLogDirsTopic] = {}
    for log in directory.logs:
        if wanted is not None and (log.topic, log.partition) not in wanted:
            continue
        topic = topics.setdefault(log.topic, DescribeLogDirsTopic(name=log.topic))
        topic.partitions.append(
            DescribeLogDirsPartition(
                partition_index=log.partition,
                partition_size=log.size,
                offset_lag=log.offset_lag,
                is_future_key=log.is_future,
            )
        )
    return DescribeLogDirsResult(
        error_code=directory.error,
        log_dir=directory.path,
        topics=list(topics.values()),
        total_bytes=directory.total_bytes,
        usable_bytes=directory.usable_bytes,
        is_cordoned=directory.is_cordoned,
    )


API = Api(key=ApiKey.DESCRIBE_LOG_DIRS, handle=handle)
