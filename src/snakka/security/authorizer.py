"""May this principal do that? Every handler asks, so that security can be added without touching a handler."""

from typing import Protocol

from snakka.security.operations import Operation, ResourceType
from snakka.security.principal import Principal


class Authorizer(Protocol):
    """Answers at once and from memory: it is asked on the data path, once a topic."""

    def authorize(
        self,
        principal: Principal,
        client_address: str,
        operation: Operation,
        resource: ResourceType,
        name: str,
    ) -> bool: ...


class AllowAll:
    """No `authorizer.class.name`: everybody may do everything, as in Kafka."""

    def authorize(
        self,
        principal: Principal,
        client_address: str,
        operation: Operation,
        resource: ResourceType,
        name: str,
    ) -> bool:
        return True
