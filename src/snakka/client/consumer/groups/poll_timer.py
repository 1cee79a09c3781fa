"""max.poll.interval.ms, pure: whether the application has stopped coming for messages."""

from snakka.client.consumer.delivery import Delivery
from snakka.runtime.clock import Clock


class PollTimer:
    """Looked at now and then; between two looks any sign of the application counts."""

    def __init__(self, delivery: Delivery, clock: Clock, interval_seconds: float) -> None:
        self.interval_seconds = interval_seconds
        self._delivery = delivery
        self._clock = clock
        self._activity: object = None
        self._since = clock.monotonic()

    def restart(self) -> None:
        self._since = self._clock.monotonic()

    @property
    def is_over(self) -> bool:
        activity = self._delivery.activity
        if self._delivery.is_waited_for or activity != self._activity:
            self._activity = activity
            self.restart()
            return False
        return self._clock.monotonic() - self._since >= self.interval_seconds

    def remaining_seconds(self) -> float:
        return max(self._since + self.interval_seconds - self._clock.monotonic(), 0.0)
