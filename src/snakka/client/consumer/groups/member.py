"""What members of both protocols have in common: the ground they stand on, and two tasks that live as long as they do."""

import asyncio
from collections.abc import Coroutine
from typing import Any, NamedTuple, Protocol, TypeVar

from snakka.client.cluster_view import ClusterView
from snakka.client.consumer.delivery import Delivery
from snakka.client.consumer.groups.poll_timer import PollTimer
from snakka.client.consumer.groups.rebalancing import Rebalancing
from snakka.client.consumer.offsets import Identity
from snakka.client.consumer.subscription import Subscription
from snakka.client.coordinators import CoordinatorKind, Coordinators
from snakka.client.settings import ConsumerSettings
from snakka.protocol.message import Message

R = TypeVar("R", bound=Message)


class Ground(NamedTuple):
    """What a member works with."""

    cluster: ClusterView
    coordinators: Coordinators
    settings: ConsumerSettings
    group_id: str
    subscription: Subscription
    rebalancing: Rebalancing
    delivery: Delivery
    poll_timer: PollTimer

    async def ask(self, request: Message, kind: type[R], seconds: float | None = None) -> R:
        """One attempt at the group's coordinator."""
        allowed = self.settings.request_seconds if seconds is None else seconds
        return await self.coordinators.ask(
            CoordinatorKind.GROUP,
            self.group_id,
            request,
            kind,
            self.cluster.clock.monotonic() + allowed,
            timeout_seconds=allowed,
        )

    def forget_coordinator(self) -> None:
        self.coordinators.forget(CoordinatorKind.GROUP, self.group_id)


class Member(Protocol):
    """A consumer's place in its group, from `start` to `close`, which may then be started again."""

    @property
    def identity(self) -> Identity: ...

    def start(self) -> None: ...

    def changed(self) -> None:
        """The subscription or the cluster is another one."""

    async def close(self) -> None:
        """Give everything back, and leave unless it is a static member."""


class Running:
    """Tasks of a member, which end together."""

    def __init__(self, ground: Ground) -> None:
        self._spawn = ground.cluster.pool.tasks.spawn
        self._tasks: list[asyncio.Task[Any]] = []

    def start(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        self._tasks.append(self._spawn(name, work))

    async def stop(self) -> None:
        tasks = [task for task in self._tasks if task is not asyncio.current_task()]
        self._tasks = []
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
