"""What the consumers of a classic group say of themselves in their protocols' metadata.

The coordinator needs only the topics. Whatever can't be read is of some other client's making, and no reason to fail.
"""

from collections.abc import Iterable

from snakka.protocol.errors import ProtocolError
from snakka.protocol.record_types.embedded.consumer_protocol_subscription import ConsumerProtocolSubscription

# The protocol type of consumers; any other type's metadata is that client's own business.
CONSUMER_PROTOCOL_TYPE = "consumer"

# Every version of a subscription begins with its number, an int16, and then as version 0 does.
_VERSION_SIZE = 2
_BASE_VERSION = 0


def subscribed_topics(subscriptions: Iterable[bytes]) -> frozenset[str] | None:
    """All topics that somebody subscribes to; None if a subscription can't be read, since any topic may be among its."""
    topics: set[str] = set()
    try:
        for subscription in subscriptions:
            decoded = ConsumerProtocolSubscription.decode(subscription, _BASE_VERSION, _VERSION_SIZE)
            topics.update(decoded.topics)
    except ProtocolError:
        return None
    return frozenset(topics)
