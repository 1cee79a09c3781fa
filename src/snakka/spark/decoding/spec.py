"""What a user says about decoding, checked, and made into a decoder.

Rule: everything that can be found wrong without data is found here, on the driver, and the error names the setting.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

    from snakka.spark.decoding.schema_registry import RegistrySettings, SchemaRegistry

FORMATS = ("raw", "json", "avro", "protobuf")
SIDES = ("value", "key")
PLAIN = "plain"
CONFLUENT = "confluent"
FRAMINGS = (PLAIN, CONFLUENT)


class DecodingError(ValueError):
    """A setting that can't be followed: one line that names it and says what to change."""

    def __init__(self, setting: str, reason: str) -> None:
        super().__init__(f"{setting}: {reason}")
        self.setting = setting
        self.reason = reason


class ColumnDecoder(Protocol):
    """What runs on executors: made on the driver, pickled to them."""

    @property
    def struct(self) -> StructType:
        """The decoded columns."""

    def decode(self, values: pa.Array) -> tuple[pa.Array, pa.Array]:
        """A struct for each value, and an error (string) for each that is bad."""


@dataclass(frozen=True)
class DecodingSpec:
    """How the bytes of one column become columns.

    `schema` is DDL for JSON (`id BIGINT NOT NULL, at TIMESTAMP`), the JSON text of a schema for Avro, the text of a .proto
    file for Protobuf; `schema_file` holds the same, or a FileDescriptorSet for Protobuf. With `registry_url` and
    `subject` it is the subject's newest version (or `version`) at the time when the query starts.

    A subject of JSON holds a JSON Schema, which says names and types.

    Values are framed as Confluent's serializers do it (a zero byte and the schema's id first) if there is a registry (for
    JSON: and a subject), else they are plain; `framing` says otherwise. `keep` names the columns of the source that good
    rows have, too: all but the decoded one, unless a decoded column has the same name. `into` makes the decoded columns
    one struct of that name, as decoded keys always are.
    """

    format: str
    schema: str | None = None
    schema_file: str | None = None
    # Neither is shown: both may have a password in them.
    registry_url: str | None = field(default=None, repr=False)
    registry_options: Mapping[str, str] = field(default_factory=dict, repr=False)
    subject: str | None = None
    version: int | None = None
    message: str | None = None
    framing: str | None = None
    on: str = "value"
    keep: tuple[str, ...] | None = None
    into: str | None = None

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise DecodingError("format", f"{self.format!r} is none of {', '.join(FORMATS)}")
        if self.on not in SIDES:
            raise DecodingError("on", f"{self.on!r} is neither value nor key")
        if self.framing not in (None, *FRAMINGS):
            raise DecodingError("framing", f"{self.framing!r} is neither plain nor confluent")
        if self.message is not None and self.format != "protobuf":
            raise DecodingError("message", f"is for protobuf, not for {self.format}")
        self._check_schema_source()

    def _check_schema_source(self) -> None:
        given = [name for name in ("schema", "schema_file", "subject") if getattr(self, name) is not None]
        if self.format == "raw":
            if given or self.registry_url:
                raise DecodingError(given[0] if given else "registry_url", "raw bytes have no schema")
            return
        if len(given) > 1:
            raise DecodingError(given[1], f"there is {given[0]} already: one schema is enough")
        if not given:
            raise DecodingError("schema", f"{self.format} needs one of schema, schema_file or subject")
        if self.subject is not None and self.registry_url is None:
            raise DecodingError("registry_url", "a subject needs the registry that it is in")
        if self.version is not None and self.subject is None:
            raise DecodingError("version", "is a version of a subject: say which")
        if self.framing == CONFLUENT and self.registry_url is None and self.format == "avro":
            raise DecodingError("registry_url", "framed Avro is decoded by the schema that its id stands for")

    @property
    def is_framed(self) -> bool:
        if self.framing is not None:
            return self.framing == CONFLUENT
        # JSON is read without a registry, too: one that is only there says nothing about it.
        knows_the_registry = self.format != "json" or self.subject is not None
        return self.registry_url is not None and knows_the_registry

    @property
    def target(self) -> str | None:
        """The struct column that the decoded columns go to; None: they are columns of their own."""
        return self.into or ("key" if self.on == "key" else None)

    def registry_settings(self) -> RegistrySettings:
        from snakka.spark.decoding.schema_registry import RegistrySettings

        return RegistrySettings.of(self.registry_url or "", self.registry_options)

    def registry(self) -> SchemaRegistry | None:
        from snakka.spark.decoding.schema_registry import shared_registry

        return shared_registry(self.registry_settings()) if self.registry_url else None

    def pinned(self) -> DecodingSpec:
        """The same with the version that a subject has now: all executors decode by one schema."""
        registry = self.registry()
        if self.subject is None or self.version is not None or registry is None:
            return self
        return replace(self, version=registry.latest(self.subject).version)

    def schema_text(self) -> str:
        """The schema as text, wherever it is."""
        registry = self.registry()
        if self.subject is not None and registry is not None:
            return registry.version(self.subject, self.version).text
        if self.schema is not None:
            return self.schema
        return self.schema_bytes().decode(errors="replace")

    def schema_bytes(self) -> bytes:
        try:
            return Path(str(self.schema_file)).read_bytes()
        except OSError as error:
            raise DecodingError("schema_file", f"{self.schema_file}: {error.strerror}") from error


def schema_of(spec: DecodingSpec) -> StructType:
    """The decoded columns, without any data."""
    if spec.format == "raw":
        from pyspark.sql.types import BinaryType, StructField, StructType

        return StructType([StructField(spec.on, BinaryType())])
    if spec.format == "json":
        return _json_columns(spec)
    return column_decoder(spec).struct


def _json_columns(spec: DecodingSpec) -> StructType:
    registry = spec.registry()
    if spec.subject is None or registry is None:
        from snakka.spark.decoding.json_rows import declared_schema

        return declared_schema(spec.schema_text())
    from snakka.spark.decoding.json_schema import columns_of

    held = registry.version(spec.subject, spec.version)
    if held.kind != "JSON":
        raise DecodingError("subject", f"{spec.subject} holds {held.kind}, not JSON")
    return columns_of(held.text, held.references)


def column_decoder(spec: DecodingSpec) -> ColumnDecoder:
    """For the formats that are decoded in Arrow."""
    if spec.format == "avro":
        from snakka.spark.decoding.avro import AvroDecoder

        return AvroDecoder.of(spec)
    from snakka.spark.decoding.protobuf import ProtobufDecoder

    return ProtobufDecoder.of(spec)
