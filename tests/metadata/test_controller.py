"""The controller on a log: nothing is told before it is committed, nothing is replayed that was not appended."""

import asyncio
import errno

import pytest
from cluster_builder import uuid
from metadata_node import CLUSTER_ID, held_node, real_node

from snakka.metadata import controller as controller_module
from snakka.metadata.state.decision import MAX_RECORDS_PER_REQUEST, Decision
from snakka.protocol.errors import ApiError, ErrorCode
from snakka.protocol.messages.broker_heartbeat import BrokerHeartbeatRequest
from snakka.protocol.messages.unregister_broker import UnregisterBrokerRequest
from snakka.protocol.record_types.metadata.config_record import ConfigRecord
from snakka.protocol.record_types.metadata.no_op_record import NoOpRecord
from snakka.protocol.record_types.metadata.topic_record import TopicRecord
from snakka.storage.files import StorageFailure


def topic_decision(name: str, number: int):
    return lambda image: Decision([TopicRecord(name=name, topic_id=uuid(number))], name)


async def step() -> None:
    """Let everything that can go on go on."""
    for _ in range(5):
        await asyncio.sleep(0)


async def test_a_new_cluster_is_bootstrapped_by_its_first_controller(tmp_path):
    async with real_node(str(tmp_path)) as node:
        await node.loader.wait_until_caught_up(node.soon())
        await node.controller.read(lambda image: image, node.soon())
        image = node.loader.image
        assert image.features.metadata_version == 30
        assert image.configs.of(4, "") == {"min.insync.replicas": "1"}
        assert node.controller.is_active


async def test_the_answer_comes_after_the_commit_and_after_the_local_broker_knows() -> None:
    async with held_node() as node:
        node.raft.lead()
        node.raft.commit()
        answer = asyncio.ensure_future(node.controller.submit(topic_decision("t", 1), node.soon()))
        await step()
        assert not answer.done()
        assert node.loader.image.topics.get("t") is None
        node.raft.commit()
        assert await answer == "t"
        assert node.publisher.created == ["t"]


async def test_a_decision_sees_those_before_it_although_they_are_not_committed() -> None:
    async with held_node() as node:
        node.raft.lead()
        node.raft.commit()
        first = asyncio.ensure_future(node.controller.submit(topic_decision("t", 1), node.soon()))
        await step()
        seen = asyncio.ensure_future(
            node.controller.submit(lambda image: Decision([], list(image.topics.by_name)), node.soon())
        )
        read = asyncio.ensure_future(
            node.controller.read(lambda image: list(image.topics.by_name), node.soon())
        )
        await step()
        # They rest on something that is not committed, so they must wait although they write nothing.
        assert not seen.done()
        assert not read.done()
        node.raft.commit()
        assert await asyncio.gather(first, seen, read) == ["t", ["t"], ["t"]]


async def test_nothing_to_write_and_nothing_uncommitted_answers_at_once() -> None:
    async with held_node() as node:
        node.raft.lead()
        node.raft.commit()
        assert await node.controller.submit(lambda image: Decision([], 5), node.soon(0.0)) == 5
        assert await node.controller.read(lambda image: image.offset, node.soon(0.0)) >= 0


async def test_a_failed_append_replays_nothing() -> None:
    async with held_node() as node:
        node.raft.lead()
        node.raft.commit()
        node.raft.failure = ApiError(ErrorCode.RECORD_LIST_TOO_LARGE)
        with pytest.raises(ApiError):
            await node.controller.submit(topic_decision("t", 1), node.soon())
        node.raft.failure = None
        names = await node.controller.read(lambda image: list(image.topics.by_name), node.soon())
        assert names == []


async def test_a_late_commit_is_a_timeout_but_may_still_come_true() -> None:
    async with held_node() as node:
        node.raft.lead()
        node.raft.commit()
        with pytest.raises(ApiError) as refused:
            await node.controller.submit(topic_decision("t", 1), node.soon(0.01))
        assert refused.value.code is ErrorCode.REQUEST_TIMED_OUT
        node.raft.commit()
        assert node.loader.image.topics.get("t") is not None


