"""Every message of Kafka 4.3, in every version, both ways, against bytes that Kafka's own classes made."""

import pytest
from golden_files import as_json, from_json, golden, message_class

from snakka.protocol.api_keys import API_FACTS


def test_the_golden_files_are_whole() -> None:
    assert len(golden("golden")) == 1208
    assert len(golden("golden_records")) == 270
    covered = {(line["api"], line["version"]) for line in golden("golden")}
    expected = {
        (facts.name, version)
        for facts in API_FACTS.values()
        for version in range(facts.min_version, facts.max_version + 1)
    }
    assert covered == expected


@pytest.mark.parametrize("name", ["golden", "golden_records"])
def test_bytes_become_the_values(name: str) -> None:
    wrong = []
    for line in golden(name):
        message = message_class(line).decode(bytes.fromhex(line["hex"]), line["version"])
        if as_json(message, line["json"]) != line["json"]:
            wrong.append(_label(line))
    assert wrong == []


@pytest.mark.parametrize("name", ["golden", "golden_records"])
def test_values_become_the_bytes(name: str) -> None:
    wrong = []
    for line in golden(name):
        data = bytes.fromhex(line["hex"])
        example = message_class(line).decode(data, line["version"])
        built = from_json(line["json"], example)
        if built.encode(line["version"]) != data:
            wrong.append(_label(line))
    assert wrong == []


def _label(line) -> str:
    return f"{line.get('api') or line['name']} {line.get('kind', '')} v{line['version']} {line['variant']}"
