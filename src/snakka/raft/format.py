"""Making a new node: what `kafka-storage format --standalone` writes, once, into empty directories.

Each directory gets `bootstrap.checkpoint`, which names the feature levels that the cluster starts with. The metadata
directory also gets a snapshot of nothing but the quorum: this node, the only voter. `meta.properties` comes last, so a node
that dies on the way formats itself again. Rule: directories that hold anything are judged by `storage`, never changed.
"""

import random
from collections.abc import Mapping, Sequence

from snakka.protocol.record_types.metadata.feature_level_record import FeatureLevelRecord
from snakka.raft.features import FEATURES, KRAFT_VERSION, LATEST_KRAFT_LEVEL, bootstrap_levels
from snakka.raft.metadata_log import log_directory
from snakka.raft.snapshot_files import SnapshotId, encode_snapshot, write_bootstrap, write_snapshot
from snakka.raft.state.voters import Endpoint, ReplicaKey, Voter, VoterSet
from snakka.storage.files import Files
from snakka.storage.log_directory import DataDirectories, open_data_directories
from snakka.storage.meta_properties import MetaProperties

FIRST_SNAPSHOT = SnapshotId(0, 0)


def local_voter(node_id: int, directory_id: bytes, endpoints: Sequence[Endpoint]) -> Voter:
    """This node as a voter: the kraft.version levels are those that this code understands."""
    levels = FEATURES[KRAFT_VERSION]
    key = ReplicaKey(node_id, directory_id)
    return Voter(key, tuple(endpoints), levels.min_level, levels.max_level)


def open_node_directories(
    files: Files,
    chance: random.Random,
    *,
    log_directories: Sequence[str],
    metadata_directory: str | None,
    node_id: int,
    endpoints: Sequence[Endpoint],
    may_format: bool,
    now_ms: int,
    cluster_id: str | None = None,
) -> DataDirectories:
    """Lock and verify a node's directories; format them if all are empty and `may_format`. Blocks.

    `endpoints` are those of the controller listeners. `may_format` is false for a node that is told of a quorum
    (`controller.quorum.*`): it may be meant to join one. DataDirectoryError, with nothing written, if it cannot be done.
    """
    metadata_path = metadata_directory or log_directories[0]

    def write_first_files(created: Mapping[str, MetaProperties]) -> None:
        for directory in created:
            write_bootstrap(files, directory, bootstrap_records(), now_ms)
        if metadata_path in created:
            directory_id = created[metadata_path].directory_id
            assert directory_id is not None  # a new directory always has one
            voters = VoterSet.of(local_voter(node_id, directory_id, endpoints))
            _write_first_snapshot(files, metadata_path, voters, now_ms)

    return open_data_directories(
        files,
        chance,
        log_directories=log_directories,
        metadata_directory=metadata_directory,
        node_id=node_id,
        cluster_id=cluster_id,
        may_format=may_format,
        before_create=write_first_files,
    )


def bootstrap_records() -> list[FeatureLevelRecord]:
    """The levels that a new cluster finalizes."""
    return [FeatureLevelRecord(name=name, feature_level=level) for name, level in bootstrap_levels()]


def _write_first_snapshot(files: Files, metadata_directory: str, voters: VoterSet, now_ms: int) -> None:
    directory = log_directory(metadata_directory)
    files.make_directory(directory)
    batches = encode_snapshot(
        (),
        epoch=FIRST_SNAPSHOT.epoch,
        last_log_timestamp_ms=now_ms,
        now_ms=now_ms,
        kraft_version=LATEST_KRAFT_LEVEL,
        voters=voters,
    )
    write_snapshot(files, directory, FIRST_SNAPSHOT, batches)
    files.sync_directory(metadata_directory)
