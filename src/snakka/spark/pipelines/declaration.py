"""A pipeline as its file declares it: typed, checked, and with the lines of what was said.

    pipeline, problems = read_declaration(Path("orders.toml"))
    pipeline.sources["orders"].topics                    # ("orders",)
    pipeline.sinks["alerts"].table.line("topic")         # 28

Rule: pure but for reading the file, and about its keys alone. What formats say of their options (option_checks), and what
only a cluster or Spark can know (topics, columns, SQL), is checked behind it, by those who are handed the pipeline.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from snakka.spark.pipelines import file_keys
from snakka.spark.pipelines.document import Value, read_document
from snakka.spark.pipelines.places import refuse_home, resolved_catalog, resolved_files, resolved_place
from snakka.spark.pipelines.problems import PipelineFileError, Problem, did_you_mean
from snakka.spark.pipelines.table_keys import LONGEST_DAYS, Keys, Table, read_duration, read_table

DEAD_LETTERS = "dead-letters"
LOCAL_MASTER = "local[*]"
BOOTSTRAP = "bootstrap.servers"

# Files of batches that are being written look like files that nobody needs.
_LEAST_RETENTION_SECONDS = 3600.0
# What the file says elsewhere; here it would win over the command line, or over what others are shown.
_OWN_SPARK_SETTINGS = MappingProxyType(
    {"spark.master": "master under spark", "spark.app.name": "the key name"}
)
_VIEW_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# It names directories, and those beside them that a reset puts away.
_FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
_FILE_NAME_RULE = "letters, digits, - _ and . only, 100 at most"
_FUNCTION = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
_EVERY = re.compile(r"every\s+(.+)")


@dataclass(frozen=True, slots=True)
class Trigger:
    """When batches are made: of all that is there, then the end (`available-now`, `once`), or in an interval."""

    kind: str
    seconds: float = 0.0

    @property
    def ends(self) -> bool:
        return self.kind != "every"

    def __str__(self) -> str:
        return f"every {self.seconds:g}s" if self.kind == "every" else self.kind


@dataclass(frozen=True, slots=True)
class Watermark:
    column: str
    delay: str


@dataclass(frozen=True, slots=True)
class Source:
    """Topics that become a view."""

    name: str
    table: Table
    topics: tuple[str, ...]
    pattern: str | None
    decode: str
    schema: str | None
    schema_file: Path | None
    message: str | None
    registry: str | None
    subject: str | None
    starting_offsets: str
    headers: bool
    watermark: Watermark | None
    kafka: Mapping[str, str]
    options: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Step:
    """A view that SQL, or a function, makes of others."""

    name: str
    table: Table
    sql: Value | None
    function: str | None
    inputs: tuple[str, ...]
    watermark: Watermark | None


@dataclass(frozen=True, slots=True)
class Sink:
    """Where a view goes."""

    name: str
    table: Table
    format: str
    view: str
    mode: str
    path: str
    kafka: Mapping[str, str]
    options: Mapping[str, str]

    def text(self, name: str) -> str:
        value: str = self.table.get(name) or ""
        return value


@dataclass(frozen=True, slots=True)
class Pipeline:
    """All that a file says."""

    file: Path
    table: Table
    name: str
    trigger: Trigger
    checkpoint: str
    master: str
    spark: Mapping[str, str]
    python_path: tuple[Path, ...]
    sources: Mapping[str, Source]
    steps: Mapping[str, Step]
    sinks: Mapping[str, Sink]
    policy: str
    dead_letters: Sink | None

    @property
    def all_sinks(self) -> Mapping[str, Sink]:
        """Those that were named, and the dead letters' if there is one: one query each."""
        extra = {} if self.dead_letters is None else {DEAD_LETTERS: self.dead_letters}
        return {**self.sinks, **extra}


class Declaration(NamedTuple):
    """A pipeline, and what is wrong with its keys. If anything is, it has defaults there, and can be checked, not run."""

    pipeline: Pipeline
    problems: tuple[Problem, ...]


