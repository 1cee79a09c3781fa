"""A Kafka client on asyncio: it works against Snakka and Apache Kafka alike, and needs nothing of the broker's side.

    from snakka.client import Admin, Consumer, Producer

Each is imported when it is first named: a command that needs one does not wait for the others.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from snakka.client.admin import Admin
    from snakka.client.consumer import Consumer
    from snakka.client.errors import ClientError
    from snakka.client.producer import Producer
    from snakka.security.sasl.oauthbearer import BearerToken

__all__ = ["Admin", "BearerToken", "ClientError", "Consumer", "Producer"]

_HOMES = {
    "Admin": "snakka.client.admin",
    "BearerToken": "snakka.security.sasl.oauthbearer",
    "ClientError": "snakka.client.errors",
    "Consumer": "snakka.client.consumer",
    "Producer": "snakka.client.producer",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
