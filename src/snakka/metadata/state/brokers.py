"""Brokers register, send heartbeats, are fenced and unfenced, and leave."""

from typing import NamedTuple

from snakka.metadata.image.brokers import BrokerRegistration
from snakka.metadata.image.cluster import ClusterImage
from snakka.metadata.image.directories import is_reserved
from snakka.metadata.image.features import CORDONED_DIRECTORIES_SINCE
from snakka.metadata.state.broker_epochs import check_broker_epoch
from snakka.metadata.state.decision import Decision
from snakka.metadata.state.heartbeats import BrokerState, Heartbeats
from snakka.metadata.state.isr_changes import (
    broker_fenced,
    broker_restarted,
    broker_unfenced,
    broker_unregistered,
    directories_failed,
    leads_any,
)
from snakka.metadata.state.rules import Caller, ControllerRules
from snakka.protocol.errors import ApiError, ErrorCode
from snakka.protocol.message import Message
from snakka.protocol.messages.broker_heartbeat import BrokerHeartbeatRequest, BrokerHeartbeatResponse
from snakka.protocol.messages.broker_registration import BrokerRegistrationRequest, BrokerRegistrationResponse
from snakka.protocol.messages.unregister_broker import UnregisterBrokerRequest, UnregisterBrokerResponse
from snakka.protocol.record_types.metadata.broker_registration_change_record import (
    BrokerRegistrationChangeRecord,
)
from snakka.protocol.record_types.metadata.register_broker_record import (
    BrokerEndpoint,
    BrokerFeature,
    RegisterBrokerRecord,
)
from snakka.protocol.record_types.metadata.unregister_broker_record import UnregisterBrokerRecord
from snakka.protocol.uuids import uuid_text
from snakka.raft.features import KRAFT_VERSION, METADATA_VERSION

# How BrokerRegistrationChangeRecord says it.
FENCE = 1
UNFENCE = -1
IN_CONTROLLED_SHUTDOWN = 1

# From this version of the request on a broker names the epoch it had, which tells a clean stop from a crash.
_CLEAN_SHUTDOWN_DETECTION_SINCE = 3


def register_broker(
    image: ClusterImage,
    request: BrokerRegistrationRequest,
    caller: Caller,
    rules: ControllerRules,
    heartbeats: Heartbeats,
    *,
    next_offset: int,
    now_ms: int,
) -> Decision[BrokerRegistrationResponse]:
    """A new process gets the offset of its registration as epoch; the same process keeps its epoch and amends the rest."""
    if request.cluster_id != rules.cluster_id:
        raise ApiError(
            ErrorCode.INCONSISTENT_CLUSTER_ID,
            f"This is cluster {rules.cluster_id}; the broker belongs to {request.cluster_id}.",
        )
    existing = image.brokers.get(request.broker_id)
    same_process = existing is not None and existing.incarnation_id == request.incarnation_id
    if (
        existing is not None
        and not same_process
        and heartbeats.has_session(existing.id, existing.epoch, now_ms)
    ):
        raise ApiError(
            ErrorCode.DUPLICATE_BROKER_REGISTRATION,
            f"Broker id {request.broker_id} belongs to another running broker; after a restart this passes when the "
            "session of the old process has timed out.",
        )
    if request.is_migrating_zk_broker:
        raise ApiError(ErrorCode.BROKER_ID_NOT_REGISTERED, "Brokers that use ZooKeeper cannot register.")
    _check_directories(image, request)
    _check_features(image, request, rules)
    records: list[Message] = []
    record = _registration_record(image, request)
    if existing is not None and same_process:
        record.broker_epoch = existing.epoch
        record.fenced = existing.fenced
        record.in_controlled_shutdown = existing.in_controlled_shutdown
    else:
        clean = (
            existing is not None
            and caller.api_version >= _CLEAN_SHUTDOWN_DETECTION_SINCE
            and request.previous_broker_epoch == existing.epoch
        )
        records += broker_restarted(image, rules, request.broker_id, clean_shutdown=clean)
        record.broker_epoch = next_offset + len(records)
    # Last, and not atomically: if only some of the records survive, the broker registers again and the rest follows.
    records.append(record)
    return Decision(records, BrokerRegistrationResponse(broker_epoch=record.broker_epoch), atomic=False)


