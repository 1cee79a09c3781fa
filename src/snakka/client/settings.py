"""Every setting of the client, declared once: connections for all, and what producers, consumers and admins add.

Rule: names, defaults and bounds are Kafka's; what librdkafka calls otherwise is known under that name too. Settings never
change after `resolve`, which has checked that they fit together.
"""

# ruff: noqa: RUF009 -- the functions that declare settings give dataclass fields

import ssl
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Self, TypeVar

from snakka.client.errors import ClientConfigError
from snakka.client.setting_names import ELSEWHERE, SYNONYMS, assignor_name, parse_duration_ms
from snakka.client.setting_rules import (
    HIDDEN,
    Vocabulary,
    dotted,
    entries,
    flag,
    gather,
    number,
    python_object,
    real,
    rules_of,
    secret,
    text,
)

if TYPE_CHECKING:
    from snakka.security.sasl.oauthbearer import BearerToken

PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER")
COMPRESSIONS = ("none", "gzip", "snappy", "lz4", "zstd")
ALL_REPLICAS = -1
# Kafka keeps the last five batches of a producer, so no more may be under way if none is to be written twice.
MOST_IN_FLIGHT_IDEMPOTENT = 5

TokenProvider = Callable[[], "str | BearerToken | Awaitable[str | BearerToken]"]
S = TypeVar("S", bound="ConnectionSettings")


