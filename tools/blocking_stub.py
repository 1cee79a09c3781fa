"""src/snakka/client/blocking.pyi: the types of the blocking clients, derived from the sources of the asyncio ones.

Rule: the same as `blocking_client` does while it runs: `async` goes, asyncio's futures become those of concurrent.futures,
and what is entered or iterated asynchronously is entered or iterated plainly.
"""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import snakka.client

_HEADER = '''"""The types of the blocking clients."""
# GENERATED from the asyncio clients by `make generate`: do not edit.

'''
_OF_ALL = """
    def begin(self, use: Callable[[Any], Coroutine[Any, Any, T]]) -> concurrent.futures.Future[T]: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
"""
_ALWAYS = {
    "Any": "typing",
    "Callable": "collections.abc",
    "Coroutine": "collections.abc",
    "Self": "typing",
    "TracebackType": "types",
    "TypeVar": "typing",
}
# What asynchronous types become; the first argument stays.
_PLAIN = {
    "AbstractAsyncContextManager": "contextlib.AbstractContextManager",
    "AsyncContextManager": "contextlib.AbstractContextManager",
    "AsyncGenerator": "collections.abc.Iterator",
    "AsyncIterator": "collections.abc.Iterator",
    "asyncio.Future": "concurrent.futures.Future",
}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def blocking_stub() -> str:
    """The whole file, formatted."""
    imports: dict[str, str] = dict(_ALWAYS)
    classes = [_class_stub(name, imports) for name in ("Admin", "Producer", "Consumer")]
    lines = [
        f"from {module} import {name}" if module else f"import {name}"
        for name, module in sorted(imports.items())
    ]
    modules = ["import collections.abc", "import concurrent.futures", "import contextlib"]
    text = "\n".join([*modules, *lines, "", 'T = TypeVar("T")', "", *classes])
    return formatted(_HEADER + text, "blocking.pyi")


def _class_stub(name: str, imports: dict[str, str]) -> str:
    kind = getattr(snakka.client, name)
    methods: dict[str, str] = {}
    for base in kind.__mro__[:-1]:
        tree, source = _class_source(base)
        origins = _origins(source, base.__module__)
        for node in tree.body:
            if isinstance(node, Function) and _is_wanted(node) and _blocking_name(node) not in methods:
                stub = _Plain().visit(node)
                methods[_blocking_name(node)] = _method_stub(stub)
                for used in _names(stub):
                    _note(imports, used, origins)
    return f"class {name}:\n" + "\n".join(f"    {stub}" for stub in methods.values()) + _OF_ALL


def _class_source(kind: type[Any]) -> tuple[ast.ClassDef, ast.Module]:
    module = ast.parse(Path(inspect.getfile(kind)).read_text(encoding="utf-8"))
    found = [node for node in module.body if isinstance(node, ast.ClassDef) and node.name == kind.__name__]
    return found[0], module


def _is_wanted(node: Function) -> bool:
    if any(isinstance(each, ast.Name) and each.id == "property" for each in node.decorator_list):
        return False
    return not node.name.startswith("_") or node.name in ("__init__", "__aiter__", "__anext__")


def _blocking_name(node: Function) -> str:
    return {"__aiter__": "__iter__", "__anext__": "__next__"}.get(node.name, node.name)


def _method_stub(node: Function) -> str:
    arguments = ast.unparse(node.args)
    returned = "None" if node.returns is None else ast.unparse(node.returns)
    if any(isinstance(each, ast.Name) and each.id == "asynccontextmanager" for each in node.decorator_list):
        returned = returned.replace("collections.abc.Iterator", "contextlib.AbstractContextManager", 1)
    return f"def {_blocking_name(node)}({arguments}) -> {returned}: ..."


class _Plain(ast.NodeTransformer):
    """Annotations without quotes and asynchronous types, and defaults left open."""

    def visit_arguments(self, node: ast.arguments) -> ast.AST:
        node.defaults = [ast.Constant(...) for _ in node.defaults]
        node.kw_defaults = [None if default is None else ast.Constant(...) for default in node.kw_defaults]
        return self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, str):
            return self.visit(ast.parse(node.value, mode="eval").body)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        plain = _PLAIN.get(ast.unparse(node.value))
        if plain is None:
            return self.generic_visit(node)
        first = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) else node.slice
        inner = self.visit(first)
        return ast.Subscript(ast.parse(plain, mode="eval").body, inner, ast.Load())

    def _function(self, node: Function) -> ast.AST:
        node.body = []
        node.args = self.visit(node.args)
        node.returns = None if node.returns is None else self.visit(node.returns)
        return node

    visit_FunctionDef = _function  # noqa: N815
    visit_AsyncFunctionDef = _function  # noqa: N815


def _names(node: Function) -> Iterator[str]:
    annotations = [node.args, *([] if node.returns is None else [node.returns])]
    for annotation in annotations:
        for each in ast.walk(annotation):
            if isinstance(each, ast.Name):
                yield each.id


def _origins(module: ast.Module, module_name: str) -> dict[str, str]:
    """Where the names of a module come from: what it imports, wherever it does, and what it defines; "" for modules."""
    origins: dict[str, str] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom) and node.module:
            origins |= {alias.asname or alias.name: node.module for alias in node.names}
        elif isinstance(node, ast.Import):
            origins |= {alias.name: "" for alias in node.names}
    for node in module.body:
        targets: list[Any] = []
        if isinstance(node, ast.ClassDef):
            origins[node.name] = module_name
        elif isinstance(node, ast.Assign):
            targets = node.targets
        origins |= {target.id: module_name for target in targets if isinstance(target, ast.Name)}
    return origins


def _note(imports: dict[str, str], name: str, origins: dict[str, str]) -> None:
    if name not in origins or name in ("Admin", "Producer", "Consumer"):
        return
    known = imports.setdefault(name, origins[name])
    if known != origins[name] and _object(known, name) is not _object(origins[name], name):
        raise ValueError(f"{name} is one thing in {known} and another in {origins[name]}")


def _object(module: str, name: str) -> object:
    return getattr(sys.modules[module], name)


def formatted(text: str, file_name: str) -> str:
    """As ruff would have it, without imports that nobody needs."""
    for command in (("check", "--select", "I,F401", "--fix", "--quiet"), ("format",)):
        ended = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--stdin-filename", file_name, "-"],
            input=text,
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).parent.parent,
        )
        text = ended.stdout
    return text
