"""Members of both protocols read and commit while they come and go, time runs out, appends are refused and coordinators
crash: a committed offset never goes back, and never vanishes.

Every reader goes on from what was committed when it got a partition, and commits what it has read since. Nobody tells it
when it has lost the partition, so it may commit long after others have read on: such a commit must be refused.
"""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, rule
from tests.coordination.consumer_story import INTERVAL_MS, ConsumerClient
from tests.coordination.consumer_story import SESSION_MS as CONSUMER_SESSION_MS
from tests.coordination.group_story import (
    GROUP,
    INITIAL_DELAY_MS,
    REBALANCE_MS,
    SESSION_MS,
    Asked,
    ClassicClient,
    GroupStory,
)
from tests.coordination.test_classic_properties import MEMBERS, World
from tests.coordination.test_consumer_properties import Groups, consumers

from snakka.coordination.groups.offsets.committing import commit
from snakka.coordination.groups.offsets.expiry import expire_offsets
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)

COMMIT_VERSION = 9
Place = tuple[str, int]


class Acknowledged:
    """What members were told is committed; it must be all that the coordinator knows, whichever coordinator that is."""

    def __init__(self) -> None:
        self.offsets: dict[Place, int] = {}

    def commit(
        self,
        story: GroupStory,
        positions: dict[Place, int],
        member_id: str,
        instance_id: str | None,
        epoch: int,
    ) -> None:
        topics = [
            OffsetCommitRequestTopic(
                name=topic,
                partitions=[OffsetCommitRequestPartition(partition_index=number, committed_offset=offset)],
            )
            for (topic, number), offset in positions.items()
        ]
        request = OffsetCommitRequest(
            group_id=GROUP,
            member_id=member_id,
            group_instance_id=instance_id,
            generation_id_or_member_epoch=epoch,
            topics=topics,
        )
        outcome = story.ask(lambda shard, now, _: commit(shard, request, COMMIT_VERSION, now)).outcome
        if isinstance(outcome, ApiError):
            return
        assert all(row.error_code == ErrorCode.NONE for topic in outcome.topics for row in topic.partitions)
        for place, offset in positions.items():
            before = self.offsets.get(place, 0)
            assert offset >= before, f"{member_id} took {place} back from {before} to {offset}"
            self.offsets[place] = offset

    def check(self, story: GroupStory) -> None:
        known = {
            (topic, number): row.offset
            for topic, partitions in story.shard.offsets.of_group(GROUP).items()
            for number, row in partitions.items()
        }
        assert known == self.offsets


class ClassicProcess:
    """A process that reads for a member of a classic group, whether the group still knows it or not."""

    def __init__(self, client: ClassicClient) -> None:
        self.client = client
        self.generation = -1
        self.member_id = ""
        self.positions: dict[Place, int] = {}
        self._seen: Asked | None = None

    def look(self, acknowledged: Acknowledged) -> None:
        """It has a new assignment as soon as its SyncGroup has been answered."""
        client = self.client
        if client.synced is self._seen or not client.synced.is_answered:
            return
        self._seen = client.synced
        if client.synced.error is not ErrorCode.NONE:
            return
        self.generation, self.member_id = client.generation, client.id
        places = [("t", number) for number in client.assignment]
        self.positions = {place: acknowledged.offsets.get(place, 0) for place in places}


