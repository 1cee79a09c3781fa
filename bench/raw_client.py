"""A Kafka client of one blocking socket, for what a real client would hide: single round trips, and the first moment.

Frames that are measured are built beforehand and sent again and again, so that the client's own work is one system call.
"""

import time

from bench.floor import SIZE, RoundTrips
from snakka.protocol.api_keys import ApiKey, response_class
from snakka.protocol.batch_builder import build_batch
from snakka.protocol.batch_reader import Record
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.request_header import read_response_header, write_request_header

CLIENT_ID = "bench"
TIMEOUT_MS = 10_000
# The last version of Produce that names topics rather than giving their ids, which differ between servers.
PRODUCE_VERSION = 12
LATEST = -1


class RawClient(RoundTrips):
    """Asks one thing at a time."""

    def ask(self, request: Message, version: int) -> Message:
        key = request.API_KEY
        answer = self.exchange(request_frame(request, version))
        _, position = read_response_header(answer, key, version)
        return response_class(ApiKey(key)).decode(answer, version, position)

    def api_versions(self) -> None:
        from snakka.protocol.messages.api_versions import ApiVersionsRequest

        self.ask(ApiVersionsRequest(client_software_name=CLIENT_ID, client_software_version="1"), 3)

    def creates_topic(self, name: str, partitions: int) -> bool:
        """True if the topic is there now."""
        from snakka.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest

        topic = CreatableTopic(name=name, num_partitions=partitions, replication_factor=1)
        answer = self.ask(CreateTopicsRequest(topics=[topic], timeout_ms=TIMEOUT_MS), 7)
        return answer.topics[0].error_code in (ErrorCode.NONE, ErrorCode.TOPIC_ALREADY_EXISTS)  # type: ignore[attr-defined]

    def delete_topic(self, name: str) -> None:
        from snakka.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState

        self.ask(DeleteTopicsRequest(topics=[DeleteTopicState(name=name)], timeout_ms=TIMEOUT_MS), 6)

    def produces(self, topic: str, value: bytes, partition: int = 0) -> bool:
        """True if the record was acknowledged."""
        from snakka.protocol.messages.produce import ProduceResponse

        answer = self.exchange(produce_frame(topic, partition, value))
        _, position = read_response_header(answer, ApiKey.PRODUCE, PRODUCE_VERSION)
        response = ProduceResponse.decode(answer, PRODUCE_VERSION, position)
        return response.responses[0].partition_responses[0].error_code == ErrorCode.NONE

    def wait_for_leaders(self, topic: str, partitions: int) -> None:
        """Until every partition takes a record; a topic that was just made is not there at once."""
        deadline = time.monotonic() + TIMEOUT_MS / 1000
        for partition in range(partitions):
            while not self.produces(topic, b"ready?", partition):
                if time.monotonic() > deadline:
                    raise RuntimeError(f"{topic}-{partition} takes no record")
                time.sleep(0.01)

    def end_offsets(self, topic: str, partitions: int) -> int:
        """The sum over all partitions: how many records were ever written."""
        from snakka.protocol.messages.list_offsets import (
            ListOffsetsPartition,
            ListOffsetsRequest,
            ListOffsetsTopic,
        )

        wanted = [
            ListOffsetsPartition(partition_index=index, timestamp=LATEST) for index in range(partitions)
        ]
        topics = [ListOffsetsTopic(name=topic, partitions=wanted)]
        answer = self.ask(ListOffsetsRequest(replica_id=-1, topics=topics), 7)
        return sum(row.offset for row in answer.topics[0].partitions)  # type: ignore[attr-defined]


def produce_frame(topic: str, partition: int, value: bytes, *, acks: int = 1) -> bytes:
    """A request of one batch of one record, its size in front."""
    from snakka.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData

    record = Record(-1, int(time.time() * 1000), None, value, (), 0)
    data = PartitionProduceData(index=partition, records=memoryview(build_batch([record])))
    topic_data = TopicProduceData(name=topic, partition_data=[data])
    return request_frame(
        ProduceRequest(acks=acks, timeout_ms=TIMEOUT_MS, topic_data=[topic_data]), PRODUCE_VERSION
    )


def request_frame(request: Message, version: int) -> bytes:
    out = Frame(SIZE.size)
    write_request_header(out, request.API_KEY, version, 1, CLIENT_ID)
    request.write(out, version)
    out.seal()
    return out.joined()