@dataclass(frozen=True, kw_only=True, repr=False)
class ConnectionSettings:
    """What every client needs to reach a cluster."""

    given: frozenset[str] = field(default=frozenset())  # the keywords that somebody has set

    bootstrap_servers: tuple[str, ...] = entries((), "Brokers to begin with, each HOST:PORT.")
    client_id: str = text("", "The name that brokers log and count this client under.")
    client_rack: str = text("", "Where this client is, so that it can be served from nearby.")
    client_dns_lookup: str = text(
        "use_all_dns_ips",
        "Whether bootstrap names are replaced by the canonical names of all their addresses.",
        choices=("use_all_dns_ips", "resolve_canonical_bootstrap_servers_only"),
    )
    request_timeout_ms: int = number(30_000, "How long a broker may take to answer.")
    default_api_timeout_ms: int = number(60_000, "How long a call may take, with all its attempts.")
    retry_backoff_ms: int = number(100, "The first pause before something is tried again.")
    retry_backoff_max_ms: int = number(1_000, "The longest pause before something is tried again.")
    reconnect_backoff_ms: int = number(50, "The first pause before a broker is dialled again.")
    reconnect_backoff_max_ms: int = number(1_000, "The longest pause before a broker is dialled again.")
    socket_connection_setup_timeout_ms: int = number(
        10_000, "How long one address may take to answer; it doubles with every failure.", lowest=1
    )
    socket_connection_setup_timeout_max_ms: int = number(
        30_000, "How long one address may take at most.", lowest=1
    )
    connections_max_idle_ms: int = number(
        540_000, "An unused connection is closed after this; -1 never.", lowest=-1
    )
    send_buffer_bytes: int = number(-1, "The system's send buffer; -1 leaves it alone.", lowest=-1)
    receive_buffer_bytes: int = number(-1, "The system's receive buffer; -1 leaves it alone.", lowest=-1)
    metadata_max_age_ms: int = number(300_000, "How old what is known of the cluster may become.")
    metadata_max_idle_ms: int = number(
        300_000, "A topic that nobody used for this long is not asked for any more.", lowest=5_000
    )
    metadata_recovery_strategy: str = text(
        "rebootstrap",
        "What to do when no known broker answers: begin again with bootstrap.servers, or nothing.",
        choices=("none", "rebootstrap"),
        any_case=True,
    )
    metadata_recovery_rebootstrap_trigger_ms: int = number(
        300_000, "After so long without news of the cluster it begins again with bootstrap.servers."
    )
    enable_metrics_push: bool = flag(True, "Whether brokers get this client's metrics if they ask for them.")

    security_protocol: str = text(
        "PLAINTEXT", "Whether there is TLS, and a login.", choices=PROTOCOLS, any_case=True
    )
    ssl_context: ssl.SSLContext | None = python_object(
        "A ready ssl.SSLContext, instead of all ssl settings below."
    )
    ssl_ca_location: str | None = text(None, "A PEM file, or a directory, of certificates to trust.")
    ssl_ca_pem: str | None = text(None, "Certificates to trust, as PEM.")
    ssl_certificate_location: str | None = text(None, "A PEM file with this client's certificate chain.")
    ssl_certificate_pem: str | None = text(None, "This client's certificate chain, as PEM.")
    ssl_key_location: str | None = text(None, "A PEM file with this client's private key.")
    ssl_key_pem: str | None = secret("This client's private key, as PEM.")
    ssl_key_password: str | None = secret("The password of the private key.")
    ssl_truststore_location: str | None = text(None, "As ssl.ca.location.")
    ssl_truststore_certificates: str | None = text(None, "As ssl.ca.pem.")
    ssl_truststore_type: str = text("PEM", "The format of the trust store.", choices=("PEM",))
    ssl_keystore_location: str | None = text(None, "A PEM file with both the private key and the chain.")
    ssl_keystore_certificate_chain: str | None = text(None, "As ssl.certificate.pem.")
    ssl_keystore_key: str | None = secret("As ssl.key.pem.")
    ssl_keystore_type: str = text("PEM", "The format of the key store.", choices=("PEM",))
    ssl_enabled_protocols: tuple[str, ...] = entries(
        ("TLSv1.2", "TLSv1.3"), "The TLS versions that may be used.", choices=("TLSv1.2", "TLSv1.3")
    )
    ssl_cipher_suites: tuple[str, ...] = entries((), "Ciphers of TLS 1.2, by OpenSSL's names.")
    ssl_endpoint_identification_algorithm: str = text(
        "https",
        "How a broker's name is checked against its certificate; empty does not.",
        choices=("https", ""),
    )
    enable_ssl_certificate_verification: bool = flag(
        True, "Whether a broker's certificate is checked at all."
    )

    sasl_mechanism: str | None = text(None, "How to log in.", choices=MECHANISMS, any_case=True)
    sasl_username: str | None = text(None, "The user of PLAIN and SCRAM.")
    sasl_password: str | None = secret("The password of PLAIN and SCRAM.")
    sasl_jaas_config: str | None = secret("User and password in the notation of Java's clients.")
    sasl_oauthbearer_token_provider: TokenProvider | None = python_object(
        "A function, or a coroutine function, that returns a token."
    )
    sasl_oauthbearer_token: str | None = secret("A token that does not change.")
    sasl_oauthbearer_extensions: tuple[str, ...] = entries(
        (), "What is sent beside the token, each NAME=VALUE."
    )
    sasl_oauthbearer_token_endpoint_url: str | None = text(
        None, "Where tokens are had by client credentials."
    )
    sasl_oauthbearer_client_credentials_client_id: str | None = text(
        None, "The id of the client credentials."
    )
    sasl_oauthbearer_client_credentials_client_secret: str | None = secret(
        "The secret of the client credentials."
    )
    https_ca_location: str | None = text(
        None, "A PEM file of certificates to trust for the token endpoint, instead of the system's."
    )
    sasl_oauthbearer_scope: str | None = text(None, "The scope that is asked for.")
    sasl_oauthbearer_header_urlencode: bool = flag(
        False, "Whether id and secret are URL-encoded before they become a header."
    )
    sasl_login_connect_timeout_ms: int | None = number(
        None, "How long the token endpoint may take to answer."
    )
    sasl_login_read_timeout_ms: int | None = number(None, "How long the token endpoint may be silent.")
    sasl_login_retry_backoff_ms: int = number(
        100, "The first pause before the token endpoint is asked again."
    )
    sasl_login_retry_backoff_max_ms: int = number(10_000, "The longest such pause.")
    sasl_login_refresh_window_factor: float = real(
        0.8, "The part of a token's life after which a new one is had.", lowest=0.5, highest=1.0
    )
    sasl_login_refresh_window_jitter: float = real(
        0.05, "A random part of a token's life that is added.", lowest=0.0, highest=0.25
    )
    sasl_login_refresh_min_period_seconds: int = number(60, "The shortest time between two.", highest=900)
    sasl_login_refresh_buffer_seconds: int = number(
        300, "How long before its end a token is replaced at the latest.", highest=3600
    )

    @property
    def uses_tls(self) -> bool:
        return self.security_protocol in ("SSL", "SASL_SSL")

    @property
    def uses_sasl(self) -> bool:
        return self.security_protocol in ("SASL_PLAINTEXT", "SASL_SSL")

    @property
    def request_seconds(self) -> float:
        return self.request_timeout_ms / 1000

    def __repr__(self) -> str:
        rules = rules_of(type(self))
        shown = (
            f"{each.name}={HIDDEN if rules[each.name].is_secret else repr(getattr(self, each.name))}"
            for each in fields(self)
            if each.name in self.given
        )
        return f"{type(self).__name__}({', '.join(shown)})"

    def settled(self) -> Self:
        """The same with what follows from several settings; ClientConfigError if they do not fit together."""
        if not self.bootstrap_servers:
            raise ClientConfigError("bootstrap.servers is needed, for example 127.0.0.1:9092")
        if self.uses_sasl and self.sasl_mechanism is None:
            raise ClientConfigError(
                f"security.protocol={self.security_protocol} needs sasl.mechanism: {', '.join(MECHANISMS)}"
            )
        return self


