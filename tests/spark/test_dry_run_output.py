"""What Spark's dry run of a graph prints, as Spark 4.3 does, becomes FILE:LINE: REASON."""

from pathlib import Path

import pytest

from snakka.spark.pipelines.dry_run_output import DryRunOutput

SPEC = Path("shop.yml")
CONTENT = {
    SPEC: "name: shop\nlibraries: []\nstorge: file:///x\n",
    Path("/g/counts.sql"): "CREATE MATERIALIZED VIEW counts AS\nSELECT count(*) FROM orders JOIN buyers;\n"
    "create or refresh streaming table if not exists\n  lake.`buyers` AS\nSELECT *\nFROM STREAM orders",
    Path(
        "/g/tables.py"
    ): "@dp.table\ndef orders():\n    return 1\n\n@dp.table(name='a.late')\ndef any(): ...\n",
}
BEGIN = """WARNING: Using incubator modules: jdk.incubator.vector
2026-11-16 15:44:35: Loading pipeline spec from shop.yml...
2026-11-16 15:44:50: Registering SQL file /g/counts.sql...
"""
PYTHON = "2026-11-16 15:44:50: Importing /g/tables.py...\n2026-11-16 15:44:52: Starting run...\n"
TRACE = """Traceback (most recent call last):
  File "/site-packages/pyspark/pipelines/cli.py", line 450, in <module>
    main()
"""
FLOWS = f"""{TRACE}pyspark.errors.exceptions.connect.AnalysisException:
Failed to resolve flows in the pipeline.

Flows with errors: spark_catalog.default.buyers
"""
COLUMN = "[UNRESOLVED_COLUMN.WITH_SUGGESTION] A column with name `x` cannot be resolved. SQLSTATE: 42703"


def read(file: Path) -> str:
    if file not in CONTENT:
        raise FileNotFoundError(file)
    return CONTENT[file]


def report(text: str) -> tuple[list[str], list[str]]:
    """The progress, and what is wrong."""
    output = DryRunOutput(SPEC, read)
    told = [progress for line in text.splitlines() if (progress := output.take(line)) is not None]
    return told, [problem.shown(file) for file, problem in output.problems()]


def failed(table: str, reason: str) -> str:
    return f"2026-11-16 15:44:52: Failed to resolve flow: 'spark_catalog.default.{table}'.\nError: {reason}\n"


def test_progress_is_what_spark_dates() -> None:
    told, problems = report(BEGIN + PYTHON)
    assert told == [
        "Loading pipeline spec from shop.yml...",
        "Registering SQL file /g/counts.sql...",
        "Importing /g/tables.py...",
        "Starting run...",
    ]
    assert problems == []


def test_each_table_that_fails_is_named_with_its_file_but_not_those_that_fail_with_it() -> None:
    _, problems = report(
        BEGIN
        + PYTHON
        + failed("buyers", f"{COLUMN}; line 6 pos 9;\n'Aggregate ['x]\n+- LocalRelation <empty>\n")
        + "2026-11-16 15:44:52: Failed to resolve flow due to upstream failure: 'spark_catalog.default.counts'.\n"
        + "Error: Failed to read dataset 'spark_catalog.default.buyers'.\n"
        + failed("orders", f"{COLUMN};\n'Project ['x]\n")
        + failed("late", f"{COLUMN}; line 1 pos 7;\n'Project ['x]\n")  # of a text in Python
        + failed("elsewhere", COLUMN)
        + FLOWS
    )
    assert problems == [
        "/g/counts.sql:6: table buyers: A column with name `x` cannot be resolved.",
        "/g/tables.py:2: table orders: A column with name `x` cannot be resolved.",
        "/g/tables.py:5: table late: A column with name `x` cannot be resolved.",
        "shop.yml: table elsewhere: A column with name `x` cannot be resolved.",
    ]


@pytest.mark.parametrize(
    ("raised", "problem"),
    [
        (
            (
                "pyspark.errors.exceptions.connect.ParseException: \n[PARSE_SYNTAX_ERROR] Syntax error at or near 'VEW':"
                " missing 'VIEW'. SQLSTATE: 42601 (line 3, pos 20)\n\n== SQL ==\n\nCREATE MATERIALIZED VEW x\n"
            ),
            "/g/counts.sql:3: Syntax error at or near 'VEW': missing 'VIEW'.",
        ),
        (
            (
                "pyspark.errors.exceptions.connect.AnalysisException: The downstream table 'spark_catalog.default.buyers'"
                " is referenced when creating the upstream table 'spark_catalog.default.counts'."
            ),
            (
                "/g/counts.sql:3: The downstream table 'spark_catalog.default.buyers' is referenced when creating the"
                " upstream table 'spark_catalog.default.counts'."
            ),
        ),
        (
            (
                "pyspark.errors.exceptions.base.PySparkException: [PIPELINE_SPEC_UNEXPECTED_FIELD] Pipeline spec field"
                " `storge` is unexpected."
            ),
            "shop.yml:3: Pipeline spec field `storge` is unexpected.",
        ),
        ("OSError: the disk is full", "shop.yml: OSError: the disk is full"),
    ],
)
def test_what_ends_the_run_is_said_with_the_place_that_it_tells(raised: str, problem: str) -> None:
    assert report(BEGIN + TRACE + raised)[1] == [problem]


def test_a_mistake_in_python_is_where_the_last_line_of_the_users_is() -> None:
    frames = (
        '  File "/g/tables.py", line 1, in <module>\n    @dp.table\n'
        '  File "/site-packages/pyspark/pipelines/api.py", line 201, in table\n    outer(query_function)\n'
        '  File "/g/tables.py", line 3, in orders\n    return raeder\n           ^^^^^^\n'
    )
    _, problems = report(BEGIN + PYTHON + TRACE + frames + "NameError: name 'raeder' is not defined.")
    assert problems == ["/g/tables.py:3: NameError: name 'raeder' is not defined."]


@pytest.mark.parametrize("output", ["", "spark-class: no java\n", TRACE, BEGIN + TRACE])
def test_nothing_is_made_up(output: str) -> None:
    assert report(output)[1] == []
