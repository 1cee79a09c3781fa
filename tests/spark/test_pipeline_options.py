"""What is wrong with options is found without a cluster and without Spark, at its line."""

from pathlib import Path

import pytest

from snakka.cli.main import main
from snakka.client.topic_partition import TopicPartition
from snakka.spark.pipelines.checking import check_file
from snakka.spark.pipelines.declaration import read_declaration, read_pipeline
from snakka.spark.pipelines.option_checks import option_problems, source_options
from snakka.spark.pipelines.problems import PipelineFileError
from snakka.spark.read_options import BoundKind, read_options

TEXT = """
kafka:
  bootstrap.servers: x:1
  sasl.password: spoken-friend
sources:
  a: {topics: a, options: {maxOffsetsPerTriger: 5}}
  b:
    topics: a
    starting_offsets: sometimes
  c: {pattern: "("}
  d:
    topics: a
    kafka:
      fetch.max.byte: 1
  e: {topics: a, options: {minPartitions: many}}
  right: {topics: a, options: {maxOffsetsPerTrigger: 5, kafka.fetch.max.bytes: 5}}
sinks:
  f: {format: delta, path: f, options: {compresion: zstd}}
  g: {format: delta, path: g, target_file_size: 5}
  h: {format: iceberg, table: x, catalog: {uri: a}}
  i:
    format: topic
    topic: a
    kafka:
      transactional.id: x
  j: {format: topic, topic: a, options: {decisionTopics: 5}}
  k: {format: topic, topic: a, options: {transactionTimeoutMs: soon}}
  l: {format: topic, topic: a, kafka: {acks: 2}}
  right: {format: topic, topic: a, options: {decisionTopic: t}}
"""
EXPECTED = [
    (6, "source a: there is no option maxOffsetsPerTriger; did you mean maxOffsetsPerTrigger?"),
    (9, "source b: startingOffsets=sometimes: "),
    (10, "source c: subscribePattern"),
    (14, "source d: kafka.fetch.max.byte: there is no such setting of the client; did you mean"),
    (15, "source e: minPartitions=many: a number is wanted"),
    (18, "sink f: there is no option compresion; did you mean compression?"),
    (19, "sink g: targetFileSizeBytes is '5', but must be a size of at least 1024"),
    (20, "sink h: table is 'x', but must be NAMESPACE.NAME"),
    (25, "sink i: kafka.transactional.id can't be set"),
    (26, "sink j: there is no option decisionTopics; did you mean decisionTopic?"),
    (27, "sink k: transactionTimeoutMs must be a number above 0, not 'soon'"),
    (28, "sink l: kafka.acks: '2' must be one of"),
]


def test_every_wrong_option_is_named_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "p.yaml"
    file.write_text(TEXT)
    found = sorted(option_problems(read_pipeline(file)))
    assert [problem.line for problem in found] == [line for line, _ in EXPECTED]
    for problem, (_, message) in zip(found, EXPECTED, strict=True):
        assert problem.message.startswith(message)
    # The command says the same, and asks no cluster, whose settings are among them.
    assert main(["pipeline", "check", str(file), "--no-spark"]) == 2
    shown = capsys.readouterr().out
    assert shown.splitlines() == [problem.shown(file) for problem in found]
    assert "spoken-friend" not in shown


def test_a_setting_of_all_clients_has_the_files_line(tmp_path: Path) -> None:
    file = tmp_path / "p.toml"
    file.write_text(
        'kafka.bootstrap.servers = "x:1"\nkafka.request.timeout.ms = "soon"\n'
        'sources.a.topics = "a"\nsinks.out.format = "noop"\n'
    )
    (problem,) = option_problems(read_pipeline(file))
    assert (problem.line, problem.message[:35]) == (2, "source a: kafka.request.timeout.ms:")


SEVERAL = """kafka.bootstrap.server = "x:1"
triger = "once"
[sources.a]
topics = "a"
kafka.bootstrap.servers = "x"
kafka.fetch.max.byte = 1
kafka.auto.offset.reset = "latest"
starting_offsets = "sometimes"
options.minPartitions = "many"
options.failOnDataLoss = "perhaps"
options.maxOffsetPerTrigger = 5
[sources.b]
topic = "b"
options.minPartitions = "many"
[sinks.t]
format = "topic"
topic = "a"
kafka.bootstrap.servers = "x:1"
kafka.acks = 2
kafka.linger.ms = "long"
options.transactionTimeoutMs = "soon"
[sinks.d]
format = "delta"
target_file_size = 5
options.compresion = "zstd"
options.mergeSchema = "perhaps"
[sinks.i]
format = "iceberg"
table = "x"
partition_by = ["a", "a"]
"""
EXPECTED_OF_SEVERAL = [
    (1, "sink t: kafka.bootstrap.server: there is no such setting of the client; did you mean kafka.boot"),
    (1, "source a: kafka.bootstrap.server: there is no such setting of the client; did you mean kafka.boot"),
    (1, "source b needs bootstrap.servers"),
    (1, "source b: kafka.bootstrap.server: there is no such setting of the client; did you mean kafka.boot"),
    (2, "the file has no key triger"),
    (5, "source a: kafka.bootstrap.servers: "),
    (6, "source a: kafka.fetch.max.byte: there is no such setting"),
    (7, "source a: kafka.auto.offset.reset can't be set"),
    (8, "source a: startingOffsets=sometimes: "),
    (9, "source a: minPartitions=many: a number is wanted"),
    (10, "source a: failOnDataLoss=perhaps: true or false is wanted"),
    (11, "source a: there is no option maxOffsetPerTrigger; did you mean maxOffsetsPerTrigger?"),
    (12, "source b needs one of topics and pattern"),
    (13, "source b has no key topic"),
    (14, "source b: minPartitions=many: a number is wanted"),
    (19, "sink t: kafka.acks: '2' must be one of"),
    (20, "sink t: kafka.linger.ms: "),
    (21, "sink t: transactionTimeoutMs must be a number above 0"),
    (22, "sink d needs path"),
    (24, "sink d: targetFileSizeBytes is '5'"),
    (25, "sink d: there is no option compresion; did you mean compression?"),
    (26, "sink d: mergeSchema is 'perhaps', but must be true or false"),
    (27, "sink i needs catalog"),
    (29, "sink i: table is 'x', but must be NAMESPACE.NAME"),
    (30, "sink i: partitionBy is 'a,a', but must be each column once"),
]


