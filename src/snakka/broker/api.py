"""How an API is declared: one `API = Api(...)` in its own file, and a line in the table.

Dispatch, ApiVersions and SUPPORTED_APIS.md derive from it. Versions are those of Kafka's schema unless it says otherwise.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from snakka.network.waiting import Waiting
from snakka.protocol.api_keys import API_FACTS, ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.message import Message

# The kinds of listeners.
BROKER = "broker"
CONTROLLER = "controller"

# (request, context, services) -> the answer now, later, or none. The request's bytes are gone when a handler returns,
# and the body of an `async def` runs after that: a handler of record batches is never one.
Handler = Callable[[Any, Any, Any], Message | Waiting | Awaitable[Message | None] | None]
# (request, code, text) -> the form in which this API tells of an error; None: by a closed connection.
ErrorForm = Callable[[Any, ErrorCode, str], Message | None]


class ApiRange(NamedTuple):
    """What ApiVersions says of one API."""

    key: int
    min_version: int
    max_version: int


@dataclass(frozen=True, kw_only=True)
class Api:
    """One Kafka API as this broker serves it."""

    key: ApiKey
    handle: Handler
    listeners: tuple[str, ...] = (BROKER,)
    # Lowest and highest version served, where they differ from the schema's.
    min_version: int | None = None
    max_version: int | None = None
    # The lowest version that ApiVersions names, where that is not one that is served.
    advertised_from: int | None = None
    # Whether it is served at all, decided once at start from the services.
    available: Callable[[Any], bool] | None = None
    # Without it the error goes into the response's own error_code, or the connection is closed.
    error_response: ErrorForm | None = None
    # Whether a client may ask before it has said who it is.
    before_authentication: bool = False
    # How long an awaitable answer may take.
    deadline_seconds: float = 60.0

    def lowest_version(self) -> int:
        return API_FACTS[self.key].min_version if self.min_version is None else self.min_version

    def highest_version(self, unstable_versions: bool = False) -> int:
        """The highest version served; one that Kafka calls unstable only if that is asked for."""
        if self.max_version is not None:
            return self.max_version
        facts = API_FACTS[self.key]
        return facts.max_version - 1 if facts.unstable and not unstable_versions else facts.max_version

    def advertised_range(self, unstable_versions: bool = False) -> ApiRange:
        lowest = self.lowest_version() if self.advertised_from is None else self.advertised_from
        return ApiRange(self.key, lowest, self.highest_version(unstable_versions))
