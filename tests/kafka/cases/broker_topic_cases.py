"""What clients may do with topics that belong to the broker: delete them, too, so these cases come first."""

from tests.kafka.cases.fetch_cases import fetch, target
from tests.kafka.cases.offset_cases import list_offsets
from tests.kafka.cases.produce_cases import batch, produce
from tests.kafka.cases.topic_cases import TIMEOUT_MS, create, delete, extend, new_topic
from tests.kafka.referee import Broker, Topic, case

from snakka.protocol.messages.create_topics import CreateTopicsRequest
from snakka.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from snakka.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic

INTERNAL = ("__consumer_offsets", "__transaction_state", "__share_group_state")


@case(CreateTopicsRequest, first=7)
def internal_topics(broker: Broker, version: int) -> None:
    for name in INTERNAL:
        create(broker, version, new_topic(name))
        asked = [MetadataRequestTopic(name=name)]
        answer = broker.ask(MetadataRequest(topics=asked, allow_auto_topic_creation=False))
        topic = Topic(name, answer.topics[0].topic_id)
        produce(broker, 13, topic, batch(b"a"))
        fetch(broker, 18, [target(topic)])
        list_offsets(broker, 11, (name, 0, -1))
        row = DeleteRecordsTopic(name=name, partitions=[DeleteRecordsPartition(partition_index=0, offset=0)])
        broker.ask(DeleteRecordsRequest(topics=[row], timeout_ms=TIMEOUT_MS))
        extend(broker, 3, (name, 2))
        delete(broker, 6, name)
