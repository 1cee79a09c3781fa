"""Controllers register, so that others know where they are and what they support (KIP-919)."""

from snakka.metadata.image.cluster import ClusterImage
from snakka.metadata.image.features import CONTROLLER_REGISTRATION_SINCE
from snakka.metadata.state.decision import Decision
from snakka.protocol.errors import ApiError, ErrorCode
from snakka.protocol.messages.controller_registration import (
    ControllerRegistrationRequest,
    ControllerRegistrationResponse,
)
from snakka.protocol.record_types.metadata.register_controller_record import (
    ControllerEndpoint,
    ControllerFeature,
    RegisterControllerRecord,
)
from snakka.raft.features import METADATA_VERSION


def register_controller(
    image: ClusterImage, request: ControllerRegistrationRequest
) -> Decision[ControllerRegistrationResponse]:
    if image.features.level(METADATA_VERSION) < CONTROLLER_REGISTRATION_SINCE:
        raise ApiError(
            ErrorCode.UNSUPPORTED_VERSION, f"{METADATA_VERSION} is too low for controllers to register."
        )
    record = RegisterControllerRecord(
        controller_id=request.controller_id,
        incarnation_id=request.incarnation_id,
        zk_migration_ready=False,
        end_points=[
            ControllerEndpoint(
                name=listener.name,
                host=listener.host,
                port=listener.port,
                security_protocol=listener.security_protocol,
            )
            for listener in request.listeners
        ],
        features=[
            ControllerFeature(
                name=feature.name,
                min_supported_version=feature.min_supported_version,
                max_supported_version=feature.max_supported_version,
            )
            for feature in request.features
        ],
    )
    return Decision([record], ControllerRegistrationResponse())
