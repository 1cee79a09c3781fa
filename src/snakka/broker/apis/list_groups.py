"""ListGroups: every group that this broker coordinates. Versions 0-5.

KIP-518 by state (4), KIP-848 by kind (5).
"""

from collections.abc import Sequence

from snakka.broker.api import Api
from snakka.broker.coordinator_requests import gathered
from snakka.broker.services import Services
from snakka.coordination.groups.listing import list_groups
from snakka.network.request_context import RequestContext
from snakka.network.waiting import Waiting
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.list_groups import ListedGroup, ListGroupsRequest, ListGroupsResponse
from snakka.security.operations import CLUSTER_NAME, Operation, ResourceType


def handle(
    request: ListGroupsRequest, context: RequestContext, services: Services
) -> ListGroupsResponse | Waiting:
    if services.groups.is_loading:
        return ListGroupsResponse(error_code=ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)

    def join(outcomes: Sequence[list[ListedGroup] | ApiError]) -> ListGroupsResponse:
        listed: list[ListedGroup] = []
        for outcome in outcomes:
            if not isinstance(outcome, ApiError):
                listed.extend(outcome)
            elif outcome.code != ErrorCode.NOT_COORDINATOR:
                return ListGroupsResponse(error_code=outcome.code)
        return ListGroupsResponse(groups=_visible(listed, context))

    hosts = list(services.groups.hosts())
    waiting, replies = gathered(len(hosts), join)
    for host, reply in zip(hosts, replies, strict=True):
        host.query(lambda shard, _now: list_groups(shard, request.states_filter, request.types_filter), reply)
    return waiting


def _visible(groups: list[ListedGroup], context: RequestContext) -> list[ListedGroup]:
    if context.authorize(Operation.DESCRIBE, ResourceType.CLUSTER, CLUSTER_NAME):
        return groups
    return [
        group for group in groups if context.authorize(Operation.DESCRIBE, ResourceType.GROUP, group.group_id)
    ]


API = Api(key=ApiKey.LIST_GROUPS, handle=handle)
