"""`snakka pipeline`: pipelines on Spark that are declared in a file.

Rule: Spark's side is imported when an action runs; `--help` and mistakes in arguments cost nothing. Exit codes: 0 it
worked, 1 it failed while running, 2 the file or the arguments are wrong, 130 it was interrupted.
"""

import json
import re
import sys
import time
from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snakka.cli.command import (
    FAILED,
    INTERRUPTED,
    OK,
    USAGE,
    CommandError,
    CommandParser,
    assignment,
    ended_in_order,
    not_negative,
    positive,
    seconds,
)
from snakka.cli.pipeline_help import (
    CHECK_NOTES,
    CLUSTER_NOTES,
    DESCRIPTION,
    EXAMPLES,
    MAINTAIN_NOTES,
    RESET_NOTES,
    RUN_NOTES,
    STATUS_NOTES,
    WARMUP_NOTES,
)

if TYPE_CHECKING:
    from snakka.spark.pipelines.declaration import Declaration, Pipeline, Trigger

_EXECUTOR_MB = 1024  # what Spark gives an executor unless told otherwise: workers with less never start one


def run(arguments: Sequence[str]) -> int:
    given = _parser().parse_args(arguments)
    action: Callable[[Namespace], int] = given.action
    try:
        _require_spark()
        from snakka.spark.pipelines.problems import GraphFilesError, PipelineError, PipelineFileError
    except ImportError as error:
        raise CommandError(f"pipelines need {error.name}: pip install 'snakka[spark]'", USAGE) from None
    try:
        return action(given)
    except (PipelineFileError, GraphFilesError) as error:
        stream = sys.stdout if given.shows_problems else sys.stderr
        print(error, file=stream)
        return USAGE
    except PipelineError as error:
        raise CommandError(str(error), FAILED) from None


def _require_spark() -> None:
    """Importing it takes a quarter of a second, and most of the actions do not."""
    import importlib.util

    for name in ("pyspark", "yaml"):
        if importlib.util.find_spec(name) is None:
            raise ModuleNotFoundError(name=name)


# -- Arguments ---------------------------------------------------------------------------------------------------------


def _parser() -> CommandParser:
    parser = CommandParser("snakka pipeline", DESCRIPTION, EXAMPLES)
    parser.set_defaults(shows_problems=False)
    actions = parser.add_subparsers(metavar="ACTION", required=True)

    check = _add_action(
        actions,
        "check",
        "say what is wrong with a pipeline, by line, without reading data",
        _check,
        CHECK_NOTES,
    )
    check.set_defaults(shows_problems=True)
    check.add_argument(
        "--no-spark",
        action="store_true",
        help="do not start Spark: leaves SQL, modules, columns and tables out",
    )
    check.add_argument(
        "--no-cluster",
        action="store_true",
        help="ask no broker and no catalog: leaves topics out, and tables elsewhere",
    )
    _add_run(actions)
    status_doc = "show what a pipeline does, or how its last run ended"
    status = _add_action(actions, "status", status_doc, _status, STATUS_NOTES)
    status.add_argument("-o", "--output", choices=("text", "json"), default="text", help="text unless said")
    _add_reset(actions)
    maintain = _add_action(
        actions,
        "maintain",
        "compact the tables that a pipeline writes, and drop what is old",
        _maintain,
        MAINTAIN_NOTES,
    )
    _add_sink_argument(maintain)
    maintain.add_argument("--dry-run", action="store_true", help="only say what would be done")
    warmup_doc = "keep Spark's classes in an archive: every run starts a third faster"
    _add_action(actions, "warmup", warmup_doc, _warmup, WARMUP_NOTES, file=False)
    _add_cluster(actions)
    return parser


def _add_action(
    actions: Any,
    name: str,
    doc: str,
    action: Callable[[Namespace], int],
    notes: str,
    *,
    file: bool = True,
) -> CommandParser:
    added: CommandParser = actions.add_parser(
        name, help=doc, description=f"{doc[0].upper()}{doc[1:]}.", epilog=notes
    )
    added.set_defaults(action=action)
    if file:
        added.add_argument("file", type=Path, help="the pipeline: a .toml, .yaml or .yml file")
    return added


def _add_sink_argument(parser: CommandParser) -> None:
    parser.add_argument(
        "--sink", action="append", default=[], metavar="NAME", help="only this sink; may be given often"
    )


def _add_run(actions: Any) -> None:
    run_parser = _add_action(actions, "run", "run a pipeline", _run, RUN_NOTES)
    run_parser.add_argument(
        "--master", metavar="URL", help="where Spark runs; the file's master, or local[*], unless said"
    )
    run_parser.add_argument(
        "--trigger",
        type=_trigger,
        metavar="WHEN",
        help="available-now, once or 'every 5s', instead of the file's",
    )
    run_parser.add_argument(
        "--conf",
        type=_spark_setting,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting of Spark; may be given often",
    )
    run_parser.add_argument(
        "--grace",
        type=seconds,
        default=30.0,
        metavar="SECONDS",
        help="how long batches may take to finish when it is stopped; 30 unless said",
    )
    run_parser.add_argument(
        "--verbose", action="store_true", help="Spark's log on standard error, not in a file"
    )


