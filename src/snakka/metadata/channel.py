"""The way from a broker to the active controller for what brokers ask of their own accord.

Requests and responses are those of the RPCs, so that a channel over the network can take the place of the one in this
process. An error of the whole request is an ApiError. What clients ask for is forwarded as it came, and not in here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from snakka.metadata.state.rules import Caller

if TYPE_CHECKING:
    from snakka.metadata.controller import Controller
    from snakka.protocol.messages.allocate_producer_ids import (
        AllocateProducerIdsRequest,
        AllocateProducerIdsResponse,
    )
    from snakka.protocol.messages.alter_partition import AlterPartitionRequest, AlterPartitionResponse
    from snakka.protocol.messages.assign_replicas_to_dirs import (
        AssignReplicasToDirsRequest,
        AssignReplicasToDirsResponse,
    )
    from snakka.protocol.messages.broker_heartbeat import BrokerHeartbeatRequest, BrokerHeartbeatResponse
    from snakka.protocol.messages.broker_registration import (
        BrokerRegistrationRequest,
        BrokerRegistrationResponse,
    )

# The newest versions, which a broker in the same process speaks.
_BROKER_REGISTRATION = Caller(api_version=4)
_ALTER_PARTITION = Caller(api_version=3)


class ControllerChannel(Protocol):
    """Deadlines are monotonic seconds."""

    async def register_broker(
        self, request: BrokerRegistrationRequest, deadline: float
    ) -> BrokerRegistrationResponse: ...

    async def broker_heartbeat(
        self, request: BrokerHeartbeatRequest, deadline: float
    ) -> BrokerHeartbeatResponse: ...

    async def alter_partition(
        self, request: AlterPartitionRequest, deadline: float
    ) -> AlterPartitionResponse: ...

    async def assign_replicas_to_directories(
        self, request: AssignReplicasToDirsRequest, deadline: float
    ) -> AssignReplicasToDirsResponse: ...

    async def allocate_producer_ids(
        self, request: AllocateProducerIdsRequest, deadline: float
    ) -> AllocateProducerIdsResponse: ...


class LocalControllerChannel:
    """The controller is in this process. Decisions that few brokers need at their start are loaded when needed."""

    def __init__(self, controller: Controller) -> None:
        self._controller = controller

    async def register_broker(
        self, request: BrokerRegistrationRequest, deadline: float
    ) -> BrokerRegistrationResponse:
        return await self._controller.register_broker(request, _BROKER_REGISTRATION, deadline)

    async def broker_heartbeat(
        self, request: BrokerHeartbeatRequest, deadline: float
    ) -> BrokerHeartbeatResponse:
        return await self._controller.broker_heartbeat(request, deadline)

    async def alter_partition(
        self, request: AlterPartitionRequest, deadline: float
    ) -> AlterPartitionResponse:
        from snakka.metadata.state.partitions import alter_partition

        rules = self._controller.rules
        return await self._controller.submit(
            lambda image: alter_partition(image, request, _ALTER_PARTITION, rules), deadline
        )

    async def assign_replicas_to_directories(
        self, request: AssignReplicasToDirsRequest, deadline: float
    ) -> AssignReplicasToDirsResponse:
        from snakka.metadata.state.directories import assign_replicas_to_directories

        rules = self._controller.rules
        return await self._controller.submit(
            lambda image: assign_replicas_to_directories(image, request, rules), deadline
        )

    async def allocate_producer_ids(
        self, request: AllocateProducerIdsRequest, deadline: float
    ) -> AllocateProducerIdsResponse:
        from snakka.metadata.state.producer_ids import allocate_producer_ids

        return await self._controller.submit(lambda image: allocate_producer_ids(image, request), deadline)
