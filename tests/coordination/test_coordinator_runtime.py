"""The edge of a coordinator, with a shard that keeps one offset a group, on real logs: appends, answers, loads, unloads."""

import asyncio

import pytest

from snakka.coordination.deadlines import Deadlines
from snakka.coordination.decision import Answer, Decision, Marker, Producer
from snakka.coordination.runtime.coordinator import Coordinator, java_hash
from snakka.coordination.runtime.reply import Reply
from snakka.coordination.runtime.shard_host import AppendSettings, HostEnvironment
from snakka.protocol.batch_builder import build_batch
from snakka.protocol.batch_reader import Record
from snakka.protocol.coordinator_framing import GROUP_RECORDS, KeyedRecord, decoder
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.record_types.group_coordinator.offset_commit_key import OffsetCommitKey
from snakka.protocol.record_types.group_coordinator.offset_commit_value import OffsetCommitValue
from snakka.replication.partition import Partition
from snakka.runtime import Runtime, SystemClock
from snakka.storage.append_checks import AppendOrigin
from snakka.storage.files import OsFiles
from snakka.storage.log_config import LogConfig
from snakka.storage.partition_log import PartitionLog

NODE = 1
TOPIC = "__consumer_offsets"


class OneOffset:
    """A shard as simple as can be: the last offset of each group, and those of open transactions."""

    def __init__(self) -> None:
        self.offsets: dict[str, int] = {}
        self.pending: dict[int, dict[str, int]] = {}
        self.deadlines = Deadlines()
        self.expired: list[object] = []
        self.loads = 0

    def replay(self, record: KeyedRecord, offset: int, producer: Producer | None) -> None:
        group = record.key.group
        offsets = self.offsets if producer is None else self.pending.setdefault(producer.producer_id, {})
        if record.value is None:
            offsets.pop(group, None)
        else:
            offsets[group] = record.value.offset

    def replay_marker(self, producer_id: int, producer_epoch: int, committed: bool) -> None:
        ended = self.pending.pop(producer_id, {})
        if committed:
            self.offsets.update(ended)

    def loaded(self, now):
        self.loads += 1
        return Decision()

    def expire(self, key, now):
        if key == "broken":
            raise RuntimeError("this deadline is broken")
        self.expired.append(key)
        return Decision([commit("expired", len(self.expired))])


def commit(group: str, offset: int) -> KeyedRecord:
    return KeyedRecord(
        OffsetCommitKey(group=group, topic="t", partition=0), OffsetCommitValue(offset=offset), 3
    )


class World:
    """A coordinator with one partition, and everything that it said."""

    def __init__(self, path, *, isr=(NODE,), config=None, commit_timeout_ms=5_000) -> None:
        self.runtime = Runtime(asyncio.get_running_loop())
        self.log = PartitionLog.open(
            str(path),
            topic=TOPIC,
            partition=0,
            topic_id=bytes(16),
            files=OsFiles(),
            clock=SystemClock(),
            config=config or LogConfig(),
            clean_shutdown=True,
        )
        self.partition = Partition(self.log, NODE, lambda log: None)
        self.partition.update_leadership(NODE, 5, 1, list(isr), list(isr))
        self.effects: list[object] = []
        settings = AppendSettings(commit_timeout_ms=commit_timeout_ms)
        self.coordinator = self.new_coordinator(settings)
        self.outcomes: list[object] = []

    def new_coordinator(self, settings=AppendSettings()) -> Coordinator[OneOffset]:  # noqa: B008
        environment = HostEnvironment(
            self.runtime, lambda: settings, lambda index, effect: self.effects.append(effect), print
        )
        coordinator = Coordinator(
            TOPIC,
            environment,
            new_shard=lambda index, epoch: OneOffset(),
            decode=decoder(GROUP_RECORDS),
            load_buffer_bytes=lambda: 200,
        )
        coordinator.partition_count = 1
        return coordinator

    def lead(self) -> OneOffset:
        self.coordinator.lead(self.partition)
        return self.coordinator.host(0).shard

    def reply(self) -> Reply:
        return Reply(lambda outcome: self.outcomes.append(outcome))

    def submit(self, decision: Decision, reply: Reply | None = None) -> None:
        self.coordinator.submit("g", lambda shard, now: decision, reply or self.reply())

    def told(self) -> list[object]:
        outcomes, self.outcomes = self.outcomes, []
        return [one.code.name if isinstance(one, ApiError) else one for one in outcomes]


