"""Random members, time-outs, refused appends and crashes: whatever happens, nobody shares a partition, nobody waits for
nothing, and everybody settles as soon as the world leaves them alone.
"""

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.coordination.group_story import (
    GROUP,
    INITIAL_DELAY_MS,
    REBALANCE_MS,
    SESSION_MS,
    Asked,
    ClassicClient,
    GroupStory,
    subscription,
)

from snakka.coordination.groups.classic.deadline_keys import (
    INITIAL_JOIN,
    JOIN,
    SYNC,
    group_key,
    session_key,
)
from snakka.coordination.groups.classic.group import ClassicGroup, State
from snakka.protocol.error_codes import ErrorCode

PARTITIONS = range(5)
MEMBERS = 4
# What a client meets when it has to begin anew, and when it must not.
_FORGOTTEN = (ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.GROUP_MAX_SIZE_REACHED)


class Reader:
    """A consumer that does what a good client does, one step at a time."""

    def __init__(self, world: "World", name: str, instance_id: str | None) -> None:
        self.world = world
        self.instance_id = instance_id
        self.name = name
        self.client = self._new_client()
        self.next = self._join

    def _new_client(self) -> ClassicClient:
        version = 9 if self.name in "AC" else 3 if self.instance_id is None else 6
        return self.world.story.member(self.name, instance_id=self.instance_id, version=version)

    def restart(self) -> None:
        """Its process dies without a word."""
        self.client = self._new_client()
        self.next = self._join

    def leave(self) -> None:
        if self.client.member_id:
            self.client.leave()
        self.restart()

    def change(self) -> None:
        self.client.protocols = {"range": subscription("t", f"another {self.world.story.now.steady_ms}")}
        if self.next == self._beat:
            self.next = self._join

    def step(self) -> None:
        self.next()

    def _join(self) -> None:
        self.world.note(self.client.join())
        self.next = self._await_join

    def _await_join(self) -> None:
        asked = self.client.joined
        if not asked.is_answered:
            return
        if asked.error is ErrorCode.NONE:
            self.client.member_id = self.client.answer.member_id
            self.next = self._sync
        else:
            self._recover(asked.error)

    def _sync(self) -> None:
        client = self.client
        shares: dict[ClassicClient, bytes] = {}
        if client.is_leader and not client.answer.skip_assignment:
            members = [row.member_id for row in client.answer.members]
            for place, member_id in enumerate(members):
                someone = self.world.story.member("?")
                someone.member_id = member_id
                shares[someone] = bytes(index for index in PARTITIONS if index % len(members) == place)
        self.world.note(client.sync(shares))
        self.next = self._await_sync

    def _await_sync(self) -> None:
        asked = self.client.synced
        if not asked.is_answered:
            return
        if asked.error is ErrorCode.NONE:
            self.world.own(self, self.client.generation, asked.response.assignment)
            self.next = self._beat
        else:
            self._recover(asked.error)

    def _beat(self) -> None:
        error = self.client.heartbeat()
        if error is not ErrorCode.NONE:
            self._recover(error)

    def _recover(self, error: ErrorCode) -> None:
        if error in _FORGOTTEN:
            self.client.member_id = ""
        elif error is ErrorCode.FENCED_INSTANCE_ID:
            self.client = self._new_client()
        self.next = self._join

    @property
    def owner(self) -> str:
        return self.instance_id or self.client.member_id

    @property
    def is_settled(self) -> bool:
        return self.next == self._beat


