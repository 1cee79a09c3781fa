"""A broker's life: registered, unfenced, and stopped in an orderly way."""

import asyncio
import time

import pytest
from cluster_builder import uuid
from metadata_node import held_node, real_node

from snakka.metadata.channel import LocalControllerChannel
from snakka.metadata.image.partition import RECOVERED, RECOVERING
from snakka.metadata.registration import LifeStage
from snakka.protocol.errors import ApiError, ErrorCode
from snakka.protocol.messages.allocate_producer_ids import AllocateProducerIdsRequest
from snakka.protocol.messages.alter_partition import (
    AlterPartitionRequest,
    AlterPartitionRequestTopicData,
)
from snakka.protocol.messages.assign_replicas_to_dirs import AssignReplicasToDirsRequest

# Between heartbeats: what is told before the next one was told at once.
AN_HOUR_MS = 3_600_000


async def test_from_start_to_unfenced_on_a_real_log(tmp_path) -> None:
    async with real_node(str(tmp_path), rack="r1") as node:
        await node.loader.wait_until_caught_up(node.soon())
        await node.registrar.register(node.soon())
        assert node.registrar.stage is LifeStage.STARTING
        broker = node.loader.image.brokers.by_id[1]
        assert broker.fenced
        await node.registrar.unfence(node.soon())
        broker = node.loader.image.brokers.by_id[1]
        assert (broker.epoch, broker.fenced, broker.rack) == (node.registrar.broker_epoch, False, "r1")
        assert broker.directories == (uuid(100),)
        assert broker.endpoints["PLAINTEXT"].host == "localhost"
        assert node.registrar.stage is LifeStage.RUNNING


async def test_a_stop_leaves_a_broker_that_can_be_trusted(tmp_path) -> None:
    async with real_node(str(tmp_path)) as node:
        await node.up()
        await node.create_topic("t", partitions=20)
        epoch = node.registrar.broker_epoch
        started = time.monotonic()
        assert await node.registrar.controlled_shutdown(node.soon())
        assert time.monotonic() - started < 2.0
        image = node.loader.image
        assert image.brokers.by_id[1].fenced
        assert image.topics.by_name["t"].partitions[0].elr == (1,)
        assert node.registrar.stage is LifeStage.SHUTTING_DOWN
    async with real_node(str(tmp_path), previous_broker_epoch=epoch) as node:
        await node.up()
        partition = node.loader.image.topics.by_name["t"].partitions[0]
        assert (partition.leader, partition.isr, partition.leader_recovery_state) == (1, (1,), RECOVERED)


async def test_after_a_crash_the_broker_is_back_at_once(tmp_path) -> None:
    async with real_node(str(tmp_path)) as node:
        await node.up()
        await node.create_topic("t")
        epoch = node.registrar.broker_epoch
    async with real_node(str(tmp_path)) as node:
        # The session of the crashed process has seconds to go, but it was this node's own.
        await node.loader.wait_until_caught_up(node.soon())
        await node.registrar.register(node.soon(5.0))
        assert node.registrar.broker_epoch > epoch
        await node.registrar.unfence(node.soon())
        partition = node.loader.image.topics.by_name["t"].partitions[0]
        assert (partition.leader, partition.isr, partition.leader_recovery_state) == (1, (1,), RECOVERING)


async def test_registration_is_tried_until_the_deadline() -> None:
    async with held_node() as node:
        registering = asyncio.ensure_future(node.registrar.register(node.soon()))
        await asyncio.sleep(0.01)
        assert not registering.done()
        node.raft.auto_commit = True
        node.raft.lead()
        await registering
        assert node.registrar.broker_epoch > 0


async def test_a_controller_that_never_answers() -> None:
    async with held_node() as node:
        with pytest.raises(ApiError) as refused:
            await node.registrar.register(node.soon(0.05))
        assert refused.value.code is ErrorCode.NOT_CONTROLLER


async def test_unfencing_has_a_deadline() -> None:
    async with held_node() as node:
        node.raft.auto_commit = True
        node.raft.lead()
        await node.registrar.register(node.soon())
        await asyncio.sleep(0)
        node.raft.auto_commit = False
        with pytest.raises(ApiError) as refused:
            await node.registrar.unfence(node.soon(0.05))
        assert refused.value.code is ErrorCode.REQUEST_TIMED_OUT
        node.raft.commit()


async def test_a_shutdown_does_not_wait_for_a_controller_that_is_gone() -> None:
    async with held_node() as node:
        node.raft.auto_commit = True
        node.raft.lead()
        await node.up()
        node.raft.lose()
        assert await node.registrar.controlled_shutdown(node.soon(0.05)) is False
        assert node.registrar.stage is LifeStage.SHUTTING_DOWN


async def test_a_broker_that_never_ran_has_nothing_to_hand_over() -> None:
    async with held_node() as node:
        assert await node.registrar.controlled_shutdown(node.soon()) is False


async def test_a_failed_directory_is_reported_at_once() -> None:
    async with held_node() as node:
        node.registrar._heartbeat_interval_ms = lambda: AN_HOUR_MS
        node.raft.auto_commit = True
        node.raft.lead()
        identity = node.registrar.identity
        node.registrar.identity = type(identity)(
            identity.node_id, identity.cluster_id, identity.endpoints, (uuid(100), uuid(101))
        )
        await node.up()
        node.registrar.directory_failed(uuid(101))
        await node.until(lambda image: image.brokers.by_id[1].directories == (uuid(100),))


async def test_cordoned_directories_are_reported_at_once() -> None:
    async with held_node() as node:
        cordoned: list[bytes] = []
        node.registrar._cordoned_directories = lambda: list(cordoned)
        node.registrar._heartbeat_interval_ms = lambda: AN_HOUR_MS
        node.raft.auto_commit = True
        node.raft.lead()
        await node.up()
        cordoned.append(uuid(100))
        node.registrar.directories_cordoned()
        await node.until(lambda image: image.brokers.by_id[1].cordoned_directories == (uuid(100),))


async def test_the_channel_carries_what_brokers_ask_for() -> None:
    async with held_node() as node:
        node.raft.auto_commit = True
        node.raft.lead()
        await node.up()
        channel = LocalControllerChannel(node.controller)
        who = {"broker_id": 1, "broker_epoch": node.registrar.broker_epoch}
        block = await channel.allocate_producer_ids(AllocateProducerIdsRequest(**who), node.soon())
        assert (block.producer_id_start, block.producer_id_len) == (0, 1000)
        topics = [AlterPartitionRequestTopicData(topic_id=uuid(9))]
        altered = await channel.alter_partition(AlterPartitionRequest(**who, topics=topics), node.soon())
        assert altered.topics[0].topic_id == uuid(9)
        assigned = await channel.assign_replicas_to_directories(
            AssignReplicasToDirsRequest(**who), node.soon()
        )
        assert assigned.directories == []
