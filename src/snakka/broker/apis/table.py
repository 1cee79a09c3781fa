"""Every API that is served: dispatch, ApiVersions and SUPPORTED_APIS.md derive from this table."""

from snakka.broker.api import Api
from snakka.broker.apis import (
    api_versions,
    create_partitions,
    create_topics,
    delete_records,
    delete_topics,
    describe_cluster,
    describe_log_dirs,
    describe_producers,
    describe_quorum,
    describe_topic_partitions,
    fetch,
    list_offsets,
    metadata,
    offset_for_leader_epoch,
    produce,
)

ALL: tuple[Api, ...] = (
    produce.API,
    fetch.API,
    list_offsets.API,
    metadata.API,
    api_versions.API,
    create_topics.API,
    delete_topics.API,
    delete_records.API,
    offset_for_leader_epoch.API,
    describe_log_dirs.API,
    create_partitions.API,
    describe_quorum.API,
    describe_cluster.API,
    describe_producers.API,
    describe_topic_partitions.API,
)
