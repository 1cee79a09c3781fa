"""kafka-python in a process of its own: it leaves sockets to the interpreter's end, which a test run would count as leaks.

python -m tests.clients.kafka_python_peer write|read|administer BOOTSTRAP TOPIC [CODEC|COUNT]   (pairs as JSON, in hex)
"""

import json
import sys

from kafka.admin import NewTopic

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition

DEADLINE_SECONDS = 30


def write(bootstrap: str, topic: str, codec: str) -> None:
    producer = KafkaProducer(
        bootstrap_servers=bootstrap,
        compression_type=None if codec == "none" else codec,
        linger_ms=5,
        acks="all",
    )
    pairs = [(bytes.fromhex(key), bytes.fromhex(value)) for key, value in json.load(sys.stdin)]
    futures = [producer.send(topic, value, key, partition=0) for key, value in pairs]
    producer.flush(DEADLINE_SECONDS)
    for future in futures:
        future.get(DEADLINE_SECONDS)
    producer.close()


def read(bootstrap: str, topic: str, count: str) -> None:
    consumer = KafkaConsumer(bootstrap_servers=bootstrap, consumer_timeout_ms=DEADLINE_SECONDS * 1000)
    partition = TopicPartition(topic, 0)
    consumer.assign([partition])
    consumer.seek_to_beginning(partition)
    found = []
    for message in consumer:
        found.append((message.key.hex(), message.value.hex()))
        if len(found) == int(count):
            break
    print(json.dumps(found))


def administer(bootstrap: str, topic: str) -> None:
    admin = KafkaAdminClient(bootstrap_servers=bootstrap)
    admin.create_topics([NewTopic(topic, 3, 1)])
    listed = topic in admin.list_topics()
    description = admin.describe_topics([topic])
    row = description[topic] if isinstance(description, dict) else description[0]
    admin.delete_topics([topic])
    gone = topic not in admin.list_topics()
    print(json.dumps({"listed": listed, "partitions": len(row["partitions"]), "gone": gone}))


if __name__ == "__main__":
    {"write": write, "read": read, "administer": administer}[sys.argv[1]](*sys.argv[2:])