@dataclass(frozen=True, kw_only=True, repr=False)
class ProducerSettings(ConnectionSettings):
    """What a producer adds."""

    acks: str = text("all", "Whose acknowledgement is waited for.", choices=("all", "-1", "0", "1"))
    retries: int = number(2_147_483_647, "How often a batch is sent again, within delivery.timeout.ms.")
    delivery_timeout_ms: int = number(120_000, "How long a record may take from send to acknowledgement.")
    linger_ms: float = real(5, "How long a batch waits for more records.", lowest=0, highest=2**31)
    batch_size: int = number(16_384, "The size at which a batch is sent at once.")
    buffer_memory: int = number(33_554_432, "How many bytes may wait to be sent.")
    max_block_ms: int = number(60_000, "How long send may wait for memory or for the topic.")
    max_request_size: int = number(1_048_576, "The largest request, and so the largest record.")
    max_in_flight_requests_per_connection: int = number(5, "Requests without an answer, a broker.", lowest=1)
    compression_type: str = text("none", "How batches are compressed.", choices=COMPRESSIONS)
    compression_gzip_level: int = number(-1, "gzip's level.", lowest=1, highest=9, also=-1)
    compression_lz4_level: int = number(9, "lz4's level.", lowest=1, highest=17)
    compression_zstd_level: int = number(3, "zstd's level.", lowest=-131_072, highest=22)
    enable_idempotence: bool = flag(True, "Whether retries can neither reorder nor duplicate.")
    transactional_id: str | None = text(None, "The name under which transactions are made.")
    transaction_timeout_ms: int = number(60_000, "How long a transaction may be open.", lowest=1)
    transaction_two_phase_commit_enable: bool = flag(
        False, "Whether transactions are prepared and ended by another system."
    )
    partitioner: Callable[..., int] | None = python_object(
        "A function of topic, key, value and number of partitions that chooses one."
    )
    partitioner_ignore_keys: bool = flag(False, "Whether records with a key are spread like those without.")
    partitioner_adaptive_partitioning_enable: bool = flag(True, "Whether slower brokers get fewer records.")
    partitioner_availability_timeout_ms: int = number(
        0, "After so long without taking a batch a partition is avoided; 0 never."
    )
    key_serializer: Callable[[Any], bytes | None] | None = python_object("Makes bytes of a key.")
    value_serializer: Callable[[Any], bytes | None] | None = python_object("Makes bytes of a value.")

    @property
    def required_acks(self) -> int:
        """As a Produce request has it."""
        return ALL_REPLICAS if self.acks == "all" else int(self.acks)

    def settled(self) -> Self:
        settled = super().settled()
        if settled.acks == "-1":
            settled = replace(settled, acks="all")
        return settled._with_idempotence()._with_delivery_time()

    def _with_idempotence(self) -> Self:
        obstacle = self._obstacle_to_idempotence()
        if obstacle is None or not self.enable_idempotence:
            if self.transactional_id is not None and not self.enable_idempotence:
                raise ClientConfigError("transactional.id needs enable.idempotence=true")
            return self
        for wanted in ("transactional_id", "enable_idempotence"):
            if wanted in self.given:
                raise ClientConfigError(f"{dotted(wanted)} needs {obstacle}")
        return replace(self, enable_idempotence=False)

    def _obstacle_to_idempotence(self) -> str | None:
        if self.acks != "all":
            return "acks=all"
        if self.retries == 0:
            return "retries above 0"
        if self.max_in_flight_requests_per_connection > MOST_IN_FLIGHT_IDEMPOTENT:
            return f"max.in.flight.requests.per.connection of at most {MOST_IN_FLIGHT_IDEMPOTENT}"
        return None

    def _with_delivery_time(self) -> Self:
        least = int(self.linger_ms) + self.request_timeout_ms
        if self.delivery_timeout_ms >= least:
            return self
        if "delivery_timeout_ms" in self.given:
            raise ClientConfigError(
                f"delivery.timeout.ms must be at least linger.ms + request.timeout.ms, which is {least}"
            )
        return replace(self, delivery_timeout_ms=least)


