"""Replicas for new partitions, chosen here or given by the user, and the partitions that they make."""

import random
from collections.abc import Iterator, Sequence

from snakka.metadata.image.cluster import ClusterImage
from snakka.metadata.image.partition import PartitionImage
from snakka.metadata.state.heartbeats import Heartbeats
from snakka.metadata.state.placement import UsableBroker, place_replicas
from snakka.protocol.errors import ApiError, ErrorCode


def usable_brokers(image: ClusterImage, heartbeats: Heartbeats) -> Iterator[UsableBroker]:
    """Brokers that may take new replicas: not those that are about to stop, nor those with nothing but cordoned disks."""
    for broker in image.brokers.by_id.values():
        if broker.takes_new_replicas and not heartbeats.is_shutting_down(broker.id):
            yield UsableBroker(broker.id, broker.rack, broker.fenced)


def place_partitions(
    image: ClusterImage,
    heartbeats: Heartbeats,
    chance: random.Random,
    *,
    partitions: int,
    replication_factor: int,
) -> list[PartitionImage]:
    """New partitions where the placement puts them; INVALID_REPLICATION_FACTOR if it cannot."""
    try:
        assignments = place_replicas(
            usable_brokers(image, heartbeats), partitions, replication_factor, chance
        )
    except ApiError as error:
        raise ApiError(
            error.code, f"A partition cannot be replicated {replication_factor} time(s): {error.message}."
        ) from None
    placed = []
    for replicas in assignments:
        partition = new_partition(image, replicas)
        if partition is None:
            raise ApiError(
                ErrorCode.INVALID_REPLICATION_FACTOR,
                f"A partition cannot be replicated {replication_factor} time(s): no broker is active.",
            )
        placed.append(partition)
    return placed


def assigned_partition(
    image: ClusterImage, number: int, replicas: Sequence[int], replication_factor: int | None
) -> PartitionImage:
    """A new partition where the user wants it; INVALID_REPLICA_ASSIGNMENT if it cannot be there."""
    check_assignment(image, replicas, replication_factor)
    partition = new_partition(image, replicas)
    if partition is None:
        raise _invalid(f"all brokers that are to hold partition {number} are fenced or shutting down")
    return partition


def check_assignment(image: ClusterImage, replicas: Sequence[int], replication_factor: int | None) -> None:
    if not replicas:
        raise _invalid("a partition has no replicas")
    for replica in sorted(replicas):
        if replica not in image.brokers.by_id:
            raise _invalid(f"broker {replica} is not registered")
    if len(set(replicas)) != len(replicas):
        raise _invalid(f"a broker is named twice in {list(replicas)}")
    if replication_factor is not None and len(replicas) != replication_factor:
        raise _invalid(f"a partition has {len(replicas)} replica(s) while others have {replication_factor}")


def new_partition(image: ClusterImage, replicas: Sequence[int]) -> PartitionImage | None:
    """All active replicas are in sync, since there is nothing to copy; the first of them leads. None if there is none."""
    isr = tuple(replica for replica in replicas if image.brokers.is_active(replica))
    if not isr:
        return None
    directories = tuple(image.brokers.default_directory(replica) for replica in replicas)
    return PartitionImage(tuple(replicas), directories, isr, isr[0], leader_epoch=0, partition_epoch=0)


def _invalid(problem: str) -> ApiError:
    return ApiError(ErrorCode.INVALID_REPLICA_ASSIGNMENT, f"The assignment is invalid: {problem}.")
