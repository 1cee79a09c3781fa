"""Names and notations of other clients: what librdkafka or Java call a setting or a value, and what has no meaning here.

Rule: whoever brings a working configuration along is told at once, and by name, what to change in it.
"""

import re

from snakka.client.errors import ClientConfigError

_PEM_ONLY = "only PEM files are read; convert the store with openssl or keytool"
_KERBEROS = "Kerberos is not supported; use PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or OAUTHBEARER"
_BROKER_SIDE = "it concerns who checks tokens, which is the broker"
_ASSERTION = (
    "only client credentials are sent to a token endpoint; give sasl.oauthbearer.token.provider a function"
)
_JAVA = "it names a Java class"
_METRICS = "this client keeps no metrics of that kind"

SYNONYMS = {
    "metadata.broker.list": "bootstrap.servers",
    "sasl.mechanisms": "sasl.mechanism",
    "socket.timeout.ms": "request.timeout.ms",
    "socket.send.buffer.bytes": "send.buffer.bytes",
    "socket.receive.buffer.bytes": "receive.buffer.bytes",
    "queue.buffering.max.ms": "linger.ms",
    "message.send.max.retries": "retries",
    "message.timeout.ms": "delivery.timeout.ms",
    "message.max.bytes": "max.request.size",
    "request.required.acks": "acks",
    "compression.codec": "compression.type",
    "max.in.flight": "max.in.flight.requests.per.connection",
    "fetch.wait.max.ms": "fetch.max.wait.ms",
    "fetch.message.max.bytes": "max.partition.fetch.bytes",
    "sasl.oauthbearer.client.id": "sasl.oauthbearer.client.credentials.client.id",
    "sasl.oauthbearer.client.secret": "sasl.oauthbearer.client.credentials.client.secret",
}

# How Java's clients measure themselves, and whom they tell: it changes nothing of what is read or written.
JAVA_METRICS = (
    "auto.include.jmx.reporter",
    "metric.reporters",
    "metrics.num.samples",
    "metrics.recording.level",
    "metrics.sample.window.ms",
)

ELSEWHERE = {
    "ssl.truststore.password": _PEM_ONLY,
    "ssl.keystore.password": f"{_PEM_ONLY}; the password of a PEM key is ssl.key.password",
    "ssl.protocol": "choose with ssl.enabled.protocols",
    "ssl.provider": "TLS is always OpenSSL's",
    "ssl.keymanager.algorithm": "TLS is always OpenSSL's",
    "ssl.trustmanager.algorithm": "TLS is always OpenSSL's",
    "ssl.secure.random.implementation": "TLS is always OpenSSL's",
    "ssl.engine.factory.class": f"{_JAVA}; give ssl.context a ready ssl.SSLContext",
    "security.providers": _JAVA,
    "sasl.client.callback.handler.class": f"{_JAVA}; give sasl.username and sasl.password",
    "sasl.login.callback.handler.class": f"{_JAVA}; give sasl.oauthbearer.token.provider a function",
    "sasl.login.class": _JAVA,
    "sasl.kerberos.kinit.cmd": _KERBEROS,
    "sasl.kerberos.min.time.before.relogin": _KERBEROS,
    "sasl.kerberos.service.name": _KERBEROS,
    "sasl.kerberos.ticket.renew.jitter": _KERBEROS,
    "sasl.kerberos.ticket.renew.window.factor": _KERBEROS,
    "sasl.oauthbearer.jwt.retriever.class": f"{_JAVA}; give sasl.oauthbearer.token.provider a function",
    "sasl.oauthbearer.jwt.validator.class": _JAVA,
    "sasl.oauthbearer.scope.claim.name": _BROKER_SIDE,
    "sasl.oauthbearer.sub.claim.name": _BROKER_SIDE,
    "sasl.oauthbearer.jwks.endpoint.url": _BROKER_SIDE,
    "sasl.oauthbearer.jwks.endpoint.refresh.ms": _BROKER_SIDE,
    "sasl.oauthbearer.jwks.endpoint.retry.backoff.ms": _BROKER_SIDE,
    "sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms": _BROKER_SIDE,
    "sasl.oauthbearer.clock.skew.seconds": _BROKER_SIDE,
    "sasl.oauthbearer.expected.audience": _BROKER_SIDE,
    "sasl.oauthbearer.expected.issuer": _BROKER_SIDE,
    "sasl.oauthbearer.assertion.algorithm": _ASSERTION,
    "sasl.oauthbearer.assertion.claim.aud": _ASSERTION,
    "sasl.oauthbearer.assertion.claim.exp.seconds": _ASSERTION,
    "sasl.oauthbearer.assertion.claim.iss": _ASSERTION,
    "sasl.oauthbearer.assertion.claim.jti.include": _ASSERTION,
    "sasl.oauthbearer.assertion.claim.nbf.seconds": _ASSERTION,
    "sasl.oauthbearer.assertion.claim.sub": _ASSERTION,
    "sasl.oauthbearer.assertion.file": _ASSERTION,
    "sasl.oauthbearer.assertion.private.key.file": _ASSERTION,
    "sasl.oauthbearer.assertion.private.key.passphrase": _ASSERTION,
    "sasl.oauthbearer.assertion.template.file": _ASSERTION,
    "oauth.cb": "give sasl.oauthbearer.token.provider a function that takes no argument",
    "config.providers": "read the value in Python and give it as it is",
    "interceptor.classes": f"{_JAVA}; do it before send, or after a message has come",
    "partitioner.class": f"{_JAVA}; give partitioner a function",
    **dict.fromkeys(JAVA_METRICS, _METRICS),
    "share.acknowledgement.mode": "consumers of share groups have their own client",
    "share.acquire.mode": "consumers of share groups have their own client",
    "internal.throw.on.fetch.stable.offset.unsupported": "it is internal to Java's client",
}

ASSIGNORS = ("range", "roundrobin", "sticky", "cooperative-sticky")
_JAVA_ASSIGNORS = {
    "RangeAssignor": "range",
    "RoundRobinAssignor": "roundrobin",
    "StickyAssignor": "sticky",
    "CooperativeStickyAssignor": "cooperative-sticky",
}
_DURATION = r"P(?!$)(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d{1,9})?)S)?)?"
_UNIT_MS = (86_400_000, 3_600_000, 60_000, 1_000)


def assignor_name(name: str) -> str:
    """The name of an assignor on the wire, from that or from Java's class."""
    known = _JAVA_ASSIGNORS.get(name.rpartition(".")[2], name)
    if known not in ASSIGNORS:
        raise ClientConfigError(
            f"partition.assignment.strategy: there is no assignor {name}; there are {', '.join(ASSIGNORS)}"
        )
    return known


def parse_duration_ms(duration: str) -> int | None:
    """The milliseconds of an ISO 8601 duration such as P1DT2H; None if it is none."""
    match = re.fullmatch(_DURATION, duration)
    if match is None:
        return None
    return round(sum(float(part) * unit for part, unit in zip(match.groups(), _UNIT_MS, strict=True) if part))
