"""What brokers may want to know of a consumer (KIP-714), in the terms and with the names of Kafka's own."""

from collections.abc import Callable, Iterable

from snakka.client.consumer.group import Group
from snakka.client.consumer.reading import Reading
from snakka.client.metrics_push import Measurement, latency
from snakka.client.topic_partition import TopicPartition
from snakka.runtime.clock import Clock


class ConsumerMeasures:
    """Called for each push; what has no total is as it was since the last call."""

    def __init__(
        self, reading: Reading, group: Group | None, lag: Callable[[TopicPartition], int | None], clock: Clock
    ) -> None:
        self._reading = reading
        self._group = group
        self._lag = lag
        self._clock = clock
        self._measured_at = clock.monotonic()
        self._idle_seconds = 0.0

    def __call__(self) -> Iterable[Measurement]:
        delivery = self._reading.delivery
        lags = [self._lag(partition) or 0 for partition in self._reading.assignment]
        yield Measurement("fetch.manager.records.lag.max", max(lags, default=0))
        yield Measurement("fetch.manager.bytes.consumed.total", delivery.fetched_bytes)
        yield Measurement("fetch.manager.records.consumed.total", delivery.consumed_records)
        yield Measurement("poll.idle.ratio.avg", self._idle_ratio())
        yield Measurement("coordinator.assigned.partitions", len(lags))
        if self._group is not None:
            rebalances = self._group.rebalance_times
            yield Measurement("coordinator.rebalance.latency.total", rebalances.total_seconds * 1000)
            yield from latency("coordinator.rebalance.latency", rebalances.take())
            yield from latency("coordinator.commit.latency", self._group.offsets.commit_times.take())

    def _idle_ratio(self) -> float:
        """The part of the time in which the application has waited for messages, and not the messages for it."""
        now, idle_seconds = self._clock.monotonic(), self._reading.delivery.calls.seconds
        elapsed = now - self._measured_at
        ratio = (idle_seconds - self._idle_seconds) / elapsed if elapsed > 0 else 0.0
        self._measured_at, self._idle_seconds = now, idle_seconds
        return min(max(ratio, 0.0), 1.0)
