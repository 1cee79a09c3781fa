"""Bytes of a topic made into typed columns, good rows and bad rows apart.

    decoded = decode(df, DecodingSpec("json", schema="id BIGINT NOT NULL, amount DOUBLE"))
    decoded.rows   # the kept columns of the source and the decoded ones
    decoded.bad    # error, key, value, topic, partition, offset, timestamp, headers

Rule: whatever a record holds, decoding never fails the query: a row that can't be decoded is a bad row, with its error and
its original bytes. What is not the record's fault (no answer from the schema registry, a schema that says nothing) fails
loudly. Columns are decoded by the batch, in the JVM or in NumPy and Arrow: no Python object is made for a row.
"""

from snakka.spark.decoding.rows import Decoded, decode
from snakka.spark.decoding.spec import DecodingError, DecodingSpec, schema_of

__all__ = ["Decoded", "DecodingError", "DecodingSpec", "decode", "schema_of"]
