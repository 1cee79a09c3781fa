"""The client of a schema registry, over real HTTP; and the settings of decoding that are refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.client.certificates import Certificates
from tests.spark.decoding_registry import Registry

from snakka.spark.decoding import DecodingError, DecodingSpec
from snakka.spark.decoding.schema_registry import (
    RegistrySettings,
    RegistryUnavailableError,
    SchemaRegistry,
    UnknownSchemaError,
)


def client(url: str, **options: str) -> SchemaRegistry:
    return SchemaRegistry(RegistrySettings.of(url, options))


def test_a_schema_is_asked_for_once() -> None:
    with Registry() as registry:
        number = registry.register("a/b value", '"long"')
        ours = client(registry.url + "/")
        assert [ours.by_id(number).text for _ in range(3)] == ['"long"'] * 3
        assert [ours.version("a/b value", 1).id for _ in range(3)] == [number] * 3
        newest = registry.register("a/b value", '"int"')
        assert (ours.latest("a/b value").id, ours.latest("a/b value").version) == (newest, 2)
        assert registry.asked == [
            f"/schemas/ids/{number}",
            "/subjects/a%2Fb%20value/versions/1",
            "/subjects/a%2Fb%20value/versions/latest",
            "/subjects/a%2Fb%20value/versions/latest",
        ]


def test_what_the_registry_does_not_know_is_a_fact() -> None:
    with Registry() as registry:
        with pytest.raises(UnknownSchemaError, match="schema id 5 is not known"):
            client(registry.url).by_id(5)
        with pytest.raises(UnknownSchemaError, match="version latest of none is not known"):
            client(registry.url).latest("none")


def test_who_is_no_registry_knows_nothing_of_schemas(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong path, or a proxy whose registry is away, says 404 too: that must not make all rows dead letters."""
    monkeypatch.setattr("snakka.spark.decoding.schema_registry._PAUSES_SECONDS", (0.0,))
    with Registry() as registry:
        number = registry.register("s", '"long"')
        with pytest.raises(RegistryUnavailableError, match=r"/elsewhere: 404"):
            client(registry.url + "/elsewhere").by_id(number)


def test_a_registry_that_is_away_for_a_moment_is_asked_again() -> None:
    with Registry() as registry:
        number = registry.register("s", '"long"')
        registry.failures_left = 2
        assert client(registry.url).by_id(number).text == '"long"'


def test_the_next_address_is_asked_when_one_does_not_answer() -> None:
    with Registry() as registry:
        number = registry.register("s", '"long"')
        assert client(f"http://127.0.0.1:1, {registry.url}").by_id(number).text == '"long"'


def test_no_answer_is_a_failure_and_not_a_fact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("snakka.spark.decoding.schema_registry._PAUSES_SECONDS", (0.0,))
    with pytest.raises(RegistryUnavailableError, match=r"did not say what schema id 1 is: .*refused"):
        client("http://127.0.0.1:1").by_id(1)


def test_who_may_not_ask_is_told_so_and_secrets_are_not() -> None:
    with Registry(user="reader", password="geheim") as registry:
        number = registry.register("s", '"long"')
        assert client(registry.url, user="reader", password="geheim").by_id(number).kind == "AVRO"
        inside = registry.url.replace("://", "://reader:geheim@")
        assert client(inside).by_id(number).kind == "AVRO"
        assert RegistrySettings.of(inside, {}).urls == (registry.url,)
        with pytest.raises(RegistryUnavailableError, match="401") as refused:
            client(registry.url, user="reader", password="falsch").by_id(number)
        assert "falsch" not in str(refused.value)
        options = {"user": "reader", "password": "geheim"}
        assert "geheim" not in repr(RegistrySettings.of(registry.url, options))
        assert "geheim" not in repr(
            DecodingSpec("avro", subject="s", registry_url=inside, registry_options=options)
        )
        with pytest.raises(DecodingError, match="is no http") as wrong:
            RegistrySettings.of(inside.replace("http:", "htp:"), {})
        assert "geheim" not in str(wrong.value)


