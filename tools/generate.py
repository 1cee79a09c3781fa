"""`make generate`: writes every generated file; with --check, says which are stale and fails."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from tools import key_tables
from tools.blocking_stub import blocking_stub
from tools.client_keywords import client_keywords
from tools.message_code import module_code
from tools.schema_notation import parse_apis, parse_error_codes, parse_messages, snake_case
from tools.spark_page import spark_page
from tools.supported_apis import supported_apis

ROOT = Path(__file__).parent.parent
PROTOCOL = ROOT / "src" / "snakka" / "protocol"
SCHEMAS = PROTOCOL / "schemas"
CLIENT = ROOT / "src" / "snakka" / "client"

# Directories in which everything is generated: a file there that no schema asks for is removed.
OWNED = (PROTOCOL / "messages", PROTOCOL / "record_types")


def generated_files() -> Iterator[tuple[Path, str]]:
    """Every generated file with its content."""
    yield from _messages()
    yield from _records()
    yield PROTOCOL / "error_codes.py", key_tables.error_codes(parse_error_codes(SCHEMAS / "errors.codes"))
    yield ROOT / "SUPPORTED_APIS.md", supported_apis()
    yield ROOT / "docs" / "spark.md", spark_page()
    yield CLIENT / "keywords.py", client_keywords()
    yield CLIENT / "blocking.pyi", blocking_stub()


def _messages() -> Iterator[tuple[Path, str]]:
    apis = [api for path in sorted(SCHEMAS.glob("*.schema")) for api in parse_apis(path)]
    yield PROTOCOL / "api_keys.py", key_tables.api_keys(apis)
    folder = PROTOCOL / "messages"
    yield (
        folder / "__init__.py",
        '"""Kafka\'s requests and responses, one module an API, imported on first use."""\n',
    )
    for api in apis:
        if api.request is not None and api.response is not None:
            code = module_code([api.request, api.response], f"{api.name}: API key {api.key}.")
            yield folder / f"{snake_case(api.name)}.py", code


def _records() -> Iterator[tuple[Path, str]]:
    folder = PROTOCOL / "record_types"
    yield folder / "__init__.py", '"""Kafka\'s record types, one folder an area, one module a record."""\n'
    areas = {path.stem: parse_messages(path) for path in sorted((SCHEMAS / "records").glob("*.schema"))}
    for area, messages in areas.items():
        yield folder / area / "__init__.py", f'"""Records: {area.replace("_", " ")}."""\n'
        for message in messages:
            yield (
                folder / area / f"{snake_case(message.name)}.py",
                module_code([message], f"{message.name}."),
            )
    coordinators = {area: messages for area, messages in areas.items() if area.endswith("_coordinator")}
    yield folder / "keys.py", key_tables.record_keys(areas["metadata"], coordinators)


def main(arguments: list[str]) -> int:
    files = dict(generated_files())
    unwanted = [path for folder in OWNED for path in folder.rglob("*.py") if path not in files]
    stale = [
        path for path, text in files.items() if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]
    if "--check" in arguments:
        for path in (*stale, *unwanted):
            print(f"{path.relative_to(ROOT)} is stale: run `make generate`", file=sys.stderr)
        return 1 if stale or unwanted else 0
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files[path], encoding="utf-8")
    for path in unwanted:
        path.unlink()
    print(f"{len(files)} generated files, {len(stale)} written, {len(unwanted)} removed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