def _registration_record(image: ClusterImage, request: BrokerRegistrationRequest) -> RegisterBrokerRecord:
    return RegisterBrokerRecord(
        broker_id=request.broker_id,
        incarnation_id=request.incarnation_id,
        rack=request.rack,
        end_points=[
            BrokerEndpoint(
                name=listener.name,
                host=listener.host,
                port=listener.port,
                security_protocol=listener.security_protocol,
            )
            for listener in request.listeners
        ],
        features=[
            BrokerFeature(
                name=feature.name,
                min_supported_version=feature.min_supported_version,
                max_supported_version=feature.max_supported_version,
            )
            for feature in request.features
        ],
        log_dirs=list(request.log_dirs) if image.features.names_directories else [],
    )


def _check_directories(image: ClusterImage, request: BrokerRegistrationRequest) -> None:
    if not image.features.names_directories:
        return
    problem = ""
    if not request.log_dirs:
        problem = "The registration names no log directory."
    elif any(is_reserved(directory) for directory in request.log_dirs):
        problem = "The registration names a reserved directory id."
    elif len(set(request.log_dirs)) != len(request.log_dirs):
        problem = "The registration names a directory twice."
    else:
        for broker in image.brokers.by_id.values():
            shared = [directory for directory in request.log_dirs if directory in broker.directories]
            if shared and broker.id != request.broker_id:
                problem = f"Directory {uuid_text(shared[0])} belongs to broker {broker.id}."
                break
    if problem:
        raise ApiError(ErrorCode.INVALID_REGISTRATION, problem)


def _check_features(image: ClusterImage, request: BrokerRegistrationRequest, rules: ControllerRules) -> None:
    """Every finalized level must be one that the broker supports; what it does not name it does not support."""
    ranges = {
        feature.name: (feature.min_supported_version, feature.max_supported_version)
        for feature in request.features
    }
    if METADATA_VERSION not in ranges:
        raise ApiError(ErrorCode.INVALID_REGISTRATION, f"The registration does not name {METADATA_VERSION}.")
    finalized = {**image.features.levels, KRAFT_VERSION: rules.kraft_version()}
    for name in {**ranges, **finalized}:
        low, high = ranges.get(name, (0, 0))
        level = finalized.get(name, 0)
        if not low <= level <= high:
            raise ApiError(
                ErrorCode.UNSUPPORTED_VERSION,
                f"{name} is finalized at level {level}, and the broker supports {low} to {high}.",
            )


class HeartbeatOutcome(NamedTuple):
    response: BrokerHeartbeatResponse
    state: BrokerState


def heartbeat(
    image: ClusterImage, request: BrokerHeartbeatRequest, rules: ControllerRules, heartbeats: Heartbeats
) -> Decision[HeartbeatOutcome]:
    """The broker says what it wants; the controller says what it is."""
    broker = check_broker_epoch(image, request.broker_id, request.broker_epoch)
    # The epoch is the offset of the registration, so who has seen it knows that it is registered.
    caught_up = request.current_metadata_offset >= broker.epoch
    current = heartbeats.state_of(broker)
    state = _next_state(image, request, broker, heartbeats, current, caught_up)
    records: list[Message] = []
    if state is not current:
        records += _transition(image, rules, broker, state)
    if image.features.names_directories:
        records += directories_failed(image, rules, broker, request.offline_log_dirs)
    if image.features.level(METADATA_VERSION) >= CORDONED_DIRECTORIES_SINCE:
        records += _cordoned(broker, request)
    response = BrokerHeartbeatResponse(
        is_caught_up=caught_up,
        is_fenced=state.fenced,
        should_shut_down=state is BrokerState.SHUTDOWN_NOW,
    )
    return Decision(records, HeartbeatOutcome(response, state), atomic=False)


