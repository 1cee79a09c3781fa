"""Pipelines' files without Spark: what they become, and what is said of wrong ones, with the line."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakka.spark.pipelines.declaration import Pipeline, parse_trigger, read_pipeline
from snakka.spark.pipelines.document import Value, read_document
from snakka.spark.pipelines.file_keys import ALL_TABLES
from snakka.spark.pipelines.problems import PipelineFileError
from snakka.spark.pipelines.sink_writers import sink_options

TOML = '''
name = "orders"
trigger = "every 5s"
checkpoint = "state/orders"
kafka.bootstrap.servers = "127.0.0.1:9092"   # a table in a table, for TOML
python_path = ["code"]

[sources.orders]
topics = ["orders", "returns"]
decode = "json"
schema = "id BIGINT, at TIMESTAMP, total DOUBLE"
watermark = "at 10 minutes"
options = { maxOffsetsPerTrigger = 1000 }

[steps.big]
sql = """
SELECT id, at, total
FROM orders
WHERE total > 100
"""

[steps.shaped]
function = "shapes:round_off"

[sinks.table]
format = "delta"
path = "out/orders"
partition_by = "day"
target_file_size = "64 MiB"

[sinks.alerts]
format = "topic"
topic = "alerts"
from = "big"
encode = "json"
key = "id"
guarantee = "exactly-once"
kafka = { linger.ms = 5 }

[errors]
policy = "dead-letter"
topic = "orders-dead"

[spark]
master = "local[2]"
spark.sql.shuffle.partitions = 4
"spark.ui.enabled" = true
'''

YAML = """
name: orders
trigger: every 5s
checkpoint: state/orders
kafka: {bootstrap.servers: "127.0.0.1:9092"}
python_path: [code]
sources:
  orders:
    topics: [orders, returns]
    decode: json
    schema: id BIGINT, at TIMESTAMP, total DOUBLE
    watermark: at 10 minutes
    options:
      maxOffsetsPerTrigger: 1000
steps:
  big:
    sql: |
      SELECT id, at, total
      FROM orders
      WHERE total > 100
  shaped:
    function: shapes:round_off
sinks:
  table:
    format: delta
    path: out/orders
    partition_by: day
    target_file_size: 64 MiB
  alerts:
    format: topic
    topic: alerts
    from: big
    encode: json
    key: id
    guarantee: exactly-once
    kafka:
      linger.ms: 5
errors:
  policy: dead-letter
  topic: orders-dead
spark:
  master: local[2]
  spark.sql.shuffle.partitions: 4
  spark.ui.enabled: true
