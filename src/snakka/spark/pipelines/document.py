"""A TOML or YAML file as values that know their lines.

Rule: both notations end as the same tree, so nothing behind this room knows which one it was. What a tree may hold is
bounded, and no text has what no path, name or SQL can have.
"""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from snakka.spark.pipelines.problems import PipelineFileError, Problem
from snakka.spark.pipelines.toml_lines import Path as KeyPath
from snakka.spark.pipelines.toml_lines import Place, toml_lines

SUFFIXES = {".toml": "TOML", ".yaml": "YAML", ".yml": "YAML"}
_DEEPEST = 20
_LARGEST_BYTES = 4 << 20
_MOST_VALUES = 100_000
_TOO_DEEP = f"there are more than {_DEEPEST} levels"
_IMPOSSIBLE = re.compile(r"[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Value:
    """A value, the line of its key (or of itself, in a list), and the line where a text of several lines begins."""

    content: Any  # a dict or list of Values, or a scalar
    line: int
    text_line: int
    keeps_lines: bool = True  # False: the notation folds lines, so that only the first is known

    def line_of_text(self, offset: int) -> int:
        """The line of the character at `offset` of a text."""
        if not self.keeps_lines:
            return self.text_line
        return self.text_line + str(self.content).count("\n", 0, max(offset, 0))


def read_document(file: Path) -> Value:
    """The file's top table. PipelineFileError says what is wrong with the notation."""
    notation = SUFFIXES.get(file.suffix.lower())
    if notation is None:
        raise PipelineFileError(file, [Problem(0, "its name must end in .toml, .yaml or .yml")])
    try:
        if file.stat().st_size > _LARGEST_BYTES:
            raise PipelineFileError(file, [Problem(0, f"it has more than {_LARGEST_BYTES} bytes")])
        text = file.read_text(encoding="utf-8-sig")  # some editors begin with a mark
    except OSError as error:
        raise PipelineFileError(file, [Problem(0, error.strerror or str(error))]) from None
    except UnicodeDecodeError:
        raise PipelineFileError(file, [Problem(0, "it is no UTF-8 text")]) from None
    try:
        root = _read_toml(file, text) if notation == "TOML" else _read_yaml(file, text)
        _refuse_impossible(root)
    except _RefusedError as error:
        raise PipelineFileError(file, [error.problem]) from None
    except RecursionError:
        raise PipelineFileError(file, [Problem(0, _TOO_DEEP)]) from None
    if not isinstance(root.content, dict):
        raise PipelineFileError(file, [Problem(1, "it must have names at its top level, such as sources:")])
    return root


def _read_toml(file: Path, text: str) -> Value:
    try:
        parsed = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r" \(at line (\d+), column \d+\)$", str(error))
        line = int(found.group(1)) if found else text.count("\n") + 1
        message = str(error).removesuffix(found.group() if found else " (at end of document)")
        raise PipelineFileError(file, [Problem(line, f"it is no TOML: {message}")]) from None
    except ValueError as error:  # a number with too many digits
        raise PipelineFileError(file, [Problem(0, f"it can't be read: {error}")]) from None
    return _located(parsed, (), toml_lines(text))


def _located(content: object, path: KeyPath, places: dict[KeyPath, Place]) -> Value:
    place = places.get(path, Place(1, 1))
    inner: object = content
    if isinstance(content, dict):
        inner = {key: _located(each, (*path, key), places) for key, each in content.items()}
    elif isinstance(content, list):
        inner = [_located(each, (*path, index), places) for index, each in enumerate(content)]
    return Value(inner, place.line, place.text_line)


def _read_yaml(file: Path, text: str) -> Value:
    import yaml

    loader = None
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        if node is None:
            return Value({}, 1, 1)
        return _Nodes(loader).value(node, node.start_mark.line + 1, _DEEPEST)
    except yaml.MarkedYAMLError as error:
        line = 1 if error.problem_mark is None else error.problem_mark.line + 1
        raise PipelineFileError(file, [Problem(line, f"it is no YAML: {error.problem}")]) from None
    except yaml.YAMLError as error:
        raise PipelineFileError(
            file, [Problem(0, f"it is no YAML: {' '.join(str(error).split())}")]
        ) from None
    finally:
        if loader is not None:
            loader.dispose()


class _RefusedError(Exception):
    def __init__(self, line: int, message: str) -> None:
        self.problem = Problem(line, message)


class _Nodes:
    """The nodes of a YAML text as values. One that is named again and again is there as often, up to a limit."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader
        self._left = _MOST_VALUES

    def value(self, node: Any, line: int, depth: int) -> Value:
        """`line` is the key's; a block of text begins on the line behind its mark."""
        import yaml

        self._left -= 1
        if depth == 0 or self._left < 0:
            raise _RefusedError(line, f"there are more than {_MOST_VALUES} values" if depth else _TOO_DEEP)
        own_line = node.start_mark.line + 1
        if isinstance(node, yaml.MappingNode):
            return Value(self._entries(node, depth), line, own_line)
        if isinstance(node, yaml.SequenceNode):
            elements = [self.value(each, each.start_mark.line + 1, depth - 1) for each in node.value]
            return Value(elements, line, own_line)
        is_block = node.style in ("|", ">")
        content = _constructed(self._loader, node, own_line)
        return Value(content, line, own_line + 1 if is_block else own_line, keeps_lines=node.style != ">")

    def _entries(self, node: Any, depth: int) -> dict[str, Value]:
        _refuse_doubled_keys(node)
        self._loader.flatten_mapping(node)  # what is merged comes first, so that the table's own keys win
        entries: dict[str, Value] = {}
        for key_node, value_node in node.value:
            key_line = key_node.start_mark.line + 1
            key = _constructed(self._loader, key_node, key_line)
            if not isinstance(key, str):
                shown = key_node.value if isinstance(key_node.value, str) else "a key"
                raise _RefusedError(key_line, f"{shown} must be a text in quotes: it is read as {key!r}")
            entries[key] = self.value(value_node, key_line, depth - 1)
        return entries


def _constructed(loader: Any, node: Any, line: int) -> Any:
    """What YAML takes it for. Some that look like a date are none, which only Python finds out."""
    try:
        return loader.construct_object(node, deep=True)
    except (ValueError, KeyError, AttributeError):
        kind = str(node.tag).rpartition(":")[2]
        raise _RefusedError(
            line, f"{node.value} is read as a {kind}, and is none; put it in quotes if it is a text"
        ) from None


def _refuse_impossible(value: Value) -> None:
    """Python, Java and the brokers each have another way to fail at such a text."""
    texts = [*value.content] if isinstance(value.content, dict) else [value.content]
    for text in texts:
        found = _IMPOSSIBLE.search(text) if isinstance(text, str) else None
        if found is not None:
            character = f"U+{ord(found.group()):04X}"
            raise _RefusedError(value.line, f"there is a character {character} in a text, which can't be")
    inner = value.content.values() if isinstance(value.content, dict) else value.content
    for each in inner if isinstance(value.content, dict | list) else ():
        _refuse_impossible(each)


def _refuse_doubled_keys(node: Any) -> None:
    seen: dict[str, int] = {}
    for key_node, _ in node.value:
        key, line = str(key_node.value), key_node.start_mark.line + 1
        if key in seen:
            raise _RefusedError(line, f"{key} is there twice; the first is on line {seen[key]}")
        seen[key] = line