async def test_losing_the_leadership_fails_those_who_wait_and_forgets_what_was_not_committed() -> None:
    async with held_node() as node:
        node.raft.lead()
        node.raft.commit()
        lost = asyncio.ensure_future(node.controller.submit(topic_decision("t", 1), node.soon()))
        await step()
        node.raft.lose()
        with pytest.raises(ApiError) as refused:
            await lost
        assert refused.value.code is ErrorCode.NOT_CONTROLLER
        assert not node.controller.is_active
        for attempt in (
            node.controller.submit(topic_decision("t", 1), node.soon()),
            node.controller.read(lambda image: image, node.soon()),
            node.controller.broker_heartbeat(BrokerHeartbeatRequest(broker_id=1), node.soon()),
        ):
            with pytest.raises(ApiError) as refused:
                await attempt
            assert refused.value.code is ErrorCode.NOT_CONTROLLER
        await node.controller.fence_stale_brokers()
        await node.controller.balance_leaders()

        node.raft.epoch += 1
        node.raft.auto_commit = True
        node.raft.lead()
        assert await node.controller.read(lambda image: list(image.topics.by_name), node.soon()) == []
        assert await node.controller.submit(topic_decision("t", 2), node.soon()) == "t"
        assert node.loader.image.topics.by_name["t"].id == uuid(2)


async def test_a_second_controller_writes_no_second_bootstrap() -> None:
    async with held_node() as node:
        node.raft.lead()
        node.raft.commit()
        end = node.raft.log_end_offset
        node.raft.lose()
        node.raft.epoch += 1
        node.raft.lead()
        assert node.raft.log_end_offset == end + 1
        assert node.controller.is_active


async def test_hearing_of_the_same_term_again_changes_nothing() -> None:
    async with held_node() as node:
        node.raft.lead()
        node.raft.commit()
        heartbeats = node.controller.heartbeats
        node.controller.handle_leader_change(1, node.raft.epoch)
        assert node.controller.heartbeats is heartbeats


async def test_what_must_be_atomic_must_fit_into_one_append() -> None:
    async with held_node() as node:
        node.raft.lead()
        node.raft.commit()
        node.raft.auto_commit = True
        many = [
            ConfigRecord(resource_type=2, resource_name="t", name=str(n), value="v") for n in range(12_000)
        ]
        with pytest.raises(ApiError) as refused:
            await node.controller.submit(lambda image: Decision(many, None), node.soon())
        assert refused.value.code is ErrorCode.POLICY_VIOLATION
        appends = len(node.raft.versions)
        await node.controller.submit(lambda image: Decision(many, None, atomic=False), node.soon())
        assert len(node.raft.versions) - appends == 2
        assert len(node.loader.image.configs.of_topic("t")) == 12_000
        assert MAX_RECORDS_PER_REQUEST == 10_000


async def test_the_number_of_those_who_wait_is_bounded(monkeypatch) -> None:
    monkeypatch.setattr(controller_module, "MAX_WAITING", 3)
    async with held_node() as node:
        node.raft.lead()
        node.raft.commit()
        waiting = [
            asyncio.ensure_future(
                node.controller.submit(lambda image: Decision([NoOpRecord()], 1), node.soon())
            )
            for _ in range(3)
        ]
        await step()
        with pytest.raises(ApiError) as refused:
            await node.controller.submit(lambda image: Decision([NoOpRecord()], 1), node.soon())
        assert refused.value.code is ErrorCode.REQUEST_TIMED_OUT
        node.raft.commit()
        assert await asyncio.gather(*waiting) == [1, 1, 1]


async def test_a_caller_who_gives_up_does_not_take_the_others_along() -> None:
    async with held_node() as node:
        node.raft.lead()
        node.raft.commit()
        first = asyncio.ensure_future(node.controller.submit(topic_decision("a", 1), node.soon()))
        second = asyncio.ensure_future(node.controller.read(lambda image: "read", node.soon()))
        await step()
        first.cancel()
        await step()
        node.raft.commit()
        assert await second == "read"


