"""What a master must have before a pipeline runs on it, where Spark itself would wait for it for long, or for ever.

Rule: it says in a line what is missing and asks nothing of the master, unless that is one of `cluster up`; all else is
Spark's business.
"""

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from snakka.spark.pipelines.executor_waits import CORES, executor_memory_mb, executor_needs
from snakka.spark.pipelines.problems import PipelineError
from snakka.spark.pipelines.reach import why_not_reached
from snakka.spark.pipelines.standalone_cluster import workers_of
from snakka.spark.session import is_here, is_local

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_STANDALONE = "spark://"
_KUBERNETES = "k8s://"
_IMAGE = "spark.kubernetes.container.image"
_IMAGE_OF_EXECUTORS = "spark.kubernetes.executor.container.image"
_WEB_PORTS = {"https": 443, "http": 80}


def reach_master(master: str) -> None:
    """PipelineError if nobody answers there."""
    if master.startswith(_STANDALONE):
        who, form, find = "Spark master", "spark://HOST:PORT", _standalone_addresses
    elif master.startswith(_KUBERNETES):
        who, form, find = "Kubernetes", "k8s://https://HOST:PORT", _kubernetes_addresses
    else:
        return
    try:
        for host, port in find(master):  # one that answers is enough
            if not (why_not := why_not_reached(host, port)):
                return
    except ValueError:
        why_not = f"{form} is wanted"
    raise PipelineError(f"no {who} answers at {master}: {why_not}")


def require_image(session: "SparkSession", master: str) -> None:
    """PipelineError if Kubernetes is not told what its pods are made of: Spark would try again every second."""
    if master.startswith(_KUBERNETES):
        confs = session.sparkContext.getConf()
        if not (confs.contains(_IMAGE) or confs.contains(_IMAGE_OF_EXECUTORS)):
            raise PipelineError(
                f"Kubernetes runs executors in pods, which need an image that has snakka[spark]: --conf {_IMAGE}=..."
            )


def require_room(session: "SparkSession", master: str) -> None:
    """PipelineError if no worker can ever run an executor of this size; known of a cluster that `cluster up` started."""
    workers = workers_of(master) if is_here(master) and not is_local(master) else ()
    if not workers:
        return
    context = session.sparkContext
    memory_mb, cores = executor_memory_mb(context), int(context.getConf().get(CORES) or 1)
    if not any(worker.memory_mb >= memory_mb and worker.cores >= cores for worker in workers):
        most_mb, most_cores = max(each.memory_mb for each in workers), max(each.cores for each in workers)
        raise PipelineError(
            f"no worker of {master} has room for an executor, which takes {executor_needs(context, master)}: they have "
            f"up to {most_mb} MiB and {most_cores} cores. Ask for less with --conf, or start workers that have more"
        )


def _standalone_addresses(master: str) -> list[tuple[str, int]]:
    """ValueError for what is no address."""
    addresses = (each.rpartition(":") for each in master.removeprefix(_STANDALONE).split(","))
    return [(host, int(port)) for host, _, port in addresses]


def _kubernetes_addresses(master: str) -> list[tuple[str, int]]:
    """As Spark understands it, https unless said; ValueError as above."""
    address = master.removeprefix(_KUBERNETES)
    parts = urlsplit(address if "://" in address else f"https://{address}")
    if parts.scheme not in _WEB_PORTS or not parts.hostname:
        raise ValueError(address)
    return [(parts.hostname, parts.port or _WEB_PORTS[parts.scheme])]
