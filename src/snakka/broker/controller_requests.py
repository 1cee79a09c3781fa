"""The one way from a handler to the active controller.

Rule: handlers of what only the controller may change come here and nowhere else, so that a controller in another process
can be reached from here as well. The answer comes after the commit, and after this broker has taken over what was
committed: who created a topic can write to it at once.
"""

from collections.abc import Callable
from typing import TypeVar

from snakka.broker.services import Services
from snakka.metadata.image.cluster import ClusterImage
from snakka.metadata.state.decision import Decision
from snakka.metadata.state.rules import Caller
from snakka.network.request_context import RequestContext

R = TypeVar("R")

# For requests that do not say how long they may take, or want not to wait at all.
DEFAULT_TIMEOUT_MS = 30_000


def caller(context: RequestContext) -> Caller:
    """Who asks, as decisions see it."""
    return Caller(context.api_version, context.authorize)


async def ask_controller(
    services: Services, decide: Callable[[ClusterImage], Decision[R]], timeout_ms: int = DEFAULT_TIMEOUT_MS
) -> R:
    """The controller's answer; ApiError if the whole request fails."""
    timeout_ms = timeout_ms if timeout_ms > 0 else DEFAULT_TIMEOUT_MS
    deadline = services.runtime.clock.monotonic() + timeout_ms / 1000
    return await services.controller.submit(decide, deadline)