"""


def read(directory: Path, text: str, name: str = "orders.toml") -> Pipeline:
    file = directory / name
    file.write_text(text)
    return read_pipeline(file, {"SECRET": "hush"})


def problems(directory: Path, text: str, name: str = "orders.toml") -> list[str]:
    with pytest.raises(PipelineFileError) as refused:
        read(directory, text, name)
    return [problem.shown(Path(name)) for problem in refused.value.problems]


@pytest.mark.parametrize(("text", "name"), [(TOML, "p.toml"), (YAML, "p.yaml")])
def test_both_notations_say_the_same(tmp_path: Path, text: str, name: str) -> None:
    pipeline = read(tmp_path, text, name)
    assert pipeline.name == "orders"
    assert str(pipeline.trigger) == "every 5s"
    assert not pipeline.trigger.ends
    assert pipeline.checkpoint == str(tmp_path / "state/orders")
    assert pipeline.python_path == (tmp_path / "code",)
    source = pipeline.sources["orders"]
    assert (source.topics, source.decode, source.starting_offsets) == (
        ("orders", "returns"),
        "json",
        "earliest",
    )
    assert source.watermark is not None
    assert (source.watermark.column, source.watermark.delay) == ("at", "600000 milliseconds")
    assert source.kafka == {"bootstrap.servers": "127.0.0.1:9092"}
    assert source.options == {"maxOffsetsPerTrigger": "1000"}
    assert pipeline.steps["shaped"].inputs == ("big",)
    table, alerts = pipeline.sinks["table"], pipeline.sinks["alerts"]
    assert (table.view, table.path, table.table.get("target_file_size")) == (
        "shaped",
        str(tmp_path / "out/orders"),
        64 << 20,
    )
    assert (alerts.view, alerts.table.get("guarantee")) == ("big", "exactly-once")
    assert alerts.kafka == {"bootstrap.servers": "127.0.0.1:9092", "linger.ms": "5"}
    assert pipeline.dead_letters is not None
    assert list(pipeline.all_sinks) == ["table", "alerts", "dead-letters"]
    assert pipeline.master == "local[2]"
    assert pipeline.spark == {"spark.sql.shuffle.partitions": "4", "spark.ui.enabled": "true"}


@pytest.mark.parametrize(("text", "name"), [(TOML, "p.toml"), (YAML, "p.yaml")])
def test_every_value_knows_its_line(tmp_path: Path, text: str, name: str) -> None:
    pipeline = read(tmp_path, text, name)

    def line_with(part: str) -> int:
        return next(number for number, line in enumerate(text.splitlines(), 1) if part in line)

    assert pipeline.table.line("trigger") == line_with("trigger")
    assert pipeline.sources["orders"].table.line("watermark") == line_with("watermark")
    assert pipeline.sinks["alerts"].table.line("guarantee") == line_with("guarantee")
    assert pipeline.table.setting_line("spark", "spark.ui.enabled") == line_with("spark.ui.enabled")
    sql = pipeline.steps["big"].sql
    assert sql is not None
    assert sql.line_of_text(str(sql.content).index("FROM")) == line_with("FROM orders")
    assert sql.line_of_text(str(sql.content).index("WHERE")) == line_with("WHERE total")


LEAST = """
kafka.bootstrap.servers = "x:1"
[sources.orders]
topics = "orders"
[sinks.out]
format = "console"
"""


def test_the_least_has_its_defaults(tmp_path: Path) -> None:
    pipeline = read(tmp_path, LEAST, "clicks.v2.toml")
    assert pipeline.name == "clicks"
    assert str(pipeline.trigger) == "available-now"
    assert pipeline.checkpoint == str(tmp_path / "checkpoints/clicks")
    assert pipeline.sinks["out"].view == "orders"
    assert (pipeline.policy, pipeline.master) == ("fail", "local[*]")


@pytest.mark.parametrize(
    ("catalog", "uri", "warehouse"),
    [
        ('uri = "sqlite:///catalog.db", warehouse = "lake"', "sqlite:///{}/catalog.db", "{}/lake"),
        (
            'type = "sql", uri = "sqlite+pysqlite:///../a b.db?timeout=5"',
            "sqlite+pysqlite:///{}/../a b.db?timeout=5",
            None,
        ),
        (
            'uri = "sqlite:////data/catalog.db", warehouse = "/data/lake"',
            "sqlite:////data/catalog.db",
            "/data/lake",
        ),
        ('uri = "sqlite:///:memory:", warehouse = "s3://lake"', "sqlite:///:memory:", "s3://lake"),
        ('uri = "sqlite://", warehouse = "file:///lake"', "sqlite://", "file:///lake"),
        ('uri = "postgresql://host/catalog", warehouse = "lake"', "postgresql://host/catalog", "{}/lake"),
        # A REST catalog has warehouses of that name.
        ('uri = "http://host", warehouse = "lake"', "http://host", "lake"),
        ('type = "rest", uri = "sqlite-like", warehouse = "lake"', "sqlite-like", "lake"),
        ('name = "told-elsewhere", warehouse = "lake"', None, "lake"),
    ],
)
def test_paths_of_a_catalog_are_beside_the_file(
    tmp_path: Path, catalog: str, uri: str | None, warehouse: str | None
) -> None:
    wanted = {"uri": uri, "warehouse": warehouse}
    text = LEAST.replace('"console"', f'"iceberg"\ntable = "a.b"\ncatalog = {{{catalog}}}')
    options = sink_options(read(tmp_path, text).sinks["out"])
    for name, value in wanted.items():
        expected = (
            None if value is None else value.format(tmp_path).replace(f"{tmp_path}/..", str(tmp_path.parent))
        )
        assert options.get(f"catalog.{name}") == expected


def test_certificates_and_keys_are_beside_the_file(tmp_path: Path) -> None:
    """Wherever the command is run, and on executors of this machine, which have directories of their own."""
    certificates = '"ssl.truststore.location" = "ca.pem", "ssl.keystore.location" = "/etc/client.pem"'
    text = LEAST.replace('topics = "orders"', f'topics = "orders"\nkafka = {{{certificates}}}')
    assert text != LEAST
    kafka = read(tmp_path, text).sources["orders"].kafka
    assert kafka["ssl.truststore.location"] == str(tmp_path / "ca.pem")
    assert kafka["ssl.keystore.location"] == "/etc/client.pem"
    assert kafka["bootstrap.servers"] == read(tmp_path, LEAST).sources["orders"].kafka["bootstrap.servers"]


@pytest.mark.parametrize("topics", ["orders", " orders ,", ("orders",)])
def test_one_topic_has_the_subject_of_its_name(tmp_path: Path, topics: object) -> None:
    said = json.dumps(topics)
    text = LEAST.replace('topics = "orders"', f'topics = {said}\ndecode = "avro"\nregistry = "http://x"')
    source = read(tmp_path, text).sources["orders"]
    assert (source.topics, source.subject) == (("orders",), "orders-value")


WRONG = [
    # the text that replaces or follows in LEAST, and what is said
    (
        'format = "console"',
        'format = "delta"\npath = "a"\nretention = "5m"',
        ["orders.toml:8: retention of sink out must be an hour at least: batches need their files"],
    ),
    (
        'topics = "orders"',
        'topcis = "orders"',
        [
            "orders.toml:3: source orders needs one of topics and pattern",
            "orders.toml:4: source orders has no key topcis; did you mean topics?",
        ],
    ),
    (
        'topics = "orders"',
        "topics = 5",
        ["orders.toml:4: topics of source orders must be a text, or a list of texts, not 5"],
    ),
    (
        'format = "console"',
        'format = "topic"\nencode = "json"',
        ["orders.toml:5: sink out needs topic: with encode = json rows can't name their own"],
    ),
    (
        'format = "console"',
        'format = "topic"\ntopic = "a"\nkafka."linger.ms" = 5\nkafka.linger.ms = 7',
        ["orders.toml:9: kafka of sink out has linger.ms twice"],
    ),
    # What is wrong is said once, not again by what depends on it.
    (
        'topics = "orders"',
        'topics = "orders"\ndecode = "jsn"\nschema = "id BIGINT"',
        ["orders.toml:5: decode of source orders can't be jsn; did you mean json?"],
    ),
    (
        'topics = "orders"',
        'topics = "orders"\ndecode = "jsn"\n[errors]\npolicy = "dead-letter"\ntopic = "dead"',
        ["orders.toml:5: decode of source orders can't be jsn; did you mean json?"],
    ),
    (
        'topics = "orders"',
        'topics = "orders"\ndecode = "json"\nschema = 5',
        ["orders.toml:6: schema of source orders must be a text, not 5"],
    ),
    (
        "[sinks.out]",
        "[errors]\npolicy = 'dead-leter'\ntopic = 'dead'\n[sinks.out]",
        ["orders.toml:6: policy of errors can't be dead-leter; did you mean dead-letter?"],
    ),
    (
        "[sinks.out]",
        "[steps.more]\nsql = 5\n[sinks.out]",
        ["orders.toml:6: sql of step more must be a text of SQL, not 5"],
    ),
    (
        'format = "console"',
        'format = "parquet"\npath = 5',
        ["orders.toml:7: path of sink out must be a path, not 5"],
    ),
    (
        'format = "console"',
        'format = "topic"\ntopic = "a"\nencode = "jsn"\nkey = "id"',
        ["orders.toml:8: encode of sink out can't be jsn; did you mean json?"],
    ),
    (
        'format = "console"',
        'format = "consol"',
        ["orders.toml:6: format of sink out can't be consol; did you mean console?"],
    ),
    (
        'format = "console"',
        'format = "topic"\ntopic = "a"\npath = "b"',
        ["orders.toml:8: sink out has path, which means nothing with format topic"],
    ),
    (
        'format = "console"',
        'format = "parquet"',
        ["orders.toml:5: sink out needs path: parquet, delta: the table's directory or address"],
    ),
    (
        'format = "console"',
        'format = "console"\nfrom = "order"',
        [
            "orders.toml:7: sink out takes order, which no source or earlier step is called; did you mean orders?"
        ],
    ),
    (
        'format = "console"',
        'format = "parquet"\npath = "a"\nmode = "complete"',
        ["orders.toml:8: sink out: parquet files can only be appended; write to delta or iceberg"],
    ),
    (
        'topics = "orders"',
        'topics = "orders"\ndecode = "json"',
        ["orders.toml:5: source orders needs schema or schema_file: the columns, such as id BIGINT, total"],
    ),
    (
        'topics = "orders"',
        'topics = "orders"\ndecode = "avro"',
        ["orders.toml:5: source orders needs schema or schema_file; or the registry that has it"],
    ),
    (
        'topics = "orders"',
        'topics = "orders"\ndecode = "avro"\nschema_file = "no.avsc"',
        ["orders.toml:6: there is no file "],
    ),
    (
        'topics = "orders"',
        'topics = "orders, returns"\ndecode = "avro"\nregistry = "http://x"',
        ["orders.toml:5: source orders needs subject: what the registry calls the schema"],
    ),
    (
        'topics = "orders"',
        'topics = ", "',
        ["orders.toml:4: topics of source orders names no topic"],
    ),
    (
        'topics = "orders"',
        'topics = "orders"\nwatermark = "at"',
        [
            "orders.toml:5: watermark of source orders must be a column and a time of 100000 days at most, such as at 10"
        ],
    ),
    (
        'kafka.bootstrap.servers = "x:1"',
        "",
        ["orders.toml:3: source orders needs bootstrap.servers: the brokers to begin with, under kafka"],
    ),
    (
        'kafka.bootstrap.servers = "x:1"',
        'kafka.bootstrap.servers = "x:1"\ntrigger = "sometimes"',
        ["orders.toml:3: trigger must be available-now, once, or every and a time (every 5s), not sometimes"],
    ),
    (
        'kafka.bootstrap.servers = "x:1"',
        'kafka.bootstrap.servers = "${NOBODY}"',
        ["orders.toml:2: kafka of the file uses ${NOBODY}, which the environment does not have"],
    ),
    (
        "[sinks.out]",
        "[steps.more]\nsql = 'SELECT 1'\nfunction = 'a:b'\n[sinks.out]",
        ["orders.toml:5: step more needs one of sql and function"],
    ),
    (
        "[sinks.out]",
        "[steps.more]\nfunction = 'ab'\n[sinks.out]",
        ["orders.toml:6: function of step more must be module:function"],
    ),
    (
        "[sinks.out]",
        "[steps.orders]\nsql = 'SELECT 1'\n[sinks.out]",
        ["orders.toml:5: step orders has the name of source orders; give it another"],
    ),
    # Spark's views have no case: one would replace the other.
    (
        "[sinks.out]",
        "[sources.ORDERS]\ntopics = 'a'\n[steps.more]\nsql = 'SELECT 1'\n[steps.More]\nsql = 'SELECT 1'\n[sinks.out]",
        [
            "orders.toml:5: source ORDERS has the name of source orders: upper and lower case are the same for Spark",
            "orders.toml:9: step More has the name of step more: upper and lower case are the same for Spark",
        ],
    ),
    (
        "[sinks.out]",
        "[steps.Orders]\nsql = 'SELECT 1'\n[sinks.out]",
        ["orders.toml:5: step Orders has the name of source orders: upper and lower case"],
    ),
    (
        "[sinks.out]",
        "[steps.more-of]\nsql = 'SELECT 1'\n[sinks.out]",
        ["orders.toml:5: more-of can't be the name of a view: letters, digits and _ only"],
    ),
    (
        "[sinks.out]",
        "[errors]\npolicy = 'dead-letter'\ntopic = 'dead'\n[sinks.out]",
        ["orders.toml:6: there can be no dead letters: no source decodes anything"],
    ),
    (
        "[sinks.out]",
        "[errors]\npolicy = 'skip'\ntopic = 'dead'\n[sinks.out]",
        ["orders.toml:7: errors has topic, which means nothing with policy skip"],
    ),
    (
        "[sinks.out]",
        "[spark]\nmaster = 'local'\nsql.shuffle.partitions = 3\n[sinks.out]",
        [
            "orders.toml:7: spark has sql.shuffle.partitions: there is master, and names that begin with spark."
        ],
    ),
    (
        "[sinks.out]",
        "[spark]\nspark.master = 'local'\nspark.app.name = 'x'\n[sinks.out]",
        [
            "orders.toml:6: spark has spark.master, which is master under spark",
            "orders.toml:7: spark has spark.app.name, which is the key name",
        ],
    ),
    ('format = "console"', "format = console", ["orders.toml:6: it is no TOML: Invalid value"]),
    # What newcomers do: a key of the file's behind its tables, Python's names of settings, Spark's without its own.
    (
        'format = "console"',
        'format = "console"\ntrigger = "once"',
        ["orders.toml:7: sink out has no key trigger, which belongs at the top of the file"],
    ),
    (
        'kafka.bootstrap.servers = "x:1"',
        'kafka.bootstrap_servers = "x:1"',
        [
            "orders.toml:2: source orders needs bootstrap.servers: the brokers to begin with, under kafka, not bootst"
        ],
    ),
    (
        "[sinks.out]",
        "[spark]\nexecutor.memory = '2g'\n[sinks.out]",
        [
            "orders.toml:6: spark has executor.memory: there is master, and names that begin with spark., such as spark.ex"
        ],
    ),
    (
        "[sinks.out]",
        "[errors]\ntopic = 'dead'\n[sinks.out]",
        ["orders.toml:5: errors needs policy: fail, skip or dead-letter"],
    ),
    (
        'topics = "orders"',
        'topics = ["orders",\n  false]',
        ["orders.toml:5: topics of source orders has false, which must be a text; put it in quotes"],
    ),
    (
        'topics = "orders"',
        "topics = []",
        ["orders.toml:4: topics of source orders must be a text, or a list of texts, not an empty list"],
    ),
    (
        'topics = "orders"',
        'topics = "orders"\n[sources.orders.kafka]\nclient.id = "x"\nclient.rack = "${NOBODY}"',
        ["orders.toml:7: kafka of source orders uses ${NOBODY}, which the environment does not have"],
    ),
    # Names become directories, and times what Spark and Python reckon with.
    (
        'kafka.bootstrap.servers = "x:1"',
        f'kafka.bootstrap.servers = "x:1"\nname = "{"n" * 101}"',
        [f"orders.toml:3: name can't be {'n' * 101}: letters, digits, - _ and . only, 100 at most"],
    ),
    (
        "[sinks.out]",
        f"[sinks.{'s' * 101}]",
        [f"orders.toml:5: sink {'s' * 101} can't be called so: letters, digits, - _ and . only, 100 at most"],
    ),
    (
        'topics = "orders"',
        'topics = "orders"\nwatermark = "at 100001 days"',
        ["orders.toml:5: watermark of source orders must be a column and a time of 100000 days at most"],
    ),
    (
        'topics = "orders"',
        f'topics = "orders"\nwatermark = "at {"9" * 400}d"',
        ["orders.toml:5: watermark of source orders must be a column and a time of 100000 days at most"],
    ),
    (
        'kafka.bootstrap.servers = "x:1"',
        'kafka.bootstrap.servers = "x:1"\ntrigger = "every 9000000h"',
        ["orders.toml:3: trigger can't be 9000000h: 100000d at most"],
    ),
    (
        'format = "console"',
        f'format = "delta"\npath = "a"\ntarget_file_size = "{"9" * 400} MiB"',
        ["orders.toml:8: target_file_size of sink out must be a size, such as 134217728 or 128 MiB, not 999"],
    ),
    # Only a shell knows where a home is.
    (
        'format = "console"',
        'format = "delta"\npath = "~/orders"',
        ["orders.toml:7: path of sink out can't be ~/orders: only shells know ~; write ${HOME} instead"],
    ),
    (
        'kafka.bootstrap.servers = "x:1"',
        'kafka.bootstrap.servers = "x:1"\ncheckpoint = "~me/state"\npython_path = ["code", "~/code"]',
        [
            "orders.toml:3: checkpoint of the file can't be ~me/state: only shells know ~",
            "orders.toml:4: python_path of the file can't be ~/code: only shells know ~",
        ],
    ),
    (
        'topics = "orders"',
        'topics = "orders"\ndecode = "avro"\nschema_file = "~/order.avsc"',
        ["orders.toml:6: schema_file of source orders can't be ~/order.avsc: only shells know ~"],
    ),
    (
        'format = "console"',
        'format = "iceberg"\ntable = "a.b"\n[sinks.out.catalog]\nuri = "sqlite:///c.db"\nwarehouse = "~/lake"',
        ["orders.toml:10: warehouse in catalog of sink out can't be ~/lake: only shells know ~"],
    ),
]


@pytest.mark.parametrize(
    ("part", "instead", "said"), WRONG, ids=[said[0].split(": ", 1)[1][:50] for *_, said in WRONG]
)
def test_what_is_wrong_is_said_with_its_line(
    tmp_path: Path, part: str, instead: str, said: list[str]
) -> None:
    found = problems(tmp_path, LEAST.replace(part, instead))
    assert len(found) == len(said)
    for shown, expected in zip(found, said, strict=True):
        assert shown.startswith(expected)


def test_all_that_is_wrong_is_said_at_once(tmp_path: Path) -> None:
    found = problems(
        tmp_path, "sources: {a: {topic: x}}\nsinks:\n  b: {format: nope}\ntriger: once\n", "p.yml"
    )
    assert found == [
        "p.yml:1: source a has no key topic; did you mean topics?",
        "p.yml:1: source a needs bootstrap.servers: the brokers to begin with, under kafka",
        "p.yml:1: source a needs one of topics and pattern",
        "p.yml:3: format of sink b can't be nope; did you mean noop?",
        "p.yml:4: the file has no key triger; did you mean trigger?",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [1\nb: 2\n", "p.yml:2: it is no YAML"),
        ("a: 1\nb: 2\na: 3\n", "p.yml:3: a is there twice; the first is on line 1"),
        ("on: 1\n", "p.yml:1: on must be a text in quotes: it is read as True"),
        ("a: 1\n[1, b]: 2\n", "p.yml:2: a key must be a text in quotes: it is read as [1, 'b']"),
        ("a: [\n" * 5000 + "]" * 5000, "p.yml: there are more than 20 levels"),
        ("- 1\n", "p.yml:1: it must have names at its top level"),
        ("a: &a [*a]\n", "p.yml:1: there are more than 20 levels"),
        ("a: \x07\n", "p.yml: it is no YAML"),
        (
            "a: 1\nb: 2026-02-30\n",
            "p.yml:2: 2026-02-30 is read as a timestamp, and is none; put it in quotes",
        ),
        (
            "a: 1\n2026-02-30: b\n",
            "p.yml:2: 2026-02-30 is read as a timestamp, and is none; put it in quotes",
        ),
        ("a: !!int many\n", "p.yml:1: many is read as a int, and is none"),
        ("a: !!bool many\n", "p.yml:1: many is read as a bool, and is none"),
        ("a: !!timestamp many\n", "p.yml:1: many is read as a timestamp, and is none"),
    ],
)
def test_what_is_no_yaml_is_said(tmp_path: Path, text: str, said: str) -> None:
    assert problems(tmp_path, text, "p.yml")[0].startswith(said)


def test_yaml_that_names_its_parts_again_and_again_has_an_end(tmp_path: Path) -> None:
    """Ten of ten of ten ... are a few lines, and more than any memory has room for."""
    lines = ["a0: &a0 [x]"]
    lines += [f"a{depth}: &a{depth} [{', '.join([f'*a{depth - 1}'] * 10)}]" for depth in range(1, 15)]
    (said,) = problems(tmp_path, "\n".join(lines), "p.yml")
    assert said.endswith(": there are more than 100000 values")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = " + "[" * 5000 + "]" * 5000, "p.toml: there are more than 20 levels"),
        ("a = " + "9" * 5000, "p.toml: it can't be read: Exceeds the limit"),
    ],
    ids=["levels", "digits"],
)
def test_what_python_refuses_of_toml_is_said(tmp_path: Path, text: str, said: str) -> None:
    assert problems(tmp_path, text, "p.toml")[0].startswith(said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('name = "a\\u0000b"\n', "p.toml:1: there is a character U+0000 in a text, which can't be"),
        ('[sources.a]\n"top\\u0000ics" = 1\n', "p.toml:1: there is a character U+0000 in a text"),
        ('sources:\n  a:\n    topics: [b, "\\ud83d"]\n', "p.yaml:3: there is a character U+D83D in a text"),
    ],
)
def test_a_text_that_no_path_and_no_broker_can_have_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (found,) = problems(tmp_path, text, said.split(":")[0])
    assert found.startswith(said)


def test_a_name_that_is_only_the_files_is_said_to_be_so(tmp_path: Path) -> None:
    (said,) = problems(tmp_path, LEAST, "my orders.toml")
    assert said.endswith("; the file is called so: give it a name, as the key name")


@pytest.mark.parametrize(("text", "name"), [(TOML, "p.toml"), (YAML, "p.yaml")])
def test_a_mark_before_the_text_is_none_of_it(tmp_path: Path, text: str, name: str) -> None:
    plain, marked = tmp_path / f"plain-{name}", tmp_path / f"marked-{name}"
    plain.write_text(text)
    marked.write_text(text, encoding="utf-8-sig")
    assert read_document(marked) == read_document(plain)


def test_a_file_that_can_not_be_read_is_said(tmp_path: Path) -> None:
    for name, said in (
        ("none.toml", "No such file"),
        ("p.json", "its name must end in .toml, .yaml or .yml"),
    ):
        with pytest.raises(PipelineFileError, match=said):
            read_pipeline(tmp_path / name, {})


@pytest.mark.parametrize("variable", ["${SECRET}", "${env:SECRET}"])
def test_secrets_come_from_the_environment(tmp_path: Path, variable: str) -> None:
    text = LEAST.replace('servers = "x:1"', f'servers = "x:1"\nkafka.sasl.password = "{variable}"')
    assert read(tmp_path, text).sources["orders"].kafka["sasl.password"] == "hush"


def test_merged_tables_of_yaml_are_the_tables_own(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text("base: &base {a: 1, b: 2}\nmine:\n  <<: *base\n  b: 3\n")
    mine = read_document(tmp_path / "p.yaml").content["mine"]
    assert {name: value.content for name, value in mine.content.items()} == {"a": 1, "b": 3}
    assert mine.content["b"].line == 4


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("every 5s", 5), ("every 1 minute", 60), ("every 250ms", 0.25), ("every 2 hours", 7200)],
)
def test_triggers_have_a_time(text: str, seconds: float) -> None:
    assert parse_trigger(text).seconds == seconds


_scalars = st.one_of(
    st.integers(-5, 5),
    st.booleans(),
    st.text("ab \n#[]{}=\"'\\", max_size=8),
    st.floats(-2, 2).map(lambda x: round(x, 3)),
)
_names = st.text("abc -.", min_size=1, max_size=4)
_trees = st.recursive(
    _scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_names, inner, max_size=3),
    max_leaves=8,
)


@given(
    content=st.dictionaries(_names, _trees, max_size=4),
    gaps=st.lists(st.sampled_from(["", "# [a]", "  "]), max_size=3),
)
def test_lines_of_toml_are_those_of_its_text(
    content: dict[str, object], gaps: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """However the values are nested: each key's line is the one that it was written on."""
    lines = list(gaps)
    expected = {}
    for name, value in content.items():
        lines += gaps[:1]
        expected[name] = len(lines) + 1
        lines += f"{_toml_text(name)} = {_toml(value)} # x".split("\n")
    file = tmp_path_factory.mktemp("lines") / "p.toml"
    file.write_text("\n".join(lines))
    root = read_document(file)
    assert {name: value.line for name, value in root.content.items()} == expected
    assert _plain(root) == content


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return _toml_text(value) if len(value) % 2 else _toml_block(value)
    if isinstance(value, list):
        return "[\n" + ",\n".join(map(_toml, value)) + "\n]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_toml_text(name)} = {_toml(each)}" for name, each in value.items()) + "}"
    return repr(value)


