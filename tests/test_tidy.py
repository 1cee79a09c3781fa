"""The rules that a linter does not know: names, sizes, who may touch what. Each failure says what to do."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "snakka"
GENERATED = ("protocol/messages/", "protocol/record_types/")

FORBIDDEN_NAMES = {"utils", "helpers", "misc", "common", "util", "helper"}
MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 70

# Which top-level calls only certain rooms may make.
ONLY_IN: dict[str, tuple[str, ...]] = {
    r"\bcreate_task\(|\bensure_future\(|\bThreadPoolExecutor\(|\bcreate_subprocess_exec\(": (
        "runtime/",
        "testing/",
        "cli/",
    ),
    r"\bcreate_server\(|\bcreate_connection\(|\bsocket\.socket\(": ("network/", "testing/"),
    r"(?<![\w.])(?<!def )open\(|\bos\.(open|pread|preadv|pwrite|write|rename|replace|unlink|fsync|fdatasync)\(": (
        "storage/",
        "options/properties_file.py",
        "testing/",
    ),
    r"\btime\.(time|time_ns|monotonic|monotonic_ns)\(|\bdatetime\.now\(": (
        "runtime/",
        "cli/",
        "testing/",
        "storage/cleaner.py",  # a process of its own
    ),
    r"(?<!\.)\brandom\.(random|randrange|choice|randint)\(|\buuid4\(|\bos\.urandom\(": (
        "runtime/",
        "testing/",
    ),
}


def sources() -> Iterator[tuple[str, str]]:
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if not name.startswith(GENERATED) and "GENERATED" not in path.read_text()[:200]:
            yield name, path.read_text()


ALL_SOURCES = list(sources())


def test_there_are_sources_to_judge() -> None:
    assert len(ALL_SOURCES) > 20


@pytest.mark.parametrize(("name", "text"), ALL_SOURCES, ids=[name for name, _ in ALL_SOURCES])
def test_a_source_file_is_tidy(name: str, text: str) -> None:
    problems = [
        *_naming(name),
        *_size(text),
        *_docstring(text),
        *_foreign_calls(name, text),
        *_unfinished(text),
    ]
    assert not problems, f"{name}: " + "; ".join(problems)


def _naming(name: str) -> Iterator[str]:
    for part in Path(name).with_suffix("").parts:
        if part in FORBIDDEN_NAMES:
            yield f"'{part}' says nothing: name the module after what it is for"


def _size(text: str) -> Iterator[str]:
    lines = text.count("\n")
    if lines > MAX_FILE_LINES:
        yield f"{lines} lines: split it (limit {MAX_FILE_LINES})"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > MAX_FUNCTION_LINES:
                yield f"{node.name} has {length} lines: split it (limit {MAX_FUNCTION_LINES})"


def _docstring(text: str) -> Iterator[str]:
    if not ast.get_docstring(ast.parse(text)):
        yield "no module docstring: say what the room is for"


def _foreign_calls(name: str, text: str) -> Iterator[str]:
    code = "\n".join(line.split("#")[0] for line in text.splitlines())
    for pattern, rooms in ONLY_IN.items():
        if not name.startswith(rooms):
            found = re.search(pattern, code)
            if found:
                yield f"{found.group(0)!r} belongs in {' or '.join(rooms)}"


def _unfinished(text: str) -> Iterator[str]:
    for found in re.findall(r"NotImplementedError|#\s*(?:TODO|FIXME|XXX)", text):
        yield f"unfinished: {found}"


def test_no_state_lives_in_modules() -> None:
    """Many brokers run in one process, so a module may hold constants only: no empty containers waiting to be filled."""
    offenders = []
    for name, text in ALL_SOURCES:
        for node in ast.parse(text).body:
            value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
            empty = (isinstance(value, ast.Dict) and not value.keys) or (
                isinstance(value, ast.List) and not value.elts
            )
            called = (
                isinstance(value, ast.Call)
                and isinstance(value.func, ast.Name)
                and value.func.id in ("dict", "list", "set", "defaultdict", "deque", "OrderedDict")
                and not value.args
            )
            if empty or called:
                offenders.append(f"{name}:{node.lineno}")
    assert not offenders, "module-level mutable state: " + ", ".join(offenders)


def test_no_two_test_files_share_a_name() -> None:
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    doubled = {name for name in names if names.count(name) > 1}
    assert not doubled, f"pytest can't tell them apart: {sorted(doubled)}"
