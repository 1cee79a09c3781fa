"""Runs every case of the referee: see referee.py for how to add one."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from tests.kafka.differences import DIFFERENCES, Difference
from tests.kafka.kafka_tools_process import KafkaTools
from tests.kafka.nodes import Node, running_kafka, running_snakka
from tests.kafka.referee import CASES, Answer, Broker, Case, apis_with_cases, compare
from tests.kafka.settling import prepare

from snakka.broker.apis.table import ALL

for module in sorted(Path(__file__).with_name("cases").glob("*_cases.py")):
    import_module(f"tests.kafka.cases.{module.stem}")

CLUSTER_ID = "cmVmZXJlZS1jbHVzdGVyLQ"
# Both know these options; small limits bring errors within reach.
OPTIONS = {
    "log.initial.task.delay.ms": "600000",
    "controller.quorum.append.linger.ms": "0",
}


class Pair:
    """Both brokers, and which of the listed differences have been seen."""

    def __init__(self, kafka: Node, snakka: Node) -> None:
        self._nodes = (kafka, snakka)
        self.seen: set[Difference] = set()
        self.judged: set[Case] = set()

    def judge(self, judged: Case) -> list[str]:
        """What the brokers disagree about without a reason."""
        kafka, snakka = (_answers(node, judged) for node in self._nodes)
        assert kafka, f"{judged} asks nothing"
        unexplained = []
        for disagreement in compare(kafka, snakka):
            reason = disagreement.reason(judged.name)
            if reason is None:
                unexplained.append(str(disagreement))
            else:
                self.seen.add(reason)
        self.judged.add(judged)
        return unexplained


def _answers(node: Node, judged: Case) -> list[Answer]:
    ports = {"PLAINTEXT": node.port, "CONTROLLER": node.controller_port}
    broker = Broker(ports, str(node.data), judged)
    try:
        judged.script(broker, judged.version)
    finally:
        broker.close()
    return broker.answers


@pytest.fixture(scope="module")
def pair(libs: str, tools: KafkaTools, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    directory = tmp_path_factory.mktemp("referee")
    kafka, snakka = Node(directory / "kafka", OPTIONS), Node(directory / "snakka", OPTIONS)
    for node in (kafka, snakka):
        node.format_with_kafka(tools, CLUSTER_ID)
    with running_kafka(kafka, libs), running_snakka(snakka):
        for node in (kafka, snakka):
            prepare(node.port)
        yield Pair(kafka, snakka)


@pytest.mark.parametrize("judged", CASES, ids=str)
def test_both_answer_alike(pair: Pair, judged: Case) -> None:
    unexplained = pair.judge(judged)
    assert not unexplained, "\n".join(unexplained)


def test_every_api_has_cases() -> None:
    assert {api.key for api in ALL} <= apis_with_cases()


def test_every_listed_difference_is_still_there(pair: Pair) -> None:
    if pair.judged != set(CASES):
        pytest.skip("only some of the cases were run")
    unseen = [difference for difference in DIFFERENCES if difference not in pair.seen]
    assert not unseen, "take these off the list: " + "; ".join(
        f"{entry.case} {entry.reason}" for entry in unseen
    )
