"""Kafka's API keys: their versions, their listeners, and the classes of their messages."""
# GENERATED from the schemas by `make generate`: do not edit.

from __future__ import annotations

from enum import IntEnum
from functools import cache
from importlib import import_module
from typing import NamedTuple

from snakka.protocol.message import Message


class ApiKey(IntEnum):
    """Every key that Kafka 4.3 knows."""

    PRODUCE = 0
    FETCH = 1
    LIST_OFFSETS = 2
    METADATA = 3
    LEADER_AND_ISR = 4
    STOP_REPLICA = 5
    UPDATE_METADATA = 6
    CONTROLLED_SHUTDOWN = 7
    OFFSET_COMMIT = 8
    OFFSET_FETCH = 9
    FIND_COORDINATOR = 10
    JOIN_GROUP = 11
    HEARTBEAT = 12
    LEAVE_GROUP = 13
    SYNC_GROUP = 14
    DESCRIBE_GROUPS = 15
    LIST_GROUPS = 16
    SASL_HANDSHAKE = 17
    API_VERSIONS = 18
    CREATE_TOPICS = 19
    DELETE_TOPICS = 20
    DELETE_RECORDS = 21
    INIT_PRODUCER_ID = 22
    OFFSET_FOR_LEADER_EPOCH = 23
    ADD_PARTITIONS_TO_TXN = 24
    ADD_OFFSETS_TO_TXN = 25
    END_TXN = 26
    WRITE_TXN_MARKERS = 27
    TXN_OFFSET_COMMIT = 28
    DESCRIBE_ACLS = 29
    CREATE_ACLS = 30
    DELETE_ACLS = 31
    DESCRIBE_CONFIGS = 32
    ALTER_CONFIGS = 33
    ALTER_REPLICA_LOG_DIRS = 34
    DESCRIBE_LOG_DIRS = 35
    SASL_AUTHENTICATE = 36
    CREATE_PARTITIONS = 37
    CREATE_DELEGATION_TOKEN = 38
    RENEW_DELEGATION_TOKEN = 39
    EXPIRE_DELEGATION_TOKEN = 40
    DESCRIBE_DELEGATION_TOKEN = 41
    DELETE_GROUPS = 42
    ELECT_LEADERS = 43
    INCREMENTAL_ALTER_CONFIGS = 44
    ALTER_PARTITION_REASSIGNMENTS = 45
    LIST_PARTITION_REASSIGNMENTS = 46
    OFFSET_DELETE = 47
    DESCRIBE_CLIENT_QUOTAS = 48
    ALTER_CLIENT_QUOTAS = 49
    DESCRIBE_USER_SCRAM_CREDENTIALS = 50
    ALTER_USER_SCRAM_CREDENTIALS = 51
    VOTE = 52
    BEGIN_QUORUM_EPOCH = 53
    END_QUORUM_EPOCH = 54
    DESCRIBE_QUORUM = 55
    ALTER_PARTITION = 56
    UPDATE_FEATURES = 57
    ENVELOPE = 58
    FETCH_SNAPSHOT = 59
    DESCRIBE_CLUSTER = 60
    DESCRIBE_PRODUCERS = 61
    BROKER_REGISTRATION = 62
    BROKER_HEARTBEAT = 63
    UNREGISTER_BROKER = 64
    DESCRIBE_TRANSACTIONS = 65
    LIST_TRANSACTIONS = 66
    ALLOCATE_PRODUCER_IDS = 67
    CONSUMER_GROUP_HEARTBEAT = 68
    CONSUMER_GROUP_DESCRIBE = 69
    CONTROLLER_REGISTRATION = 70
    GET_TELEMETRY_SUBSCRIPTIONS = 71
    PUSH_TELEMETRY = 72
    ASSIGN_REPLICAS_TO_DIRS = 73
    LIST_CONFIG_RESOURCES = 74
    DESCRIBE_TOPIC_PARTITIONS = 75
    SHARE_GROUP_HEARTBEAT = 76
    SHARE_GROUP_DESCRIBE = 77
    SHARE_FETCH = 78
    SHARE_ACKNOWLEDGE = 79
    ADD_RAFT_VOTER = 80
    REMOVE_RAFT_VOTER = 81
    UPDATE_RAFT_VOTER = 82
    INITIALIZE_SHARE_GROUP_STATE = 83
    READ_SHARE_GROUP_STATE = 84
    WRITE_SHARE_GROUP_STATE = 85
    DELETE_SHARE_GROUP_STATE = 86
    READ_SHARE_GROUP_STATE_SUMMARY = 87
    STREAMS_GROUP_HEARTBEAT = 88
    STREAMS_GROUP_DESCRIBE = 89
    DESCRIBE_SHARE_GROUP_OFFSETS = 90
    ALTER_SHARE_GROUP_OFFSETS = 91
    DELETE_SHARE_GROUP_OFFSETS = 92