async def test_records_are_written_in_versions_that_the_finalized_level_allows() -> None:
    async with held_node() as node:
        node.raft.lead()
        node.raft.commit()
        node.raft.auto_commit = True
        await node.controller.submit(topic_decision("t", 1), node.soon())
        assert node.raft.versions[-1] == {}


async def test_a_silent_broker_is_fenced_in_time() -> None:
    async with held_node() as node:
        node.raft.auto_commit = True
        node.raft.lead()
        await node.up()
        await node.registrar.close()
        assert node.loader.image.brokers.is_active(1)
        await node.controller.fence_stale_brokers()
        assert node.loader.image.brokers.is_active(1)
        node.controller.heartbeats.session_timeout_ms = -1
        await node.controller.fence_stale_brokers()
        assert node.loader.image.brokers.by_id[1].fenced


async def test_unregistering_forgets_the_session() -> None:
    async with held_node() as node:
        node.raft.auto_commit = True
        node.raft.lead()
        await node.up()
        await node.registrar.close()
        await node.controller.unregister_broker(UnregisterBrokerRequest(broker_id=1), node.soon())
        assert not node.loader.image.brokers.by_id
        assert not node.controller.heartbeats.has_session(1, node.registrar.broker_epoch, 0)


async def test_periodic_elections_run_to_the_end() -> None:
    async with held_node() as node:
        node.raft.auto_commit = True
        node.raft.lead()
        await node.up()
        await node.create_topic("t", partitions=3)
        offset = node.raft.log_end_offset
        await node.controller.balance_leaders()
        await node.controller.elect_unclean_leaders()
        assert node.raft.log_end_offset == offset


async def test_a_disk_that_fails_is_no_surprise_to_whoever_asked() -> None:
    async with held_node() as node:
        node.raft.auto_commit = True
        node.raft.lead()
        await node.up()
        node.raft.auto_commit = False
        pending = asyncio.ensure_future(node.controller.submit(topic_decision("a", 1), node.soon()))
        await step()
        node.raft.fail(StorageFailure("/data", "/data/log", "sync", OSError(errno.EIO, "broken")))
        with pytest.raises(ApiError, match=r"NOT_CONTROLLER.*metadata log failed.*broken"):
            await pending
        with pytest.raises(ApiError, match=r"NOT_CONTROLLER.*metadata log failed.*broken"):
            await node.controller.submit(topic_decision("b", 2), node.soon())


async def test_topics_survive_a_restart_on_a_real_log(tmp_path):
    async with real_node(str(tmp_path)) as node:
        await node.up()
        response = await node.create_topic("t", partitions=3)
        assert response.topics[0].error_code == ErrorCode.NONE
        assert node.publisher.created == ["t"]
        assert node.loader.image.topics.by_name["t"].partitions.keys() == {0, 1, 2}
        topic_id = response.topics[0].topic_id
    async with real_node(str(tmp_path)) as node:
        await node.up()
        topic = node.loader.image.topics.by_name["t"]
        assert topic.id == topic_id
        assert [partition.leader for partition in topic.partitions.values()] == [1, 1, 1]
        assert node.controller.is_active
        assert node.fatal == []
        with pytest.raises(ApiError) as refused:
            await node.controller.submit(topic_decision("x", 1), node.soon(-5.0))
        assert refused.value.code is ErrorCode.REQUEST_TIMED_OUT


async def test_many_topics_at_once_share_commits(tmp_path):
    async with real_node(str(tmp_path)) as node:
        await node.up()
        answers = await asyncio.gather(*(node.create_topic(f"t{number}") for number in range(50)))
        assert {answer.topics[0].error_code for answer in answers} == {ErrorCode.NONE}
        assert len(node.loader.image.topics.by_name) == 50
        again = await node.create_topic("t7")
        assert again.topics[0].error_code == ErrorCode.TOPIC_ALREADY_EXISTS
        assert node.registrar.identity.cluster_id == node.raft.cluster_id
        assert node.registrar.identity.cluster_id != CLUSTER_ID