def _add_reset(actions: Any) -> None:
    doc = "let a pipeline read again, or leave out, what is in its topics"
    reset = _add_action(actions, "reset", doc, _reset, RESET_NOTES)
    reset.add_argument(
        "--to",
        required=True,
        type=_target,
        metavar="WHERE",
        help="earliest, latest, a time, or offsets as JSON",
    )
    _add_sink_argument(reset)
    reset.add_argument("--dry-run", action="store_true", help="only say what would be read again")
    reset.add_argument("--abandon", action="store_true", help="also if the last run was cut inside a batch")


def _add_cluster(actions: Any) -> None:
    cluster = actions.add_parser(
        "cluster",
        help="start and end a standalone Spark cluster on this machine",
        description="Start and end a standalone Spark cluster on this machine.",
        epilog=CLUSTER_NOTES,
    )
    whats = cluster.add_subparsers(metavar="ACTION", required=True)
    for name, doc, action in (
        ("up", "start a master and workers", _cluster_up),
        ("status", "show what runs", _cluster_status),
        ("down", "end all of it", _cluster_down),
    ):
        each = whats.add_parser(name, help=doc, description=f"{doc.capitalize()}.", epilog=CLUSTER_NOTES)
        each.add_argument(
            "--directory", type=Path, metavar="DIR", help="where it keeps its logs and what runs"
        )
        each.set_defaults(action=action)
        if name == "up":
            each.add_argument("--workers", type=positive, default=1, metavar="N", help="1 unless said")
            each.add_argument(
                "--cores", type=positive, default=1, metavar="N", help="of each worker; 1 unless said"
            )
            each.add_argument(
                "--memory", type=_memory, default="1g", metavar="SIZE", help="of each worker; 1g unless said"
            )
            each.add_argument(
                "--port",
                type=_port,
                default=7077,
                metavar="PORT",
                help="the master's; 7077 unless said, 0 for any",
            )


