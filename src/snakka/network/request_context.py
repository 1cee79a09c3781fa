"""What a handler may know of a request besides its message: who asks, from where, in which version."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from snakka.security.operations import SUPPORTED_OPERATIONS, Operation, ResourceType
from snakka.security.principal import Principal

if TYPE_CHECKING:
    from snakka.network.connection import Connection


class RequestContext:
    """One a request; it may be kept for as long as the request waits."""

    __slots__ = ("api_version", "client_id", "connection", "correlation_id")

    def __init__(
        self, connection: "Connection", api_version: int, correlation_id: int, client_id: str | None
    ) -> None:
        self.connection = connection
        self.api_version = api_version
        self.correlation_id = correlation_id
        self.client_id = client_id

    @property
    def principal(self) -> Principal:
        return self.connection.principal

    @property
    def client_address(self) -> str:
        """The client's IP address as text."""
        return self.connection.client_address

    @property
    def listener(self) -> str:
        """The name of the listener that the request came in on."""
        return self.connection.environment.listener_name

    @property
    def api_ranges(self) -> Sequence[tuple[int, int, int]]:
        """Key, lowest and highest version of every API of this listener."""
        return self.connection.environment.handler.api_ranges

    def authorize(self, operation: Operation, resource: ResourceType, name: str) -> bool:
        connection = self.connection
        return connection.environment.authorizer.authorize(
            connection.principal, connection.client_address, operation, resource, name
        )

    def authorized_operations(self, resource: ResourceType, name: str) -> int:
        """All that the client may do to a resource, as the bit field that Metadata and the describe APIs answer."""
        field = 0
        for operation in SUPPORTED_OPERATIONS[resource]:
            if self.authorize(operation, resource, name):
                field |= 1 << operation
        return field
