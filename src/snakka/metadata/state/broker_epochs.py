"""A broker speaks for itself only with the epoch of its registration."""

from snakka.metadata.image.brokers import BrokerRegistration
from snakka.metadata.image.cluster import ClusterImage
from snakka.protocol.errors import ApiError, ErrorCode


def check_broker_epoch(image: ClusterImage, broker_id: int, broker_epoch: int) -> BrokerRegistration:
    """The registration, or STALE_BROKER_EPOCH: the broker must register again."""
    broker = image.brokers.get(broker_id)
    if broker is None:
        raise ApiError(ErrorCode.STALE_BROKER_EPOCH, f"Broker {broker_id} is not registered.")
    if broker.epoch != broker_epoch:
        raise ApiError(
            ErrorCode.STALE_BROKER_EPOCH,
            f"Broker {broker_id} is registered with epoch {broker.epoch}, not {broker_epoch}.",
        )
    return broker
