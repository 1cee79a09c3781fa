"""What a replica's directory id says, beside naming a directory (KIP-858)."""

from collections.abc import Collection

from snakka.protocol.uuids import LOST_DIRECTORY, MIGRATING_DIRECTORY, UNASSIGNED_DIRECTORY, Uuid

_RESERVED_COUNT = 100


def is_reserved(directory: Uuid) -> bool:
    """True for ids that no real directory may have."""
    return int.from_bytes(directory, "big") < _RESERVED_COUNT


def is_online(directory: Uuid, online_directories: Collection[Uuid]) -> bool:
    """Whether a replica there can be served, given the directories that its broker has registered.

    UNASSIGNED: the broker has not yet said which of its directories holds the replica. MIGRATING: the replica is older
    than directory ids. LOST: the directory went offline before the broker could say which it is.
    """
    if directory in (UNASSIGNED_DIRECTORY, MIGRATING_DIRECTORY):
        return True
    if directory == LOST_DIRECTORY:
        return False
    # A broker that registered without directories is of a version that has no notion of them.
    return not online_directories or directory in online_directories
