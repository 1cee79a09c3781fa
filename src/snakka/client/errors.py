"""What a client may fail with, apart from the ApiError of an answer.

Rule: each text is one line that says what has happened and what to do next. `retriable` says whether the same may succeed
later without anybody changing anything.
"""


class ClientError(Exception):
    """The base of all that the client itself raises."""

    retriable = False


class ClientConfigError(ClientError, ValueError):
    """A setting that does not exist, has a value that it can't have, or does not go with another."""


class ClientClosedError(ClientError):
    """The client has been closed, or was not started."""


# -- Connections ---------------------------------------------------------------------------------------------------------


class NoBrokerError(ClientError):
    """None of the brokers that are known can be reached."""

    retriable = True


class BrokerUnreachableError(ClientError):
    """One broker can't be reached, or the connection to it was lost. What was under way may have been carried out."""

    retriable = True


class UnreadableAnswerError(BrokerUnreachableError):
    """A broker has given an answer that can't be read, and so the connection was closed. If it does so again, look at it."""


class RequestTimedOutError(ClientError, TimeoutError):
    """A broker did not answer in time. What it was asked for may have been carried out."""

    retriable = True


class AuthenticationError(ClientError):
    """The broker does not let us in, or we do not trust it: credentials, mechanism or certificates must change."""


class UnsupportedByBrokerError(ClientError):
    """The broker is too old for what was asked of it, or does not serve it."""


# -- Producing -----------------------------------------------------------------------------------------------------------


class BufferFullError(ClientError):
    """buffer.memory was full for max.block.ms."""

    retriable = True


class DeliveryTimeoutError(ClientError, TimeoutError):
    """A record was not acknowledged within delivery.timeout.ms. Whether it has been written is not known."""


class RecordTooLargeError(ClientError):
    """The record is larger than max.request.size allows."""


class TopicRecreatedError(ClientError):
    """The topic that the record was meant for was deleted, and another one was made under its name."""


class ProducerFencedError(ClientError):
    """Another producer with the same transactional.id has begun; this one is of no use any more."""


class OutOfOrderError(ClientError):
    """The broker has lost track of this producer's sequence: records may be missing. The producer must be made anew."""


class TransactionStateError(ClientError):
    """The call does not fit to the state of the transaction, for example a send outside of one."""


class TransactionAbortedError(ClientError):
    """The transaction was aborted, so nothing of it will be seen; it may be tried again as a whole."""


# -- Consuming -----------------------------------------------------------------------------------------------------------


class NoOffsetError(ClientError):
    """There is no position to begin at, and auto.offset.reset=none forbids to choose one."""


class OffsetOutOfRangeError(ClientError):
    """The position is not in the log any more, or not yet, and auto.offset.reset=none forbids to choose another."""


class LogTruncatedError(ClientError):
    """The log has lost records that were read before: the position lies behind its end."""


class DeserializationError(ClientError):
    """A key or value that the application's own function can't read. The position is at the message: seek past it."""

    def __init__(self, topic: str, partition: int, offset: int, reason: Exception) -> None:
        super().__init__(f"{topic}-{partition} at offset {offset}: {reason!r}; seek past it to go on")
        self.topic = topic
        self.partition = partition
        self.offset = offset


class CommitFailedError(ClientError):
    """The offsets were not committed, since the group has given the partitions to somebody else."""


class MemberFencedError(ClientError):
    """Another member with the same group.instance.id has taken this one's place."""


class NotSubscribedError(ClientError):
    """Nothing is subscribed to or assigned, or not the partition that was named."""
