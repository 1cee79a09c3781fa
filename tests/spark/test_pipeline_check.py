"""`check` on a real Spark and a real broker: what is wrong is named with its line, and no data is read."""

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.spark.decoding_registry import Registry

from snakka.client.blocking import Admin, Producer
from snakka.spark.pipelines import runner
from snakka.spark.pipelines.cluster_topics import topic_problems
from snakka.spark.pipelines.declaration import Pipeline, read_pipeline
from snakka.spark.pipelines.offset_reset import parse_target
from snakka.spark.pipelines.plan import build_views, check_plan
from snakka.spark.pipelines.problems import PipelineError, PipelineFileError
from snakka.spark.pipelines.resetting import reset
from snakka.spark.pipelines.run_state import RunState
from snakka.spark.pipelines.sink_writers import start_query
from snakka.spark.pipelines.spark_errors import silence_pyspark
from snakka.spark.pipelines.terminal import LineDisplay
from snakka.testing import BlockingLocalBroker

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DOCUMENTATION = Path(__file__).parents[2] / "docs" / "pipelines.md"

MODULE = """
def fails(orders):
    raise ValueError("no such rate")

def gives_text(orders):
    return "orders"

def keeps(orders):
    return orders.where("total > 0")

def round_off(orders):
    return orders.selectExpr("id", "round(total) AS total")

def ends(orders):
    raise SystemExit(4)

def both(one, other, *more):
    return one

def misses(orders):
    return {}["rate"]
"""
ENDING_MODULE = """import sys

sys.exit(3)
"""

START = """
kafka: {{bootstrap.servers: "{bootstrap}"}}
sources:
  orders:
    topics: orders
    decode: json
    schema: id BIGINT, at TIMESTAMP, total DOUBLE, note STRING
  raw: {{topics: orders}}
"""

