"""What a broker tells of its partitions, logs, quorum and background work. Kafka's names stand beside ours.

Rule: nothing is counted here. The parts keep plain numbers, and these are read when somebody looks. Topics come and go;
their series follow whenever the totals are read, which come before them by name, so that one look shows them all.
"""

from collections.abc import Callable
from operator import attrgetter
from typing import NamedTuple

from snakka.broker.services import Services
from snakka.replication.partition import Partition
from snakka.replication.partition_table import PartitionTable
from snakka.runtime import Supervisor
from snakka.runtime.supervisor import TaskReport
from snakka.storage.compactor import Compactor
from snakka.telemetry import process
from snakka.telemetry.metric_set import Declaration, Kind, MetricSet

_TOPIC = ("topic",)
_PARTITION = ("topic", "partition")
_TASK = ("task",)


class _Traffic(NamedTuple):
    """A number that each partition keeps, shown for the broker and by topic."""

    total: Declaration
    by_topic: Declaration
    read: Callable[[Partition], int]


def _traffic(name: str, doc: str, kafka_name: str, attribute: str) -> _Traffic:
    bean = f"kafka.server:type=BrokerTopicMetrics,name={kafka_name}"
    return _Traffic(
        Declaration(f"broker_{name}_total", Kind.COUNTER, f"{doc}, all topics.", (), bean),
        Declaration(f"topic_{name}_total", Kind.COUNTER, f"{doc}, by topic.", _TOPIC, f"{bean},topic"),
        attrgetter(attribute),
    )


TRAFFIC = (
    _traffic("bytes_in", "Bytes of records that clients produced", "BytesInPerSec", "appended_bytes"),
    _traffic("messages_in", "Records that clients produced", "MessagesInPerSec", "appended_records"),
    _traffic("bytes_out", "Bytes of records that were fetched", "BytesOutPerSec", "fetched_bytes"),
    _traffic("fetches", "Fetches of a partition", "TotalFetchRequestsPerSec", "fetches"),
    _traffic(
        "failed_produces",
        "Produces to a partition that were refused",
        "FailedProduceRequestsPerSec",
        "failed_produces",
    ),
    _traffic(
        "failed_fetches",
        "Fetches of a partition that were refused",
        "FailedFetchRequestsPerSec",
        "failed_fetches",
    ),
)

LOG_SIZE = Declaration(
    "log_size_bytes", Kind.GAUGE, "Bytes of a log.", _PARTITION, "kafka.log:type=Log,name=Size"
)
LOG_SEGMENTS = Declaration(
    "log_segments", Kind.GAUGE, "Segments of a log.", _PARTITION, "kafka.log:type=Log,name=NumLogSegments"
)
LOG_START = Declaration(
    "log_start_offset",
    Kind.GAUGE,
    "First offset of a log.",
    _PARTITION,
    "kafka.log:type=Log,name=LogStartOffset",
)
LOG_END = Declaration(
    "log_end_offset", Kind.GAUGE, "Next offset of a log.", _PARTITION, "kafka.log:type=Log,name=LogEndOffset"
)
LOGS: tuple[tuple[Declaration, Callable[[Partition], int]], ...] = (
    (LOG_SIZE, attrgetter("log.size")),
    (LOG_SEGMENTS, lambda partition: len(partition.log.segments)),
    (LOG_START, attrgetter("log.log_start_offset")),
    (LOG_END, attrgetter("log.log_end_offset")),
)


def _gauge(name: str, doc: str, kafka_name: str = "") -> Declaration:
    return Declaration(name, Kind.GAUGE, doc, (), kafka_name)


def _counter(name: str, doc: str, kafka_name: str = "") -> Declaration:
    return Declaration(name, Kind.COUNTER, doc, (), kafka_name)