def _trigger(text: str) -> "Trigger":
    from snakka.spark.pipelines.declaration import parse_trigger

    try:
        return parse_trigger(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


def _spark_setting(text: str) -> tuple[str, str]:
    name, value = assignment(text)
    if not name.startswith("spark."):
        raise ArgumentTypeError(f"{name} is no setting of Spark: those begin with spark.")
    if name == "spark.master":
        raise ArgumentTypeError("spark.master is --master")
    return name, value


def _memory(text: str) -> str:
    if not re.fullmatch(r"[1-9]\d*[mMgG]", text):
        raise ArgumentTypeError(f"{text} is no size of memory, such as 512m or 2g")
    return text


def _port(text: str) -> int:
    port = not_negative(text)
    if port > 65535:
        raise ArgumentTypeError(f"{text} is no port")
    return port


def _target(text: str) -> Any:
    from snakka.spark.pipelines.offset_reset import parse_target

    try:
        return parse_target(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


# -- Actions -----------------------------------------------------------------------------------------------------------


def _pipeline(given: Namespace) -> "Pipeline":
    declaration = _declaration(given)
    _refuse_wrong(given, declaration)
    return declaration.pipeline


def _refuse_wrong(given: Namespace, declaration: "Declaration") -> None:
    if declaration.problems:
        from snakka.spark.pipelines.option_checks import option_problems
        from snakka.spark.pipelines.problems import PipelineFileError

        of_options = option_problems(declaration.pipeline)
        raise PipelineFileError(given.file, [*declaration.problems, *of_options])


def _declaration(given: Namespace) -> "Declaration":
    from snakka.spark.pipelines.declaration import read_declaration

    if _is_sparks(given):
        raise CommandError(
            f"{given.file} is a graph of tables, which is Spark's: there are check and run", USAGE
        )
    return read_declaration(given.file)


def _is_sparks(given: Namespace) -> bool:
    from snakka.spark.pipelines.declarative import is_sparks
    from snakka.spark.pipelines.document import read_document

    return is_sparks(read_document(given.file))


def _check(given: Namespace) -> int:
    from snakka.spark.pipelines.checking import check_file

    if _is_sparks(given):
        from snakka.spark.pipelines.declarative import check_spec

        if given.no_spark or given.no_cluster:
            raise CommandError(
                f"{given.file} is a graph of tables, which Spark alone can check: leave --no-spark and --no-cluster out",
                USAGE,
            )
        check_spec(given.file, lambda progress: print(progress, file=sys.stderr, flush=True))
        print(f"{given.file}: nothing is wrong")
        return OK
    checked = check_file(given.file, asks_cluster=not given.no_cluster, asks_spark=not given.no_spark)
    for name, columns in checked.columns.items():
        print(f"{name}: {columns}")
    sinks = ", ".join(f"{name} ({sink.format})" for name, sink in checked.pipeline.all_sinks.items())
    print(f"{given.file}: nothing is wrong; it writes {sinks}")
    return OK


def _run(given: Namespace) -> int:
    if _is_sparks(given):
        from snakka.spark.pipelines.declarative import run_spec

        if given.trigger is not None:
            raise CommandError("a graph of tables is run until all is read: leave --trigger out", USAGE)
        run_spec(given.file, master=given.master, confs=dict(given.conf))
    pipeline = _pipeline(given)
    from snakka.spark.pipelines.runner import UNWRITTEN, Run, RunSettings
    from snakka.spark.pipelines.terminal import open_display, summary_lines

    settings = RunSettings(
        master=given.master or pipeline.master,
        trigger=given.trigger or pipeline.trigger,
        confs=dict(given.conf),
        grace_seconds=given.grace,
        keeps_log=not given.verbose,
    )
    shows_rows = any(sink.format == "console" for sink in pipeline.sinks.values())
    display = open_display(sys.stdout, is_shared=shows_rows or (given.verbose and sys.stderr.isatty()))
    status = Run(pipeline, settings, display).go()
    for line in summary_lines(status):
        print(line)
    unwritten = [f"{status[UNWRITTEN]}; `status` does not know how it ended"] if status[UNWRITTEN] else []
    if status["state"] == "failed":
        unwritten.insert(0, f"{status['error']} ({status['log']} has more)")
    if unwritten:
        raise CommandError("; ".join(unwritten), FAILED)
    return INTERRUPTED if status["state"] == "interrupted" else OK


def _status(given: Namespace) -> int:
    from snakka.spark.pipelines.run_state import RunState
    from snakka.spark.pipelines.terminal import status_lines

    declaration = _declaration(given)
    pipeline = declaration.pipeline
    # Only the directory is needed: a secret may be known to the run's terminal alone, or the file be changed meanwhile.
    is_known = not (pipeline.table.is_wrong("name") or pipeline.table.is_wrong("checkpoint"))
    status = RunState(pipeline).read_understood() if is_known else None
    if status is None:
        _refuse_wrong(given, declaration)
        print(
            json.dumps({"pipeline": pipeline.name, "state": "never"})
            if given.output == "json"
            else f"{pipeline.name}: it has not run yet"
        )
        return OK
    if given.output == "json":
        print(json.dumps(status, indent=2))
    else:
        print("\n".join(status_lines(status, now_ms=time.time_ns() // 1_000_000)))
    return FAILED if status["state"] in ("failed", "died") else OK


def _reset(given: Namespace) -> int:
    from snakka.spark.pipelines.offset_reset import reset_lines
    from snakka.spark.pipelines.resetting import reset

    pipeline = _pipeline(given)
    resets = reset(pipeline, given.to, tuple(given.sink), is_dry=given.dry_run, abandon=given.abandon)
    print("\n".join(reset_lines(resets)))
    print("nothing was changed" if given.dry_run else "the next run begins there")
    return OK


def _maintain(given: Namespace) -> int:
    from snakka.spark.pipelines.problems import PipelineError
    from snakka.spark.pipelines.table_upkeep import maintain, result_line

    left_out = []
    for name, result in maintain(_pipeline(given), tuple(given.sink), is_dry=given.dry_run):
        if isinstance(result, PipelineError):
            left_out.append(f"sink {name}: {result}")
        else:
            print(f"{name}: {result_line(result)}")
    if left_out:
        raise CommandError(f"not maintained: {'; '.join(left_out)}", FAILED)
    return OK


def _warmup(given: Namespace) -> int:
    from snakka.spark.pipelines.warm_start import create_archive

    print("starting Spark once, and keeping what it loads; this takes about a minute", flush=True)
    with ended_in_order():
        archive = create_archive()
    print(
        f"{archive.path}: {archive.bytes / 1e6:.0f} MB after {archive.seconds:.0f} s; runs use it from now on"
    )
    return OK


def _cluster(given: Namespace) -> Any:
    from snakka.spark.pipelines.standalone_cluster import StandaloneCluster, default_directory

    return StandaloneCluster(given.directory or default_directory())


def _cluster_up(given: Namespace) -> int:
    status = _cluster(given).up(
        workers=given.workers, cores=given.cores, memory=given.memory, port=given.port
    )
    print(
        f"ready: {status.master} ({status.workers_alive} workers, {status.cores} cores); its page is {status.web}"
    )
    memory_mb = min((worker.memory_mb for worker in status.workers), default=_EXECUTOR_MB)
    if memory_mb < _EXECUTOR_MB:
        print(
            f"its workers have less than the 1g that an executor takes unless told otherwise:"
            f" run with --conf spark.executor.memory={memory_mb}m"
        )
    return OK


def _cluster_status(given: Namespace) -> int:
    status = _cluster(given).status()
    if not status.members:
        print("no cluster runs here; `snakka pipeline cluster up` starts one")
        return FAILED
    for member in status.members:
        print(f"{member.name}: {'running' if member.is_alive else 'ended'} (process {member.pid})")
    print(
        f"{status.master}: {status.workers_alive} workers, {status.cores_used} of {status.cores} cores in use"
    )
    if status.applications:
        print(f"running: {', '.join(status.applications)}")
    return OK if status.is_up else FAILED


def _cluster_down(given: Namespace) -> int:
    ended = _cluster(given).down()
    print(f"ended {', '.join(ended)}" if ended else "nothing was running")
    return OK
