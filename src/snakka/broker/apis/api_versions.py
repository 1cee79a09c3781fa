"""ApiVersions: what is served on this listener, and the features of the cluster. Versions 0-4.

KIP-511 names the client's software (3), KIP-584 features (3), KIP-1155 (4: features whose lowest level is 0 are shown).
"""

import re

from snakka.broker.api import BROKER, CONTROLLER, Api
from snakka.broker.services import Services
from snakka.network.request_context import RequestContext
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.api_versions import (
    ApiVersion,
    ApiVersionsRequest,
    ApiVersionsResponse,
    FinalizedFeatureKey,
    SupportedFeatureKey,
)
from snakka.raft.features import FEATURES, KRAFT_VERSION

FIRST_WITH_SOFTWARE = 3
FIRST_WITH_LEVEL_ZERO = 4

_SOFTWARE = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?")


def handle(request: ApiVersionsRequest, context: RequestContext, services: Services) -> ApiVersionsResponse:
    if context.api_version >= FIRST_WITH_SOFTWARE:
        name, version = request.client_software_name, request.client_software_version
        if not (_SOFTWARE.fullmatch(name) and _SOFTWARE.fullmatch(version)):
            return ApiVersionsResponse(error_code=ErrorCode.INVALID_REQUEST)
        context.connection.client_software = (name, version)
    image = services.image
    levels = dict(image.features.levels)
    if services.raft.kraft_version:
        levels[KRAFT_VERSION] = services.raft.kraft_version
    return ApiVersionsResponse(
        api_keys=[
            ApiVersion(api_key=key, min_version=lowest, max_version=highest)
            for key, lowest, highest in context.api_ranges
        ],
        supported_features=[
            SupportedFeatureKey(name=feature.name, min_version=lowest, max_version=feature.max_level)
            for feature in FEATURES.values()
            # Clients before version 4 fail on a lowest level of 0, and the feature is hidden from them.
            if (lowest := feature.min_level) > 0 or context.api_version >= FIRST_WITH_LEVEL_ZERO
        ],
        finalized_features_epoch=image.offset,
        finalized_features=[
            FinalizedFeatureKey(name=name, min_version_level=level, max_version_level=level)
            for name, level in sorted(levels.items())
        ],
    )


API = Api(key=ApiKey.API_VERSIONS, handle=handle, listeners=(BROKER, CONTROLLER), before_authentication=True)