PARTITIONS = _gauge(
    "broker_partitions", "Replicas on this broker.", "kafka.server:type=ReplicaManager,name=PartitionCount"
)
LEADERS = _gauge(
    "broker_leaders",
    "Partitions that this broker leads.",
    "kafka.server:type=ReplicaManager,name=LeaderCount",
)
UNDER_REPLICATED = _gauge(
    "broker_under_replicated_partitions",
    "Led partitions with a replica that is not in sync.",
    "kafka.server:type=ReplicaManager,name=UnderReplicatedPartitions",
)
UNDER_MIN_ISR = _gauge(
    "broker_under_min_isr_partitions",
    "Led partitions with fewer replicas in sync than min.insync.replicas.",
    "kafka.server:type=ReplicaManager,name=UnderMinIsrPartitionCount",
)
OFFLINE_PARTITIONS = _gauge(
    "broker_offline_replicas",
    "Replicas whose log directory failed.",
    "kafka.server:type=ReplicaManager,name=OfflineReplicaCount",
)
OFFLINE_DIRECTORIES = _gauge(
    "log_directories_offline",
    "Log directories that failed.",
    "kafka.log:type=LogManager,name=OfflineLogDirectoryCount",
)
DIRECTORIES = _gauge("log_directories", "Log directories, those that failed included.")
SESSIONS = _gauge(
    "fetch_sessions",
    "Incremental fetch sessions.",
    "kafka.server:type=FetchSessionCache,name=NumIncrementalFetchSessions",
)
SESSION_PARTITIONS = _gauge(
    "fetch_session_partitions",
    "Partitions in fetch sessions.",
    "kafka.server:type=FetchSessionCache,name=NumIncrementalFetchPartitionsCached",
)
SESSION_EVICTIONS = _counter(
    "fetch_session_evictions_total",
    "Fetch sessions that gave way to others.",
    "kafka.server:type=FetchSessionCache,name=IncrementalFetchSessionEvictionsPerSec",
)
CLEANINGS = _counter("compaction_runs_total", "Logs that were compacted.")
CLEANED_BEFORE = _counter("compaction_bytes_before_total", "Bytes of logs before their compaction.")
CLEANED_AFTER = _counter(
    "compaction_bytes_after_total",
    "Bytes of logs after their compaction.",
    "kafka.log:type=LogCleaner,name=cleaner-recopy-percent",
)
UNCLEANABLE = _gauge(
    "compaction_uncleanable_logs",
    "Logs that are left alone because they contradict themselves.",
    "kafka.log:type=LogCleanerManager,name=uncleanable-partitions-count",
)
DIRTY_RATIO = _gauge(
    "compaction_max_dirty_ratio",
    "The largest share of a compacted log that was not clean at the last look.",
    "kafka.log:type=LogCleanerManager,name=max-dirty-percent",
)
SINCE_CLEANING = _gauge(
    "compaction_seconds_since_last_look",
    "Since logs to compact were last looked for; -1 before the first time.",
    "kafka.log:type=LogCleanerManager,name=time-since-last-run-ms",
)
IS_CONTROLLER = _gauge(
    "controller_active",
    "1 on the node that is the controller.",
    "kafka.controller:type=KafkaController,name=ActiveControllerCount",
)
TOPICS = _gauge(
    "controller_topics",
    "Topics of the cluster.",
    "kafka.controller:type=KafkaController,name=GlobalTopicCount",
)
ACTIVE_BROKERS = _gauge(
    "controller_active_brokers",
    "Brokers that are neither fenced nor about to stop.",
    "kafka.controller:type=KafkaController,name=ActiveBrokerCount",
)
FENCED_BROKERS = _gauge(
    "controller_fenced_brokers",
    "Registered brokers that are fenced.",
    "kafka.controller:type=KafkaController,name=FencedBrokerCount",
)
RAFT_EPOCH = _gauge(
    "raft_epoch", "Epoch of the metadata quorum.", "kafka.server:type=raft-metrics current-epoch"
)
RAFT_LEADER = _gauge(
    "raft_leader_id",
    "Leader of the metadata quorum, -1 if unknown.",
    "kafka.server:type=raft-metrics current-leader",
)
RAFT_HIGH_WATERMARK = _gauge(
    "raft_high_watermark", "Committed metadata.", "kafka.server:type=raft-metrics high-watermark"
)
RAFT_END = _gauge(
    "raft_log_end_offset",
    "Next offset of the metadata log.",
    "kafka.server:type=raft-metrics log-end-offset",
)
METADATA_OFFSET = _gauge(
    "metadata_applied_offset",
    "The last metadata record that this broker acted on.",
    "kafka.server:type=broker-metadata-metrics last-applied-record-offset",
)
TASK_RUNS = Declaration("background_task_runs_total", Kind.COUNTER, "Turns of a background task.", _TASK)
TASK_FAILURES = Declaration(
    "background_task_failures_total", Kind.COUNTER, "Turns of a background task that failed.", _TASK
)
TASK_LAST_RUN = Declaration(
    "background_task_last_run_seconds",
    Kind.GAUGE,
    "When a background task last ran, in seconds since 1970; 0 before the first time.",
    _TASK,
    unit=0.001,
)


