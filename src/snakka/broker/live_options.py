"""The options of a running broker: what it was started with, under what has been changed since.

Readers keep this object and ask it for values; a change of dynamic configs replaces the set of values as a whole and tells
those who have to act on it.
"""

import logging
from collections.abc import Callable

from snakka.metadata.image.cluster import ClusterImage
from snakka.metadata.image.configs import CLUSTER_DEFAULT, ConfigResourceType
from snakka.metadata.image.delta import Delta
from snakka.options.option_set import OptionSet
from snakka.storage.log_config import LogConfig

log = logging.getLogger(__name__)


class LiveOptions:
    """The current options; the few that are asked for on every request are plain attributes."""

    def __init__(self, node_id: int, start: OptionSet) -> None:
        self.node_id = node_id
        self.current = start
        self._listeners: list[Callable[[], None]] = []
        self._take_over()

    def on_change(self, listener: Callable[[], None]) -> None:
        """`listener` is called after the values have changed."""
        self._listeners.append(listener)

    def publish(self, delta: Delta, image: ClusterImage) -> None:
        """Committed metadata: take over the dynamic configs of this broker and of the cluster, if they changed."""
        own = (ConfigResourceType.BROKER, str(self.node_id))
        if CLUSTER_DEFAULT not in delta.configs and own not in delta.configs:
            return
        self.current = self.current.with_dynamic(
            image.configs.of(*CLUSTER_DEFAULT),
            image.configs.of(*own),
            on_invalid=lambda why: log.error("a stored config is ignored: %s", why),
        )
        self._take_over()
        for listener in self._listeners:
            listener()

    def _take_over(self) -> None:
        current = self.current
        self.fetch_max_bytes = current.integer("fetch.max.bytes")
        self.log_defaults = LogConfig.from_broker(current.texts)
