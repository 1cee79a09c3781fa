"""The two exceptions of the protocol: bytes that are no message, and an error that a client is told by its code."""

from __future__ import annotations

from collections.abc import Sequence

from snakka.protocol.error_codes import ErrorCode

__all__ = ["ApiError", "ErrorCode", "ProtocolError"]


class ProtocolError(Exception):
    """Malformed bytes, or a value that the wire cannot carry."""


class ApiError(Exception):
    """The one exception that becomes a Kafka error code in a response."""

    def __init__(
        self, code: ErrorCode, message: str = "", record_errors: Sequence[tuple[int, str]] = ()
    ) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        # Which records of a batch were at fault, and why (KIP-467).
        self.record_errors = record_errors

    def __str__(self) -> str:
        return f"{self.code.name}: {self.message}" if self.message else self.code.name
