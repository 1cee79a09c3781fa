"""Members of both protocols that come and go, topics that change, answers that are lost, appends that are refused, and
coordinators that crash, all by chance: no two members ever have a partition, and in the end everybody has its share.
"""

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from tests.coordination.consumer_story import INTERVAL_MS, SESSION_MS, ConsumerClient, ConsumerStory
from tests.coordination.group_story import GROUP, ClassicClient
from tests.coordination.test_consumer_migration import classic_consumer, own, partitions_of

from snakka.coordination.groups.consumer.group import ConsumerGroup
from snakka.coordination.groups.consumer.member import LEAVING_FOR_A_WHILE
from snakka.protocol.error_codes import ErrorCode

TOPICS = ("t", "u", "v")
consumers = st.sampled_from(range(4))
classics = st.sampled_from(range(2))
subscriptions = st.lists(st.sampled_from(TOPICS), unique=True, max_size=3)


class Groups(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.story = ConsumerStory({"t": 4})
        self.consumers = [
            self.story.consumer(f"N{number}", instance_id="i" if number == 3 else None) for number in range(4)
        ]
        self.classics = [classic_consumer(self.story, f"C{number}") for number in range(2)]
        self.versions = 0

    @property
    def group(self) -> ConsumerGroup | None:
        group = self.story.shard.groups.get(GROUP)
        return group if isinstance(group, ConsumerGroup) else None

    # -- members of the consumer protocol -------------------------------------------------------------------------

    @rule(number=consumers, topics=subscriptions, pattern=st.sampled_from([None, None, "[tu]", "v"]))
    def join(self, number: int, topics: list[str], pattern: str | None) -> None:
        client = self.consumers[number]
        client.topics, client.pattern = topics, pattern
        client.join()

    @rule(number=consumers)
    def beat(self, number: int) -> None:
        self._heard(self.consumers[number], self.consumers[number].ask_only())

    @rule(number=consumers)
    def take(self, number: int) -> None:
        client = self.consumers[number]
        if client.epoch > 0:
            self._heard(client, client.take())

    @rule(number=consumers, topics=subscriptions)
    def subscribe(self, number: int, topics: list[str]) -> None:
        client = self.consumers[number]
        if client.epoch > 0:
            self._heard(client, client.subscribe(*topics, pattern="").error)

    @rule(number=consumers)
    def lose_an_answer(self, number: int) -> None:
        """It said what it owns, and does not know what came of it."""
        client = self.consumers[number]
        if client.epoch > 0:
            client.owned = {topic: set(numbers) for topic, numbers in client.told.items()}
            before = client.epoch, client.told
            client.send(topic_partitions=client._rows())
            client.epoch, client.told = before

    @rule(number=consumers, for_a_while=st.booleans())
    def leave(self, number: int, for_a_while: bool) -> None:
        client = self.consumers[number]
        is_static = client.instance_id is not None
        client.leave(LEAVING_FOR_A_WHILE if is_static and for_a_while else -1)

    def _heard(self, client: ConsumerClient, error: ErrorCode) -> None:
        if error in (
            ErrorCode.FENCED_MEMBER_EPOCH,
            ErrorCode.UNKNOWN_MEMBER_ID,
            ErrorCode.GROUP_ID_NOT_FOUND,
            ErrorCode.FENCED_INSTANCE_ID,
        ):
            client.epoch, client.owned, client.told = 0, {}, {}

    # -- members of the classic protocol --------------------------------------------------------------------------

    @rule(number=classics)
    def classic_join(self, number: int) -> None:
        """Only into consumer groups: how classic groups rebalance is another's story."""
        member = self.classics[number]
        if self.group is None or self.group.is_empty:
            return
        if member.join().error is ErrorCode.UNKNOWN_MEMBER_ID:
            member.member_id = ""

    @rule(number=classics)
    def classic_sync(self, number: int) -> None:
        member = self.classics[number]
        if self._is_in(member) and member.sync().error is ErrorCode.NONE:
            own(member)
            assert partitions_of(member).keys() <= {"t"}

    @rule(number=classics)
    def classic_heartbeat(self, number: int) -> None:
        if self._is_in(self.classics[number]):
            self.classics[number].heartbeat()

    @rule(number=classics)
    def classic_leave(self, number: int) -> None:
        if self._is_in(self.classics[number]):
            self.classics[number].leave()

    def _is_in(self, member: ClassicClient) -> bool:
        group, joined = self.group, member.joined
        return (
            group is not None
            and joined.is_answered
            and joined.error is ErrorCode.NONE
            and member.id in group.members
        )

    # -- the world ------------------------------------------------------------------------------------------------

    @rule(milliseconds=st.sampled_from([0, 1, INTERVAL_MS, 5_000, 11_000, SESSION_MS]))
    def pass_time(self, milliseconds: int) -> None:
        self.story.pass_time(milliseconds)

    @rule(name=st.sampled_from(TOPICS), partitions=st.integers(1, 6))
    def change_topic(self, name: str, partitions: int) -> None:
        topic = self.story.image.topics.by_name.get(name)
        if topic is None:
            self.story.create_topic(name, partitions)
        elif len(topic.partitions) < partitions:
            self.story.grow_topic(name, partitions)
        else:
            self.story.delete_topic(name)

    @rule()
    def crash(self) -> None:
        # What was refused is not in the log, so memory and log are one again.
        self.story.was_refused = False
        self.story.refusal = None
        self.story.crash()

    @precondition(lambda self: self.group is not None)
    @rule()
    def refuse(self) -> None:
        self.story.refuse_next_append(ErrorCode.COORDINATOR_NOT_AVAILABLE)

    # -- what must hold -------------------------------------------------------------------------------------------

    @invariant()
    def nobody_shares_a_partition(self) -> None:
        if self.group is None:
            return
        seen: set[tuple[bytes, int]] = set()
        for member in self.group.members.values():
            for has in (member.assigned, member.revoking):
                mine = {(topic_id, number) for topic_id, numbers in has.items() for number in numbers}
                assert not seen & mine
                seen |= mine
        targeted = [
            (topic_id, number)
            for share in self.group.target.values()
            for topic_id, numbers in share.items()
            for number in numbers
        ]
        assert len(targeted) == len(set(targeted))

    @invariant()
    def clients_have_no_more_than_they_are_known_to_have(self) -> None:
        group = self.group
        if group is None:
            return
        for client in self.consumers:
            member = group.members.get(client.member_id)
            if member is None or client.epoch <= 0 or member.is_classic or member.epoch < client.epoch:
                continue
            for topic, numbers in client.owned.items():
                topic_id = client.topic_ids[topic]
                known = {*member.assigned.get(topic_id, {}), *member.revoking.get(topic_id, {})}
                assert numbers <= known, (client.name, topic, numbers, known)

    def teardown(self) -> None:
        """When nothing happens any more, everybody gets its share."""
        self.story.refusal = None
        if self.group is None or self.group.is_empty:
            return
        for client in self.consumers:
            client.leave(), client.leave(LEAVING_FOR_A_WHILE)
        for member in self.classics:
            if self._is_in(member):
                member.leave()
        self.story.pass_time(2 * SESSION_MS)
        if self.group is None:
            return
        late = [self.story.consumer(f"late-{number}", ["t", "u"]) for number in range(3)]
        for client in late:
            client.join()
        self.story.settle(*late)
        wanted = sum(
            len(topic.partitions) for topic in self.story.image.topics.by_name.values() if topic.name in "tu"
        )
        assert sum(client.partitions for client in late) == wanted


TestGroups = Groups.TestCase
TestGroups.settings = settings(
    max_examples=60, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)