# What is added to START, and the problems: the text of the line that each is on, and a part of what is said.
WRONG: list[tuple[str, list[tuple[str, str]]]] = [
    (
        """
steps:
  one:
    sql: |
      SELECT id,
        totl
      FROM orders
  two:
    sql: SELECT id FROM oders
  three:
    sql: |
      SELECT id
      FROM orders WHERE (
  four:
    sql: |
      -- a comment
      SELECT nothing_like_it(id) FROM orders
  five:
    sql: DROP TABLE orders
  six:
    sql: SELECT id FROM one
  seven:
    sql: SELECT id FROM orders; SELECT 2
  eight:
    sql: |
      SELECT id FROM orders;

sinks:
  out: {format: noop, from: orders}
  lost: {format: noop, from: six}
""",
        [
            ("        totl", "step one: A column, variable, or function parameter with name `totl`"),
            ("FROM oders", "step two: there is no view oders; did you mean orders?"),
            ("WHERE (", "step three: Syntax error at or near '('"),
            ("nothing_like_it", "step four: Cannot resolve routine `nothing_like_it`"),
            ("DROP TABLE", "step five: it must be one query, SELECT say, and nothing else"),
            ("; SELECT 2", "step seven: Syntax error at or near ';'"),
            # six stands on one, whose problem has been named
        ],
    ),
    (
        """
steps:
  one: {function: "no_such_module:f"}
  two: {function: "wrong_steps:round_of", from: orders}
  three:
    function: wrong_steps:fails
    from: orders
  four:
    function: wrong_steps:gives_text
    from: orders
  five:
    function: wrong_steps:keeps
    from: [orders, raw]
  six: {function: "ending_steps:f", from: orders}
  seven:
    function: wrong_steps:ends
    from: orders
  eight: {function: "wrong_steps:both", from: raw}
  nine: {function: "wrong_steps:misses", from: raw}
sinks:
  out: {format: noop, from: orders}
""",
        [
            ("no_such_module", "step one: there is no module no_such_module in "),
            ('round_of"', "step two: wrong_steps has no function round_of; did you mean round_off?"),
            ("wrong_steps:fails", "step three: no such rate (wrong_steps.py:3)"),
            ("wrong_steps:misses", "step nine: KeyError: 'rate' (wrong_steps.py:21)"),
            ("gives_text", "step four: wrong_steps:gives_text must give a DataFrame, not str"),
            (
                "from: [orders, raw]",
                "step five: wrong_steps:keeps takes orders, but gets orders, raw: from names the views",
            ),
            ("wrong_steps:both", "step eight: wrong_steps:both takes one, other, *more, but gets raw: from"),
            (
                "ending_steps",
                "step six: ending_steps can't be imported: it calls sys.exit(3) (ending_steps.py:3)",
            ),
            ("wrong_steps:ends", "step seven: it calls sys.exit(4) (wrong_steps.py:15)"),
        ],
    ),
    (
        """
steps:
  counted: {sql: "SELECT note, count(*) AS n FROM orders GROUP BY note"}
  unnamed: {sql: "SELECT note AS value, n AS topic FROM counted"}
  fixed: {sql: "SELECT 'x' AS value"}
  nothing: {sql: "SELECT id, NULL AS empty FROM orders"}
  doubled: {sql: "SELECT id, total, note AS ID FROM orders"}
  typed: {sql: "SELECT id AS value, 'x' AS partition, total AS key FROM orders"}
sinks:
  plain: {format: topic, topic: orders, from: orders}
  keyed: {format: topic, topic: orders, encode: json, key: ident, from: orders}
  nowhere: {format: topic, from: unnamed, mode: complete}
  typed: {format: topic, topic: orders, from: typed}
  parted: {format: parquet, path: out, partition_by: day, from: orders}
  empty: {format: parquet, path: out2, from: nothing}
  doubled: {format: delta, path: out3, from: doubled}
  counted: {format: noop, from: counted}
  still: {format: topic, topic: orders, from: fixed}
""",
        [
            (
                "plain:",
                "sink plain: a topic needs a column value (text or binary), and orders has key, topic",
            ),
            ("keyed:", "sink keyed: orders has no column ident"),
            ("nowhere:", "sink nowhere needs topic, or rows with a text column topic"),
            ("typed: {format", "sink typed: value must be a text or binary, not bigint"),
            ("typed: {format", "sink typed: key must be a text or binary, not double"),
            ("typed: {format", "sink typed: partition must be an INT, not string"),
            ("parted:", "sink parted is parted by day, which orders does not have"),
            ("empty:", "sink empty: column empty is always NULL"),
            ("doubled: {format", "sink doubled: doubled has 2 columns id; call one something else with AS"),
            ("counted: {format", "sink counted: Invalid streaming output mode: append"),
            ("still:", "sink still: fixed is no stream; it reads no source"),
        ],
    ),
    (
        """
  bad_schema:
    topics: orders
    decode: json
    schema: id BIGINT, total DUBLE
  bad_offsets:
    topics: orders
    starting_offsets: sometimes
  bad_setting:
    topics: orders
    kafka: {fetch.max.byte: 5}
  bad_option:
    topics: orders
    options: {maxOffsetsPerTrigger: many}
  no_column:
    topics: orders
    watermark: att 10 minutes
  no_time:
    topics: orders
    watermark: offset 10 minutes
  no_registry:
    topics: orders
    decode: avro
    registry: http://127.0.0.1:1
  refused:
    topics: orders
    kafka: {auto.offset.reset: latest}
sinks:
  out: {format: noop, from: raw}
""",
        [
            (
                "total DUBLE",
                'source bad_schema: schema can\'t be read as columns: Unsupported data type "DUBLE"',
            ),
            ("sometimes", "source bad_offsets: startingOffsets"),
            (
                "fetch.max.byte:",
                "source bad_setting: kafka.fetch.max.byte: there is no such setting of the client; did",
            ),
            ("many", "source bad_option: maxOffsetsPerTrigger"),
            ("att 10", "no_column has no column att for its watermark"),
            ("offset 10", "the watermark of no_time needs a TIMESTAMP, and offset is bigint"),
            ("127.0.0.1:1\n", "source no_registry: "),
            ("auto.offset.reset", "source refused: kafka.auto.offset.reset can't be set"),
        ],
    ),
]


@pytest.fixture(scope="module")
def bootstrap(broker: BlockingLocalBroker, admin: Admin) -> str:
    for topic in ("orders", "returns", "big-orders", "orders-dead"):
        admin.create_topic(topic, partitions=2)
    silence_pyspark()
    return broker.bootstrap_servers


def read(directory: Path, text: str, name: str = "p.yaml") -> Pipeline:
    (directory / name).write_text(text)
    return read_pipeline(directory / name)


@pytest.mark.parametrize(("text", "expected"), WRONG, ids=["sql", "functions", "sinks", "sources"])
def test_what_is_wrong_is_named_with_its_line(
    spark: "SparkSession", bootstrap: str, tmp_path: Path, text: str, expected: list[tuple[str, str]]
) -> None:
    (tmp_path / "wrong_steps.py").write_text(MODULE)
    (tmp_path / "ending_steps.py").write_text(ENDING_MODULE)
    whole = START.format(bootstrap=bootstrap) + text.lstrip("\n")
    found, _ = check_plan(spark, read(tmp_path, whole))
    lines = whole.split("\n")
    shown = [(lines[problem.line - 1] + "\n", problem.message) for problem in sorted(found)]
    unmatched = list(shown)
    for place, message in expected:
        matching = [each for each in unmatched if place in each[0] and message in each[1]]
        assert matching, f"{place!r}: {message!r} is not among {shown}"
        unmatched.remove(matching[0])
    assert unmatched == []
    assert all("\n" not in problem.message for problem in found)