class World:
    """A group of readers and the coordinator that they have at the moment."""

    def __init__(self) -> None:
        self.story = GroupStory()
        self.readers = [
            Reader(self, name, instance_id)
            for name, instance_id in zip("ABCD"[:MEMBERS], (None, None, "one", "two"), strict=True)
        ]
        self.waiting: list[Asked] = []
        self.owners: dict[tuple[int, int], str] = {}

    def note(self, asked: Asked) -> None:
        self.waiting.append(asked)

    def own(self, reader: Reader, generation: int, partitions: bytes) -> None:
        for partition in partitions:
            owner = self.owners.setdefault((generation, partition), reader.owner)
            assert owner == reader.owner, (
                f"{partition} in generation {generation}: {owner} and {reader.owner}"
            )

    def act(self, what: str, which: int) -> None:
        reader = self.readers[which % MEMBERS]
        if what == "step":
            reader.step()
        elif what == "restart":
            reader.restart()
        elif what == "leave":
            reader.leave()
        elif what == "change":
            reader.change()
        elif what == "refuse":
            self.story.refuse_next_append(ErrorCode.COORDINATOR_NOT_AVAILABLE)
        elif what == "crash":
            self.crash()
        else:
            self.story.pass_time(which)
        self.check()

    def crash(self) -> None:
        """Clients that wait are disconnected, and ask the new coordinator again."""
        self.story.crash()
        self.waiting = [asked for asked in self.waiting if asked.is_answered]
        for reader in self.readers:
            if reader.next == reader._await_join:
                reader.next = reader._join
            elif reader.next == reader._await_sync:
                reader.next = reader._sync

    def check(self) -> None:
        """Whoever waits is known to the group, and whatever the group waits for has a deadline, and nothing else has."""
        self.waiting = [asked for asked in self.waiting if not asked.is_answered]
        group = self.story.shard.groups.get(GROUP)
        expected = set()
        if isinstance(group, ClassicGroup):
            tickets = [*group.joining.values(), *group.syncing.values()]
            assert set(self.waiting) == set(tickets)
            assert set(group.joining) | set(group.syncing) | set(group.pending_sync) <= set(group.members)
            expected = self._expected_deadlines(group)
        else:
            assert not self.waiting
        deadlines = self.story.shard.deadlines
        assert all(key in deadlines for key in expected), expected
        if isinstance(group, ClassicGroup):
            possible = {session_key(GROUP, member_id) for member_id in group.members} | expected
            assert len(deadlines) == sum(key in deadlines for key in possible)

    def _expected_deadlines(self, group: ClassicGroup) -> set[tuple[object, ...]]:
        expected = {session_key(GROUP, member_id) for member_id in group.pending_join}
        for member_id, member in group.members.items():
            if not group.is_satisfied(member):
                expected.add(session_key(GROUP, member_id))
        if group.state is State.PREPARING_REBALANCE:
            # The first rebalance has a time of its own until nobody but static members is left.
            what = INITIAL_JOIN if group_key(GROUP, INITIAL_JOIN) in self.story.shard.deadlines else JOIN
            expected.add(group_key(GROUP, what))
        elif group.state is State.COMPLETING_REBALANCE:
            assert group.leader_id in group.pending_sync
        elif group.state is State.EMPTY:
            assert not group.members
        if group.pending_sync:
            expected.add(group_key(GROUP, SYNC))
        return expected

    def settle(self) -> None:
        """All readers do what they should, often enough for all time-outs that others have left behind."""
        self.story.refusal = None
        for _ in range(2 * REBALANCE_MS // (SESSION_MS // 4)):
            for _ in range(4):
                for reader in self.readers:
                    reader.step()
                self.check()
            self.story.pass_time(SESSION_MS // 4)
            self.check()


_ACTIONS = st.one_of(
    st.tuples(st.just("step"), st.integers(0, MEMBERS - 1)),
    st.tuples(st.just("step"), st.integers(0, MEMBERS - 1)),
    st.tuples(st.just("step"), st.integers(0, MEMBERS - 1)),
    st.tuples(st.sampled_from(["restart", "leave", "change"]), st.integers(0, MEMBERS - 1)),
    st.tuples(
        st.just("wait"), st.sampled_from([1, INITIAL_DELAY_MS, SESSION_MS // 2, SESSION_MS, REBALANCE_MS])
    ),
    st.tuples(st.sampled_from(["crash", "refuse"]), st.just(0)),
)


@settings(max_examples=120, deadline=None)
@given(st.lists(_ACTIONS, max_size=60))
def test_members_that_come_and_go_never_share_and_always_settle(actions):
    world = World()
    for what, which in actions:
        world.act(what, which)
    world.settle()
    group = world.story.group()
    assert group.state is State.STABLE
    assert all(reader.is_settled for reader in world.readers)
    assert sorted(reader.client.id for reader in world.readers) == sorted(group.members)
    owned = [partition for reader in world.readers for partition in reader.client.assignment]
    assert sorted(owned) == list(PARTITIONS)
