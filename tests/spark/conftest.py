"""A real Spark and a real broker: one session for all tests of a worker, one broker for a module."""

import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.spark.pipeline_commands import warm_cache

from snakka.client.blocking import Admin
from snakka.spark.worker_clients import worker_clients
from snakka.testing import BlockingLocalBroker

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NewTopic = Callable[..., str]
# Of a test that says nothing else: Spark takes its time where others work beside it.
SECONDS = 400
# Most JVMs here live for seconds: compiling code twice and collecting garbage with many threads costs a third of their
# processor time. What a daemon, a cluster's master or worker, is told has a variable of its own; so has their launcher.
SHORT_LIVED_JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
# Commands, drivers and clusters in processes of their own: they do not use the session, and need not wait for it.
IN_OWN_PROCESSES = {
    f"test_{name}.py"
    for name in (
        "demo",
        "executor_kills",
        "jvm_connector",
        "outliving_tasks",
        "pipeline_graph",
        "pipeline_hadoop",
        "pipeline_kubernetes",
        "pipeline_runs",
        "pipeline_upkeep",
        "table_kills",
        "topic_sink_kills",
    )
}
# Of these, what takes long and needs no archive of classes: it runs beside the others.
KILLS = {
    "test_outliving_tasks.py",
    *(f"test_{name}_kills.py" for name in ("executor", "table", "topic_sink")),
}
# Their tests need the archive of classes; where they run, all may have it.
NEED_ARCHIVE = {"test_demo.py", "test_pipeline_runs.py"}
JVM_VARIABLES = ("SPARK_SUBMIT_OPTS", "SPARK_DAEMON_JAVA_OPTS", "SPARK_LAUNCHER_OPTS")


def pytest_configure() -> None:
    """For every JVM that tests start through Spark's scripts, also in processes of their own."""
    for name in JVM_VARIABLES:
        os.environ.setdefault(name, SHORT_LIVED_JVM)


@pytest.hookimpl(
    tryfirst=True
)  # before xdist looks, also where only these tests run and this was loaded before it
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All that use the session in one worker: a second one would cost more than it gains. The first waits for its start."""
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.xdist_group(_group(item.path.name)))
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(SECONDS))


def _group(file: str) -> str:
    if file in KILLS:
        return "spark-kills"
    return "spark-processes" if file in IN_OWN_PROCESSES else "spark"


@pytest.fixture(scope="module", autouse=True)
def warm_jvms(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """In a run that makes the archive anyway, many JVMs start with it: that halves the processor time of a start."""
    items = request.session.items
    with pytest.MonkeyPatch.context() as environment:
        if (
            shutil.which("java")
            and request.path.name in IN_OWN_PROCESSES - KILLS
            and any(item.path.name in NEED_ARCHIVE for item in items)
        ):
            environment.setenv("XDG_CACHE_HOME", str(warm_cache(tmp_path_factory)))
        yield


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator["SparkSession"]:
    """A session with two cores, as `snakka pipeline run` would open it."""
    if shutil.which("java") is None:
        pytest.skip("needs Java 17")
    from snakka.spark.session import open_session

    scratch = tmp_path_factory.mktemp("spark")
    session = open_session(
        "tests",
        master="local[2]",
        confs={
            "spark.driver.memory": "1g",
            "spark.local.dir": str(scratch),
            "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        },
    )
    yield session
    session.stop()


@pytest.fixture(params=["scanned", "mapped"])
def either_way(request: pytest.FixtureRequest) -> Iterator[None]:
    """Batches are read by Spark's scan of a source, and then by the shortest way."""
    from pyspark_snakka import enable_fast_reads

    reads = enable_fast_reads()
    if request.param == "scanned":
        reads.disable()
    yield
    reads.disable()


@pytest.fixture(scope="module")
def broker() -> Iterator[BlockingLocalBroker]:
    with BlockingLocalBroker() as running:
        yield running
        worker_clients().close()  # tests are workers too where they call what runs on executors


@pytest.fixture(scope="module")
def admin(broker: BlockingLocalBroker) -> Iterator[Admin]:
    with Admin(bootstrap_servers=broker.bootstrap_servers) as client:
        yield client


@pytest.fixture
def new_topic(admin: Admin) -> NewTopic:
    """Creates a topic that no other test knows; its name."""

    def create(partitions: int = 1, **configs: str) -> str:
        name = f"t-{uuid.uuid4().hex[:8]}"
        admin.create_topic(
            name,
            partitions=partitions,
            configs={key.replace("_", "."): value for key, value in configs.items()},
        )
        return name

    return create
