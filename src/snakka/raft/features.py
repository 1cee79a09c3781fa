"""Feature levels that Kafka 4.3 finalizes: facts, checked against Kafka's own jars by a test.

A feature's level says which records and behaviour the whole cluster has agreed on. A level can be finalized from a certain
metadata.version on, and may need levels of other features.
"""

from dataclasses import dataclass
from types import MappingProxyType

METADATA_VERSION = "metadata.version"
KRAFT_VERSION = "kraft.version"
TRANSACTION_VERSION = "transaction.version"
GROUP_VERSION = "group.version"
ELIGIBLE_LEADER_REPLICAS_VERSION = "eligible.leader.replicas.version"
SHARE_VERSION = "share.version"
STREAMS_VERSION = "streams.version"

# Names of the metadata.version levels, from the lowest that Kafka 4.3 reads to the latest production level.
METADATA_VERSION_NAMES = MappingProxyType(
    {
        7: "3.3-IV3",
        8: "3.4-IV0",
        9: "3.5-IV0",
        10: "3.5-IV1",
        11: "3.5-IV2",
        12: "3.6-IV0",
        13: "3.6-IV1",
        14: "3.6-IV2",
        15: "3.7-IV0",
        16: "3.7-IV1",
        17: "3.7-IV2",
        18: "3.7-IV3",
        19: "3.7-IV4",
        20: "3.8-IV0",
        21: "3.9-IV0",
        22: "4.0-IV0",
        23: "4.0-IV1",
        24: "4.0-IV2",
        25: "4.0-IV3",
        26: "4.1-IV0",
        27: "4.1-IV1",
        28: "4.2-IV0",
        29: "4.2-IV1",
        30: "4.3-IV0",
    }
)


@dataclass(frozen=True, slots=True)
class Feature:
    """One feature and the levels of it that this node supports."""

    name: str
    min_level: int
    max_level: int  # the latest production level: unstable ones are not supported
    bootstrap_metadata_levels: tuple[
        int, ...
    ] = ()  # by level from 0: the metadata.version that it becomes default with
    dependencies: tuple[tuple[int, str, int], ...] = ()  # (level, the other feature, its lowest level)

    def default_level(self, metadata_level: int) -> int:
        """The level that a cluster formatted at this metadata.version starts with."""
        possible = (n for n, needed in enumerate(self.bootstrap_metadata_levels) if needed <= metadata_level)
        return max(possible, default=0)


FEATURES = MappingProxyType(
    {
        feature.name: feature
        for feature in (
            Feature(METADATA_VERSION, 7, 30),
            Feature(KRAFT_VERSION, 0, 1, (7, 21)),
            Feature(TRANSACTION_VERSION, 0, 2, (7, 24, 24)),
            Feature(GROUP_VERSION, 0, 1, (7, 22)),
            Feature(ELIGIBLE_LEADER_REPLICAS_VERSION, 0, 1, (7, 26), ((1, METADATA_VERSION, 23),)),
            Feature(SHARE_VERSION, 0, 1, (7, 28)),
            Feature(STREAMS_VERSION, 0, 1, (7, 29)),
        )
    }
)

LATEST_METADATA_LEVEL = FEATURES[METADATA_VERSION].max_level
LATEST_KRAFT_LEVEL = FEATURES[KRAFT_VERSION].max_level


def bootstrap_levels(metadata_level: int = LATEST_METADATA_LEVEL) -> list[tuple[str, int]]:
    """What formatting finalizes: metadata.version first, then the others by name, without those at level 0.

    kraft.version is not among them: it lives in a control record of the metadata log, not in the cluster's metadata.
    """
    others = sorted(
        (name, feature.default_level(metadata_level))
        for name, feature in FEATURES.items()
        if name not in (METADATA_VERSION, KRAFT_VERSION)
    )
    return [(METADATA_VERSION, metadata_level), *((name, level) for name, level in others if level > 0)]
