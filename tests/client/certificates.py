"""Certificates for tests: an authority, a broker's certificate, and a client's, all as PEM files of one directory."""

from pathlib import Path

import trustme
from cryptography.hazmat.primitives import serialization

KEY_PASSWORD = "key-password"


class Certificates:
    """A broker that is called localhost, a client that is called client, and an authority that both trust."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        authority = trustme.CA()
        self.ca = _written(directory / "ca.pem", authority.cert_pem.bytes())
        server = authority.issue_cert("localhost")
        self.server = _written(directory / "server.pem", _pkcs8(server) + _chain(server))
        client = authority.issue_cert("client@example.org")
        self.client_chain = _written(directory / "client-chain.pem", _chain(client))
        self.client_key = _written(directory / "client-key.pem", _pkcs8(client))
        self.client_key_encrypted = _written(
            directory / "client-key-encrypted.pem", _pkcs8(client, KEY_PASSWORD)
        )
        self.client_both = _written(directory / "client.pem", _pkcs8(client) + _chain(client))
        self.other_ca = _written(directory / "other-ca.pem", trustme.CA().cert_pem.bytes())


def _written(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    return str(path)


def _chain(certificate: trustme.LeafCert) -> bytes:
    return b"".join(blob.bytes() for blob in certificate.cert_chain_pems)


def _pkcs8(certificate: trustme.LeafCert, password: str | None = None) -> bytes:
    """The key in the only form that Kafka reads."""
    key = serialization.load_pem_private_key(certificate.private_key_pem.bytes(), None)
    encryption: serialization.KeySerializationEncryption = serialization.NoEncryption()
    if password is not None:
        encryption = serialization.BestAvailableEncryption(password.encode())
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption)
