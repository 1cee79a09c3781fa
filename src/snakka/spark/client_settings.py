"""The options that begin with `kafka.`: settings of the client, by the names that Kafka has for them.

Rule: what Spark's own connector refuses is refused here, with the same reason; what no client knows is refused by the
client's own settings, which say what was probably meant. Values of secrets never appear in an error.
"""

from collections.abc import Mapping

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


class SparkOptionError(ValueError):
    """An option that can't be followed: one line that names it and says what to change."""


def client_settings(options: Mapping[str, str], refused: Mapping[str, str]) -> dict[str, str]:
    """The settings for a client, without the prefix. Spark has made the names lower-case, as Kafka's are anyway."""
    settings: dict[str, str] = {}
    for name, value in options.items():
        lower = name.lower()
        if not lower.startswith(PREFIX):
            continue
        setting = lower.removeprefix(PREFIX)
        if setting in refused:
            raise SparkOptionError(f"kafka.{setting} can't be set: {refused[setting]}")
        settings[setting] = value
    if not settings.get("bootstrap.servers", "").strip():
        raise SparkOptionError(f"{BOOTSTRAP} must be set: the brokers to begin with, each HOST:PORT")
    return settings