def test_topics_that_do_not_exist_are_named(bootstrap: str, tmp_path: Path) -> None:
    text = f"""
kafka: {{bootstrap.servers: "{bootstrap}"}}
sources:
  orders: {{topics: [orders, order-lines]}}
  others: {{pattern: "nothing-.*"}}
sinks:
  out: {{format: topic, topic: big-order}}
"""
    created = "did you mean {0}? If not, `snakka topic create {1} --bootstrap-server {2}` creates it"
    assert [(problem.line, problem.message) for problem in topic_problems(read(tmp_path, text))] == [
        (4, "there is no topic order-lines; " + created.format("orders", "order-lines", bootstrap)),
        (5, "no topic is called like nothing-.*"),
        (7, "there is no topic big-order; " + created.format("big-orders", "big-order", bootstrap)),
    ]


def test_a_cluster_that_does_not_answer_is_no_problem_of_the_file(tmp_path: Path) -> None:
    text = "kafka: {bootstrap.servers: '127.0.0.1:1', default.api.timeout.ms: 500, request.timeout.ms: 400}\n"
    text += "sources: {a: {topics: a}}\nsinks: {out: {format: noop}}\n"
    with pytest.raises(PipelineError, match=r"^no broker answers: 127\.0\.0\.1:1 can't be reached"):
        topic_problems(read(tmp_path, text))


@pytest.mark.parametrize("notation", ["toml", "yaml"])
def test_the_examples_of_the_documentation_are_right(
    spark: "SparkSession", bootstrap: str, tmp_path: Path, notation: str
) -> None:
    (example,) = re.findall(rf"```{notation}\n(.*?)```", DOCUMENTATION.read_text(), re.DOTALL)
    (tmp_path / "money.py").write_text(MODULE)
    pipeline = read(tmp_path, example.replace("127.0.0.1:9092", bootstrap), f"example.{notation}")
    problems, columns = check_plan(spark, pipeline)
    assert [*topic_problems(pipeline), *problems] == []
    assert list(columns) == [*pipeline.sources, *pipeline.steps]
    assert "total double" in columns["orders"]


def test_files_of_a_query_that_was_reset_are_read_by_spark(
    spark: "SparkSession", broker: BlockingLocalBroker, bootstrap: str, tmp_path: Path
) -> None:
    """Spark's log of its files must have every batch that its checkpoint has."""
    with Producer(bootstrap_servers=bootstrap) as producer:
        producer.send("again", b"row", partition=0)
        producer.flush()
    pipeline = read(
        tmp_path,
        f"""
kafka: {{bootstrap.servers: "{bootstrap}"}}
sources: {{again: {{topics: again}}}}
sinks: {{out: {{format: parquet, path: files}}}}
""",
    )
    state = RunState(pipeline)
    for expected in (1, 2):
        views = build_views(spark, pipeline, group="again", starts={})
        query = start_query(
            views.frames["again"],
            pipeline.sinks["out"],
            trigger=pipeline.trigger,
            checkpoint=state.sink_checkpoint("out"),
        )
        query.awaitTermination(100)
        assert spark.read.parquet(str(tmp_path / "files")).count() == expected
        (done,) = reset(pipeline, parse_target("earliest"), (), is_dry=False, abandon=False)
        assert (done.how, [move.again for move in done.moves]) == ("move", [1])


TWO_SOURCES = """
kafka: {{bootstrap.servers: "{bootstrap}"}}
sources:
  {first}: {{topics: {first}, decode: json, schema: id BIGINT}}
  {second}: {{pattern: ^{second}$, decode: json, schema: id BIGINT, options: {{failOnDataLoss: "false"}}}}
steps:
  both: {{sql: SELECT id FROM {left} UNION ALL SELECT id FROM {right}}}
sinks:
  out: {{format: parquet, path: files}}
errors: {{policy: dead-letter, format: delta, path: dead}}
"""


