"""Runs every case of the referee: see referee.py for how to add one."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from tests.kafka.differences import DIFFERENCES, Difference
from tests.kafka.internal_records import DECODERS, disagreements, histories
from tests.kafka.kafka_tools_process import KafkaTools
from tests.kafka.nodes import Node, running_kafka, running_snakka
from tests.kafka.referee import CASES, Answer, Broker, Case, apis_with_cases, compare
from tests.kafka.settling import prepare

from snakka.broker.apis.table import ALL

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("kafka-referee")]

for module in sorted(Path(__file__).with_name("cases").glob("*_cases.py")):
    import_module(f"tests.kafka.cases.{module.stem}")
# By the modules' names, whoever has imported which of them before.
IN_ORDER = sorted(CASES, key=lambda judged: judged.script.__module__)

CLUSTER_ID = "cmVmZXJlZS1jbHVzdGVyLQ"
# Both know these options; small limits bring errors within reach.
OPTIONS = {
    "log.initial.task.delay.ms": "600000",
    "controller.quorum.append.linger.ms": "0",
    "group.min.session.timeout.ms": "100",
    "group.max.size": "3",
    "group.consumer.min.session.timeout.ms": "100",
    # Whoever is left behind by a case does not go before the last one has run.
    "group.consumer.max.session.timeout.ms": "600000",
    "group.consumer.session.timeout.ms": "600000",
    "group.consumer.min.heartbeat.interval.ms": "50",
    "group.consumer.max.size": "3",
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "200",
}


class Pair:
    """Both brokers."""

    def __init__(self, kafka: Node, snakka: Node) -> None:
        self.nodes = (kafka, snakka)

    def judge(self, judged: Case) -> list[str]:
        """What the brokers disagree about without a reason, and reasons without a disagreement."""
        complaints = []
        seen: set[Difference] = set()
        for version in judged.versions:
            kafka, snakka = (_answers(node, judged, version) for node in self.nodes)
            assert kafka, f"{judged.name} asks nothing"
            for disagreement in compare(kafka, snakka):
                reason = disagreement.reason(judged.name)
                if reason is None:
                    complaints.append(str(disagreement))
                else:
                    seen.add(reason)
        unseen = [
            difference
            for difference in DIFFERENCES
            if judged.name in difference.cases and difference not in seen
        ]
        return complaints + [
            f"not seen any more, take it off the list: {difference.reason}" for difference in unseen
        ]


def _answers(node: Node, judged: Case, version: int) -> list[Answer]:
    ports = {"PLAINTEXT": node.port, "CONTROLLER": node.controller_port}
    broker = Broker(ports, str(node.data), judged, version)
    try:
        judged.script(broker, version)
    finally:
        broker.close()
    return broker.answers


@pytest.fixture(scope="module")
def pair(libs: str, tools: KafkaTools, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    directory = tmp_path_factory.mktemp("referee")
    kafka, snakka = Node(directory / "kafka", OPTIONS), Node(directory / "snakka", OPTIONS)
    for node in (kafka, snakka):
        node.format_with_kafka(tools, CLUSTER_ID)
    with running_kafka(kafka, libs) as process, running_snakka(snakka):
        for node in (kafka, snakka):
            prepare(node.port)
        yield Pair(kafka, snakka)
        # Nobody needs its data any more, and a clean stop takes seconds.
        process.kill()


@pytest.mark.parametrize("judged", IN_ORDER, ids=lambda judged: judged.name)
def test_both_answer_alike(pair: Pair, judged: Case) -> None:
    complaints = pair.judge(judged)
    assert not complaints, "\n".join(complaints)


@pytest.mark.parametrize("topic", DECODERS)
def test_both_have_written_alike_records(pair: Pair, tools: KafkaTools, topic: str) -> None:
    """For all cases above, whichever of them have run."""
    kafka, snakka = (histories(tools, node.data, topic) for node in pair.nodes)
    complaints = disagreements(kafka, snakka)
    assert not complaints, "\n".join(complaints)


def test_every_api_has_cases() -> None:
    assert {api.key for api in ALL} <= apis_with_cases()


def test_every_listed_difference_names_cases() -> None:
    known = {judged.name for judged in CASES}
    assert {name for difference in DIFFERENCES for name in difference.cases} <= known
