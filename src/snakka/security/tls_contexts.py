"""TLS contexts from PEM: files or texts, for whoever dials and later for whoever listens.

Rule: what can't be read is one line that names the setting's file; a key or its password never appears in it.
"""

import os
import ssl
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from snakka.security.pem import normal_pem, what_identity_lacks, what_trust_lacks

_VERSIONS = {"TLSv1.2": ssl.TLSVersion.TLSv1_2, "TLSv1.3": ssl.TLSVersion.TLSv1_3}


class TlsError(ValueError):
    """A certificate, a key or a cipher that can't be used."""


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """Where certificates and keys are: each a file, or a text. None of either: what the system trusts, no certificate."""

    ca_file: str | None = None
    ca_pem: str | None = None
    certificate_file: str | None = None
    certificate_pem: str | None = None
    key_file: str | None = None  # None: the key is in the file of the certificate
    key_pem: str | None = field(default=None, repr=False)
    key_password: str | None = field(default=None, repr=False)


def client_context(
    files: TlsFiles,
    *,
    versions: tuple[str, ...] = ("TLSv1.2", "TLSv1.3"),
    ciphers: tuple[str, ...] = (),
    checks_host_name: bool = True,
    checks_certificate: bool = True,
) -> ssl.SSLContext:
    """The context of whoever dials; TlsError says what can't be used. It reads files: call it once, not for each dial."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = checks_host_name and checks_certificate
    context.verify_mode = ssl.CERT_REQUIRED if checks_certificate else ssl.CERT_NONE
    if not versions:
        raise TlsError("at least one version of TLS must be enabled")
    allowed = [_VERSIONS[version] for version in versions]
    context.minimum_version, context.maximum_version = min(allowed), max(allowed)
    if ciphers:
        try:
            context.set_ciphers(":".join(ciphers))
        except ssl.SSLError:
            raise TlsError(f"none of the ciphers {', '.join(ciphers)} is known to OpenSSL") from None
    _trust(context, files)
    _identify(context, files)
    return context


def _trust(context: ssl.SSLContext, files: TlsFiles) -> None:
    if files.ca_file is None and files.ca_pem is None:
        context.load_default_certs(ssl.Purpose.SERVER_AUTH)
        return
    try:
        if files.ca_file is not None:
            is_directory = os.path.isdir(files.ca_file)
            context.load_verify_locations(
                cafile=None if is_directory else files.ca_file,
                capath=files.ca_file if is_directory else None,
            )
    except (OSError, ValueError) as error:
        why = what_trust_lacks(_content(files.ca_file or "")) if isinstance(error, ssl.SSLError) else ""
        raise TlsError(
            f"can't read trusted certificates from {files.ca_file}: {why or _why(error)}"
        ) from None
    if files.ca_pem is None:
        return
    try:
        context.load_verify_locations(cadata=normal_pem(files.ca_pem))
    except (OSError, ValueError) as error:
        why = what_trust_lacks(files.ca_pem.encode())
        raise TlsError(f"can't read trusted certificates from the given text: {why or _why(error)}") from None


def _identify(context: ssl.SSLContext, files: TlsFiles) -> None:
    if files.certificate_file is None and files.certificate_pem is None:
        if files.key_file is not None or files.key_pem is not None:
            raise TlsError("there is a private key but no certificate that belongs to it")
        return
    if files.certificate_file is not None:
        if files.key_pem is not None:
            raise TlsError("certificate and private key must both be files, or both be texts")
        _load_chain(context, files.certificate_file, files.key_file, files.key_password)
        return
    # OpenSSL's chain loader takes only files: these have the texts for a moment, for this user alone.
    with tempfile.TemporaryDirectory(prefix="snakka-tls-") as directory:
        chain = _written(directory, "chain.pem", files.certificate_pem or "")
        key = files.key_file or (
            None if files.key_pem is None else _written(directory, "key.pem", files.key_pem)
        )
        _load_chain(context, chain, key, files.key_password, "the given text")


def _load_chain(
    context: ssl.SSLContext, chain: str, key: str | None, password: str | None, shown: str | None = None
) -> None:
    try:
        # Without a password OpenSSL would ask for one at the terminal.
        context.load_cert_chain(chain, key, lambda: password or "")
    except (OSError, ValueError) as error:
        # A file that is not there is said by the system, a mismatch by OpenSSL; the rest it calls just wrong.
        why = ""
        if isinstance(error, ssl.SSLError) and error.reason is None:
            content = _content(chain) + (_content(key) if key else b"")
            why = what_identity_lacks(content, has_password=bool(password))
        raise TlsError(
            f"can't use the certificate and key of {shown or chain}{f' and {key}' if key and not shown else ''}:"
            f" {why or _why(error)}"
        ) from None


def _written(directory: str, name: str, content: str) -> str:
    with tempfile.NamedTemporaryFile("w", dir=directory, suffix=name, delete=False) as file:
        file.write(normal_pem(content))
    return file.name


def _content(path: str) -> bytes:
    """What is in a file, as far as it can be read."""
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


def _why(error: Exception) -> str:
    if isinstance(error, ssl.SSLError):
        return (error.reason or "it is damaged").lower().replace("_", " ")
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)
