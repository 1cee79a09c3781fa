"""What clients take as keywords, for type checkers and editors: Kafka's names, with underscores for dots."""
# GENERATED from client/settings.py by `make generate`: do not edit.

from __future__ import annotations

import ssl
from collections.abc import Callable, Sequence
from typing import Any, TypedDict

from snakka.client.settings import TokenProvider


class ConnectionKeywords(TypedDict, total=False):
    """What every client takes."""

    bootstrap_servers: str | Sequence[str] | None
    client_id: str | None
    client_rack: str | None
    client_dns_lookup: str | None
    request_timeout_ms: int | None
    default_api_timeout_ms: int | None
    retry_backoff_ms: int | None
    retry_backoff_max_ms: int | None
    reconnect_backoff_ms: int | None
    reconnect_backoff_max_ms: int | None
    socket_connection_setup_timeout_ms: int | None
    socket_connection_setup_timeout_max_ms: int | None
    connections_max_idle_ms: int | None
    send_buffer_bytes: int | None
    receive_buffer_bytes: int | None
    metadata_max_age_ms: int | None
    metadata_max_idle_ms: int | None
    metadata_recovery_strategy: str | None
    metadata_recovery_rebootstrap_trigger_ms: int | None
    enable_metrics_push: bool | None
    security_protocol: str | None
    ssl_context: ssl.SSLContext | None
    ssl_ca_location: str | None
    ssl_ca_pem: str | None
    ssl_certificate_location: str | None
    ssl_certificate_pem: str | None
    ssl_key_location: str | None
    ssl_key_pem: str | None
    ssl_key_password: str | None
    ssl_truststore_location: str | None
    ssl_truststore_certificates: str | None
    ssl_truststore_type: str | None
    ssl_keystore_location: str | None
    ssl_keystore_certificate_chain: str | None
    ssl_keystore_key: str | None
    ssl_keystore_type: str | None
    ssl_enabled_protocols: str | Sequence[str] | None
    ssl_cipher_suites: str | Sequence[str] | None
    ssl_endpoint_identification_algorithm: str | None
    enable_ssl_certificate_verification: bool | None
    sasl_mechanism: str | None
    sasl_username: str | None
    sasl_password: str | None
    sasl_jaas_config: str | None
    sasl_oauthbearer_token_provider: TokenProvider | None
    sasl_oauthbearer_token: str | None
    sasl_oauthbearer_extensions: str | Sequence[str] | None
    sasl_oauthbearer_token_endpoint_url: str | None
    sasl_oauthbearer_client_credentials_client_id: str | None
    sasl_oauthbearer_client_credentials_client_secret: str | None
    https_ca_location: str | None
    sasl_oauthbearer_scope: str | None
    sasl_oauthbearer_header_urlencode: bool | None
    sasl_login_connect_timeout_ms: int | None
    sasl_login_read_timeout_ms: int | None
    sasl_login_retry_backoff_ms: int | None
    sasl_login_retry_backoff_max_ms: int | None
    sasl_login_refresh_window_factor: float | None
    sasl_login_refresh_window_jitter: float | None
    sasl_login_refresh_min_period_seconds: int | None
    sasl_login_refresh_buffer_seconds: int | None


class ProducerKeywords(ConnectionKeywords, total=False):
    """What a producer takes."""

    acks: str | int | None
    retries: int | None
    delivery_timeout_ms: int | None
    linger_ms: float | None
    batch_size: int | None
    buffer_memory: int | None
    max_block_ms: int | None
    max_request_size: int | None
    max_in_flight_requests_per_connection: int | None
    compression_type: str | None
    compression_gzip_level: int | None
    compression_lz4_level: int | None
    compression_zstd_level: int | None
    enable_idempotence: bool | None
    transactional_id: str | None
    transaction_timeout_ms: int | None
    transaction_two_phase_commit_enable: bool | None
    partitioner: Callable[..., int] | None
    partitioner_ignore_keys: bool | None
    partitioner_adaptive_partitioning_enable: bool | None
    partitioner_availability_timeout_ms: int | None
    key_serializer: Callable[[Any], bytes | None] | None
    value_serializer: Callable[[Any], bytes | None] | None


class ConsumerKeywords(ConnectionKeywords, total=False):
    """What a consumer takes."""

    group_id: str | None
    group_instance_id: str | None
    group_protocol: str | None
    group_remote_assignor: str | None
    partition_assignment_strategy: str | Sequence[str] | None
    session_timeout_ms: int | None
    heartbeat_interval_ms: int | None
    max_poll_interval_ms: int | None
    max_poll_records: int | None
    auto_offset_reset: str | None
    enable_auto_commit: bool | None
    auto_commit_interval_ms: int | None
    isolation_level: str | None
    allow_auto_create_topics: bool | None
    exclude_internal_topics: bool | None
    check_crcs: bool | None
    fetch_min_bytes: int | None
    fetch_max_bytes: int | None
    fetch_max_wait_ms: int | None
    max_partition_fetch_bytes: int | None
    prefetch_memory_bytes: int | None
    key_deserializer: Callable[[bytes], Any] | None
    value_deserializer: Callable[[bytes], Any] | None


class AdminKeywords(ConnectionKeywords, total=False):
    """What an admin takes."""

    retries: int | None
    bootstrap_controllers: str | Sequence[str] | None
