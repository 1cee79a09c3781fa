"""The options that begin with `kafka.`: settings of the client, by the names that Kafka has for them.

Rule: what Spark's own connector refuses is refused here, with the same reason, and what no client knows with what was
probably meant. What has no effect is either so anyway, or said. Values of secrets never appear in an error.
"""

import difflib
import logging
from collections.abc import Mapping
from functools import cache

from snakka.client.authentication import check_jaas
from snakka.client.broker_addresses import parse_bootstrap
from snakka.client.errors import ClientConfigError
from snakka.client.setting_names import ELSEWHERE, JAVA_METRICS, SYNONYMS
from snakka.client.setting_rules import dotted, rules_of
from snakka.client.settings import (
    AdminSettings,
    ConnectionSettings,
    ConsumerSettings,
    ProducerSettings,
    resolve,
)

_log = logging.getLogger(__name__)
PREFIX = "kafka."
BOOTSTRAP = "kafka.bootstrap.servers"

# What the source and the sink decide themselves; the reasons are for whoever set it.
REFUSED_READING = {
    "auto.offset.reset": "where to begin is the option startingOffsets",
    "key.deserializer": "keys are binary columns; decode them with DataFrame operations",
    "value.deserializer": "values are binary columns; decode them with DataFrame operations",
    "enable.auto.commit": "the source commits what finished batches have read",
    "interceptor.classes": "there are no interceptors here",
}
REFUSED_WRITING = {
    "key.serializer": "keys are binary or string columns; encode them with DataFrame operations",
    "value.serializer": "values are binary or string columns; encode them with DataFrame operations",
}

# What jobs for Java's client say, and what is so here anyway: the class or the name of an algorithm.
_OAUTH = "org.apache.kafka.common.security.oauthbearer."
_SO_ANYWAY: Mapping[str, tuple[str, ...]] = {
    "sasl.login.callback.handler.class": (
        f"{_OAUTH}OAuthBearerLoginCallbackHandler",
        f"{_OAUTH}secured.OAuthBearerLoginCallbackHandler",
    ),
    "sasl.client.callback.handler.class": (f"{_OAUTH}internals.OAuthBearerSaslClientCallbackHandler",),
    "sasl.oauthbearer.jwt.retriever.class": (
        f"{_OAUTH}DefaultJwtRetriever",
        f"{_OAUTH}ClientCredentialsJwtRetriever",
    ),
    "sasl.oauthbearer.jwt.validator.class": (f"{_OAUTH}DefaultJwtValidator", f"{_OAUTH}ClientJwtValidator"),
    "ssl.protocol": ("TLS", "TLSv1.3"),
    "ssl.keymanager.algorithm": ("SunX509", "PKIX"),
    "ssl.trustmanager.algorithm": ("PKIX", "SunX509"),
}
_KERBEROS = "sasl.kerberos."
# What to do instead, where the client's own advice is an object of Python, which no option can hold.
_TOKENS = (
    f"tokens are had from {PREFIX}sasl.oauthbearer.token.endpoint.url, with clientId and clientSecret in"
    f" {PREFIX}sasl.jaas.config"
)
_INSTEAD: Mapping[str, str] = {
    "sasl.login.callback.handler.class": _TOKENS,
    "sasl.oauthbearer.jwt.retriever.class": _TOKENS,
    "sasl.oauthbearer.token.provider": _TOKENS,
    "oauth.cb": _TOKENS,
    "ssl.context": f"certificates are given by {PREFIX}ssl.truststore.location and {PREFIX}ssl.keystore.location",
    "ssl.engine.factory.class": f"certificates are given by {PREFIX}ssl.truststore.location and"
    f" {PREFIX}ssl.keystore.location",
    "partitioner": "a column partition says where rows go",
    "partitioner.class": "a column partition says where rows go",
}
_STORES: Mapping[str, str] = {"ssl.truststore.type": "-nokeys", "ssl.keystore.type": "-nodes"}

# A group commits what finished batches have read, but nobody is a member of it.
_OF_A_MEMBER = frozenset(
    {
        "group.id",
        "group.instance.id",
        "group.protocol",
        "group.remote.assignor",
        "partition.assignment.strategy",
        "session.timeout.ms",
        "heartbeat.interval.ms",
        "max.poll.interval.ms",
        "max.poll.records",
        "auto.commit.interval.ms",
    }
)
# Larger answers than a consumer has by default: a task reads one partition and nothing else, and each answer costs it some
# 0.5 ms, however small it is.
_READING_DEFAULTS: Mapping[str, object] = {
    "max.partition.fetch.bytes": 8 * 1024 * 1024,
    "prefetch.memory.bytes": 8 * 1024 * 1024,
}
_READING_RULES: Mapping[str, object] = {"auto.offset.reset": "none", "allow.auto.create.topics": False}
_NAMES: Mapping[type[ConnectionSettings], frozenset[str]] = {
    kind: frozenset({*map(dotted, rules_of(kind)), *SYNONYMS, *ELSEWHERE})
    for kind in (ConsumerSettings, ProducerSettings, AdminSettings)
}


