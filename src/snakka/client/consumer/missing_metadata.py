"""Asks for the cluster's metadata again as long as something is missing in it that a consumer needs, ever more seldom."""

import asyncio

from snakka.client.cluster_view import ClusterView


class MissingMetadata:
    """One who needs something: `look` after every news of the cluster."""

    def __init__(self, cluster: ClusterView) -> None:
        self._cluster = cluster
        self._failures = 0
        self._timer: asyncio.TimerHandle | None = None

    def look(self, is_missing: bool) -> None:
        if not is_missing:
            self._failures = 0
            self.close()
        elif self._timer is None:
            pause = self._cluster.backoff.seconds(self._failures)
            self._failures += 1
            self._timer = asyncio.get_running_loop().call_later(pause, self._ask)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _ask(self) -> None:
        self._timer = None
        self._cluster.refresh_soon()