def test_sources_that_change_places_do_not_go_on_from_each_others_offsets(
    spark: "SparkSession",
    broker: BlockingLocalBroker,
    bootstrap: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Spark would read them once more here, and without failOnDataLoss = false spoil the checkpoint for either order."""
    with Producer(bootstrap_servers=bootstrap) as producer:
        for topic in ("east", "west"):
            producer.send(topic, b'{"id": 1}', partition=0)
        producer.flush()

    def written(first: str, second: str, left: str, right: str) -> Pipeline:
        text = TWO_SOURCES.format(bootstrap=bootstrap, first=first, second=second, left=left, right=right)
        return read(tmp_path, text)

    def run(pipeline: Pipeline) -> str:
        session = spark.newSession()  # what a run listens to is its own
        monkeypatch.setattr(session, "stop", lambda: None)
        monkeypatch.setattr(runner, "open_session", lambda *_, **__: session)
        settings = runner.RunSettings("local[2]", pipeline.trigger, {}, grace_seconds=30)
        return str(runner.Run(pipeline, settings, LineDisplay(io.StringIO())).go()["state"])

    assert run(written("east", "west", "east", "west")) == "finished"
    turned = "its sources in another order than its checkpoint's, east, then west: put them back"
    for pipeline, line, said in (
        (
            written("east", "west", "west", "east"),
            9,
            f"sink out can't go on with {turned}, or call the sink something",
        ),
        (
            written("west", "east", "east", "west"),
            10,
            f"sink dead-letters can't go on with {turned}, or give the pipeline",
        ),
    ):
        ((problem,), _) = check_plan(spark, pipeline)
        assert problem.line == line
        assert problem.message.startswith(said)
        with pytest.raises(PipelineFileError) as refused:
            run(pipeline)
        assert refused.value.problems == [problem]
    assert run(written("east", "west", "east", "west")) == "finished"
    assert spark.read.parquet(str(tmp_path / "files")).count() == 2


REGISTERED = """registry: "{registry}"
kafka: {{bootstrap.servers: "{bootstrap}"}}
sources:
  orders:
    topics: orders
    decode: avro
sinks: {{out: {{format: noop}}}}
"""


def test_a_registry_that_does_not_answer_is_no_problem_of_the_file(
    spark: "SparkSession", bootstrap: str, tmp_path: Path
) -> None:
    text = REGISTERED.format(registry="http://127.0.0.1:1", bootstrap=bootstrap)
    pipeline = read(tmp_path, text)
    with pytest.raises(PipelineError, match="source orders: the schema registry did not say"):
        check_plan(spark, pipeline)
    with pytest.raises(PipelineError, match="source orders: the schema registry did not say"):
        build_views(spark, pipeline, group="orders", starts={})


@pytest.mark.parametrize("address", ["ftp://127.0.0.1", "http://", "http://127.0.0.1:port"])
def test_what_is_no_address_of_a_registry_has_the_line_where_it_stands(
    spark: "SparkSession", bootstrap: str, tmp_path: Path, address: str
) -> None:
    text = REGISTERED.format(registry=address, bootstrap=bootstrap)
    ((problem,), _) = check_plan(spark, read(tmp_path, text))
    assert problem.line == 1
    assert "registry" in problem.message
    assert "is no http:// or https:// address" in problem.message


def test_a_subject_that_a_registry_does_not_know_is_a_problem_of_the_file(
    spark: "SparkSession", bootstrap: str, registry: Registry, tmp_path: Path
) -> None:
    text = REGISTERED.format(registry=registry.url, bootstrap=bootstrap)
    ((problem,), _) = check_plan(spark, read(tmp_path, text))
    said = "source orders: version latest of orders-value is not known to the schema registry"
    assert (problem.line, problem.message) == (1, said)
    ((problem,), _) = check_plan(spark, read(tmp_path, text.replace("avro", "avro\n    subject: sold")))
    assert (problem.line, problem.message) == (7, said.replace("orders-value", "sold"))


def test_a_topic_that_came_after_a_reset_is_read_from_its_beginning(
    spark: "SparkSession", broker: BlockingLocalBroker, bootstrap: str, tmp_path: Path
) -> None:
    with Producer(bootstrap_servers=bootstrap) as producer:
        for topic in ("noted", "noted", "added"):
            producer.send(topic, b"row", partition=0)
        producer.flush()
    pipeline = read(
        tmp_path,
        f"""
kafka: {{bootstrap.servers: "{bootstrap}"}}
sources: {{all: {{topics: [noted, added]}}}}
sinks: {{out: {{format: noop}}}}
""",
    )
    views = build_views(spark, pipeline, group="noted", starts={"noted": {"0": 1}})
    assert views.problems == []
    query = start_query(
        views.frames["all"],
        pipeline.sinks["out"],
        trigger=pipeline.trigger,
        checkpoint=str(tmp_path / "checkpoint"),
    )
    query.awaitTermination(100)
    assert sum(report.numInputRows for report in query.recentProgress) == 2


@pytest.fixture
def registry() -> Iterator[Registry]:
    with Registry() as running:
        yield running
