"""`format("kafka")` by the data source of Snakka, where Spark's own connector is not there: a job changes no word at all.

Spark keeps the name `kafka` for its connector, which no Python data source can take. So the alias is made where jobs name
their format, in the readers and writers of PySpark. It also hides what a Python sink can't do: a batch may be saved without
a mode, and a stream in update mode goes through foreachBatch.

Rule: it is asked for, it does nothing where Spark's connector can be loaded, and it can be taken back.
"""

from collections.abc import Callable
from typing import Any

from pyspark.sql.readwriter import DataFrameReader, DataFrameWriter
from pyspark.sql.streaming.readwriter import DataStreamReader, DataStreamWriter

from snakka.spark.replaced_methods import ReplacedMethods

CONNECTOR_CLASS = "org.apache.spark.sql.kafka010.KafkaSourceProvider"
_KAFKA, _SNAKKA = "kafka", "snakka"
# What a save without a mode means, by all its names: Spark's connector appends then.
_PLAIN_SAVE_MODES = frozenset({"error", "errorifexists", "default"})
_IS_ALIAS, _MODE, _OPTIONS = "_snakka_is_alias", "_snakka_mode", "_snakka_options"


class KafkaAlias(ReplacedMethods):
    """What was changed in PySpark; `disable()` lets `kafka` mean Spark's connector again."""


def enable_kafka_alias() -> KafkaAlias:
    """From now on `format("kafka")` is ours in this process, in sessions that can't load Spark's connector."""
    alias = KafkaAlias()
    for reader in (DataFrameReader, DataStreamReader):
        alias.replace(reader, "format", _reader_format)
    alias.replace(DataFrameWriter, "format", _batch_writer_format)
    alias.replace(DataFrameWriter, "mode", _batch_writer_mode)
    alias.replace(DataStreamWriter, "format", _stream_writer_format)
    alias.replace(DataStreamWriter, "outputMode", _output_mode)
    alias.replace(DataStreamWriter, "option", _stream_option)
    alias.replace(DataStreamWriter, "options", _stream_options)
    alias.replace(DataStreamWriter, "start", _start)
    return alias


def _is_ours(named: Any, source: str) -> bool:
    if source.lower() != _KAFKA:
        return False
    return not named._spark._jvm.org.apache.spark.util.Utils.classIsLoadable(CONNECTOR_CLASS)


def _reader_format(original: Callable[..., Any]) -> Callable[..., Any]:
    def format(self: Any, source: str) -> Any:  # noqa: A001 -- Spark's name
        return original(self, _SNAKKA if _is_ours(self, source) else source)

    return format


# -- batches ---------------------------------------------------------------------------------------------------------


def _batch_writer_format(original: Callable[..., Any]) -> Callable[..., Any]:
    def format(self: DataFrameWriter, source: str) -> DataFrameWriter:  # noqa: A001
        is_ours = _is_ours(self, source)
        setattr(self, _IS_ALIAS, is_ours)
        result = original(self, _SNAKKA if is_ours else source)
        if is_ours:
            self.mode(getattr(self, _MODE, None) or "error")
        return result

    return format


def _batch_writer_mode(original: Callable[..., Any]) -> Callable[..., Any]:
    def mode(self: DataFrameWriter, saveMode: str | None) -> DataFrameWriter:  # noqa: N803
        if saveMode is None:
            return original(self, saveMode)
        setattr(self, _MODE, saveMode)
        is_plain = getattr(self, _IS_ALIAS, False) and saveMode.lower() in _PLAIN_SAVE_MODES
        return original(self, "append" if is_plain else saveMode)

    return mode


# -- streams ---------------------------------------------------------------------------------------------------------


def _stream_writer_format(original: Callable[..., Any]) -> Callable[..., Any]:
    def format(self: DataStreamWriter, source: str) -> DataStreamWriter:  # noqa: A001
        is_ours = _is_ours(self, source)
        setattr(self, _IS_ALIAS, is_ours)
        return original(self, _SNAKKA if is_ours else source)

    return format


def _output_mode(original: Callable[..., Any]) -> Callable[..., Any]:
    def outputMode(self: DataStreamWriter, outputMode: str) -> DataStreamWriter:  # noqa: N802, N803
        setattr(self, _MODE, outputMode.lower())
        return original(self, outputMode)

    return outputMode


def _kept_options(writer: DataStreamWriter) -> dict[str, Any]:
    return vars(writer).setdefault(_OPTIONS, {})


def _stream_option(original: Callable[..., Any]) -> Callable[..., Any]:
    def option(self: DataStreamWriter, key: str, value: Any) -> DataStreamWriter:
        _kept_options(self)[key] = value
        return original(self, key, value)

    return option


def _stream_options(original: Callable[..., Any]) -> Callable[..., Any]:
    def options(self: DataStreamWriter, **options: Any) -> DataStreamWriter:
        _kept_options(self).update(options)
        return original(self, **options)

    return options


def _start(original: Callable[..., Any]) -> Callable[..., Any]:
    def start(
        self: DataStreamWriter,
        path: str | None = None,
        format: str | None = None,  # noqa: A002
        outputMode: str | None = None,  # noqa: N803
        partitionBy: Any = None,  # noqa: N803
        queryName: str | None = None,  # noqa: N803
        **options: Any,
    ) -> Any:
        if format is not None:
            self.format(format)
        if outputMode is not None:
            self.outputMode(outputMode)
        self.options(**options)
        if getattr(self, _IS_ALIAS, False) and getattr(self, _MODE, "append") == "update":
            from snakka.spark.topic_sink.batch_saver import batch_saver

            self.foreachBatch(batch_saver(_kept_options(self)))
        return original(self, path, None, None, partitionBy, queryName)

    return start
