"""The controller hears where replicas are, however long it takes until it can."""

import asyncio

from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.assign_replicas_to_dirs import AssignReplicasToDirsResponse
from snakka.replication import directory_assignments
from snakka.replication.directory_assignments import DirectoryAssignments
from snakka.runtime import Runtime

TOPIC = b"t" * 16
HERE, THERE = b"h" * 16, b"n" * 16


class FakeController:
    """Refuses as often as it is told to; keeps what it was told by place."""

    def __init__(self, refusals: int = 0) -> None:
        self.refusals = refusals
        self.requests = []
        self.places: dict[int, bytes] = {}
        self.before_answer = lambda: None

    async def assign_replicas_to_directories(self, request, deadline):
        self.requests.append(request)
        if self.refusals:
            self.refusals -= 1
            raise ApiError(ErrorCode.STALE_BROKER_EPOCH)
        self.before_answer()
        for directory in request.directories:
            for topic in directory.topics:
                for partition in topic.partitions:
                    self.places[partition.partition_index] = directory.id
        return AssignReplicasToDirsResponse()


async def finished(runtime: Runtime) -> None:
    async with asyncio.timeout(10):
        while runtime.supervisor._tasks:  # noqa: ASYNC110 - nobody is told when a task has ended
            await asyncio.sleep(0.001)


async def test_nothing_is_sent_before_the_broker_is_registered(monkeypatch) -> None:
    monkeypatch.setattr(directory_assignments, "FIRST_PAUSE_SECONDS", 0.001)
    runtime = Runtime(asyncio.get_running_loop())
    controller = FakeController()
    epoch = -1
    assignments = DirectoryAssignments(runtime, controller, 1, lambda: epoch)
    assignments.assign([(TOPIC, 0, HERE)])
    await asyncio.sleep(0.02)
    assert controller.requests == []
    epoch = 7
    await finished(runtime)
    (request,) = controller.requests
    assert (request.broker_id, request.broker_epoch) == (1, 7)
    assert controller.places == {0: HERE}
    await runtime.close()


async def test_a_refusal_is_not_the_end(monkeypatch) -> None:
    monkeypatch.setattr(directory_assignments, "FIRST_PAUSE_SECONDS", 0.001)
    runtime = Runtime(asyncio.get_running_loop())
    controller = FakeController(refusals=3)
    assignments = DirectoryAssignments(runtime, controller, 1, lambda: 7)
    assignments.assign([(TOPIC, 0, HERE), (TOPIC, 1, THERE)])
    await finished(runtime)
    assert len(controller.requests) == 4
    assert controller.places == {0: HERE, 1: THERE}
    await runtime.close()


async def test_what_changes_while_it_is_told_is_told_again() -> None:
    runtime = Runtime(asyncio.get_running_loop())
    controller = FakeController()
    assignments = DirectoryAssignments(runtime, controller, 1, lambda: 7)

    def move_meanwhile() -> None:
        controller.before_answer = lambda: None
        assignments.assign([(TOPIC, 0, THERE)])

    controller.before_answer = move_meanwhile
    assignments.assign([(TOPIC, 0, HERE)])
    await finished(runtime)
    assert len(controller.requests) == 2
    assert controller.places == {0: THERE}
    await runtime.close()
