"""Those who act on committed metadata: partitions, options, quotas, and whatever comes later."""

import logging
from collections.abc import Sequence
from typing import Protocol

from snakka.metadata.image.cluster import ClusterImage
from snakka.metadata.image.delta import Delta

log = logging.getLogger(__name__)


class Publisher(Protocol):
    """Called on the event loop after each commit; must not wait."""

    def publish(self, delta: Delta, image: ClusterImage) -> None: ...


class Publishers:
    """Calls publishers in the order in which they were declared."""

    def __init__(self, publishers: Sequence[Publisher] = ()) -> None:
        self._publishers = list(publishers)
        self.failures = 0

    def add(self, publisher: Publisher) -> None:
        self._publishers.append(publisher)

    def publish(self, delta: Delta, image: ClusterImage) -> None:
        """One that fails must not keep the news from the others: it is reported, and they go on."""
        for publisher in self._publishers:
            try:
                publisher.publish(delta, image)
            except Exception:
                self.failures += 1
                log.exception("%s failed to take over the metadata", type(publisher).__name__)