async def loaded(one: World) -> None:
    """Until no shard is being loaded; the loader is a task of its own."""
    async with asyncio.timeout(10):
        while one.coordinator.is_loading:  # noqa: ASYNC110 - nothing tells when it is done
            await asyncio.sleep(0.001)


@pytest.fixture
async def world(tmp_path):
    worlds = []

    def make(**facts) -> World:
        worlds.append(World(tmp_path / f"{TOPIC}-{len(worlds)}", **facts))
        return worlds[-1]

    yield make
    for one in worlds:
        one.coordinator.close()
        await one.runtime.close()
        one.log.close()


async def test_a_decision_is_appended_replayed_and_answered(world):
    one = world()
    shard = one.lead()
    one.submit(Decision([commit("g", 7), commit("h", 8)], "done", effects=["ring the bell"]))
    assert one.told() == ["done"]
    assert one.effects == ["ring the bell"]
    assert shard.offsets == {"g": 7, "h": 8}
    assert one.log.log_end_offset == 2
    one.submit(Decision((), "nothing to write"))
    assert one.told() == ["nothing to write"]
    assert one.log.log_end_offset == 2


async def test_answers_wait_for_the_commit_and_so_do_questions(world):
    one = world(isr=(NODE, 2))
    shard = one.lead()
    one.submit(Decision([commit("g", 7)], "done", effects=["late"]))
    one.coordinator.query("g", lambda shard, now: shard.offsets["g"], one.reply())
    assert shard.offsets == {"g": 7}, "the next decision sees it"
    assert one.told() == []
    assert one.effects == []
    one.partition.follower_fetched(2, 1)
    assert one.told() == ["done", 7]
    assert one.effects == ["late"]
    one.coordinator.query("g", lambda shard, now: shard.offsets["g"], one.reply())
    assert one.told() == [7]


async def test_a_commit_that_takes_too_long_is_told_and_may_still_come(world):
    one = world(isr=(NODE, 2), commit_timeout_ms=20)
    shard = one.lead()
    one.submit(Decision([commit("g", 7)], "done", effects=["in the end"]))
    one.submit(Decision([commit("h", 8)], "done"))
    await asyncio.sleep(0.1)
    assert one.told() == ["COORDINATOR_NOT_AVAILABLE"] * 2
    assert one.effects == []
    one.partition.follower_fetched(2, 2)
    assert one.told() == []
    assert one.effects == ["in the end"], "what is committed is carried out, whoever has given up"
    assert shard.offsets == {"g": 7, "h": 8}


async def test_a_refused_append_replays_nothing(world):
    one = world(config=LogConfig(min_insync_replicas=2), isr=(NODE,))
    one.partition.update_leadership(NODE, 5, 2, [NODE, 2], [NODE])
    shard = one.lead()
    waiting = one.reply()
    one.submit(Decision([commit("g", 7)], "done", answers=[Answer(waiting, "you too")]))
    assert one.told() == ["COORDINATOR_NOT_AVAILABLE", "COORDINATOR_NOT_AVAILABLE"]
    other = one.reply()
    codes = []

    def refused(code: ErrorCode) -> list[Answer]:
        codes.append(code)
        return [Answer(other, "put right")]

    one.submit(Decision([commit("g", 7)], "done", refused=refused))
    assert one.told() == ["put right", "COORDINATOR_NOT_AVAILABLE"]
    assert codes == [ErrorCode.COORDINATOR_NOT_AVAILABLE]
    assert shard.offsets == {}
    assert one.log.log_end_offset == 0


async def test_an_error_of_the_decision_is_its_answer(world):
    one = world()
    one.lead()

    def refuse(shard, now):
        raise ApiError(ErrorCode.UNKNOWN_MEMBER_ID)

    one.coordinator.submit("g", refuse, one.reply())
    assert one.told() == ["UNKNOWN_MEMBER_ID"]


async def test_who_left_a_ticket_is_answered_by_a_later_decision_once(world):
    one = world()
    one.lead()
    ticket = one.reply()
    one.submit(Decision((), None), ticket)
    assert one.told() == []
    one.submit(Decision([commit("g", 1)], "mine", answers=[Answer(ticket, "yours")]))
    assert one.told() == ["yours", "mine"]
    one.submit(Decision((), "again", answers=[Answer(ticket, "once is enough")]))
    assert one.told() == ["again"]


