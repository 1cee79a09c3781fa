"""What a client may fail with, apart from the ApiError of an answer: nobody there, or no answer in time."""


class ClientError(Exception):
    """The text is one line for whoever uses the client."""


class NoBrokerError(ClientError):
    """None of the bootstrap servers can be reached."""
