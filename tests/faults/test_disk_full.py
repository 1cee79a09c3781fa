"""The disk runs full: writes are refused with Kafka's code, what was acknowledged stays, and others are not concerned."""

import os
from collections import Counter, defaultdict
from pathlib import Path

from confluent_kafka import KafkaError, Message, Producer
from confluent_kafka.admin import AdminClient

from tests.cli.broker_process import run_command, start_broker
from tests.clients.exchange import create_topic
from tests.faults.disk_full import DISK_BYTES, DiskFullRounds
from tests.faults.process_facts import wait_for
from tests.faults.read_back import read_back
from tests.faults.small_disk import small_disk


def test_all_that_was_acknowledged_is_there_when_a_full_disk_is_freed(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", DISK_BYTES) as disk:
        figures = DiskFullRounds(tmp_path, disk, seed=3).run(2)
    assert figures.rounds == 2
    assert figures.acknowledged > 0


def test_a_full_disk_takes_only_its_own_partitions_away(tmp_path: Path) -> None:
    """Kafka's rule for JBOD: its leaders are gone, a produce gets KAFKA_STORAGE_ERROR, the other directory goes on."""
    roomy = tmp_path / "roomy"
    with small_disk(tmp_path / "disk", DISK_BYTES) as disk:
        directories = ("--data-dir", f"{roomy},{disk.path}/data")
        with start_broker(tmp_path, *directories) as broker:
            create_topic(broker.bootstrap, "spread", 4)
            narrow = {int(name[-1]) for name in os.listdir(disk.path / "data") if name.startswith("spread-")}
            assert len(narrow) == 2
            written = _Written(broker.bootstrap)
            written.write("spread", range(4), 400)
            disk.fill(but=100_000)
            written.write("spread", range(4), 2000)
            assert {error for _, error in written.outcomes} == {None, "KAFKA_STORAGE_ERROR"}
            assert {partition for partition, error in written.outcomes if error} == narrow
            # The controller hears of it by a heartbeat, after the producer has heard of it.
            wait_for(lambda: _without_leader(broker.bootstrap, "spread") == narrow or None)
            create_topic(broker.bootstrap, "later", 2)
            assert not any(name.startswith("later") for name in os.listdir(disk.path / "data"))
            assert broker.stop() == 0
            assert "Traceback" not in broker.log
        disk.free()
        with start_broker(tmp_path, *directories) as broker:
            contents = read_back(broker.bootstrap, [("spread", partition) for partition in range(4)])
            for partition in range(4):
                found = {one.offset: one.number for one in contents["spread", partition].found}
                assert written.acknowledged[partition].items() <= found.items()
            assert not _without_leader(broker.bootstrap, "spread")
            assert broker.stop() == 0


def test_starting_and_stopping_on_a_full_disk(tmp_path: Path) -> None:
    """One line says what is wrong; nothing is lost."""
    with small_disk(tmp_path / "disk", DISK_BYTES) as disk:
        arguments = ("--data-dir", f"{disk.path}/data")
        with start_broker(tmp_path, *arguments) as broker:
            create_topic(broker.bootstrap, "kept")
            written = _Written(broker.bootstrap)
            written.write("kept", range(1), 500)
            disk.fill()
            broker.stop()
            assert "Traceback" not in broker.log
        refused = run_command("start", "--listen", "127.0.0.1:0", *arguments)
        assert refused.returncode == 2
        said = refused.stderr.decode()
        assert said.splitlines()[-1].startswith("snakka: "), said
        assert "No space left on device" in said
        assert "Traceback" not in said
        disk.free()
        with start_broker(tmp_path, *arguments) as broker:
            found = read_back(broker.bootstrap, [("kept", 0)])["kept", 0].found
            assert {one.offset: one.number for one in found} == written.acknowledged[0]
            assert broker.stop() == 0


class _Written:
    """Records that were written without retries, and what became of them."""

    def __init__(self, bootstrap: str) -> None:
        self.acknowledged: defaultdict[int, dict[int, int]] = defaultdict(dict)
        self.outcomes: Counter[tuple[int, str | None]] = Counter()
        self._producer = Producer(
            # All at once, by flush(): what is not sent when a partition loses its leader waits for another one.
            {"bootstrap.servers": bootstrap, "linger.ms": 5000, "retries": 0, "log_level": 0}
        )

    def write(self, topic: str, partitions: range, count: int) -> None:
        for number in range(count):
            partition = partitions[number % len(partitions)]

            def delivered(error: KafkaError | None, message: Message, number: int = number) -> None:
                where, offset = message.partition(), message.offset()
                assert where is not None
                self.outcomes[where, None if error is None else error.name()] += 1
                if error is None and offset is not None:
                    self.acknowledged[where][offset] = number

            self._producer.produce(
                topic, b"%d" % number + b" " * 200, partition=partition, on_delivery=delivered
            )
            self._producer.poll(0)
        assert self._producer.flush(30) == 0


def _without_leader(bootstrap: str, topic: str) -> set[int]:
    admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})
    partitions = admin.list_topics(topic, timeout=30).topics[topic].partitions
    return {partition for partition, facts in partitions.items() if facts.leader == -1}
