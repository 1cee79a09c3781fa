"""A topic that is deleted and made anew under its old name: whoever has the old id must not reach the new one."""

from tests.kafka.cases.cluster_cases import TIMEOUT_MS
from tests.kafka.cases.fetch_cases import NEW_SESSION, fetch, target
from tests.kafka.cases.offset_cases import list_offsets
from tests.kafka.cases.produce_cases import batch, fill, produce, read_back
from tests.kafka.cases.topic_cases import create, new_topic
from tests.kafka.referee import Broker, Topic, case

from snakka.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from snakka.protocol.messages.fetch import FetchRequest
from snakka.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from snakka.protocol.messages.produce import ProduceRequest


def renewed(broker: Broker) -> Topic:
    """A topic with one record that is deleted and made anew; as it was known before."""
    topic = broker.topic()
    fill(broker, topic, batch(b"old"))
    broker.ask(DeleteTopicsRequest(topics=[DeleteTopicState(topic_id=topic.id)], timeout_ms=TIMEOUT_MS))
    create(broker, 7, new_topic(topic.name))
    return topic


@case(ProduceRequest)
def to_a_topic_made_anew(broker: Broker, version: int) -> None:
    topic = renewed(broker)
    produce(broker, version, topic, batch(b"new"))
    read_back(broker, topic)
    list_offsets(broker, 11, (topic.name, 0, -1))


@case(FetchRequest)
def from_a_topic_made_anew(broker: Broker, version: int) -> None:
    topic = renewed(broker)
    fetch(broker, version, [target(topic)])
    fetch(broker, version, [target(topic, offset=1)])


@case(FetchRequest, first=7)
def a_session_with_a_topic_made_anew(broker: Broker, version: int) -> None:
    topic = broker.topic()
    fill(broker, topic, batch(b"old"))
    session = fetch(broker, version, [target(topic)], session=NEW_SESSION)
    broker.ask(DeleteTopicsRequest(topics=[DeleteTopicState(topic_id=topic.id)], timeout_ms=TIMEOUT_MS))
    create(broker, 7, new_topic(topic.name))
    fill(broker, topic, batch(b"new"))
    fetch(broker, version, session=(session, 1))


@case(MetadataRequest, first=10)
def of_a_topic_made_anew(broker: Broker, version: int) -> None:
    topic = renewed(broker)
    broker.ask(MetadataRequest(topics=[MetadataRequestTopic(name=topic.name)]), version)
    asked = [MetadataRequestTopic(topic_id=topic.id, name=None)]
    broker.ask(MetadataRequest(topics=asked, allow_auto_topic_creation=False), version)