def _toml_text(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _toml_block(text: str) -> str:
    return '"""\n' + text.replace("\\", "\\\\").replace('"', '\\"') + '"""'


def _plain(value: Value) -> object:
    if isinstance(value.content, dict):
        return {name: _plain(each) for name, each in value.content.items()}
    return [_plain(each) for each in value.content] if isinstance(value.content, list) else value.content


def test_the_documentation_has_every_key() -> None:
    text = (Path(__file__).parents[2] / "docs" / "pipelines.md").read_text()
    for table, keys in ALL_TABLES.items():
        for name, key in keys.items():
            assert f"| `{name}` | {key.doc.replace('|', '/')} |" in text, f"{table or 'the file'}: {name}"


@pytest.mark.parametrize("formats", [("parquet", "delta"), ("delta", "parquet"), ("parquet", "parquet")])
def test_files_and_a_table_are_not_in_one_place(tmp_path: Path, formats: tuple[str, str]) -> None:
    sinks = "".join(f"  s{number}: {{format: {each}, path: out}}\n" for number, each in enumerate(formats))
    start = "kafka: {bootstrap.servers: '127.0.0.1:9092'}\nsources: {s: {topics: t}}\nsinks:\n"
    (tmp_path / "p.yaml").write_text(start + sinks)
    with pytest.raises(PipelineFileError, match=r"p\.yaml:5: sink s1 writes where sink s0 does"):
        read_pipeline(tmp_path / "p.yaml", {})


@pytest.mark.parametrize("complete", ["s0", "s1"])
@pytest.mark.parametrize(
    "table",
    [
        "format: delta, path: ./out",
        "format: iceberg, table: a.b, catalog: {uri: 'sqlite:///c.db', warehouse: w}",
    ],
    ids=["delta", "iceberg"],
)
def test_a_table_that_one_sink_replaces_is_no_other_sinks(tmp_path: Path, table: str, complete: str) -> None:
    def sinks(**modes: str) -> str:
        start = "kafka: {bootstrap.servers: '127.0.0.1:9092'}\nsources: {s: {topics: t}}\nsinks:\n"
        return start + "".join(f"  {name}: {{{table}, mode: {mode}}}\n" for name, mode in modes.items())

    kept = "s1" if complete == "s0" else "s0"
    said = (
        f"p.yaml:5: sink s1 writes the table of sink s0, and {complete} (mode complete) replaces all its rows each time, "
        f"those of {kept} too: give each a table of its own"
    )
    both = sinks(**{"s0": "append", "s1": "append", complete: "complete"})
    assert problems(tmp_path, both, "p.yaml") == [said]
    assert list(read(tmp_path, sinks(s0="append", s1="append"), "p.yaml").sinks) == ["s0", "s1"]
    other = sinks(s0="complete", s1="append").replace("./out", "other", 1).replace("a.b", "a.c", 1)
    assert list(read(tmp_path, other, "p.yaml").sinks) == ["s0", "s1"]
