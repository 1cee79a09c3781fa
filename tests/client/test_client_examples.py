"""The examples in docstrings of the client, run against a broker of their own: `await` is allowed as in a notebook."""

import ast
import asyncio
import contextlib
import doctest
import importlib
import inspect
import io
import pkgutil
import re
from collections.abc import Iterator
from typing import Any

import pytest
from tests.client.kafka_broker import PASSWORD, USER, KafkaBroker

import snakka.client
import snakka.client.admin
from snakka.client.admin import Admin
from snakka.client.errors import ClientError
from snakka.protocol.errors import ApiError
from snakka.testing import LocalBroker

# Without asyncio examples are run by the blocking clients' own tests.
MODULES = [
    importlib.import_module(found.name)
    for found in pkgutil.walk_packages(snakka.client.__path__, "snakka.client.")
    if not found.name.startswith("snakka.client.blocking")
]


# What Snakka does not serve yet is shown with Apache Kafka; tokens only to who is logged in there.
AT_KAFKA = {
    f"snakka.client.admin.{name}"
    for name in ("acls", "elections", "quotas", "reassignment", "scram_users", "tokens")
}


def examples(at_kafka: bool) -> Iterator[Any]:
    finder = doctest.DocTestFinder(exclude_empty=True)
    for module in MODULES:
        if (module.__name__ in AT_KAFKA) is not at_kafka:
            continue
        for test in finder.find(module, module.__name__):
            test.examples = [each for each in test.examples if doctest.SKIP not in each.options]
            if test.examples:
                yield pytest.param(test, id=test.name.removeprefix("snakka.client."))


async def shown(source: str, names: dict[str, Any]) -> str:
    """What an interactive interpreter would print."""
    printed = io.StringIO()
    code = compile(source, "<example>", "single", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    with contextlib.redirect_stdout(printed):
        running = eval(code, names)
        if inspect.iscoroutine(running):
            await running
    return printed.getvalue()


@pytest.mark.parametrize("test", list(examples(at_kafka=False)))
async def test_an_example_shows_what_it_says(test: doctest.DocTest) -> None:
    async with LocalBroker() as broker:
        await check(test, {"bootstrap.servers": broker.bootstrap_servers})


@pytest.mark.slow
@pytest.mark.parametrize("test", list(examples(at_kafka=True)))
async def test_an_example_shows_what_it_says_with_kafka(test: doctest.DocTest, kafka: KafkaBroker) -> None:
    login = {
        "bootstrap.servers": kafka.sasl,
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.username": USER,
        "sasl.password": PASSWORD,
    }
    await check(test, login)


async def check(test: doctest.DocTest, settings: dict[str, object]) -> None:
    checker = doctest.OutputChecker()
    async with Admin(settings) as admin:
        names = {
            **vars(importlib.import_module(test.globs["__name__"])),
            **{name: getattr(snakka.client.admin, name) for name in snakka.client.admin.__all__},
            **{name: getattr(snakka.client, name) for name in snakka.client.__all__},
            "admin": admin,
            "asyncio": asyncio,
            "bootstrap": settings["bootstrap.servers"],
        }
        for example in test.examples:
            if example.exc_msg is None:
                got = await shown(example.source, names)
                assert checker.check_output(example.want, got, 0), f"{example.source}gave {got}"
            else:
                name, _, text = example.exc_msg.partition(": ")
                with pytest.raises((ApiError, ClientError), match=re.escape(text.strip())) as raised:
                    await shown(example.source, names)
                assert name.endswith(f".{raised.type.__name__}")