def bind_broker_metrics(
    metrics: MetricSet, services: Services, compactor: Compactor, supervisor: Supervisor
) -> None:
    """Let the broker's parts be seen in `metrics`; once, when all of them are there."""
    process.register(metrics)
    _TopicSeries(metrics, services.partitions).bind_totals()
    _bind_replicas(metrics, services)
    _bind_sessions(metrics, services)
    _bind_compaction(metrics, services, compactor)
    _bind_quorum(metrics, services)
    for report in supervisor.reports.values():
        _bind_task(metrics, report)


class _TopicSeries:
    """The series of topics and partitions. What a deleted one has counted stays in the totals, which never go down."""

    def __init__(self, metrics: MetricSet, partitions: PartitionTable) -> None:
        self._metrics = metrics
        self._partitions = partitions
        self._bound: dict[tuple[str, int], Partition] = {}
        self._topics: set[str] = set()
        self._carried = [0] * len(TRAFFIC)

    def bind_totals(self) -> None:
        for index, traffic in enumerate(TRAFFIC):
            self._metrics.gauge(traffic.total, self._total_reader(index))
            # A family without any series yet, so that the first look after the first topic shows it.
            self._metrics.gauge(traffic.by_topic, float, topic="")
            self._metrics.remove(traffic.by_topic, topic="")
        for declaration, _ in LOGS:
            self._metrics.gauge(declaration, float, topic="", partition="")
            self._metrics.remove(declaration, topic="", partition="")

    def _total_reader(self, index: int) -> Callable[[], float]:
        read = TRAFFIC[index].read

        def total() -> float:
            self._refresh()
            return self._carried[index] + sum(map(read, self._bound.values()))

        return total

    def _refresh(self) -> None:
        current = {(partition.topic, partition.index): partition for partition in self._partitions}
        for key, partition in list(self._bound.items()):
            if current.get(key) is not partition:
                self._unbind(partition)
        for key, partition in current.items():
            if key not in self._bound:
                self._bind(partition)
        topics = {topic for topic, _ in current}
        for topic in self._topics ^ topics:
            self._change_topic(topic, there=topic in topics)
        self._topics = topics

    def _bind(self, partition: Partition) -> None:
        self._bound[partition.topic, partition.index] = partition
        for declaration, read in LOGS:
            self._metrics.gauge(
                declaration, _reader(read, partition), topic=partition.topic, partition=str(partition.index)
            )

    def _unbind(self, partition: Partition) -> None:
        del self._bound[partition.topic, partition.index]
        for index, traffic in enumerate(TRAFFIC):
            self._carried[index] += traffic.read(partition)
        for declaration, _ in LOGS:
            self._metrics.remove(declaration, topic=partition.topic, partition=str(partition.index))

    def _change_topic(self, topic: str, there: bool) -> None:
        for traffic in TRAFFIC:
            if there:
                self._metrics.gauge(traffic.by_topic, self._topic_reader(topic, traffic.read), topic=topic)
            else:
                self._metrics.remove(traffic.by_topic, topic=topic)

    def _topic_reader(self, topic: str, read: Callable[[Partition], int]) -> Callable[[], float]:
        return lambda: sum(map(read, self._partitions.of_topic(topic)))