def _next_state(
    image: ClusterImage,
    request: BrokerHeartbeatRequest,
    broker: BrokerRegistration,
    heartbeats: Heartbeats,
    current: BrokerState,
    caught_up: bool,
) -> BrokerState:
    if current is BrokerState.FENCED:
        if request.want_shut_down:
            return BrokerState.SHUTDOWN_NOW
        if request.want_fence or not caught_up:
            return BrokerState.FENCED
        return BrokerState.UNFENCED
    if current is BrokerState.UNFENCED:
        if request.want_fence:
            return BrokerState.SHUTDOWN_NOW if request.want_shut_down else BrokerState.FENCED
        if not request.want_shut_down:
            return BrokerState.UNFENCED
        leads = leads_any(image, broker.id)
        return BrokerState.CONTROLLED_SHUTDOWN if leads else BrokerState.SHUTDOWN_NOW
    if leads_any(image, broker.id) or not heartbeats.may_stop(broker.id):
        return BrokerState.CONTROLLED_SHUTDOWN
    return BrokerState.SHUTDOWN_NOW


def _transition(
    image: ClusterImage, rules: ControllerRules, broker: BrokerRegistration, state: BrokerState
) -> list[Message]:
    if state is BrokerState.UNFENCED:
        unfence = BrokerRegistrationChangeRecord(
            broker_id=broker.id, broker_epoch=broker.epoch, fenced=UNFENCE
        )
        return [unfence, *broker_unfenced(image, rules, broker.id)]
    if state is BrokerState.CONTROLLED_SHUTDOWN:
        records: list[Message] = []
        if not broker.in_controlled_shutdown:
            records.append(
                BrokerRegistrationChangeRecord(
                    broker_id=broker.id,
                    broker_epoch=broker.epoch,
                    in_controlled_shutdown=IN_CONTROLLED_SHUTDOWN,
                )
            )
        return records + broker_fenced(image, rules, broker.id)
    return fence_records(image, rules, broker)


def fence_records(image: ClusterImage, rules: ControllerRules, broker: BrokerRegistration) -> list[Message]:
    """Its partitions move first, so that no reader of the log sees a fenced leader."""
    records = broker_fenced(image, rules, broker.id)
    if not broker.fenced:
        records.append(
            BrokerRegistrationChangeRecord(broker_id=broker.id, broker_epoch=broker.epoch, fenced=FENCE)
        )
    return records


def fence_stale_broker(image: ClusterImage, rules: ControllerRules, broker_id: int) -> Decision[None]:
    """The broker was silent for a whole session."""
    broker = image.brokers.get(broker_id)
    if broker is None or broker.fenced:
        return Decision([], None)
    return Decision(fence_records(image, rules, broker), None, atomic=False)


def unregister_broker(
    image: ClusterImage, request: UnregisterBrokerRequest, rules: ControllerRules
) -> Decision[UnregisterBrokerResponse]:
    broker = image.brokers.get(request.broker_id)
    if broker is None:
        raise ApiError(ErrorCode.BROKER_ID_NOT_REGISTERED, f"Broker {request.broker_id} is not registered.")
    records = broker_unregistered(image, rules, broker.id)
    records.append(UnregisterBrokerRecord(broker_id=broker.id, broker_epoch=broker.epoch))
    return Decision(records, UnregisterBrokerResponse(), atomic=False)


def _cordoned(broker: BrokerRegistration, request: BrokerHeartbeatRequest) -> list[Message]:
    wanted = request.cordoned_log_dirs
    known = broker.cordoned_directories
    if wanted is None or (known is not None and set(known) == set(wanted)):
        return []
    return [
        BrokerRegistrationChangeRecord(
            broker_id=broker.id, broker_epoch=broker.epoch, cordoned_log_dirs=list(wanted)
        )
    ]
