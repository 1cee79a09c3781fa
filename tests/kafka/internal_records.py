"""What brokers have written to their internal topics, as kafka-dump-log decodes it, in a form that can be compared.

Everything that two brokers can not have in common is replaced, as in normal_form: ids, times, the order of what has none.
"""

import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

from tests.kafka.kafka_tools_process import KafkaTools
from tests.kafka.normal_form import UUID_TEXT

DECODERS = {
    "__consumer_offsets": "--offsets-decoder",
    "__transaction_state": "--transaction-log-decoder",
}
# Cases whose records may differ.
UNLIKE = {
    "join_group.a_first_member_that_is_refused": "Kafka keeps an empty group of the one whom it has refused",
    "join_group.a_consumer_that_comes_while_others": "the members' ids decide who gets which partitions",
    "consumer_group_heartbeat.static_members_change_protocols": "ids of classic members in consumer groups",
    "consumer_group_heartbeat.regular_expressions": "Kafka looks for topics after its answer, Snakka before",
    "join_group.a_consumer_that_comes_while_others_": "who gets which partitions depends on the members' ids",
}
# Numbers of which only the sign counts: times, and what depends on ids or on other logs.
VAGUE = re.compile(r".*[tT]imestamp.*|producerId|previousProducerId|nextProducerId|version")
HASHES = {"metadataHash"}
GENERATED_ID = re.compile(r"[\w-]{22}")

# What each key was set to, one after another; None for what was deleted.
Histories = dict[str, list[Any]]


def histories(tools: KafkaTools, data: Path, topic: str) -> Histories:
    """Every record of an internal topic; the tool must be able to read them all."""
    files = [
        file for file in sorted(data.glob(f"{topic}-*/*.log")) if not file.parent.name.endswith("-delete")
    ]
    assert files, f"there is no {topic}"
    printed = tools.run_ok(
        "kafka-dump-log", DECODERS[topic], "--print-data-log", "--files", ",".join(map(str, files))
    )
    found: Histories = defaultdict(list)
    for line in printed.splitlines():
        if not line.startswith("| offset:") or "endTxnMarker" in line:
            continue
        key, value = _key_and_value(line)
        found[json.dumps(_plain(key), sort_keys=True)].append(_plain(value))
    return found


def _key_and_value(line: str) -> tuple[Any, Any]:
    _, _, text = line.partition(" key: ")
    key, _, value = text.partition(" payload: ")
    assert key.startswith("{"), f"not decoded: {line}"
    return json.loads(key), None if value == "<DELETE>" else json.loads(value)


def _plain(value: Any, name: str = "") -> Any:
    if isinstance(value, dict):
        return {inner: _plain(each, inner) for inner, each in value.items()}
    if isinstance(value, list):
        return sorted((_plain(each) for each in value), key=repr)
    if isinstance(value, int) and VAGUE.fullmatch(name):
        return value if value <= 0 else "<positive>"
    if name in HASHES and value:
        return "<hash>"
    if isinstance(value, str):
        if name in ("topicId", "memberId") and GENERATED_ID.fullmatch(value):
            return "<id>"
        return UUID_TEXT.sub("<uuid>", value)
    return value


def disagreements(kafka: Histories, snakka: Histories) -> list[str]:
    """Where they differ. Either may be ahead with what time alone brings about: so what one has more at the end may be."""
    found = []
    for key in sorted(kafka.keys() | snakka.keys()):
        if any(case in key for case in UNLIKE):
            continue
        if not (kafka.get(key) and snakka.get(key)):
            found.append(f"only {'Kafka' if kafka.get(key) else 'Snakka'} has written {key}")
            continue
        for number, (theirs, ours) in enumerate(zip(kafka[key], snakka[key], strict=False), 1):
            if theirs != ours:
                found.append(f"value {number} of {key}: Kafka has written {theirs}, Snakka {ours}")
                break
    return found
