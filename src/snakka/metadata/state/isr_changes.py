"""What becomes of partitions when a broker comes, goes, or loses a directory.

Each function returns records. The registration of the broker changes elsewhere, but for its directories.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from snakka.metadata.image.brokers import BrokerRegistration
from snakka.metadata.image.cluster import ClusterImage
from snakka.metadata.image.features import SHRINK_KEEPS_LEADER_EPOCH_SINCE
from snakka.metadata.image.partition import NO_LEADER, PartitionImage
from snakka.metadata.image.topics import TopicImage
from snakka.metadata.state.leader_election import Election, ElectionRules, PartitionEdit
from snakka.metadata.state.rules import ControllerRules
from snakka.protocol.message import Message
from snakka.protocol.record_types.metadata.broker_registration_change_record import (
    BrokerRegistrationChangeRecord,
)
from snakka.protocol.uuids import Uuid
from snakka.raft.features import METADATA_VERSION

Located = tuple[TopicImage, int, PartitionImage]

NOBODY = NO_LEADER


def edit_partition(
    image: ClusterImage,
    rules: ControllerRules,
    located: Located,
    election: Election = Election.ONLINE,
    is_acceptable_leader: Callable[[int], bool] | None = None,
) -> PartitionEdit:
    """A change of one partition under the cluster's present rules."""
    topic, number, partition = located
    is_acceptable = is_acceptable_leader or image.brokers.is_active

    def may_lead(broker_id: int) -> bool:
        return (
            broker_id in partition.replicas
            and is_acceptable(broker_id)
            and image.brokers.has_online(broker_id, partition.directory_of(broker_id))
        )

    features = image.features
    # A topic cannot be asked for more replicas in sync than it has.
    first = topic.partitions.get(0, partition)
    election_rules = ElectionRules(
        is_acceptable_leader=may_lead,
        default_directory=image.brokers.default_directory,
        min_isr=min(rules.min_isr(image, topic.name), len(first.replicas)),
        elr_enabled=features.elr_enabled,
        names_directories=features.names_directories,
        shrink_bumps_leader_epoch=features.level(METADATA_VERSION) < SHRINK_KEEPS_LEADER_EPOCH_SINCE,
    )
    return PartitionEdit(topic.id, number, partition, election_rules, election)


def leader_and_isr_updates(
    image: ClusterImage,
    rules: ControllerRules,
    partitions: Iterable[Located],
    *,
    removed: int = NOBODY,
    added: int = NOBODY,
    unclean: int = NOBODY,
) -> list[Message]:
    """New leaders and ISRs for these partitions.

    `removed` leaves ISR and leadership; `added` may lead although the image still shows it fenced; `unclean` stopped without
    a clean shutdown, so it leaves the ELR too.
    """

    def is_acceptable(broker_id: int) -> bool:
        if broker_id in (removed, unclean):
            return False
        return broker_id == added or image.brokers.is_active(broker_id)

    records: list[Message] = []
    for located in partitions:
        topic, _, partition = located
        unclean_election = rules.unclean_election_enabled(image, topic.name)
        edit = edit_partition(
            image, rules, located, Election.UNCLEAN if unclean_election else Election.ONLINE, is_acceptable
        )
        if unclean != NOBODY:
            edit.unclean_shutdowns = (unclean,)
        edit.isr = [replica for replica in partition.isr if replica not in (removed, unclean)]
        record = edit.build()
        if record is not None:
            records.append(record)
    return records


def with_broker_in_isr(image: ClusterImage, broker_id: int) -> Iterator[Located]:
    return (located for located in image.topics.all_partitions() if broker_id in located[2].isr)


def with_broker_in_elr(image: ClusterImage, broker_id: int) -> Iterator[Located]:
    return (located for located in image.topics.all_partitions() if broker_id in located[2].elr)


def without_leader(image: ClusterImage) -> Iterator[Located]:
    return (located for located in image.topics.all_partitions() if located[2].leader == NO_LEADER)


def in_directory(image: ClusterImage, directory: Uuid) -> Iterator[Located]:
    return (located for located in image.topics.all_partitions() if directory in located[2].directories)


def leads_any(image: ClusterImage, broker_id: int) -> bool:
    return any(partition.leader == broker_id for _, _, partition in image.topics.all_partitions())


def broker_fenced(image: ClusterImage, rules: ControllerRules, broker_id: int) -> list[Message]:
    """The broker is gone, or about to be: others lead, and it is in no ISR."""
    return leader_and_isr_updates(image, rules, with_broker_in_isr(image, broker_id), removed=broker_id)


def broker_unfenced(image: ClusterImage, rules: ControllerRules, broker_id: int) -> list[Message]:
    """Partitions that nobody led may have been waiting for this broker."""
    return leader_and_isr_updates(image, rules, without_leader(image), added=broker_id)


def broker_unregistered(image: ClusterImage, rules: ControllerRules, broker_id: int) -> list[Message]:
    records = leader_and_isr_updates(image, rules, with_broker_in_isr(image, broker_id), removed=broker_id)
    return records + leader_and_isr_updates(
        image, rules, with_broker_in_elr(image, broker_id), removed=broker_id
    )


def broker_restarted(
    image: ClusterImage, rules: ControllerRules, broker_id: int, *, clean_shutdown: bool
) -> list[Message]:
    """A new process has taken the broker's place. After an unclean stop it cannot vouch for the tails of its logs."""
    if clean_shutdown or not image.features.elr_enabled:
        return broker_fenced(image, rules, broker_id)
    records = leader_and_isr_updates(image, rules, with_broker_in_isr(image, broker_id), unclean=broker_id)
    return records + leader_and_isr_updates(
        image, rules, with_broker_in_elr(image, broker_id), unclean=broker_id
    )


def directories_failed(
    image: ClusterImage, rules: ControllerRules, broker: BrokerRegistration, failed: Sequence[Uuid]
) -> list[Message]:
    """Records for directories that a heartbeat newly reports as offline."""
    newly_failed = [directory for directory in broker.directories if directory in failed]
    if not newly_failed:
        return []
    records: list[Message] = []
    for directory in newly_failed:
        records += leader_and_isr_updates(image, rules, in_directory(image, directory), removed=broker.id)
    remaining = [directory for directory in broker.directories if directory not in failed]
    records.append(
        BrokerRegistrationChangeRecord(broker_id=broker.id, broker_epoch=broker.epoch, log_dirs=remaining)
    )
    return records