class Reading:
    """A world of classic members, and the processes that they ever had."""

    def __init__(self) -> None:
        self.world = World()
        self.acknowledged = Acknowledged()
        self.processes: dict[int, ClassicProcess] = {}

    def act(self, what: str, which: int) -> None:
        if what == "commit":
            self._commit(which)
        elif what == "go on":
            self._go_on(which)
        elif what == "expire":
            self.world.story.ask(lambda shard, now, _: expire_offsets(shard, now))
        else:
            self.world.act(what, which)
        for reader in self.world.readers:
            process = self.processes.setdefault(id(reader.client), ClassicProcess(reader.client))
            process.look(self.acknowledged)
        self.acknowledged.check(self.world.story)

    def _go_on(self, away: int) -> None:
        """All but one do what good members do, for longer than a session."""
        for _ in range(6):
            for which in range(MEMBERS):
                if which != away:
                    for _ in range(3):
                        self.act("step", which)
                    self.read_and_commit(self.process_of(which))
            self.act("wait", SESSION_MS // 4)

    def _commit(self, which: int) -> None:
        """Be it for a member or for a process that everybody believes to be dead."""
        processes = list(self.processes.values())
        if processes:
            self.read_and_commit(processes[-1 - which % len(processes)])

    def read_and_commit(self, process: ClassicProcess) -> None:
        for place in process.positions:
            process.positions[place] += 1
        instance_id = process.client.instance_id
        self.acknowledged.commit(
            self.world.story, process.positions, process.member_id, instance_id, process.generation
        )

    def process_of(self, which: int) -> ClassicProcess:
        return self.processes[id(self.world.readers[which].client)]


_WAITS = [1, INITIAL_DELAY_MS, SESSION_MS // 2, SESSION_MS, REBALANCE_MS]
_ACTIONS = st.one_of(
    st.tuples(st.just("step"), st.integers(0, MEMBERS - 1)),
    st.tuples(st.just("step"), st.integers(0, MEMBERS - 1)),
    st.tuples(st.just("commit"), st.integers(0, 2 * MEMBERS)),
    st.tuples(st.just("go on"), st.integers(0, MEMBERS)),
    st.tuples(st.sampled_from(["restart", "leave", "change"]), st.integers(0, MEMBERS - 1)),
    st.tuples(st.just("wait"), st.sampled_from(_WAITS)),
    st.tuples(st.sampled_from(["crash", "refuse", "expire"]), st.just(0)),
)
# Two rounds of steps that bring all members to their first assignment.
_BEGINNING = [
    *(("step", which) for _ in range(2) for which in range(MEMBERS)),
    ("wait", 2 * INITIAL_DELAY_MS),
    *(("step", which) for _ in range(4) for which in range(MEMBERS)),
]


@settings(max_examples=80, deadline=None)
@given(st.lists(_ACTIONS, max_size=30))
def test_offsets_of_classic_members_only_grow(actions) -> None:
    reading = Reading()
    for what, which in (*_BEGINNING, ("commit", 0), *actions):
        reading.act(what, which)
    assert reading.acknowledged.offsets


def test_what_a_process_commits_that_was_replaced_is_refused() -> None:
    """The world is able to go wrong: a process that is believed to be dead does try to take an offset back."""
    reading = Reading()
    for what, which in _BEGINNING:
        reading.act(what, which)
    zombie = reading.process_of(0)
    reading.act("restart", 0)
    for _ in range(12):
        for which in range(MEMBERS):
            reading.act("step", which)
            reading.read_and_commit(reading.process_of(which))
        reading.act("wait", SESSION_MS // 4)
    before = dict(reading.acknowledged.offsets)
    assert zombie.positions
    assert all(offset + 1 < before[place] for place, offset in zombie.positions.items())
    reading.read_and_commit(zombie)
    reading.acknowledged.check(reading.world.story)
    assert reading.acknowledged.offsets == before


class CommittingGroups(Groups):
    """All that happens to consumer groups, and their members commit."""

    @initialize()
    def begin(self) -> None:
        self.acknowledged = Acknowledged()
        self.positions: dict[str, dict[Place, int]] = {client.name: {} for client in self.consumers}
        self.topic_ids: dict[tuple[str, Place], bytes] = {}

    @rule(number=consumers, topics=st.just(["t", "u"]))
    def join(self, number: int, topics: list[str]) -> None:
        """Who joins again has nothing any more."""
        self.positions[self.consumers[number].name].clear()
        super().join(number, topics, None)

    @rule(number=consumers)
    def commit(self, number: int) -> None:
        client = self.consumers[number]
        positions = self.positions[client.name]
        # Whoever asks by a name that another topic has taken over is refused before the group is asked.
        read = {place: offset + 1 for place, offset in positions.items() if self._is_there(client, place)}
        if read:
            positions |= read
            self.acknowledged.commit(self.story, read, client.member_id, client.instance_id, client.epoch)

    @rule(
        away=st.sampled_from(range(5)), patience_ms=st.sampled_from([INTERVAL_MS, CONSUMER_SESSION_MS // 3])
    )
    def go_on(self, away: int, patience_ms: int) -> None:
        """All but one do what good members do; the one may be missed meanwhile, and commits without having heard of it."""
        for _ in range(4):
            for number, client in enumerate(self.consumers):
                if number != away:
                    if client.epoch <= 0:
                        self.join(number, ["t", "u"])
                    self.beat(number)
                    self.take(number)
                    self.offsets_only_grow()
                    self.commit(number)
            self.story.pass_time(patience_ms)
        self.offsets_only_grow()
        if away < len(self.consumers):
            self.commit(away)

    @rule()
    def expire(self) -> None:
        self.story.ask(lambda shard, now, _: expire_offsets(shard, now))

    def _is_there(self, client: ConsumerClient, place: Place) -> bool:
        topic = self.story.image.topics.by_name.get(place[0])
        return (
            topic is not None
            and topic.id == client.topic_ids.get(place[0])
            and place[1] < len(topic.partitions)
        )

    @invariant()
    def offsets_only_grow(self) -> None:
        self.acknowledged.check(self.story)
        for client in self.consumers:
            owned = {(topic, number) for topic, numbers in client.owned.items() for number in numbers}
            before = self.positions[client.name]
            self.positions[client.name] = {
                place: before.get(place, self.acknowledged.offsets.get(place, 0)) for place in owned
            }


TestCommittingGroups = CommittingGroups.TestCase
TestCommittingGroups.settings = settings(
    max_examples=60, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)
