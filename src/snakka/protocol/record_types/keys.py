"""Which record has which key."""
# GENERATED from the schemas by `make generate`: do not edit.

# Module and class by key.
METADATA_RECORDS: dict[int, tuple[str, str]] = {
    0: ("register_broker_record", "RegisterBrokerRecord"),
    1: ("unregister_broker_record", "UnregisterBrokerRecord"),
    2: ("topic_record", "TopicRecord"),
    3: ("partition_record", "PartitionRecord"),
    4: ("config_record", "ConfigRecord"),
    5: ("partition_change_record", "PartitionChangeRecord"),
    7: ("fence_broker_record", "FenceBrokerRecord"),
    8: ("unfence_broker_record", "UnfenceBrokerRecord"),
    9: ("remove_topic_record", "RemoveTopicRecord"),
    10: ("delegation_token_record", "DelegationTokenRecord"),
    11: ("user_scram_credential_record", "UserScramCredentialRecord"),
    12: ("feature_level_record", "FeatureLevelRecord"),
    14: ("client_quota_record", "ClientQuotaRecord"),
    15: ("producer_ids_record", "ProducerIdsRecord"),
    17: ("broker_registration_change_record", "BrokerRegistrationChangeRecord"),
    18: ("access_control_entry_record", "AccessControlEntryRecord"),
    19: ("remove_access_control_entry_record", "RemoveAccessControlEntryRecord"),
    20: ("no_op_record", "NoOpRecord"),
    21: ("zk_migration_state_record", "ZkMigrationStateRecord"),
    22: ("remove_user_scram_credential_record", "RemoveUserScramCredentialRecord"),
    23: ("begin_transaction_record", "BeginTransactionRecord"),
    24: ("end_transaction_record", "EndTransactionRecord"),
    25: ("abort_transaction_record", "AbortTransactionRecord"),
    26: ("remove_delegation_token_record", "RemoveDelegationTokenRecord"),
    27: ("register_controller_record", "RegisterControllerRecord"),
    28: ("clear_elr_record", "ClearElrRecord"),
}

# Coordinators' records by folder and key. Each is a pair: module + "_key" has the class + "Key", and so with the value.
COORDINATOR_RECORDS: dict[str, dict[int, tuple[str, str]]] = {
    "group_coordinator": {
        0: ("legacy_offset_commit", "LegacyOffsetCommit"),
        1: ("offset_commit", "OffsetCommit"),
        2: ("group_metadata", "GroupMetadata"),
        3: ("consumer_group_metadata", "ConsumerGroupMetadata"),
        4: ("consumer_group_partition_metadata", "ConsumerGroupPartitionMetadata"),
        5: ("consumer_group_member_metadata", "ConsumerGroupMemberMetadata"),
        6: ("consumer_group_target_assignment_metadata", "ConsumerGroupTargetAssignmentMetadata"),
        7: ("consumer_group_target_assignment_member", "ConsumerGroupTargetAssignmentMember"),
        8: ("consumer_group_current_member_assignment", "ConsumerGroupCurrentMemberAssignment"),
        10: ("share_group_member_metadata", "ShareGroupMemberMetadata"),
        11: ("share_group_metadata", "ShareGroupMetadata"),
        12: ("share_group_target_assignment_metadata", "ShareGroupTargetAssignmentMetadata"),
        13: ("share_group_target_assignment_member", "ShareGroupTargetAssignmentMember"),
        14: ("share_group_current_member_assignment", "ShareGroupCurrentMemberAssignment"),
        15: ("share_group_state_partition_metadata", "ShareGroupStatePartitionMetadata"),
        16: ("consumer_group_regular_expression", "ConsumerGroupRegularExpression"),
        17: ("streams_group_metadata", "StreamsGroupMetadata"),
        19: ("streams_group_member_metadata", "StreamsGroupMemberMetadata"),
        20: ("streams_group_target_assignment_metadata", "StreamsGroupTargetAssignmentMetadata"),
        21: ("streams_group_target_assignment_member", "StreamsGroupTargetAssignmentMember"),
        22: ("streams_group_current_member_assignment", "StreamsGroupCurrentMemberAssignment"),
        23: ("streams_group_topology", "StreamsGroupTopology"),
    },
    "share_coordinator": {
        0: ("share_snapshot", "ShareSnapshot"),
        1: ("share_update", "ShareUpdate"),
    },
    "transaction_coordinator": {
        0: ("transaction_log", "TransactionLog"),
    },
}
