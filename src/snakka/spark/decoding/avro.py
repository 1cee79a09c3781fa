"""Avro: plain, by one schema; or framed, where each value's id says which schema it was written by.

Rule: the columns are those of the reader's schema, whatever the writers wrote; writers' schemas are resolved to it by Avro's
own rules, once a schema and worker.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from snakka.spark.decoding.avro_columns import Reader
from snakka.spark.decoding.avro_resolution import Resolution, UnresolvableError
from snakka.spark.decoding.avro_schema import AvroSchema, columns_of
from snakka.spark.decoding.framing import frame_ids
from snakka.spark.decoding.lanes import Lanes, Numbers, finished, gathered, struct_of
from snakka.spark.decoding.schema_registry import RegistrySettings, UnknownSchemaError, shared_registry
from snakka.spark.decoding.spec import DecodingError, DecodingSpec

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

Texts = tuple[str, tuple[str, ...]]  # a schema, and those that it refers to


@dataclass(frozen=True)
class AvroDecoder:
    """Made on the driver, used on executors: it holds texts only, and each worker compiles them once."""

    struct: StructType
    reader: Texts
    registry: RegistrySettings | None

    @classmethod
    def of(cls, spec: DecodingSpec) -> AvroDecoder:
        references: tuple[str, ...] = ()
        registry = spec.registry()
        if spec.subject is not None and registry is not None:
            held = registry.version(spec.subject, spec.version)
            if held.kind != "AVRO":
                raise DecodingError("subject", f"{spec.subject} holds {held.kind}, not Avro")
            references = tuple(text for _, text in held.references)
        reader = (spec.schema_text(), references)
        return cls(
            columns_of(AvroSchema.of(*reader)), reader, spec.registry_settings() if spec.is_framed else None
        )

    def decode(self, values: pa.Array) -> tuple[pa.Array, pa.Array]:
        lanes = Lanes.over(values)
        if self.registry is None:
            decoded = self._records(lanes, compiled(self.reader, self.reader))
        else:
            decoded = self._framed(lanes, self.registry)
        return finished(lanes, decoded, len(values))

    def _records(self, lanes: Lanes, reader: Reader) -> pa.Array:
        column = reader.read(lanes)
        left = lanes.position < lanes.end
        if left.any():
            lanes.fail(np.flatnonzero(left), "goes on after its last field")
        return column if self._is_record(column.type) else struct_of([column], self._arrow())

    def _is_record(self, kind: pa.DataType) -> bool:
        return bool(pa.types.is_struct(kind) and kind == self._arrow())

    def _arrow(self) -> pa.DataType:
        from pyspark.sql.pandas.types import to_arrow_type

        return to_arrow_type(self.struct, timezone="UTC")

    def _framed(self, lanes: Lanes, registry: RegistrySettings) -> pa.Array:
        ids = frame_ids(lanes)
        pieces: list[pa.Array] = []
        places: list[Numbers] = []
        for schema_id in np.unique(ids[~lanes.failed()]):
            which = np.flatnonzero((ids == schema_id) & ~lanes.failed())
            part = lanes if which.size == len(lanes) else lanes.subset(which)
            reader = self._written_by(int(schema_id), registry)
            if isinstance(reader, str):
                part.fail(np.arange(len(part)), reader)
            else:
                pieces.append(self._records(part, reader))
                places.append(which)
        return gathered(pieces, places, len(lanes)) if pieces else pa.nulls(len(lanes), self._arrow())

    def _written_by(self, schema_id: int, settings: RegistrySettings) -> Reader | str:
        """How to read what that schema wrote; or why it can't be read."""
        try:
            held = shared_registry(settings).by_id(schema_id)
        except UnknownSchemaError as error:
            return str(error)
        if held.kind != "AVRO":
            return f"schema id {schema_id} is {held.kind}, not Avro"
        try:
            return compiled((held.text, tuple(text for _, text in held.references)), self.reader)
        except (UnresolvableError, DecodingError) as error:
            return f"schema id {schema_id} can't be read by ours: {error}"


@lru_cache(maxsize=200)
def compiled(writer: Texts, reader: Texts) -> Reader:
    """Once a pair of schemas and worker."""
    return Resolution(AvroSchema.of(*writer), AvroSchema.of(*reader)).root()
