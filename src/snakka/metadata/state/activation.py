"""The first records of a new active controller."""

from collections.abc import Sequence

from snakka.metadata.image.cluster import ClusterImage
from snakka.metadata.image.configs import ConfigResourceType
from snakka.metadata.image.features import TRANSACTIONS_SINCE
from snakka.metadata.image.record_keys import RecordKey
from snakka.metadata.state.rules import MIN_INSYNC_REPLICAS, ControllerRules
from snakka.protocol.message import Message
from snakka.protocol.record_types.metadata.abort_transaction_record import AbortTransactionRecord
from snakka.protocol.record_types.metadata.begin_transaction_record import BeginTransactionRecord
from snakka.protocol.record_types.metadata.config_record import ConfigRecord
from snakka.protocol.record_types.metadata.end_transaction_record import EndTransactionRecord
from snakka.protocol.record_types.metadata.feature_level_record import FeatureLevelRecord
from snakka.raft.features import ELIGIBLE_LEADER_REPLICAS_VERSION, METADATA_VERSION

# Kafka's name of the transaction, as its tools show it.
_BOOTSTRAP = "Bootstrap records"
_FAILOVER = "Controller failover"


def activation_records(
    image: ClusterImage, bootstrap: Sequence[Message], rules: ControllerRules
) -> list[Message]:
    """An empty log gets what formatting left for it; a transaction that the last controller left open is aborted."""
    records: list[Message] = []
    if image.in_transaction:
        records.append(AbortTransactionRecord(reason=_FAILOVER))
    if image.features.metadata_version is not None:
        return records
    levels = {
        record.name: record.feature_level
        for record in bootstrap
        if record.RECORD_KEY == RecordKey.FEATURE_LEVEL and isinstance(record, FeatureLevelRecord)
    }
    with_transaction = levels.get(METADATA_VERSION, 0) >= TRANSACTIONS_SINCE
    if with_transaction:
        records.append(BeginTransactionRecord(name=_BOOTSTRAP))
    records += bootstrap
    if levels.get(ELIGIBLE_LEADER_REPLICAS_VERSION, 0) > 0:
        # Eligible leader replicas need one min.insync.replicas for the whole cluster, in the metadata.
        static = rules.schema.topic_config(MIN_INSYNC_REPLICAS, {}, {}, {})
        records.append(
            ConfigRecord(
                resource_type=ConfigResourceType.BROKER,
                resource_name="",
                name=MIN_INSYNC_REPLICAS,
                value=static,
            )
        )
    if with_transaction:
        records.append(EndTransactionRecord())
    return records
