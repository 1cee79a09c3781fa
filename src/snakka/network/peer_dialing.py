"""Dialling: a name becomes addresses anew each time, they are tried in turn, and TLS begins where it is wanted.

Rule: whatever fails is explained by who we called, what came back, and which setting would change that.
"""

import asyncio
import ipaddress
import os
import socket
import ssl
from collections.abc import Callable

from snakka.network.local_connections import is_loopback, unpaced_socket
from snakka.network.peer_errors import (
    PeerAuthenticationError,
    PeerTimeoutError,
    PeerUnreachableError,
    shown_address,
)

NO_TLS = "does not speak TLS: use security.protocol=PLAINTEXT or SASL_PLAINTEXT, or another port"
ONLY_TLS = "speaks TLS: use security.protocol=SSL or SASL_SSL, or another port"
_HTTP = "speaks HTTP and not Kafka's protocol: use another port"
_TLS_ALERT = b"\x15\x03"
# What OpenSSL calls an answer that is no TLS.
_NOT_TLS_REASONS = (
    "WRONG_VERSION_NUMBER",
    "UNEXPECTED_EOF_WHILE_READING",
    "RECORD_LAYER_FAILURE",
    "PACKET_LENGTH_TOO_LONG",
)
_CERTIFICATE_REASONS = (
    "CERTIFICATE_REQUIRED",
    "HANDSHAKE_FAILURE",
    "BAD_CERTIFICATE",
    "UNKNOWN_CA",
    "CERTIFICATE_UNKNOWN",
)

ProtocolFactory = Callable[[], asyncio.BaseProtocol]


async def dial(
    factory: ProtocolFactory, host: str, port: int, *, tls: ssl.SSLContext | None, seconds: float
) -> None:
    """Connect a protocol to the first address that answers; PeerUnreachableError, PeerTimeoutError or
    PeerAuthenticationError say why none does."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    addresses = await _addresses(host, port, deadline)
    failure: OSError | None = None
    for position, address in enumerate(addresses):
        share = max(deadline - loop.time(), 0.0) / (len(addresses) - position)
        try:
            async with asyncio.timeout(share):
                await _connect(factory, address, host, port, tls)
            return
        except TimeoutError:
            failure = PeerTimeoutError(
                f"{shown_address(host, port)} does not answer ({address}, tried for {share:.3g} s): is it up, and does"
                " a firewall let us through?"
            )
        except ssl.SSLError as error:
            raise _tls_failure(host, port, error) from None
        except OSError as error:
            failure = error
            if tls is not None and isinstance(error, ConnectionResetError | ConnectionAbortedError):
                raise PeerUnreachableError(f"{shown_address(host, port)} {NO_TLS}") from None
    if isinstance(failure, PeerTimeoutError):
        raise failure
    raise PeerUnreachableError(f"{shown_address(host, port)} can't be reached: {_reason(failure)}")


async def _addresses(host: str, port: int, deadline: float) -> list[str]:
    """All addresses of a name, asked for now: a broker that moved is found under its old name."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        pass
    else:
        return [host]
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(max(deadline - loop.time(), 0.0)):
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except TimeoutError:
        raise PeerTimeoutError(
            f"the name {host} is not resolved in time: does the name server answer?"
        ) from None
    except (OSError, UnicodeError) as error:
        raise PeerUnreachableError(
            f"{shown_address(host, port)} can't be reached: the name {host} has no address ({_reason(error)})"
        ) from None
    return list(dict.fromkeys(_literal(entry[4]) for entry in found)) or [host]


def _literal(address: tuple[object, ...]) -> str:
    """An address as text; a link-local one keeps its interface."""
    if len(address) == 4 and address[3]:
        return f"{address[0]}%{address[3]}"
    return str(address[0])


async def _connect(
    factory: ProtocolFactory, address: str, host: str, port: int, tls: ssl.SSLContext | None
) -> None:
    loop = asyncio.get_running_loop()
    if tls is not None:
        await loop.create_connection(factory, address, port, ssl=tls, server_hostname=host)
    elif is_loopback(address):
        connecting = unpaced_socket(address)
        try:
            await loop.sock_connect(connecting, (address, port))
        except BaseException:
            connecting.close()
            raise
        await loop.create_connection(factory, sock=connecting)  # from now on the loop closes it
    else:
        await loop.create_connection(factory, address, port)


def _tls_failure(host: str, port: int, error: ssl.SSLError) -> ConnectionError:
    peer = shown_address(host, port)
    if isinstance(error, ssl.SSLCertVerificationError):
        if "mismatch" in error.verify_message or "match" in error.verify_message:
            return PeerAuthenticationError(
                f"{peer} has a certificate for other names ({error.verify_message.rstrip('.')}): use a name that is in it,"
                " or set ssl.endpoint.identification.algorithm to nothing"
            )
        return PeerAuthenticationError(
            f"{peer} has a certificate that is not trusted ({error.verify_message}): set ssl.ca.location to the"
            " certificate of who signed it"
        )
    if error.reason in _NOT_TLS_REASONS or isinstance(error, ssl.SSLEOFError):
        return PeerUnreachableError(f"{peer} {NO_TLS}")
    return PeerAuthenticationError(f"{peer} and we do not agree on TLS: {tls_reason(error)}")


def tls_reason(error: ssl.SSLError) -> str:
    """What a failure of TLS means, as far as OpenSSL tells."""
    reason = error.reason or str(error)
    shown = reason.lower().replace("_", " ")
    if any(known in reason for known in _CERTIFICATE_REASONS):
        return (
            f"{shown}; it may want a certificate of ours: set ssl.certificate.location and ssl.key.location"
        )
    return shown


def first_bytes_explained(first: bytes) -> str:
    """What somebody speaks who answers a Kafka request with these bytes; empty if that is not known."""
    if first.startswith(_TLS_ALERT):
        return ONLY_TLS
    return _HTTP if first.startswith(b"HTTP") else ""


def _reason(error: Exception | None) -> str:
    if error is None:
        return "it has no address"
    if not isinstance(error, OSError):
        return str(error)
    if isinstance(error, socket.gaierror):
        return (error.strerror or str(error)).lower()
    if error.errno is not None and error.errno > 0:
        return os.strerror(error.errno).lower()
    return error.strerror or str(error)