def test_a_password_is_taken_to_no_other_server() -> None:
    with Registry(user="reader", password="geheim") as registry, Registry() as elsewhere:
        number = registry.register("s", '"long"')
        elsewhere.register("s", '"long"')
        registry.moved_to["/old"] = registry.url
        registry.moved_to["/other"] = elsewhere.url
        inside = registry.url.replace("://", "://reader:geheim@")
        assert client(inside + "/old").by_id(number).text == '"long"'
        assert client(inside + "/other").by_id(number).text == '"long"'
    assert registry.authorizations[-1] is not None
    assert elsewhere.authorizations == [None]


def test_over_tls_with_a_certificate_of_our_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("snakka.spark.decoding.schema_registry._PAUSES_SECONDS", (0.0,))
    certificates = Certificates(tmp_path)
    with Registry(user="reader", password="geheim", certificate=certificates.server) as registry:
        number = registry.register("s", '"long"')
        inside = registry.url.replace("://", "://reader:geheim@")
        assert inside.startswith("https://")
        assert client(inside, ca_file=certificates.ca).by_id(number).text == '"long"'
        for untrusted in ({"ca_file": certificates.other_ca}, {}):
            with pytest.raises(RegistryUnavailableError, match="certificate verify failed"):
                client(inside, **untrusted).by_id(number)
        # Where only the address can be said, OpenSSL's own variable names the file.
        monkeypatch.setenv("SSL_CERT_FILE", certificates.ca)
        assert client(inside).by_id(number).text == '"long"'


def test_references_come_before_what_refers_to_them() -> None:
    with Registry() as registry:
        registry.register("a", "A")
        registry.register("b", "B", references=[{"name": "a", "subject": "a", "version": 1}])
        both = [{"name": name, "subject": name, "version": 1} for name in ("b", "a")]
        number = registry.register("c", "C", references=both)
        assert client(registry.url).by_id(number).references == (("a", "A"), ("b", "B"))


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: DecodingSpec("xml"), "format: 'xml' is none of raw, json, avro, protobuf"),
        (lambda: DecodingSpec("json"), "schema: json needs one of schema, schema_file or subject"),
        (lambda: DecodingSpec("avro"), "schema: avro needs one of schema, schema_file or subject"),
        (lambda: DecodingSpec("raw", schema="a INT"), "schema: raw bytes have no schema"),
        (lambda: DecodingSpec("avro", schema="x", schema_file="y"), "schema_file: there is schema already"),
        (lambda: DecodingSpec("avro", subject="s"), "registry_url: a subject needs the registry"),
        (lambda: DecodingSpec("json", subject="s"), "registry_url: a subject needs the registry"),
        (lambda: DecodingSpec("json", schema="a INT", on="header"), "on: 'header' is neither value nor key"),
        (lambda: DecodingSpec("json", schema="a INT", message="M"), "message: is for protobuf, not for json"),
        (lambda: DecodingSpec("avro", schema="x", framing="magic"), "framing: 'magic' is neither plain nor"),
        (
            lambda: DecodingSpec("avro", schema="x", framing="confluent"),
            "registry_url: framed Avro is decoded by",
        ),
        (lambda: DecodingSpec("avro", schema="x", version=2), "version: is a version of a subject"),
        (lambda: RegistrySettings.of("localhost:8081", {}), "registry_url: 'localhost:8081' is no http"),
        (
            lambda: RegistrySettings.of("http://x", {"pasword": "p"}),
            "registry_options.pasword: is none of user",
        ),
        (
            lambda: RegistrySettings.of("http://x", {"timeout_ms": "soon"}),
            "registry_options.timeout_ms: is no",
        ),
        (
            lambda: RegistrySettings.of("https://x", {"ca_file": "none.pem"}),
            "registry_options.ca_file: there is no file none.pem",
        ),
        (
            lambda: DecodingSpec("avro", schema_file="none.avsc").schema_text(),
            "schema_file: none.avsc: No such file",
        ),
    ],
)
def test_a_setting_that_can_not_be_followed_is_named(make: Callable[[], Any], reason: str) -> None:
    with pytest.raises(DecodingError) as refused:
        make()
    assert str(refused.value).startswith(reason)
