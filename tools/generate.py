"""Writes what derives from declarations: `make generate`. With `--check`, says what is stale and changes nothing.

A generator is a function without arguments that yields (path, text). Add one to GENERATORS and its files are written and checked.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from tools.api_code import api_keys_text, error_codes_text, record_table_text
from tools.message_code import module_text
from tools.schema_notation import Api, parse_apis, parse_error_codes, parse_messages, snake_case

ROOT = Path(__file__).resolve().parent.parent
PROTOCOL = ROOT / "src" / "snakka" / "protocol"
SCHEMAS = PROTOCOL / "schemas"
NOT_APIS = {"headers", "error_codes"}

Generator = Callable[[], Iterator[tuple[Path, str]]]


def messages() -> Iterator[tuple[Path, str]]:
    """A module for each API, one for the headers, and the table of keys."""
    folder = PROTOCOL / "messages"
    apis: list[Api] = []
    for path in sorted(SCHEMAS.glob("*.schema")):
        if path.stem not in NOT_APIS:
            apis += parse_apis(path)
    apis.sort(key=lambda api: api.key)
    yield folder / "__init__.py", '"""Generated: one module an API."""\n'
    for api in apis:
        if api.request and api.response:
            name = snake_case(api.name)
            doc = f"{api.name}, key {api.key}, versions {api.request.valid.low} to {api.request.valid.high}."
            source = f"protocol/schemas/{name}.schema"
            yield folder / f"{name}.py", module_text([api.request, api.response], source, doc)
    headers = module_text(
        parse_messages(SCHEMAS / "headers.schema"), "protocol/schemas/headers.schema", "The headers."
    )
    yield folder / "headers.py", headers
    yield PROTOCOL / "api_keys.py", api_keys_text(apis)


def record_types() -> Iterator[tuple[Path, str]]:
    """A package for each area of records, in it a module a record."""
    folder = PROTOCOL / "record_types"
    yield folder / "__init__.py", '"""Generated: one package an area, one module a record."""\n'
    for path in sorted(SCHEMAS.glob("records/*.schema")):
        source = f"protocol/schemas/records/{path.name}"
        records = parse_messages(path)
        yield folder / path.stem / "__init__.py", record_table_text(path.stem, records, source)
        for record in records:
            doc = f"{record.name}, versions {record.valid.low} to {record.valid.high}."
            yield folder / path.stem / f"{snake_case(record.name)}.py", module_text([record], source, doc)


def error_codes() -> Iterator[tuple[Path, str]]:
    """The table of error codes."""
    yield PROTOCOL / "error_codes.py", error_codes_text(parse_error_codes(SCHEMAS / "error_codes.schema"))


GENERATORS: tuple[Generator, ...] = (error_codes, messages, record_types)
# Folders that hold nothing but generated files: any other file there is a leftover.
GENERATED_FOLDERS = (PROTOCOL / "messages", PROTOCOL / "record_types")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.generate", description=__doc__)
    parser.add_argument("--check", action="store_true", help="exit with 1 if a generated file is stale")
    check = parser.parse_args(arguments).check
    wanted = {path: text for generator in GENERATORS for path, text in generator()}
    stale = [
        path for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    leftover = [
        path for folder in GENERATED_FOLDERS for path in sorted(folder.rglob("*.py")) if path not in wanted
    ]
    if check:
        for path in (*stale, *leftover):
            print(f"stale: {path.relative_to(ROOT)} (run `make generate`)", file=sys.stderr)
        return 1 if stale or leftover else 0
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wanted[path], encoding="utf-8")
    for path in leftover:
        path.unlink()
    print(f"{len(wanted)} generated files, {len(stale)} written, {len(leftover)} removed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
