"""Memory that is about to be written over: compiled code makes it without filling it with zeros first.

The rule of this room: whoever takes it shows nobody what he has not written there himself.
"""

from collections.abc import Callable

from snakka.protocol.record_engine import IS_COMPILED


def _chosen() -> Callable[[int], bytearray]:
    if IS_COMPILED:
        from snakka.protocol import _records

        return _records.fresh_memory
    return bytearray


fresh_memory = _chosen()