@dataclass(frozen=True, kw_only=True, repr=False)
class ConsumerSettings(ConnectionSettings):
    """What a consumer adds."""

    group_id: str | None = text(None, "The group that shares the partitions.")
    group_instance_id: str | None = text(None, "A name that stays when the member restarts.")
    group_protocol: str = text(
        "classic", "Who assigns: a member, or the broker.", choices=("classic", "consumer"), any_case=True
    )
    group_remote_assignor: str | None = text(None, "The broker's assignor, for group.protocol=consumer.")
    partition_assignment_strategy: tuple[str, ...] = entries(
        ("range", "cooperative-sticky"), "The assignors of a classic group, the best first."
    )
    session_timeout_ms: int = number(45_000, "How long a silent member stays in its group.", lowest=1)
    heartbeat_interval_ms: int = number(3_000, "How often a member of a classic group reports.", lowest=1)
    max_poll_interval_ms: int = number(
        300_000, "How long a member may not ask for records before it leaves.", lowest=1
    )
    max_poll_records: int = number(500, "How many records one call returns at most.", lowest=1)
    auto_offset_reset: str = text(
        "latest", "Where to begin without a position: earliest, latest, none, or by_duration:PT1H."
    )
    enable_auto_commit: bool = flag(True, "Whether positions are committed by themselves.")
    auto_commit_interval_ms: int = number(5_000, "How often.")
    isolation_level: str = text(
        "read_uncommitted",
        "Whether records of open and aborted transactions are returned.",
        choices=("read_uncommitted", "read_committed"),
        any_case=True,
    )
    allow_auto_create_topics: bool = flag(True, "Whether asking for a topic may create it.")
    exclude_internal_topics: bool = flag(True, "Whether patterns leave out internal topics.")
    check_crcs: bool = flag(True, "Whether checksums are verified.")
    fetch_min_bytes: int = number(1, "A broker waits until it has so many bytes.")
    fetch_max_bytes: int = number(52_428_800, "The most that one answer has.")
    fetch_max_wait_ms: int = number(500, "How long a broker waits for fetch.min.bytes.")
    max_partition_fetch_bytes: int = number(1_048_576, "The most that one partition has in an answer.")
    prefetch_memory_bytes: int = number(
        67_108_864, "How much is fetched ahead of who reads it; beyond that fetching pauses.", lowest=1
    )
    key_deserializer: Callable[[bytes], Any] | None = python_object("Makes a key of bytes.")
    value_deserializer: Callable[[bytes], Any] | None = python_object("Makes a value of bytes.")

    def settled(self) -> Self:
        settled = super().settled()
        settled._check_group()
        settled._check_reset()
        if settled.group_id is None and settled.enable_auto_commit:
            if "enable_auto_commit" in settled.given:
                raise ClientConfigError("enable.auto.commit needs group.id: there is nowhere to commit to")
            settled = replace(settled, enable_auto_commit=False)
        strategies = tuple(assignor_name(name) for name in settled.partition_assignment_strategy)
        return replace(settled, partition_assignment_strategy=strategies)

    def _check_group(self) -> None:
        if self.group_id == "":
            raise ClientConfigError("group.id must not be empty; leave it out to read without a group")
        if self.group_protocol == "consumer":
            for keyword in ("partition_assignment_strategy", "heartbeat_interval_ms", "session_timeout_ms"):
                if keyword in self.given:
                    raise ClientConfigError(
                        f"{dotted(keyword)} can't be set with group.protocol=consumer: the broker decides it"
                    )
        elif "group_remote_assignor" in self.given:
            raise ClientConfigError("group.remote.assignor needs group.protocol=consumer")
        elif self.heartbeat_interval_ms >= self.session_timeout_ms:
            raise ClientConfigError("heartbeat.interval.ms must be less than session.timeout.ms")
        if not self.partition_assignment_strategy:
            raise ClientConfigError("partition.assignment.strategy must name at least one assignor")

    def _check_reset(self) -> None:
        if self.auto_offset_reset in ("earliest", "latest", "none"):
            return
        if parse_duration_ms(self.auto_offset_reset.removeprefix("by_duration:")) is None:
            raise ClientConfigError(
                f"auto.offset.reset: {self.auto_offset_reset!r} must be earliest, latest, none,"
                " or by_duration: and an ISO 8601 duration such as PT1H"
            )