async def test_a_new_leader_finds_what_was_written(world):
    one = world()
    shard = one.lead()
    for number in range(50):
        one.submit(Decision([commit(f"g{number % 7}", number)], "ok"))
    one.submit(Decision([KeyedRecord(OffsetCommitKey(group="g3", topic="t", partition=0), None)], "gone"))
    for producer_id, committed in ((40, True), (41, False)):
        transactional = Decision([commit(f"p{producer_id}", 99)], "ok", producer=Producer(producer_id, 0))
        one.submit(transactional)
        one.coordinator.end_transaction(0, Marker(producer_id, 0, committed, 3), one.reply())
    one.submit(Decision([commit("open", 5)], "ok", producer=Producer(42, 0)))
    assert set(one.told()) == {"ok", "gone", True}
    assert shard.offsets["p40"] == 99
    assert "p41" not in shard.offsets

    one.partition.update_leadership(NODE, 6, 2, [NODE], [NODE])
    one.submit(Decision([commit("g", 1)], "too late"))
    assert one.told() == ["NOT_COORDINATOR"], "the epoch has passed"
    one.coordinator.lead(one.partition)
    one.submit(Decision((), "too early"))
    assert one.told() == ["COORDINATOR_LOAD_IN_PROGRESS"]
    assert one.coordinator.is_loading
    await loaded(one)
    again = one.coordinator.host(0).shard
    assert again is not shard
    assert again.offsets == shard.offsets
    assert again.pending == {42: {"open": 5}}
    assert again.loads == 1
    one.coordinator.end_transaction(0, Marker(42, 0, True, 3), one.reply())
    assert again.offsets["open"] == 5


async def test_garbage_in_the_log_is_left_out(world, caplog):
    one = world()
    one.lead()
    one.submit(Decision([commit("g", 1)], "ok"))
    strange = [
        Record(-1, 0, b"\x00\x01\xff", b"\x00\x03"),
        Record(-1, 0, b"\x7f\x00", b"of a newer version"),
        Record(-1, 0, None, b"without a key"),
    ]
    one.partition.append(memoryview(build_batch(strange)), -1, 0, AppendOrigin.COORDINATOR)
    one.submit(Decision([commit("h", 2)], "ok"))
    one.coordinator.lead(one.partition)
    await loaded(one)
    assert one.coordinator.host(0).shard.offsets == {"g": 1, "h": 2}
    assert "3 records of 5 can't be read" in caplog.text


async def test_when_the_leadership_goes_everybody_is_told(world):
    one = world(isr=(NODE, 2))
    one.lead()
    one.submit(Decision([commit("g", 7)], "committed?"))
    one.submit(Decision((), None))
    one.coordinator.query("g", lambda shard, now: 1, one.reply())
    assert one.told() == []
    one.coordinator.resign(0)
    assert one.told() == ["NOT_COORDINATOR"] * 3
    one.submit(Decision((), "anybody here?"))
    assert one.told() == ["NOT_COORDINATOR"]


async def test_deadlines_fire_in_order_and_one_that_fails_stops_no_other(world, caplog):
    one = world()
    shard = one.lead()

    def set_deadlines(shard, now):
        for key, delay in (("second", 20), ("broken", 10), ("first", 5), ("never", 30), ("third", 20)):
            shard.deadlines.set(key, now.steady_ms + delay)
        shard.deadlines.cancel("never")
        return Decision((), "set")

    one.coordinator.submit("g", set_deadlines, one.reply())
    async with asyncio.timeout(10):
        while len(shard.expired) < 3:  # noqa: ASYNC110 - the shard tells nobody
            await asyncio.sleep(0.005)
    assert shard.expired == ["first", "second", "third"]
    assert shard.offsets == {"expired": 3}
    assert [record.message for record in caplog.records] == [f"{TOPIC}-0: a deadline failed"]


async def test_before_the_topic_exists(world):
    one = world()
    one.coordinator.partition_count = None
    one.submit(Decision((), "hello"))
    assert one.told() == ["NOT_COORDINATOR"]


def test_keys_belong_where_kafka_puts_them():
    """The figures are Java's: Math.abs of String.hashCode, and 0 for the one number that has no absolute."""
    assert java_hash("") == 0
    assert java_hash("foo") == 101574
    assert java_hash("console-consumer-1") == 35782224
    assert java_hash("gr\xfcppe") == 1233264812
    assert java_hash("a\U0001f600") == 1866116
    assert java_hash("polygenelubricants") == 0
