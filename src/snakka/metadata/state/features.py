"""UpdateFeatures: levels go up when every node supports them, and down only where nothing would be lost."""

from collections.abc import Iterator

from snakka.metadata.image.cluster import ClusterImage
from snakka.metadata.image.configs import CLUSTER_DEFAULT, ConfigResourceType
from snakka.metadata.image.features import CONTROLLER_REGISTRATION_SINCE
from snakka.metadata.state.decision import Decision
from snakka.metadata.state.rules import MIN_INSYNC_REPLICAS, Caller, ControllerRules
from snakka.protocol.errors import ApiError, ErrorCode
from snakka.protocol.message import Message
from snakka.protocol.messages.update_features import (
    FeatureUpdateKey,
    UpdatableFeatureResult,
    UpdateFeaturesRequest,
    UpdateFeaturesResponse,
)
from snakka.protocol.record_types.metadata.config_record import ConfigRecord
from snakka.protocol.record_types.metadata.feature_level_record import FeatureLevelRecord
from snakka.protocol.record_types.metadata.no_op_record import NoOpRecord
from snakka.raft.features import (
    ELIGIBLE_LEADER_REPLICAS_VERSION,
    FEATURES,
    KRAFT_VERSION,
    METADATA_VERSION,
    METADATA_VERSION_NAMES,
)

UPGRADE = 1
SAFE_DOWNGRADE = 2
UNSAFE_DOWNGRADE = 3

# Levels of metadata.version that brought new records or fields: going below one of them could lose what it wrote.
LEVELS_WITH_NEW_METADATA = frozenset({7, 8, 11, 13, 14, 15, 17, 23, 30})

# Up to this version the response names each feature.
_RESULTS_UNTIL = 1


def update_features(
    image: ClusterImage, request: UpdateFeaturesRequest, caller: Caller, rules: ControllerRules
) -> Decision[UpdateFeaturesResponse]:
    """All updates of a request are done, or none."""
    proposed = dict(image.features.levels)
    proposed.update({update.feature: update.max_version_level for update in request.feature_updates})
    records: list[Message] = []
    try:
        for update in request.feature_updates:
            records += _update(image, update, _upgrade_type(update, caller), proposed, rules)
    except ApiError as error:
        return Decision(
            [],
            UpdateFeaturesResponse(
                error_code=error.code,
                error_message=f"No feature was updated, because one cannot be: {error.message}",
            ),
        )
    if any(
        update.feature == ELIGIBLE_LEADER_REPLICAS_VERSION and update.max_version_level > 0
        for update in request.feature_updates
    ):
        records = [*_one_min_isr(image, rules), *records]
    response = UpdateFeaturesResponse(error_code=ErrorCode.NONE, error_message=None)
    if caller.api_version <= _RESULTS_UNTIL:
        response.results = [
            UpdatableFeatureResult(feature=update.feature, error_message=ErrorCode.NONE.name)
            for update in request.feature_updates
        ]
    return Decision([] if request.validate_only else records, response)


def _upgrade_type(update: FeatureUpdateKey, caller: Caller) -> int:
    if caller.api_version == 0:
        return SAFE_DOWNGRADE if update.allow_downgrade else UPGRADE
    return update.upgrade_type


