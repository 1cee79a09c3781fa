"""The table of APIs: what it says of APIs that are not imported yet is what their files declare."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tools.supported_apis import supported_apis

from snakka.broker import apis
from snakka.broker.api import Api
from snakka.broker.apis.table import ALL, declared
from snakka.protocol.api_keys import API_FACTS, ApiKey, response_class
from snakka.protocol.error_codes import ErrorCode

ROOT = Path(__file__).parent.parent.parent


def test_every_file_is_in_the_table_once_in_the_order_of_the_keys():
    files = {path.stem for path in Path(apis.__path__[0]).glob("*.py")} - {"__init__", "table"}
    assert {API_FACTS[api.key].module for api in ALL} == files
    keys = [api.key for api in ALL]
    assert keys == sorted(set(keys))


@pytest.mark.parametrize("api", ALL, ids=lambda api: api.key.name)
def test_the_table_says_what_the_file_says(api: Api):
    own = declared(api.key)
    assert own.key == api.key
    assert (own.error_response is None) == (api.error_response is None)
    assert set(own.listeners) == set(api.listeners)
    assert replace(own, handle=api.handle, error_response=api.error_response, listeners=api.listeners) == api


@pytest.mark.parametrize("api", ALL, ids=lambda api: api.key.name)
def test_an_api_is_served_where_and_in_versions_that_kafka_has(api: Api):
    facts = API_FACTS[api.key]
    assert set(api.listeners) <= facts.listeners
    assert facts.min_version == api.lowest_version()
    assert api.highest_version() == facts.max_version - facts.unstable
    assert api.lowest_version() <= api.highest_version()


@pytest.mark.parametrize("api", ALL, ids=lambda api: api.key.name)
def test_an_error_of_the_whole_request_has_a_form_that_can_be_written(api: Api):
    """Without rows in the request there are none in the answer: what counts is that each version can carry it."""
    if api.error_response is None:
        return
    from snakka.protocol.api_keys import request_class

    response = api.error_response(request_class(api.key)(), ErrorCode.NOT_CONTROLLER, "why")
    for version in range(api.lowest_version(), api.highest_version() + 1):
        written = response.encode(version)
        assert response_class(api.key).decode(written, version).encode(version) == written


def test_most_handlers_are_not_imported_at_the_start():
    program = (
        "import sys, snakka.broker.apis.table; print(*[name for name in sys.modules if '.apis.' in name])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    imported = {name.rpartition(".")[2] for name in done.stdout.split()} - {"table"}
    assert imported == {"api_versions", "fetch", "init_producer_id", "metadata", "produce"}


def test_the_page_of_supported_apis_is_fresh_and_whole():
    page = supported_apis()
    assert (ROOT / "SUPPORTED_APIS.md").read_text(encoding="utf-8") == page
    rows = [line for line in page.splitlines() if line.startswith("| ") and line[2].isdigit()]
    assert len(rows) == len(ApiKey)
    served = {api.key for api in ALL}
    for key, row in zip(sorted(ApiKey), rows, strict=True):
        number, name, versions, listeners, reason = (cell.strip() for cell in row.strip("|").split("|"))
        assert (int(number), name) == (key, API_FACTS[key].name)
        assert bool(versions) == bool(listeners) == (key in served) == (not reason)