def _reader(read: Callable[[Partition], int], partition: Partition) -> Callable[[], float]:
    return lambda: read(partition)


def _bind_replicas(metrics: MetricSet, services: Services) -> None:
    partitions, logs = services.partitions, services.log_manager

    def led(condition: Callable[[Partition], bool]) -> Callable[[], float]:
        return lambda: sum(partition.is_leader and condition(partition) for partition in partitions)

    metrics.gauge(PARTITIONS, lambda: len(partitions))
    metrics.gauge(LEADERS, led(lambda partition: True))
    metrics.gauge(UNDER_REPLICATED, led(lambda partition: len(partition.isr) < len(partition.replicas)))
    metrics.gauge(
        UNDER_MIN_ISR, led(lambda partition: len(partition.isr) < partition.log.config.min_insync_replicas)
    )
    metrics.gauge(
        OFFLINE_PARTITIONS, lambda: sum(partition.offline_error is not None for partition in partitions)
    )
    metrics.gauge(DIRECTORIES, lambda: len(logs.directories))
    metrics.gauge(OFFLINE_DIRECTORIES, lambda: sum(not directory.online for directory in logs.directories))


def _bind_sessions(metrics: MetricSet, services: Services) -> None:
    sessions = services.fetch_sessions
    metrics.gauge(SESSIONS, lambda: len(sessions))
    metrics.gauge(SESSION_PARTITIONS, lambda: sessions.cached_partitions)
    metrics.gauge(SESSION_EVICTIONS, lambda: sessions.evictions)


def _bind_compaction(metrics: MetricSet, services: Services, compactor: Compactor) -> None:
    def seconds_since_look() -> float:
        if compactor.last_run_ms < 0:
            return -1
        return (services.runtime.clock.now_ms() - compactor.last_run_ms) / 1000

    metrics.gauge(CLEANINGS, lambda: compactor.cleanings)
    metrics.gauge(CLEANED_BEFORE, lambda: compactor.bytes_before)
    metrics.gauge(CLEANED_AFTER, lambda: compactor.bytes_after)
    metrics.gauge(UNCLEANABLE, lambda: len(compactor.uncleanable))
    metrics.gauge(DIRTY_RATIO, lambda: compactor.max_dirty_ratio)
    metrics.gauge(SINCE_CLEANING, seconds_since_look)


def _bind_quorum(metrics: MetricSet, services: Services) -> None:
    raft, loader = services.raft, services.loader
    metrics.gauge(IS_CONTROLLER, lambda: raft.is_leader)
    metrics.gauge(RAFT_EPOCH, lambda: raft.epoch)
    metrics.gauge(RAFT_LEADER, lambda: -1 if raft.leader_id is None else raft.leader_id)
    metrics.gauge(RAFT_HIGH_WATERMARK, lambda: raft.high_watermark)
    metrics.gauge(RAFT_END, lambda: raft.log_end_offset)
    metrics.gauge(METADATA_OFFSET, lambda: loader.offset)
    metrics.gauge(TOPICS, lambda: len(services.image.topics.by_name))
    metrics.gauge(
        ACTIVE_BROKERS, lambda: sum(broker.is_active for broker in services.image.brokers.by_id.values())
    )
    metrics.gauge(
        FENCED_BROKERS, lambda: sum(broker.fenced for broker in services.image.brokers.by_id.values())
    )


def _bind_task(metrics: MetricSet, report: TaskReport) -> None:
    metrics.gauge(TASK_RUNS, lambda: report.runs, task=report.name)
    metrics.gauge(TASK_FAILURES, lambda: report.failures, task=report.name)
    metrics.gauge(TASK_LAST_RUN, lambda: max(report.last_run_ms, 0), task=report.name)