def _update(
    image: ClusterImage,
    update: FeatureUpdateKey,
    upgrade_type: int,
    proposed: dict[str, int],
    rules: ControllerRules,
) -> list[Message]:
    name, level = update.feature, update.max_version_level
    if upgrade_type not in (UPGRADE, SAFE_DOWNGRADE, UNSAFE_DOWNGRADE):
        raise _refused(name, level, "the type of the upgrade is unknown")
    if level < 0:
        raise _refused(name, level, "a level cannot be negative")
    current = rules.kraft_version() if name == KRAFT_VERSION else image.features.level(name)
    for problem in _not_supported(image, name, level, rules):
        raise _refused(name, level, problem)
    if level < current and upgrade_type == UPGRADE:
        raise _refused(name, level, f"it is lower than {current}, and the request asks for no downgrade")
    if level > current and upgrade_type != UPGRADE:
        raise _refused(name, level, f"it is higher than {current}, and the request asks for a downgrade")
    if name == METADATA_VERSION:
        return [_metadata_version(level, current)]
    if name == KRAFT_VERSION:
        return _kraft_version(level, current)
    if name not in FEATURES:
        raise _refused(name, level, "there is no such feature")
    for needing_level, other, needed in FEATURES[name].dependencies:
        if needing_level == level and proposed.get(other, 0) < needed:
            raise _refused(name, level, f"it needs {other} at level {needed} or higher")
    return [FeatureLevelRecord(name=name, feature_level=level)]


def _metadata_version(level: int, current: int) -> Message:
    if level not in METADATA_VERSION_NAMES:
        raise _refused(METADATA_VERSION, level, "there is no such level")
    lost = [one for one in LEVELS_WITH_NEW_METADATA if level < one <= current]
    if lost:
        # Kafka knows an unsafe downgrade by name and refuses it as well.
        raise _refused(
            METADATA_VERSION,
            level,
            f"metadata that came with level {max(lost)} would be lost on the way down",
        )
    return FeatureLevelRecord(name=METADATA_VERSION, feature_level=level)


def _kraft_version(level: int, current: int) -> list[Message]:
    """The quorum changes kraft.version by records of its own, at a level that today's formats start with."""
    if level != current:
        raise _refused(KRAFT_VERSION, level, f"it cannot be changed from {current} in a running cluster")
    return [NoOpRecord()]


def _not_supported(image: ClusterImage, name: str, level: int, rules: ControllerRules) -> Iterator[str]:
    """Reasons why the cluster cannot run at this level, the first node that lacks it first."""
    feature = FEATURES.get(name)
    yield from _outside(
        f"Controller {rules.node_id}", (feature.min_level, feature.max_level) if feature else (0, 0), level
    )
    for broker in image.brokers.by_id.values():
        yield from _outside(f"Broker {broker.id}", broker.features.get(name, (0, 0)), level)
    if image.features.level(METADATA_VERSION) < CONTROLLER_REGISTRATION_SINCE:
        return
    for controller in image.controllers.by_id.values():
        if controller.id != rules.node_id:
            supported = controller.features.get(name, (0, 0))
            yield from _outside(f"Controller {controller.id}", supported, level)
    for node_id in rules.quorum_node_ids():
        if node_id != rules.node_id and node_id not in image.controllers.by_id:
            yield f"Controller {node_id} has not registered, so what it supports is unknown"


def _outside(node: str, supported: tuple[int, int], level: int) -> Iterator[str]:
    low, high = supported
    if not low <= level <= high:
        yield f"{node} does not know this feature" if high == 0 else f"{node} supports levels {low} to {high}"


def _one_min_isr(image: ClusterImage, rules: ControllerRules) -> Iterator[Message]:
    """Eligible leader replicas need one min.insync.replicas for the cluster, not one a broker."""
    if MIN_INSYNC_REPLICAS not in image.configs.of(*CLUSTER_DEFAULT):
        static = rules.schema.topic_config(MIN_INSYNC_REPLICAS, {}, {}, {})
        yield ConfigRecord(
            resource_type=ConfigResourceType.BROKER, resource_name="", name=MIN_INSYNC_REPLICAS, value=static
        )
    for (resource_type, name), configs in image.configs.by_resource.items():
        if resource_type == ConfigResourceType.BROKER and name and MIN_INSYNC_REPLICAS in configs:
            yield ConfigRecord(
                resource_type=resource_type, resource_name=name, name=MIN_INSYNC_REPLICAS, value=None
            )


def _refused(name: str, level: int, reason: str) -> ApiError:
    return ApiError(ErrorCode.INVALID_UPDATE_VERSION, f"{name} cannot be set to level {level}: {reason}.")
