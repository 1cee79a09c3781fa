"""Golden bytes made by Kafka's own classes: every message, version and variant, with the values as JSON."""

import json
import lzma
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from tools.schema_notation import snake_case

from snakka.protocol.message import Message


@cache
def golden(name: str) -> list[dict[str, Any]]:
    packed = (Path(__file__).parent / f"{name}.jsonl.xz").read_bytes()
    return [json.loads(line) for line in lzma.decompress(packed).decode().splitlines()]


def message_class(line: dict[str, Any]) -> type[Message]:
    if "api" in line:
        module = import_module(f"snakka.protocol.messages.{snake_case(line['api'])}")
        return getattr(module, line["api"] + line["kind"].capitalize())
    area = line["area"].rpartition("/")[2].replace("-", "_")
    if area == "requests":
        area = "headers"
    module = import_module(f"snakka.protocol.record_types.{area}.{snake_case(line['name'])}")
    return getattr(module, line["name"])


def as_json(value: Any, like: Any) -> Any:
    """A decoded value in the form of the golden JSON; `like` tells a uuid from other bytes."""
    if isinstance(value, Message):
        return {name: as_json(getattr(value, snake_case(name)), part) for name, part in like.items()}
    if isinstance(value, list):
        return [as_json(one, part) for one, part in zip(value, like, strict=True)]
    if isinstance(value, bytes | bytearray | memoryview):
        text = bytes(value).hex()
        if isinstance(like, str) and len(like) == 36 and like.count("-") == 4:
            return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
        return text
    return value


def from_json(json_value: Any, example: Any) -> Any:
    """A message built from the golden JSON alone; `example`, decoded before, only tells which class each part has."""
    if isinstance(example, Message):
        # A shared default is of a frozen subclass without slots of its own.
        kind = type(example) if type(example).__slots__ else type(example).__base__
        parts = {snake_case(name): part for name, part in json_value.items()}
        return kind(**{name: from_json(part, getattr(example, name)) for name, part in parts.items()})
    if isinstance(example, list):
        return [from_json(part, one) for part, one in zip(json_value, example, strict=True)]
    if isinstance(example, bytes | bytearray | memoryview):
        return bytes.fromhex(json_value.replace("-", ""))
    return json_value