class SparkOptionError(ValueError):
    """An option that can't be followed: one line that names it and says what to change."""


def client_settings(
    options: Mapping[str, str], refused: Mapping[str, str], kind: type[ConnectionSettings]
) -> dict[str, str]:
    """The settings for a client of this kind, without the prefix. Spark has made names lower-case, as Kafka's are anyway.

    What other clients call otherwise, or write with underscores, gets Kafka's name here: whoever looks for a setting, or has
    a value of its own for it, finds it by that only.

    Many a job gives readers and writers the same options; what only the other one knows has no effect, as in Kafka. Nor has
    what is about the metrics of a client in Java: a job that is moved here may have it.
    """
    settings: dict[str, str] = {}
    for name, value in options.items():
        lower = name.lower()
        if not lower.startswith(PREFIX):
            continue
        setting = dotted(lower.removeprefix(PREFIX))
        setting = SYNONYMS.get(setting, setting)
        if setting in refused:
            raise SparkOptionError(f"{PREFIX}{setting} can't be set: {refused[setting]}")
        if value in _SO_ANYWAY.get(setting, ()):
            continue
        if setting.startswith(_KERBEROS):
            _warn_without_effect(setting, "there is no GSSAPI, and nothing else asks for it")
            continue
        if _is_of_another(setting, kind):
            _warn_without_effect(setting, "clients of another kind have it")
            continue
        if settings.setdefault(setting, value) != value:
            raise SparkOptionError(f"{PREFIX}{setting} is given twice, with different values")
    if not settings.get("bootstrap.servers", "").strip():
        hint = " (bootstrap.servers needs the prefix kafka.)" if "bootstrap.servers" in options else ""
        raise SparkOptionError(f"{BOOTSTRAP} must be set: the brokers to begin with, each HOST:PORT{hint}")
    return settings


def admin_settings(settings: Mapping[str, str]) -> dict[str, object]:
    """Those of the settings of a consumer or producer that an admin knows: how to reach the cluster."""
    rules = rules_of(AdminSettings)
    return {
        name: value
        for name, value in settings.items()
        if SYNONYMS.get(name, name).replace(".", "_") in rules and name != "retries"
    }


def check_settings(kind: type[ConnectionSettings], settings: Mapping[str, str], **others: object) -> None:
    """SparkOptionError if a client of this kind can't have these settings, with others that the user has not given."""
    for name, value in settings.items():
        _check_name(kind, name)
        _check_store(dotted(name), value)
    try:
        resolved = resolve(kind, others, settings)
        parse_bootstrap(resolved.bootstrap_servers)
        check_jaas(resolved)
    except ClientConfigError as error:
        raise SparkOptionError(f"{PREFIX}{error}") from None


def _check_name(kind: type[ConnectionSettings], name: str) -> None:
    plain = dotted(name)
    if plain not in _NAMES[kind]:
        close = difflib.get_close_matches(name, _NAMES[kind], 1)
        suggestion = f"; did you mean {PREFIX}{close[0]}?" if close else ""
        raise SparkOptionError(f"{PREFIX}{name}: there is no such setting of the client{suggestion}")
    if plain in _INSTEAD:
        raise SparkOptionError(f"{PREFIX}{name} has no meaning here: {_INSTEAD[plain]}")


def _check_store(name: str, kind: str) -> None:
    """Java's stores have no reader in Python; whoever has one is told what to do with it."""
    if name in _STORES and kind in ("JKS", "PKCS12"):
        first = (
            "keytool -importkeystore -srckeystore JKS -destkeystore STORE -deststoretype PKCS12, then "
            if kind == "JKS"
            else ""
        )
        raise SparkOptionError(
            f"{PREFIX}{name}: {kind} is not read, only PEM is: {first}openssl pkcs12 -in STORE {_STORES[name]} -out"
            f" STORE.pem, and leave out the store's password"
        )


def _is_of_another(name: str, kind: type[ConnectionSettings]) -> bool:
    if name in JAVA_METRICS:
        return True
    return name not in _NAMES[kind] and any(name in names for names in _NAMES.values())


@cache
def _warn_without_effect(setting: str, reason: str) -> None:
    """Once in a process: Spark asks for the settings of every batch."""
    _log.warning("%s%s has no effect here: %s", PREFIX, setting, reason)


def consumer_settings(settings: Mapping[str, str]) -> dict[str, object]:
    """For one who reads what it is told to, in no group; SparkOptionError if the settings can't be."""
    check_settings(ConsumerSettings, settings)
    own = {name: value for name, value in settings.items() if name not in _OF_A_MEMBER}
    return {**_READING_DEFAULTS, **own, **_READING_RULES}
