"""TLS contexts from PEM in the forms that people have, and what is said where it is not PEM or lacks something."""

import ssl
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.serialization import pkcs12
from cryptography.x509 import load_pem_x509_certificate
from tests.client.certificates import KEY_PASSWORD, Certificates

from snakka.security.tls_contexts import TlsError, TlsFiles, client_context

LINE_ENDS = [
    "\n",
    "\r\n",
    " ",
    "\\n",
]  # Java's properties make spaces of them, and some environments write them out


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return Certificates(tmp_path_factory.mktemp("certificates"))


def _text(path: str, line_end: str = "\n") -> str:
    return Path(path).read_text().replace("\n", line_end)


@pytest.mark.parametrize("line_end", LINE_ENDS)
def test_pem_texts_may_be_on_one_line(certificates: Certificates, line_end: str) -> None:
    context = client_context(
        TlsFiles(
            ca_pem=_text(certificates.ca, line_end),
            certificate_pem=_text(certificates.client_chain, line_end),
            key_pem=_text(certificates.client_key_encrypted, line_end),
            key_password=KEY_PASSWORD,
        )
    )
    assert len(context.get_ca_certs()) == 1
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname


def test_what_stands_around_certificates_is_passed_over(certificates: Certificates) -> None:
    both = f"subject=/CN=Zoë\n{_text(certificates.ca)}\nanother one:\n{_text(certificates.other_ca)}"
    assert len(client_context(TlsFiles(ca_pem=both)).get_ca_certs()) == 2


def test_the_older_form_of_an_encrypted_key_is_read(certificates: Certificates) -> None:
    key = serialization.load_pem_private_key(_text(certificates.client_key).encode(), None)
    older = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.BestAvailableEncryption(KEY_PASSWORD.encode()),
    ).decode()
    assert "Proc-Type" in older
    files = TlsFiles(
        certificate_pem=_text(certificates.client_chain), key_pem=older, key_password=KEY_PASSWORD
    )
    client_context(files)


def _pkcs12(certificates: Certificates, path: Path) -> str:
    key = serialization.load_pem_private_key(_text(certificates.client_key).encode(), None)
    leaf = load_pem_x509_certificate(_text(certificates.client_chain).encode())
    encrypted = serialization.BestAvailableEncryption(b"store-password")
    path.write_bytes(pkcs12.serialize_key_and_certificates(b"me", key, leaf, None, encrypted))  # type: ignore[arg-type]
    return str(path)


def _jks(path: Path) -> str:
    path.write_bytes(b"\xfe\xed\xfe\xed\0\0\0\x02\0\0\0\x01")
    return str(path)


def test_what_can_t_be_used_is_said_with_what_to_do(certificates: Certificates, tmp_path: Path) -> None:
    chain, key = certificates.client_chain, certificates.client_key_encrypted
    store = _pkcs12(certificates, tmp_path / "store.p12")
    older = _jks(tmp_path / "store.jks")
    for files, complaint in (
        (TlsFiles(ca_file=store), rf"{store}: it is a PKCS12 store.*openssl pkcs12 -in STORE -nokeys"),
        (TlsFiles(ca_file=older), rf"{older}: it is a JKS store.*keytool -importkeystore.*-nokeys"),
        (TlsFiles(certificate_file=store), r"it is a PKCS12 store.*openssl pkcs12 -in STORE -nodes"),
        (TlsFiles(certificate_file=older), r"it is a JKS store.*keytool -importkeystore.*-nodes"),
        (TlsFiles(ca_file=certificates.client_key), r"client-key\.pem: there is no certificate in it"),
        (TlsFiles(ca_pem="rubbish"), "from the given text: there is no certificate in it"),
        (TlsFiles(ca_file="/nowhere"), "from /nowhere: No such file or directory$"),
        (TlsFiles(certificate_file=chain), r"no private key with it: set ssl\.key\.location"),
        (TlsFiles(certificate_pem=_text(chain)), r"no private key with it: .*ssl\.keystore\.key"),
        (TlsFiles(certificate_file=chain, key_file=key), r"encrypted: set ssl\.key\.password$"),
        (
            TlsFiles(certificate_file=chain, key_file=key, key_password="not-this-one"),
            r"ssl\.key\.password does not open it$",
        ),
        (TlsFiles(certificate_file=certificates.server, key_file=certificates.client_key), "mismatch"),
    ):
        with pytest.raises(TlsError, match=complaint) as caught:
            client_context(files)
        assert "not-this-one" not in str(caught.value)