def read_declaration(file: Path, environment: Mapping[str, str] | None = None) -> Declaration:
    """What a file declares; PipelineFileError if it is neither TOML nor YAML."""
    reading = _Reading(file, os.environ if environment is None else environment)
    pipeline = reading.pipeline(read_document(file))
    return Declaration(pipeline, tuple(reading.problems))


def read_pipeline(file: Path, environment: Mapping[str, str] | None = None) -> Pipeline:
    """The pipeline of a file whose keys are right; PipelineFileError has all those that are not."""
    pipeline, problems = read_declaration(file, environment)
    if problems:
        raise PipelineFileError(file, problems)
    return pipeline


def parse_trigger(text: str) -> Trigger:
    """ValueError if it is none."""
    every = _EVERY.fullmatch(text.strip())
    if every is not None:
        return Trigger("every", read_duration(every.group(1)))
    if text.strip() not in ("available-now", "once"):
        raise ValueError(f"must be available-now, once, or every and a time (every 5s), not {text}")
    return Trigger(text.strip())


class _Reading:
    def __init__(self, file: Path, environment: Mapping[str, str]) -> None:
        self._file = file
        self._directory = file.resolve().parent
        self._environment = environment
        self.problems: list[Problem] = []
        self._kafka: Mapping[str, str] = {}
        self._registry: str | None = None
        self._views: dict[str, str] = {}  # names in lower case, as Spark compares them -> who has it

    def pipeline(self, root: Value) -> Pipeline:
        top = self._read(root, file_keys.PIPELINE_KEYS, "the file")
        self._kafka = top.get("kafka", {})
        self._registry = top.get("registry")
        name = top.get("name", self._file.name.split(".")[0])
        if not _FILE_NAME.fullmatch(name):
            from_file = "" if "name" in top else "; the file is called so: give it a name, as the key name"
            self._say(top.line("name"), f"name can't be {name}: {_FILE_NAME_RULE}{from_file}")
        sources = {each: self._source(each, value, top) for each, value in top.get("sources", {}).items()}
        steps = self._steps(top.get("steps", {}), tuple(sources))
        views = (*sources, *steps)
        sinks = {each: self._sink(each, value, top, views) for each, value in top.get("sinks", {}).items()}
        for kind in ("sources", "sinks"):
            if kind in top and not top.get(kind):
                self._say(top.line(kind), f"{kind} has nothing in it")
        policy, dead_letters = self._errors(top, sources)
        spark = dict(top.get("spark", {}))
        result = Pipeline(
            file=self._file,
            table=top,
            name=name,
            trigger=self._trigger(top),
            checkpoint=self._place(top.get("checkpoint", f"checkpoints/{name}")),
            master=spark.pop("master", LOCAL_MASTER),
            spark=MappingProxyType(self._spark_settings(spark, top)),
            python_path=tuple(self._directory / each for each in top.get("python_path", (".",))),
            sources=sources,
            steps=steps,
            sinks=sinks,
            policy=policy,
            dead_letters=dead_letters,
        )
        self._check_places(result)
        return result

    # -- Tables --------------------------------------------------------------------------------------------------------

    def _source(self, name: str, value: Value, top: Table) -> Source:
        title = f"source {name}"
        table = self._read(value, file_keys.SOURCE_KEYS, title)
        self._check_view_name(name, title, value.line)
        if table.is_given("topics") == table.is_given("pattern"):
            self._say(value.line, f"{title} needs one of topics and pattern")
        if "topics" in table and not _split_topics(table):
            self._say(table.line("topics"), f"topics of {title} names no topic")
        schema_file = table.get("schema_file")
        decode = table.get("decode", "raw")
        source = Source(
            name=name,
            table=table,
            topics=_split_topics(table),
            pattern=table.get("pattern"),
            decode=decode,
            schema=table.get("schema"),
            schema_file=None if schema_file is None else self._directory / schema_file,
            message=table.get("message"),
            registry=None if decode == "raw" else table.get("registry", self._registry),
            subject=table.get("subject", self._default_subject(table, decode)),
            starting_offsets=table.get("starting_offsets", "earliest"),
            headers=table.get("headers", False),
            watermark=self._watermark(table, title),
            kafka=resolved_files({**self._kafka, **table.get("kafka", {})}, self._directory),
            options=table.get("options", {}),
        )
        self._check_decoding(source, title)
        self._check_bootstrap(source.kafka, table, top, title)
        return source

    def _steps(self, tables: Mapping[str, Value], sources: tuple[str, ...]) -> dict[str, Step]:
        steps: dict[str, Step] = {}
        for name, value in tables.items():
            title = f"step {name}"
            table = self._read(value, file_keys.STEP_KEYS, title)
            self._check_view_name(name, title, value.line)
            if table.is_given("sql") == table.is_given("function"):
                self._say(value.line, f"{title} needs one of sql and function")
            if "function" in table and not _FUNCTION.fullmatch(table.get("function")):
                self._say(table.line("function"), f"function of {title} must be module:function")
            if "sql" in table and "from" in table:
                self._say(table.line("from"), f"{title} is SQL, which names its views itself: leave from out")
            views = (*sources, *steps)
            inputs = table.get("from", views[-1:])
            for each in inputs:
                self._check_view(each, views, table.line("from"), title)
            steps[name] = Step(
                name=name,
                table=table,
                sql=table.value("sql") if "sql" in table else None,
                function=table.get("function"),
                inputs=inputs,
                watermark=self._watermark(table, title),
            )
        return steps

    def _sink(self, name: str, value: Value, top: Table, views: tuple[str, ...]) -> Sink:
        title = f"sink {name}"
        table = self._read(value, file_keys.SINK_KEYS, title)
        if not _FILE_NAME.fullmatch(name) or name == DEAD_LETTERS:
            self._say(
                value.line,
                f"{title} can't be called so: {_FILE_NAME_RULE}, and not {DEAD_LETTERS}",
            )
        view = table.get("from", views[-1] if views else "")
        self._check_view(view, views, table.line("from"), title)
        sink = self._made_sink(name, table, table.get("format", ""), view)
        self._check_sink(sink, top, title)
        return sink

    def _made_sink(self, name: str, table: Table, format_name: str, view: str) -> Sink:
        if "catalog" in table:
            try:
                refuse_home([table.get("catalog").get("warehouse", "")])
            except ValueError as error:
                line = table.setting_line("catalog", "warehouse")
                self._say(line, f"warehouse in catalog of sink {name} {error}")
            table = table.with_value("catalog", resolved_catalog(table.get("catalog"), self._directory))
        return Sink(
            name=name,
            table=table,
            format=format_name,
            view=view,
            mode=table.get("mode", "append"),
            path=self._place(table.get("path")) if "path" in table else "",
            kafka=resolved_files({**self._kafka, **table.get("kafka", {})}, self._directory),
            options=table.get("options", {}),
        )

    def _errors(self, top: Table, sources: Mapping[str, Source]) -> tuple[str, Sink | None]:
        if "errors" not in top:
            return "fail", None
        table = self._read(top.value("errors"), file_keys.ERROR_KEYS, "errors")
        policy: str = table.get("policy", "fail")
        if "policy" not in table:  # that has been said
            return policy, None
        if policy != "dead-letter":
            for name in table.values:
                if name != "policy":
                    self._say(
                        table.line(name), f"errors has {name}, which means nothing with policy {policy}"
                    )
            return policy, None
        if all(each.decode == "raw" and not each.table.is_wrong("decode") for each in sources.values()):
            self._say(table.line("policy"), "there can be no dead letters: no source decodes anything")
        sink = self._made_sink(DEAD_LETTERS, table, table.get("format", "topic"), DEAD_LETTERS)
        if sink.format == "topic" and not table.is_given("topic"):
            self._say(table.own_line, "errors needs topic: where the dead letters go")
        self._check_sink(sink, top, "errors")
        return policy, sink

    # -- Checks --------------------------------------------------------------------------------------------------------

    def _check_decoding(self, source: Source, title: str) -> None:
        table = source.table
        has_schema = table.is_given("schema") or table.is_given("schema_file")
        if "schema" in table and "schema_file" in table:
            self._say(table.line("schema_file"), f"{title} has schema and schema_file; leave one out")
        if source.schema_file is not None and not source.schema_file.is_file():
            self._say(table.line("schema_file"), f"there is no file {source.schema_file}")
        if table.is_wrong("decode"):
            return
        if source.decode == "raw":
            for name in ("schema", "schema_file", "message", "registry", "subject", "framing", "keep"):
                if name in table:
                    self._say(table.line(name), f"{title} has {name}, which means nothing with decode = raw")
        elif not has_schema and source.registry is None:
            columns = ": the columns, such as id BIGINT, total DOUBLE" if source.decode == "json" else ""
            self._say(
                table.line("decode"),
                f"{title} needs schema or schema_file{columns}; or the registry that has it",
            )
        elif not has_schema and source.subject is None:
            self._say(table.line("decode"), f"{title} needs subject: what the registry calls the schema")
        if source.headers and source.decode != "raw":
            self._say(table.line("headers"), f"{title} has headers, which are there with decode = raw only")

    def _check_sink(self, sink: Sink, top: Table, title: str) -> None:
        table = sink.table
        allowed = (*file_keys.KEYS_OF_EVERY_FORMAT, *file_keys.KEYS_OF_FORMAT.get(sink.format, ()))
        if sink.format:
            for name in table.values:
                if name not in allowed:
                    self._say(
                        table.line(name), f"{title} has {name}, which means nothing with format {sink.format}"
                    )
        needed = {"parquet": ("path",), "delta": ("path",), "iceberg": ("table", "catalog")}.get(
            sink.format, ()
        )
        for name in needed:
            if not table.is_given(name):
                self._say(table.own_line, f"{title} needs {name}: {file_keys.SINK_KEYS[name].doc}")
        if sink.format == "topic":
            self._check_bootstrap(sink.kafka, table, top, title)
        if table.get("retention", _LEAST_RETENTION_SECONDS) < _LEAST_RETENTION_SECONDS:
            self._say(
                table.line("retention"),
                f"retention of {title} must be an hour at least: batches need their files",
            )
        if table.get("encode") == "json" and not (table.is_given("topic") or "topic" in sink.options):
            self._say(table.own_line, f"{title} needs topic: with encode = json rows can't name their own")
        if "key" in table and table.get("encode") != "json" and not table.is_wrong("encode"):
            self._say(
                table.line("key"), f"{title} has key, which goes with encode = json; else name a column key"
            )
        if sink.mode != "append" and sink.format == "parquet":
            self._say(
                table.line("mode"), f"{title}: parquet files can only be appended; write to delta or iceberg"
            )
        if sink.mode == "update" and sink.format in ("delta", "iceberg"):
            self._say(table.line("mode"), f"{title}: tables take append or complete, not update")

    def _check_bootstrap(self, kafka: Mapping[str, str], table: Table, top: Table, title: str) -> None:
        for each in (table, top):
            if each.is_wrong("kafka"):
                return
        if BOOTSTRAP not in kafka:
            line = top.line("kafka") if "kafka" in top and "kafka" not in table else table.line("kafka")
            instead = ", not bootstrap_servers" if "bootstrap_servers" in kafka else ""
            self._say(line, f"{title} needs {BOOTSTRAP}: the brokers to begin with, under kafka{instead}")

    def _check_places(self, pipeline: Pipeline) -> None:
        """Two queries that write the same files would undo each other; so does one that replaces all that a table has."""
        seen: dict[str, Sink] = {}
        for name, sink in pipeline.all_sinks.items():
            place = _place_of(sink)
            other = seen.setdefault(place, sink) if place else sink
            if other is sink:
                continue
            line = sink.table.line("path" if sink.path else "table")
            if "parquet" in (sink.format, other.format):
                self._say(line, f"sink {name} writes where sink {other.name} does")
            elif "complete" in (sink.mode, other.mode):
                replacing, replaced = (sink, other) if sink.mode == "complete" else (other, sink)
                self._say(
                    line,
                    f"sink {name} writes the table of sink {other.name}, and {replacing.name} (mode complete) replaces all "
                    f"its rows each time, those of {replaced.name} too: give each a table of its own",
                )

    def _check_view_name(self, name: str, title: str, line: int) -> None:
        if not _VIEW_NAME.fullmatch(name):
            self._say(line, f"{name} can't be the name of a view: letters, digits and _ only")
        other = self._views.setdefault(name.lower(), title)
        if other != title:
            because = "" if other.endswith(f" {name}") else ": upper and lower case are the same for Spark"
            self._say(line, f"{title} has the name of {other}{because}; give it another")

    def _check_view(self, view: str, views: tuple[str, ...], line: int, title: str) -> None:
        if view not in views:
            near = did_you_mean(view, views)
            self._say(
                line, f"{title} takes {view or 'a view'}, which no source or earlier step is called{near}"
            )

    # -- Values --------------------------------------------------------------------------------------------------------

    def _trigger(self, top: Table) -> Trigger:
        try:
            return parse_trigger(top.get("trigger", "available-now"))
        except ValueError as error:
            self._say(top.line("trigger"), f"trigger {error}")
            return Trigger("available-now")

    def _watermark(self, table: Table, title: str) -> Watermark | None:
        if "watermark" not in table:
            return None
        column, _, delay = table.get("watermark").strip().partition(" ")
        try:
            return Watermark(column, f"{round(read_duration(delay) * 1000)} milliseconds")
        except ValueError:
            wanted = f"a column and a time of {LONGEST_DAYS} days at most, such as at 10 minutes"
            self._say(table.line("watermark"), f"watermark of {title} must be {wanted}")
            return None

    def _default_subject(self, table: Table, decode: str) -> str | None:
        """As serializers name it, where a registry must know the schema of the one topic."""
        has_schema = "schema" in table or "schema_file" in table
        if decode == "raw" or has_schema or table.get("registry", self._registry) is None:
            return None
        topics = _split_topics(table)
        return f"{topics[0]}-value" if len(topics) == 1 else None

    def _spark_settings(self, settings: Mapping[str, str], top: Table) -> dict[str, str]:
        for name in settings:
            line = top.setting_line("spark", name)
            if not name.startswith("spark."):
                known = f"there is master, and names that begin with spark., such as spark.{name}"
                self._say(line, f"spark has {name}: {known}")
            elif name in _OWN_SPARK_SETTINGS:
                self._say(line, f"spark has {name}, which is {_OWN_SPARK_SETTINGS[name]}")
        return dict(settings)

    def _place(self, text: str) -> str:
        return resolved_place(text, self._directory)

    def _read(self, value: Value, keys: Keys, title: str) -> Table:
        return read_table(value, keys, title, self.problems, self._environment, file_keys.PIPELINE_KEYS)

    def _say(self, line: int, message: str) -> None:
        self.problems.append(Problem(line, message))


def _place_of(sink: Sink) -> str:
    """Where its files or its table are; nothing for topics and the like, and where it is not said."""
    if sink.format == "iceberg" and "table" in sink.table:
        return f"{sink.table.get('table')} {sorted(sink.table.get('catalog', {}).items())}"
    return sink.path if sink.format in ("parquet", "delta") else ""


def _split_topics(table: Table) -> tuple[str, ...]:
    """Commas part topics too, as in Spark's own option."""
    return tuple(
        topic.strip() for each in table.get("topics", ()) for topic in each.split(",") if topic.strip()
    )
