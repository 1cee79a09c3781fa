"""A log whose start moves while it is read back is read again; one that has lost records is told."""

import pytest
from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from snakka.client.blocking import Producer
from snakka.testing import BlockingLocalBroker
from tests.faults import read_back as reading
from tests.faults.read_back import PartitionContents, read_back

SECONDS = 20
PLACE = "moved", 0


def test_a_start_that_moves_meanwhile_is_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    ends = reading._ends

    def seen_too_early(consumer: object, place: tuple[str, int]) -> PartitionContents:
        found = ends(consumer, place)
        looked.append(found.log_start)
        return PartitionContents(0, found.end) if len(looked) == 1 else found

    with BlockingLocalBroker() as broker:
        admin = AdminClient({"bootstrap.servers": broker.bootstrap_servers})
        admin.create_topics([NewTopic("moved", 1, 1)])["moved"].result(SECONDS)
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            for number in range(10):
                producer.send("moved", b"%d" % number, key=b"k")
            producer.flush()
        for answer in admin.delete_records([TopicPartition("moved", 0, 5)]).values():
            answer.result(SECONDS)
        monkeypatch.setattr(reading, "_ends", seen_too_early)
        contents = read_back(broker.bootstrap_servers, [PLACE])[PLACE]
        assert looked == [5, 5, 5]  # at first, at the failure, and for the second reading
        assert contents.log_start == 5
        assert [found.offset for found in contents.found] == [5, 6, 7, 8, 9]

        # As if it had not moved: then a failure is one.
        monkeypatch.setattr(reading, "_ends", lambda consumer, place: PartitionContents(0, 10))
        with pytest.raises(AssertionError, match="out of range"):
            read_back(broker.bootstrap_servers, [PLACE])
