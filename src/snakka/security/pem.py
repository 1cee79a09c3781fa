"""PEM as people have it: whole, with spaces for line ends as in Java's properties, or not PEM at all.

Rule: what is said about a text names its kind and what to do, and repeats nothing of it: it may hold a key.
"""

import re

_BLOCK = re.compile(r"-----BEGIN ([A-Z0-9 ]+)-----(.*?)-----END \1-----", re.DOTALL)
_LINE_ENDS = re.compile(r"\s|\\r|\\n")  # written out, too: Base64 has no backslashes
_LINE = 64
_JKS = b"\xfe\xed\xfe\xed"
_DER = b"\x30"
_NO_CERTIFICATE = "there is no certificate in it, or it is damaged"
_NO_KEY = "there is no private key with it: set ssl.key.location, or ssl.keystore.key to a text"


def normal_pem(text: str) -> str:
    """The blocks of a text, each line as long as OpenSSL wants it. What is between the blocks goes."""
    return "".join(_normal(label, body) for label, body in _BLOCK.findall(text))


def _normal(label: str, body: str) -> str:
    if ":" in body:  # a key's older form has headers, which need their lines
        return f"-----BEGIN {label}-----{body}-----END {label}-----\n"
    data = _LINE_ENDS.sub("", body)
    lines = [data[start : start + _LINE] for start in range(0, len(data), _LINE)]
    return "\n".join([f"-----BEGIN {label}-----", *lines, f"-----END {label}-----\n"])


def what_trust_lacks(content: bytes) -> str:
    """Why no trusted certificates can be read from a content; empty if it is not that."""
    return _other_form(content, "-nokeys") or ("" if _has(content, "CERTIFICATE") else _NO_CERTIFICATE)


def what_identity_lacks(content: bytes, *, has_password: bool) -> str:
    """Why this can't be a certificate and its private key; empty if it is not that."""
    other = _other_form(content, "-nodes")
    if other:
        return other
    if not _has(content, "CERTIFICATE"):
        return _NO_CERTIFICATE
    if not _has(content, "PRIVATE KEY"):
        return _NO_KEY
    if b"ENCRYPTED" in content:
        return (
            "ssl.key.password does not open it" if has_password else "it is encrypted: set ssl.key.password"
        )
    return ""


def _has(content: bytes, kind: str) -> bool:
    return any(label.endswith(kind) for label, _ in _BLOCK.findall(content.decode("utf-8", "replace")))


def _other_form(content: bytes, keys: str) -> str:
    convert = f"openssl pkcs12 -in STORE {keys} -out STORE.pem"
    if content.startswith(_JKS):
        return (
            "it is a JKS store, and only PEM is read: keytool -importkeystore -srckeystore JKS -destkeystore STORE"
            f" -deststoretype PKCS12, then {convert}"
        )
    return f"it is a PKCS12 store, and only PEM is read: {convert}" if content.startswith(_DER) else ""
