"""The options of the sink, read once, on the driver.

Rule: whatever can be found wrong without a broker is found here, and said in one line that names the option.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from snakka.client.settings import ProducerSettings
from snakka.spark.client_settings import (
    REFUSED_WRITING,
    SparkOptionError,
    admin_settings,
    check_settings,
    client_settings,
)
from snakka.spark.option_names import warn_of_near_misses

TOPIC = "topic"
DELIVERY_GUARANTEE = "deliveryGuarantee"
DECISION_TOPIC = "decisionTopic"
TRANSACTION_TIMEOUT_MS = "transactionTimeoutMs"
TXN_APP_ID = "txnAppId"
TXN_VERSION = "txnVersion"
DEFAULT_DECISION_TOPIC = "_snakka_spark_decisions"
_NAMES = (TOPIC, DELIVERY_GUARANTEE, DECISION_TOPIC, TRANSACTION_TIMEOUT_MS, TXN_APP_ID, TXN_VERSION)

_REFUSED = {
    **REFUSED_WRITING,
    "transactional.id": f"the sink names its transactions itself; set {DELIVERY_GUARANTEE}=exactly-once to have them",
    "transaction.timeout.ms": f"set {TRANSACTION_TIMEOUT_MS}",
    "transaction.two.phase.commit.enable": f"the sink has two phases of its own; set {DELIVERY_GUARANTEE}=exactly-once",
}


class DeliveryGuarantee(Enum):
    """What is promised about a row that Spark has counted as written."""

    AT_LEAST_ONCE = "at-least-once"
    EXACTLY_ONCE = "exactly-once"


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """What the user has said. Settings are of the client, by Kafka's names."""

    topic: str | None
    guarantee: DeliveryGuarantee
    decision_topic: str
    transaction_timeout_ms: int | None  # None: as long as brokers allow
    name_of_batch: tuple[str, int] | None  # a name and a number that stay when a batch job is run again
    settings: Mapping[str, str]
    connection: Mapping[str, object]  # those of them that every client has

    @property
    def is_exactly_once(self) -> bool:
        return self.guarantee is DeliveryGuarantee.EXACTLY_ONCE


def write_options(options: Mapping[str, str]) -> WriteOptions:
    """SparkOptionError if they can't be followed. Names are found in any case, as Spark's are."""
    warn_of_near_misses(options, _NAMES)
    lower = {name.lower(): value for name, value in options.items()}
    settings = client_settings(lower, _REFUSED, ProducerSettings)
    guarantee = _guarantee(lower)
    topic = lower.get(TOPIC, "").strip() or None
    read = WriteOptions(
        topic,
        guarantee,
        lower.get(DECISION_TOPIC.lower(), "").strip() or DEFAULT_DECISION_TOPIC,
        _positive(lower, TRANSACTION_TIMEOUT_MS),
        _name_of_batch(lower, guarantee),
        settings,
        admin_settings(settings),
    )
    _check_settings(read)
    return read


def _guarantee(options: Mapping[str, str]) -> DeliveryGuarantee:
    given = options.get(DELIVERY_GUARANTEE.lower(), DeliveryGuarantee.AT_LEAST_ONCE.value)
    try:
        return DeliveryGuarantee(given.strip().lower())
    except ValueError:
        known = " or ".join(each.value for each in DeliveryGuarantee)
        raise SparkOptionError(f"{DELIVERY_GUARANTEE} must be {known}, not {given!r}") from None


def _positive(options: Mapping[str, str], name: str) -> int | None:
    given = options.get(name.lower())
    if given is None:
        return None
    if not given.strip().isdecimal() or not int(given):
        raise SparkOptionError(f"{name} must be a number above 0, not {given!r}")
    return int(given)


def _name_of_batch(options: Mapping[str, str], guarantee: DeliveryGuarantee) -> tuple[str, int] | None:
    """As the idempotent writes of tables have it: who runs a job again gives the same name and number."""
    name, number = options.get(TXN_APP_ID.lower()), options.get(TXN_VERSION.lower())
    if name is None and number is None:
        return None
    if not name or number is None or not number.strip().isdecimal():
        raise SparkOptionError(
            f"{TXN_APP_ID} and {TXN_VERSION} belong together: a name, and a number that grows with each write"
        )
    if guarantee is not DeliveryGuarantee.EXACTLY_ONCE:
        raise SparkOptionError(f"{TXN_APP_ID} and {TXN_VERSION} need {DELIVERY_GUARANTEE}=exactly-once")
    return name, int(number)


def _check_settings(options: WriteOptions) -> None:
    transactions = {"transactional_id": "any"} if options.is_exactly_once else {}
    check_settings(ProducerSettings, options.settings, **transactions)
