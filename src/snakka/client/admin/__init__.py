"""Administration of a cluster: `Admin` and what its calls take and give.

Rule: one module an area, each with a class of calls over `calls.AdminCalls`; `Admin` joins them. Results are frozen
dataclasses, and every thing that a call was about has its own outcome.
"""

from snakka.client.admin.acls import Acl, AclFilter, PatternType, Permission
from snakka.client.admin.admin import Admin
from snakka.client.admin.brokers import BrokerDescription, ClusterDescription
from snakka.client.admin.configs import (
    Append,
    ConfigEntry,
    ConfigKind,
    ConfigResource,
    ConfigSource,
    ConfigType,
    Subtract,
)
from snakka.client.admin.features import Features, LevelRange, UpgradeType
from snakka.client.admin.group_offsets import CommittedOffset
from snakka.client.admin.groups import GroupDescription, GroupListing, GroupMember
from snakka.client.admin.log_dirs import LogDir, Replica, ReplicaSize
from snakka.client.admin.offsets import ListedOffset, OffsetSpec
from snakka.client.admin.outcomes import Outcomes
from snakka.client.admin.quorum import QuorumDescription, QuorumReplica, VoterEndpoint
from snakka.client.admin.quotas import QuotaEntity, QuotaName
from snakka.client.admin.reassignment import Reassignment
from snakka.client.admin.scram_users import ScramCredential, ScramDeletion, ScramUser
from snakka.client.admin.tokens import DelegationToken
from snakka.client.admin.topics import CreatedTopic, NewTopic, PartitionDescription, TopicDescription
from snakka.client.admin.transactions import (
    ActiveProducer,
    FencedProducer,
    TransactionDescription,
    TransactionListing,
)
from snakka.client.topic_partition import TopicPartition
from snakka.security.operations import Operation, ResourceType

__all__ = [
    "Acl",
    "AclFilter",
    "ActiveProducer",
    "Admin",
    "Append",
    "BrokerDescription",
    "ClusterDescription",
    "CommittedOffset",
    "ConfigEntry",
    "ConfigKind",
    "ConfigResource",
    "ConfigSource",
    "ConfigType",
    "CreatedTopic",
    "DelegationToken",
    "Features",
    "FencedProducer",
    "GroupDescription",
    "GroupListing",
    "GroupMember",
    "LevelRange",
    "ListedOffset",
    "LogDir",
    "NewTopic",
    "OffsetSpec",
    "Operation",
    "Outcomes",
    "PartitionDescription",
    "PatternType",
    "Permission",
    "QuorumDescription",
    "QuorumReplica",
    "QuotaEntity",
    "QuotaName",
    "Reassignment",
    "Replica",
    "ReplicaSize",
    "ResourceType",
    "ScramCredential",
    "ScramDeletion",
    "ScramUser",
    "Subtract",
    "TopicDescription",
    "TopicPartition",
    "TransactionDescription",
    "TransactionListing",
    "UpgradeType",
    "VoterEndpoint",
]