class ApiFacts(NamedTuple):
    """What Kafka 4.3 says of an API. One whose highest version is -1 keeps its key, and nobody speaks it any more."""

    name: str
    module: str
    min_version: int
    max_version: int
    flexible_from: int
    listeners: frozenset[str]
    unstable: bool
    cluster_action: bool
    forwardable: bool


# No version is flexible.
NEVER = 32767

_NOWHERE: frozenset[str] = frozenset()
_BROKER = frozenset({"broker"})
_CONTROLLER = frozenset({"controller"})
_BOTH = _BROKER | _CONTROLLER

API_FACTS: dict[int, ApiFacts] = {
    0: ApiFacts("Produce", "produce", 3, 13, 9, _BROKER, False, False, False),
    1: ApiFacts("Fetch", "fetch", 4, 18, 12, _BOTH, False, False, False),
    2: ApiFacts("ListOffsets", "list_offsets", 1, 11, 6, _BROKER, False, False, False),
    3: ApiFacts("Metadata", "metadata", 0, 13, 9, _BROKER, False, False, False),
    4: ApiFacts("LeaderAndIsr", "leader_and_isr", 0, -1, NEVER, _NOWHERE, False, True, False),
    5: ApiFacts("StopReplica", "stop_replica", 0, -1, NEVER, _NOWHERE, False, True, False),
    6: ApiFacts("UpdateMetadata", "update_metadata", 0, -1, NEVER, _NOWHERE, False, True, False),
    7: ApiFacts("ControlledShutdown", "controlled_shutdown", 0, -1, NEVER, _NOWHERE, False, True, False),
    8: ApiFacts("OffsetCommit", "offset_commit", 2, 10, 8, _BROKER, False, False, False),
    9: ApiFacts("OffsetFetch", "offset_fetch", 1, 10, 6, _BROKER, False, False, False),
    10: ApiFacts("FindCoordinator", "find_coordinator", 0, 6, 3, _BROKER, False, False, False),
    11: ApiFacts("JoinGroup", "join_group", 0, 9, 6, _BROKER, False, False, False),
    12: ApiFacts("Heartbeat", "heartbeat", 0, 4, 4, _BROKER, False, False, False),
    13: ApiFacts("LeaveGroup", "leave_group", 0, 5, 4, _BROKER, False, False, False),
    14: ApiFacts("SyncGroup", "sync_group", 0, 5, 4, _BROKER, False, False, False),
    15: ApiFacts("DescribeGroups", "describe_groups", 0, 6, 5, _BROKER, False, False, False),
    16: ApiFacts("ListGroups", "list_groups", 0, 5, 3, _BROKER, False, False, False),
    17: ApiFacts("SaslHandshake", "sasl_handshake", 0, 1, NEVER, _BOTH, False, False, False),
    18: ApiFacts("ApiVersions", "api_versions", 0, 4, 3, _BOTH, False, False, False),
    19: ApiFacts("CreateTopics", "create_topics", 2, 7, 5, _BOTH, False, False, True),
    20: ApiFacts("DeleteTopics", "delete_topics", 1, 6, 4, _BOTH, False, False, True),
    21: ApiFacts("DeleteRecords", "delete_records", 0, 2, 2, _BROKER, False, False, False),
    22: ApiFacts("InitProducerId", "init_producer_id", 0, 6, 2, _BROKER, True, False, False),
    23: ApiFacts("OffsetForLeaderEpoch", "offset_for_leader_epoch", 2, 4, 4, _BROKER, False, False, False),
    24: ApiFacts("AddPartitionsToTxn", "add_partitions_to_txn", 0, 5, 3, _BROKER, False, False, False),
    25: ApiFacts("AddOffsetsToTxn", "add_offsets_to_txn", 0, 4, 3, _BROKER, False, False, False),
    26: ApiFacts("EndTxn", "end_txn", 0, 5, 3, _BROKER, False, False, False),
    27: ApiFacts("WriteTxnMarkers", "write_txn_markers", 1, 2, 1, _BROKER, False, True, False),
    28: ApiFacts("TxnOffsetCommit", "txn_offset_commit", 0, 5, 3, _BROKER, False, False, False),
    29: ApiFacts("DescribeAcls", "describe_acls", 1, 3, 2, _BOTH, False, False, False),
    30: ApiFacts("CreateAcls", "create_acls", 1, 3, 2, _BOTH, False, False, True),
    31: ApiFacts("DeleteAcls", "delete_acls", 1, 3, 2, _BOTH, False, False, True),
    32: ApiFacts("DescribeConfigs", "describe_configs", 1, 4, 4, _BOTH, False, False, False),
    33: ApiFacts("AlterConfigs", "alter_configs", 0, 2, 2, _BOTH, False, False, True),
    34: ApiFacts("AlterReplicaLogDirs", "alter_replica_log_dirs", 1, 2, 2, _BROKER, False, False, False),
    35: ApiFacts("DescribeLogDirs", "describe_log_dirs", 1, 5, 2, _BROKER, False, False, False),
    36: ApiFacts("SaslAuthenticate", "sasl_authenticate", 0, 2, 2, _BOTH, False, False, False),
    37: ApiFacts("CreatePartitions", "create_partitions", 0, 3, 2, _BOTH, False, False, True),
    38: ApiFacts("CreateDelegationToken", "create_delegation_token", 1, 3, 2, _BOTH, False, False, True),
    39: ApiFacts("RenewDelegationToken", "renew_delegation_token", 1, 2, 2, _BOTH, False, False, True),
    40: ApiFacts("ExpireDelegationToken", "expire_delegation_token", 1, 2, 2, _BOTH, False, False, True),
    41: ApiFacts("DescribeDelegationToken", "describe_delegation_token", 1, 3, 2, _BOTH, False, False, False),
    42: ApiFacts("DeleteGroups", "delete_groups", 0, 2, 2, _BROKER, False, False, False),
    43: ApiFacts("ElectLeaders", "elect_leaders", 0, 2, 2, _BOTH, False, False, True),
    44: ApiFacts("IncrementalAlterConfigs", "incremental_alter_configs", 0, 1, 1, _BOTH, False, False, True),
    45: ApiFacts("AlterPartitionReassignments", "alter_partition_reassignments", 0, 1, 0, _BOTH, False, False, True),
    46: ApiFacts("ListPartitionReassignments", "list_partition_reassignments", 0, 0, 0, _BOTH, False, False, True),
    47: ApiFacts("OffsetDelete", "offset_delete", 0, 0, NEVER, _BROKER, False, False, False),
    48: ApiFacts("DescribeClientQuotas", "describe_client_quotas", 0, 1, 1, _BROKER, False, False, False),
    49: ApiFacts("AlterClientQuotas", "alter_client_quotas", 0, 1, 1, _BOTH, False, False, True),
    50: ApiFacts("DescribeUserScramCredentials", "describe_user_scram_credentials", 0, 0, 0, _BOTH, False, False, False),
    51: ApiFacts("AlterUserScramCredentials", "alter_user_scram_credentials", 0, 0, 0, _BOTH, False, False, True),
    52: ApiFacts("Vote", "vote", 0, 2, 0, _CONTROLLER, False, True, False),
    53: ApiFacts("BeginQuorumEpoch", "begin_quorum_epoch", 0, 1, 1, _CONTROLLER, False, True, False),
    54: ApiFacts("EndQuorumEpoch", "end_quorum_epoch", 0, 1, 1, _CONTROLLER, False, True, False),
    55: ApiFacts("DescribeQuorum", "describe_quorum", 0, 2, 0, _BOTH, False, True, True),
    56: ApiFacts("AlterPartition", "alter_partition", 2, 3, 0, _CONTROLLER, False, True, False),
    57: ApiFacts("UpdateFeatures", "update_features", 0, 2, 0, _BOTH, False, True, True),
    58: ApiFacts("Envelope", "envelope", 0, 0, 0, _CONTROLLER, False, True, False),
    59: ApiFacts("FetchSnapshot", "fetch_snapshot", 0, 1, 0, _CONTROLLER, False, False, False),
    60: ApiFacts("DescribeCluster", "describe_cluster", 0, 2, 0, _BOTH, False, False, False),
    61: ApiFacts("DescribeProducers", "describe_producers", 0, 0, 0, _BROKER, False, False, False),
    62: ApiFacts("BrokerRegistration", "broker_registration", 0, 4, 0, _CONTROLLER, False, True, False),
    63: ApiFacts("BrokerHeartbeat", "broker_heartbeat", 0, 2, 0, _CONTROLLER, False, True, False),
    64: ApiFacts("UnregisterBroker", "unregister_broker", 0, 0, 0, _BOTH, False, False, True),
    65: ApiFacts("DescribeTransactions", "describe_transactions", 0, 0, 0, _BROKER, False, False, False),
    66: ApiFacts("ListTransactions", "list_transactions", 0, 2, 0, _BROKER, False, False, False),
    67: ApiFacts("AllocateProducerIds", "allocate_producer_ids", 0, 0, 0, _CONTROLLER, False, True, True),
    68: ApiFacts("ConsumerGroupHeartbeat", "consumer_group_heartbeat", 0, 1, 0, _BROKER, False, False, False),
    69: ApiFacts("ConsumerGroupDescribe", "consumer_group_describe", 0, 1, 0, _BROKER, False, False, False),
    70: ApiFacts("ControllerRegistration", "controller_registration", 0, 0, 0, _CONTROLLER, False, False, False),
    71: ApiFacts("GetTelemetrySubscriptions", "get_telemetry_subscriptions", 0, 0, 0, _BROKER, False, False, False),
    72: ApiFacts("PushTelemetry", "push_telemetry", 0, 0, 0, _BROKER, False, False, False),
    73: ApiFacts("AssignReplicasToDirs", "assign_replicas_to_dirs", 0, 0, 0, _CONTROLLER, False, False, False),
    74: ApiFacts("ListConfigResources", "list_config_resources", 0, 1, 0, _BROKER, False, False, False),
    75: ApiFacts("DescribeTopicPartitions", "describe_topic_partitions", 0, 0, 0, _BROKER, False, False, False),
    76: ApiFacts("ShareGroupHeartbeat", "share_group_heartbeat", 1, 1, 0, _BROKER, False, False, False),
    77: ApiFacts("ShareGroupDescribe", "share_group_describe", 1, 1, 0, _BROKER, False, False, False),
    78: ApiFacts("ShareFetch", "share_fetch", 1, 2, 0, _BROKER, False, False, False),
    79: ApiFacts("ShareAcknowledge", "share_acknowledge", 1, 2, 0, _BROKER, False, False, False),
    80: ApiFacts("AddRaftVoter", "add_raft_voter", 0, 1, 0, _BOTH, False, False, True),
    81: ApiFacts("RemoveRaftVoter", "remove_raft_voter", 0, 0, 0, _BOTH, False, False, True),
    82: ApiFacts("UpdateRaftVoter", "update_raft_voter", 0, 0, 0, _CONTROLLER, False, False, False),
    83: ApiFacts("InitializeShareGroupState", "initialize_share_group_state", 0, 0, 0, _BROKER, False, True, False),
    84: ApiFacts("ReadShareGroupState", "read_share_group_state", 0, 0, 0, _BROKER, False, True, False),
    85: ApiFacts("WriteShareGroupState", "write_share_group_state", 0, 1, 0, _BROKER, False, True, False),
    86: ApiFacts("DeleteShareGroupState", "delete_share_group_state", 0, 0, 0, _BROKER, False, True, False),
    87: ApiFacts("ReadShareGroupStateSummary", "read_share_group_state_summary", 0, 1, 0, _BROKER, False, True, False),
    88: ApiFacts("StreamsGroupHeartbeat", "streams_group_heartbeat", 0, 0, 0, _BROKER, False, False, False),
    89: ApiFacts("StreamsGroupDescribe", "streams_group_describe", 0, 0, 0, _BROKER, False, False, False),
    90: ApiFacts("DescribeShareGroupOffsets", "describe_share_group_offsets", 0, 1, 0, _BROKER, False, False, False),
    91: ApiFacts("AlterShareGroupOffsets", "alter_share_group_offsets", 0, 0, 0, _BROKER, False, False, False),
    92: ApiFacts("DeleteShareGroupOffsets", "delete_share_group_offsets", 0, 0, 0, _BROKER, False, False, False),
}


def request_class(api_key: int) -> type[Message]:
    """The class of an API's request, imported on first use."""
    return _message_class(api_key, "Request")


def response_class(api_key: int) -> type[Message]:
    """The class of an API's response, imported on first use."""
    return _message_class(api_key, "Response")


@cache
def _message_class(api_key: int, side: str) -> type[Message]:
    facts = API_FACTS[api_key]
    found: type[Message] = getattr(
        import_module(f"snakka.protocol.messages.{facts.module}"), facts.name + side
    )
    return found
