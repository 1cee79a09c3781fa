"""Protobuf: plain messages of one type; or framed, with a schema's id and the place of the message in it.

Rule: the columns are those of our own schema, whatever version wrote a message: fields are known by their numbers. The
schema that an id stands for tells only which message type was written.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from snakka.spark.decoding.framing import frame_ids
from snakka.spark.decoding.lanes import Lanes, Numbers, finished
from snakka.spark.decoding.protobuf_columns import Message, message_columns
from snakka.spark.decoding.protobuf_schema import columns_of, descriptor_set, find_message, message_name
from snakka.spark.decoding.schema_registry import RegistrySettings, UnknownSchemaError, shared_registry
from snakka.spark.decoding.spec import DecodingError, DecodingSpec

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

_DEEPEST = 100
_NO_PLACE = "is framed with a message's place that can't be"


@dataclass(frozen=True)
class ProtobufDecoder:
    """Made on the driver, used on executors: it holds a descriptor set, which each worker compiles once."""

    struct: StructType
    descriptors: bytes
    message: str
    is_framed: bool
    registry: RegistrySettings | None

    @classmethod
    def of(cls, spec: DecodingSpec) -> ProtobufDecoder:
        descriptors = _descriptors(spec)
        message = find_message(descriptors, spec.message)
        registry = spec.registry_settings() if spec.registry_url else None
        return cls(columns_of(message), descriptors, message.full_name, spec.is_framed, registry)

    def decode(self, values: pa.Array) -> tuple[pa.Array, pa.Array]:
        lanes = Lanes.over(values)
        if self.is_framed:
            self._unframe(lanes)
        return finished(lanes, compiled(self.descriptors, self.message).read(lanes), len(values))

    def _unframe(self, lanes: Lanes) -> None:
        """Past the frame; what it says is another message makes the row bad."""
        ids = frame_ids(lanes)
        paths = _message_paths(lanes)
        framed = np.flatnonzero(~lanes.failed())
        kinds, kind = np.unique(np.column_stack([ids, paths])[framed], axis=0, return_inverse=True)
        for number, (schema_id, *path) in enumerate(kinds.tolist()):
            reason = self._refusal(schema_id, tuple(index for index in path if index >= 0))
            if reason is not None:
                lanes.fail(framed[kind.reshape(-1) == number], reason)

    def _refusal(self, schema_id: int, path: tuple[int, ...]) -> str | None:
        if self.registry is None:
            return None
        try:
            held = shared_registry(self.registry).by_id(schema_id)
        except UnknownSchemaError as error:
            return str(error)
        if held.kind != "PROTOBUF":
            return f"schema id {schema_id} is {held.kind}, not Protobuf"
        try:
            name = written_message(held.text, path)
        except DecodingError as error:
            return f"schema id {schema_id} can't be read: {error.reason}"
        if name is None:
            return f"schema id {schema_id} has no message at {list(path)}"
        return None if name == self.message else f"is a {name}, not a {self.message}"


def _message_paths(lanes: Lanes) -> Numbers:
    """The indexes of each lane's message, outermost first, filled up with -1; nothing is written for the first one."""
    count = lanes.zigzag()
    wrong = (count < 0) | (count > _DEEPEST)
    if wrong.any():
        lanes.fail(np.flatnonzero(wrong), _NO_PLACE)
        count = np.where(wrong, 0, count)
    depth = int(count.max()) if len(lanes) else 0
    paths = np.full((len(lanes), max(depth, 1)), -1, np.int64)
    paths[count == 0, 0] = 0
    for level in range(depth):
        which = np.flatnonzero(count > level)
        part = lanes.subset(which)
        paths[which, level] = index = part.zigzag()
        part.fail(np.flatnonzero((index < 0) & ~part.failed()), _NO_PLACE)
        lanes.position[which], lanes.end[which] = part.position, part.end
    return paths


def _descriptors(spec: DecodingSpec) -> bytes:
    registry = spec.registry()
    if spec.subject is not None and registry is not None:
        held = registry.version(spec.subject, spec.version)
        if held.kind != "PROTOBUF":
            raise DecodingError("subject", f"{spec.subject} holds {held.kind}, not Protobuf")
        return descriptor_set(held.text, held.references)
    if spec.schema is not None:
        return descriptor_set(spec.schema)
    if str(spec.schema_file).endswith(".proto"):
        return descriptor_set(spec.schema_text())
    return spec.schema_bytes()


@lru_cache(maxsize=100)
def compiled(descriptors: bytes, message: str) -> Message:
    """Once a message type and worker."""
    return message_columns(find_message(descriptors, message))


@lru_cache(maxsize=1000)
def written_message(text: str, path: tuple[int, ...]) -> str | None:
    """Which message of a .proto text a frame means; None if there is none, DecodingError if it is no such text."""
    try:
        return message_name(text, path)
    except LookupError:
        return None