def test_all_that_is_wrong_with_options_is_said_at_once_beside_wrong_keys(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "p.toml"
    file.write_text(SEVERAL)
    with pytest.raises(PipelineFileError) as refused:
        check_file(file)
    found = refused.value.problems
    shown = [(problem.line, problem.message) for problem in found]
    assert [line for line, _ in shown] == [line for line, _ in EXPECTED_OF_SEVERAL], shown
    for (_, message), (_, expected) in zip(shown, EXPECTED_OF_SEVERAL, strict=True):
        assert message.startswith(expected)
    # So do the commands that do not check anything else, and each problem is one of the keys or one of the options.
    assert main(["pipeline", "status", str(file)]) == 2
    assert capsys.readouterr().err.splitlines() == [problem.shown(file) for problem in found]
    pipeline, of_keys = read_declaration(file)
    assert sorted({*of_keys, *option_problems(pipeline)}) == found
    assert not {*of_keys} & {*option_problems(pipeline)}


def test_what_is_said_of_the_file_is_not_logged_beside_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "p.toml"
    file.write_text(
        'kafka.bootstrap.servers = "x:1"\nsources.a.topics = "a"\nsources.a.options.maxOffsetPerTrigger = 5\n'
        'sinks.t = {format = "topic", topic = "b", options.decisionTopics = "c"}\n'
    )
    assert [problem.line for problem in option_problems(read_pipeline(file))] == [3, 4]
    assert caplog.records == []


@pytest.mark.parametrize(
    ("source", "is_read"),
    [
        ('topics = ["a", "dead"]', True),
        ('pattern = "^d.*"', True),
        ('pattern = "^a.*"', False),
        ('topics = "dead"\nkafka.bootstrap.servers = "y:1"', False),
    ],
)
def test_dead_letters_do_not_come_back(tmp_path: Path, source: str, is_read: bool) -> None:
    file = tmp_path / "p.toml"
    file.write_text(
        f'kafka.bootstrap.servers = "x:1"\n[sources.a]\ndecode = "json"\nschema = "id INT"\n{source}\n'
        '[sources.raw]\ntopics = "dead"\n[sinks.out]\nformat = "noop"\n[errors]\npolicy = "dead-letter"\ntopic = "dead"\n'
    )
    said = [problem.message for problem in option_problems(read_pipeline(file))]
    reason = "errors has topic dead, which source a reads: each dead letter would come back for ever; name another topic"
    assert said == ([reason] if is_read else [])


def test_two_options_of_which_one_is_enough_are_said_once(tmp_path: Path) -> None:
    file = tmp_path / "p.toml"
    file.write_text(
        'kafka.bootstrap.servers = "x:1"\nsources.a.topics = "a"\nsources.a.options.subscribePattern = "("\n'
        'sources.a.options.minPartitions = "many"\nsinks.out.format = "noop"\n'
    )
    assert [problem.message for problem in option_problems(read_pipeline(file))] == [
        "source a: subscribe and subscribePattern are set: choose one of them",
        "source a: minPartitions=many: a number is wanted",
    ]


@pytest.mark.parametrize(
    "begins",
    [
        "starting_offsets: latest",
        "options: {startingTimestamp: 5}",
        'options: {startingOffsetsByTimestamp: \'{"a":{"0":5}}\'}',
        "options: {startingoffsets: latest}",
    ],
)
def test_a_reset_wins_over_where_the_file_says_to_begin(tmp_path: Path, begins: str) -> None:
    file = tmp_path / "p.yaml"
    file.write_text(
        f"kafka: {{bootstrap.servers: 'x:1'}}\nsources: {{a: {{topics: a, {begins}}}}}\nsinks: {{out: {{format: noop}}}}\n"
    )
    source = read_pipeline(file).sources["a"]
    start = read_options(source_options(source, "g", {"a": {"0": 42}}), is_stream=True).start
    assert (start.kind, start.by_partition) == (BoundKind.OFFSETS, {TopicPartition("a", 0): 42})
    unchanged = read_options(source_options(source, "g", {"b": {"0": 42}}), is_stream=True).start
    assert unchanged.kind is not BoundKind.OFFSETS
