"""Administration of a cluster: `Admin` and what its calls take and give.

Rule: one module an area, each with a class of calls over `calls.AdminCalls`; `Admin` joins them. Results are frozen
dataclasses, and every thing that a call was about has its own outcome.
"""

from snakka.client.admin.admin import Admin
from snakka.client.admin.configs import (
    Append,
    ConfigEntry,
    ConfigKind,
    ConfigResource,
    ConfigSource,
    ConfigType,
    Subtract,
)
from snakka.client.admin.group_offsets import CommittedOffset
from snakka.client.admin.groups import GroupDescription, GroupListing, GroupMember
from snakka.client.admin.offsets import ListedOffset, OffsetSpec
from snakka.client.admin.outcomes import Outcomes
from snakka.client.admin.topics import CreatedTopic, NewTopic, PartitionDescription, TopicDescription
from snakka.client.topic_partition import TopicPartition

__all__ = [
    "Admin",
    "Append",
    "CommittedOffset",
    "ConfigEntry",
    "ConfigKind",
    "ConfigResource",
    "ConfigSource",
    "ConfigType",
    "CreatedTopic",
    "GroupDescription",
    "GroupListing",
    "GroupMember",
    "ListedOffset",
    "NewTopic",
    "OffsetSpec",
    "Outcomes",
    "PartitionDescription",
    "Subtract",
    "TopicDescription",
    "TopicPartition",
]