@dataclass(frozen=True, kw_only=True, repr=False)
class AdminSettings(ConnectionSettings):
    """What an admin adds: with bootstrap.controllers it talks to controllers instead of brokers."""

    retries: int = number(2_147_483_647, "How often a call is tried again, within default.api.timeout.ms.")
    connections_max_idle_ms: int = number(
        300_000, "An unused connection is closed after this; -1 never.", lowest=-1
    )
    enable_metrics_push: bool = flag(False, "As for all, but not unless it is said.")
    bootstrap_controllers: tuple[str, ...] = entries((), "Controllers to begin with, each HOST:PORT.")

    def settled(self) -> Self:
        if self.bootstrap_controllers:
            if self.bootstrap_servers:
                raise ClientConfigError("give bootstrap.servers or bootstrap.controllers, not both")
            return ConnectionSettings.settled(replace(self, bootstrap_servers=self.bootstrap_controllers))
        return super().settled()


def resolve(kind: type[S], given: Mapping[str, object], mapping: Mapping[str, object] | None = None) -> S:
    """The settings of `kind` from keywords and a mapping of Kafka's names; ClientConfigError if that can't be.

    >>> settings = resolve(ProducerSettings, {"linger_ms": 20}, {"bootstrap.servers": "127.0.0.1:9092", "acks": 1})
    >>> settings.linger_ms, settings.required_acks, settings.enable_idempotence
    (20.0, 1, False)
    >>> resolve(ProducerSettings, {"linger": 20})
    Traceback (most recent call last):
    snakka.client.errors.ClientConfigError: there is no setting linger; did you mean linger.ms?
    """
    vocabulary = Vocabulary(rules_of(kind), SYNONYMS, ELSEWHERE)
    values = gather(vocabulary, mapping or {}, given)
    return kind(given=frozenset(values), **values).settled()  # type: ignore[arg-type]
