"""Brokers inside tests: `LocalBroker` for asyncio, `BlockingLocalBroker` for everything else, and simulated disks.

Names are imported when they are used: whoever simulates a disk does not need a broker.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from snakka.testing.local_broker import BlockingLocalBroker, LocalBroker

__all__ = ["BlockingLocalBroker", "LocalBroker"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from snakka.testing import local_broker

    return getattr(local_broker, name)
