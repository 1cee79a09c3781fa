"""The coordinators of this broker: how they are built, and how committed metadata and changed options reach them.

Rule: a coordinator leads what its partition leads. Whatever the metadata says of an internal topic gets here after the
partitions have taken it over. The state machines are imported when there is something to lead: a broker without groups and
transactions starts without them.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from snakka.broker.live_options import LiveOptions
from snakka.coordination.runtime.coordinator import Coordinator
from snakka.coordination.runtime.shard_host import AppendSettings, HostEnvironment
from snakka.metadata.image.cluster import ClusterImage
from snakka.metadata.image.delta import Delta
from snakka.options.option_set import OptionSet
from snakka.protocol.compression import Compression
from snakka.protocol.coordinator_framing import GROUP_RECORDS, TRANSACTION_RECORDS, decoder
from snakka.replication.partition_table import PartitionTable
from snakka.runtime import Runtime
from snakka.storage.files import StorageFailure

if TYPE_CHECKING:
    from snakka.coordination.groups.settings import GroupSettings
    from snakka.coordination.groups.shard import GroupShard
    from snakka.coordination.transactions.settings import TransactionSettings
    from snakka.coordination.transactions.shard import TransactionShard

T = TypeVar("T")

OFFSETS_TOPIC = "__consumer_offsets"
TRANSACTIONS_TOPIC = "__transaction_state"


@dataclass(slots=True)
class Coordinators:
    """Both coordinators, and who carries out what a committed transaction decides."""

    groups: "Coordinator[GroupShard]"
    transactions: "Coordinator[TransactionShard]"
    # (partition of the transaction topic, effect); the transaction markers' sender puts itself here.
    carry_out_transaction: list[Callable[[int, Any], None]] = field(default_factory=list)


class _UntilChanged(Generic[T]):
    """What is read from the options when it is first asked for, and again after one of them has changed."""

    def __init__(self, live: LiveOptions, read: Callable[[OptionSet], T]) -> None:
        self._live = live
        self._read = read
        self._value: T | None = None
        live.on_change(self._forget)

    def __call__(self) -> T:
        if self._value is None:
            self._value = self._read(self._live.current)
        return self._value

    def _forget(self) -> None:
        self._value = None


def _group_settings(options: OptionSet) -> "GroupSettings":
    from snakka.coordination.groups.settings import GroupSettings

    return GroupSettings.from_options(options)


def _transaction_settings(options: OptionSet) -> "TransactionSettings":
    from snakka.coordination.transactions.settings import TransactionSettings

    return TransactionSettings.from_options(options)


def _group_appends(options: OptionSet) -> AppendSettings:
    return AppendSettings(
        Compression(options.integer("offsets.topic.compression.codec")),
        options.integer("offsets.commit.timeout.ms"),
    )


def build_coordinators(
    runtime: Runtime,
    live: LiveOptions,
    image: Callable[[], ClusterImage],
    storage_failed: Callable[[StorageFailure], None],
) -> Coordinators:
    group_settings = _UntilChanged(live, _group_settings)
    transaction_settings = _UntilChanged(live, _transaction_settings)
    effects: list[Callable[[int, Any], None]] = []

    def carry_out(index: int, effect: Any) -> None:
        for one in effects:
            one(index, effect)

    def new_group_shard(index: int, epoch: int) -> "GroupShard":
        from snakka.coordination.groups.shard import GroupShard

        return GroupShard(group_settings, image)

    def new_transaction_shard(index: int, epoch: int) -> "TransactionShard":
        from snakka.coordination.transactions.shard import TransactionShard

        return TransactionShard(epoch, transaction_settings, image)

    groups = Coordinator(
        OFFSETS_TOPIC,
        HostEnvironment(runtime, _UntilChanged(live, _group_appends), carry_out, storage_failed),
        new_shard=new_group_shard,
        decode=decoder(GROUP_RECORDS),
        load_buffer_bytes=lambda: live.current.integer("offsets.load.buffer.size"),
    )
    transactions = Coordinator(
        TRANSACTIONS_TOPIC,
        HostEnvironment(runtime, AppendSettings, carry_out, storage_failed),
        new_shard=new_transaction_shard,
        decode=decoder(TRANSACTION_RECORDS),
        load_buffer_bytes=lambda: live.current.integer("transaction.state.log.load.buffer.size"),
    )
    return Coordinators(groups, transactions, effects)


class CoordinatorPublisher:
    """Tells the coordinators what they lead, and the groups what became of the topics."""

    def __init__(self, coordinators: Coordinators, partitions: PartitionTable) -> None:
        self._coordinators = coordinators
        self._by_topic: dict[str, Coordinator[Any]] = {
            OFFSETS_TOPIC: coordinators.groups,
            TRANSACTIONS_TOPIC: coordinators.transactions,
        }
        self._partitions = partitions

    def publish(self, delta: Delta, image: ClusterImage) -> None:
        for change in delta.partition_changes(image):
            coordinator = self._by_topic.get(change.topic.name)
            if coordinator is not None:
                self._follow(coordinator, change.partition, image)
        if delta.topics_changed and any(self._coordinators.groups.hosts()):
            self._tell_groups(delta, image)

    def _tell_groups(self, delta: Delta, image: ClusterImage) -> None:
        """Offsets of deleted topics go, and groups that subscribe to what has changed get another assignment."""
        from snakka.coordination.groups.consumer import topics_changed
        from snakka.coordination.groups.offsets.deletion import topics_deleted

        deleted = list(delta.deleted_topics.values())
        changed = dict.fromkeys(topic.name for topic in deleted)
        for topic_id in (*delta.created_topics, *(topic_id for topic_id, _ in delta.partitions)):
            topic = image.topics.by_id.get(topic_id)
            if topic is not None:
                changed[topic.name] = None
        groups = self._coordinators.groups
        if deleted:
            groups.decide_everywhere(lambda shard, _now: topics_deleted(shard, deleted))
        groups.decide_everywhere(lambda shard, now: topics_changed(shard, changed, now))

    def _follow(self, coordinator: Coordinator[Any], index: int, image: ClusterImage) -> None:
        topic = image.topics.get(coordinator.topic)
        coordinator.partition_count = None if topic is None else len(topic.partitions)
        partition = self._partitions.get(coordinator.topic, index)
        if partition is None or not partition.is_leader or partition.offline_error is not None:
            coordinator.resign(index)
        elif not coordinator.leads(index, partition.leader_epoch):
            coordinator.lead(partition)
