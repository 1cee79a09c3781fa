"""From settings to how a connection is protected: the TLS context and the credentials."""

import asyncio
import random
import secrets
import ssl

from snakka.client.errors import ClientConfigError
from snakka.client.retry_policy import Backoff
from snakka.client.settings import ConnectionSettings
from snakka.network.peer_connection import PLAINTEXT, PeerSecurity
from snakka.runtime.clock import Clock
from snakka.security.bearer_tokens import BearerTokens, Provider, RefreshRules
from snakka.security.client_authentication import (
    BearerCredentials,
    Credentials,
    CredentialsError,
    PlainCredentials,
    ScramCredentials,
)
from snakka.security.jaas import JaasError, parse_jaas
from snakka.security.sasl.oauthbearer import BearerToken
from snakka.security.tls_contexts import TlsError, TlsFiles, client_context
from snakka.security.token_endpoint import TokenEndpoint

# A login is renewed after a part of its life that lies between these.
_RENEW_EARLIEST = 0.85
_RENEW_LATEST = 0.95
_NONCE_BYTES = 24
_TOKEN_SECONDS = 10.0
_TOKEN_ATTEMPTS = 4
_JAAS_EXTENSION = "extension_"


def peer_security(settings: ConnectionSettings, clock: Clock, chance: random.Random) -> PeerSecurity:
    """How connections are opened; ClientConfigError if a certificate or a credential is missing or can't be read."""
    if settings.security_protocol == "PLAINTEXT":
        return PLAINTEXT
    return PeerSecurity(
        _tls(settings) if settings.uses_tls else None,
        _credentials(settings, clock, chance) if settings.uses_sasl else None,
        chance.uniform(_RENEW_EARLIEST, _RENEW_LATEST),
    )


def check_jaas(settings: ConnectionSettings) -> None:
    """ClientConfigError if sasl.jaas.config is there but is no way to log in; it asks nobody, and reads no file."""
    if settings.uses_sasl and settings.sasl_jaas_config is not None:
        options = _jaas_options(settings)
        if settings.sasl_mechanism != "OAUTHBEARER":
            _name_and_password(settings, options)


def _tls(settings: ConnectionSettings) -> ssl.SSLContext:
    if settings.ssl_context is not None:
        return settings.ssl_context
    chain_file = settings.ssl_certificate_location or settings.ssl_keystore_location
    files = TlsFiles(
        ca_file=settings.ssl_ca_location or settings.ssl_truststore_location,
        ca_pem=settings.ssl_ca_pem or settings.ssl_truststore_certificates,
        certificate_file=chain_file,
        certificate_pem=settings.ssl_certificate_pem or settings.ssl_keystore_certificate_chain,
        key_file=settings.ssl_key_location,
        key_pem=settings.ssl_key_pem or settings.ssl_keystore_key,
        key_password=settings.ssl_key_password,
    )
    try:
        return client_context(
            files,
            versions=settings.ssl_enabled_protocols,
            ciphers=settings.ssl_cipher_suites,
            checks_host_name=settings.ssl_endpoint_identification_algorithm == "https",
            checks_certificate=settings.enable_ssl_certificate_verification,
        )
    except TlsError as error:
        raise ClientConfigError(str(error)) from None


def _credentials(settings: ConnectionSettings, clock: Clock, chance: random.Random) -> Credentials:
    mechanism = settings.sasl_mechanism
    assert mechanism is not None  # the settings were checked
    options = _jaas_options(settings)
    if mechanism == "OAUTHBEARER":
        return BearerCredentials(_tokens(settings, options, clock, chance))
    username, password = _name_and_password(settings, options)
    if mechanism == "PLAIN":
        return PlainCredentials(username, password)
    by_token = options.get("tokenauth", "").lower() == "true"
    return ScramCredentials(
        mechanism,
        username,
        password,
        lambda: secrets.token_urlsafe(_NONCE_BYTES),
        {"tokenauth": "true"} if by_token else None,
    )


def _name_and_password(settings: ConnectionSettings, options: dict[str, str]) -> tuple[str, str]:
    username = settings.sasl_username if settings.sasl_username is not None else options.get("username")
    password = settings.sasl_password if settings.sasl_password is not None else options.get("password")
    if username is not None and password is not None:
        return username, password
    mechanism = f"sasl.mechanism={settings.sasl_mechanism}"
    if settings.sasl_jaas_config is not None:
        missing = "username" if username is None else "password"
        raise ClientConfigError(f"sasl.jaas.config has no {missing}, which {mechanism} needs")
    raise ClientConfigError(f"{mechanism} needs sasl.username and sasl.password, or both in sasl.jaas.config")


def _jaas_options(settings: ConnectionSettings) -> dict[str, str]:
    if settings.sasl_jaas_config is None:
        return {}
    try:
        return parse_jaas(settings.sasl_jaas_config).options
    except JaasError as error:
        raise ClientConfigError(f"sasl.jaas.config {error}") from None


def _tokens(
    settings: ConnectionSettings, options: dict[str, str], clock: Clock, chance: random.Random
) -> BearerTokens:
    jitter = settings.sasl_login_refresh_window_jitter * chance.random()
    rules = RefreshRules(
        min(settings.sasl_login_refresh_window_factor + jitter, 1.0),
        settings.sasl_login_refresh_min_period_seconds * 1000,
        settings.sasl_login_refresh_buffer_seconds * 1000,
    )
    backoff = Backoff.of_ms(
        settings.sasl_login_retry_backoff_ms, settings.sasl_login_retry_backoff_max_ms, chance
    )
    provider = _provider(settings, options, clock, backoff)
    return BearerTokens(provider, clock, _extensions(settings, options), rules)


def _provider(
    settings: ConnectionSettings, options: dict[str, str], clock: Clock, backoff: Backoff
) -> Provider:
    if settings.sasl_oauthbearer_token_provider is not None:
        return settings.sasl_oauthbearer_token_provider
    token = settings.sasl_oauthbearer_token
    if token is not None:
        return lambda: token
    url = settings.sasl_oauthbearer_token_endpoint_url
    client_id = settings.sasl_oauthbearer_client_credentials_client_id or options.get("clientId")
    client_secret = settings.sasl_oauthbearer_client_credentials_client_secret or options.get("clientSecret")
    if url is not None and not url.startswith(("https:", "http:")):
        raise ClientConfigError("sasl.oauthbearer.token.endpoint.url must begin with https: or http:")
    if url is not None and client_id and client_secret is not None:
        timeouts = (settings.sasl_login_connect_timeout_ms, settings.sasl_login_read_timeout_ms)
        endpoint = TokenEndpoint(
            url,
            client_id,
            client_secret,
            settings.sasl_oauthbearer_scope or options.get("scope"),
            settings.sasl_oauthbearer_header_urlencode,
            max((each / 1000 for each in timeouts if each), default=_TOKEN_SECONDS),
            _endpoint_tls(settings) if url.startswith("https:") else None,
        )
        return lambda: _fetched(endpoint, clock, backoff)
    raise ClientConfigError(
        "sasl.mechanism=OAUTHBEARER needs sasl.oauthbearer.token.endpoint.url, with"
        " sasl.oauthbearer.client.credentials.client.id and client.secret (or clientId and clientSecret in"
        " sasl.jaas.config); or sasl.oauthbearer.token; or, in Python, sasl.oauthbearer.token.provider, a function"
        " that returns a token"
    )


def _endpoint_tls(settings: ConnectionSettings) -> ssl.SSLContext:
    """A token endpoint is seldom certified by who certifies the brokers."""
    try:
        return client_context(TlsFiles(ca_file=settings.https_ca_location))
    except TlsError as error:
        raise ClientConfigError(f"https.ca.location: {error}") from None


async def _fetched(endpoint: TokenEndpoint, clock: Clock, backoff: Backoff) -> BearerToken:
    """A token of the endpoint, which is asked again if it fails in a way that passes."""
    failures = 0
    while True:
        try:
            return await asyncio.to_thread(endpoint.fetch, clock.now_ms())
        except CredentialsError as error:
            failures += 1
            if not error.passes or failures == _TOKEN_ATTEMPTS:
                raise
            await asyncio.sleep(backoff.seconds(failures))


def _extensions(settings: ConnectionSettings, options: dict[str, str]) -> dict[str, str]:
    extensions = {
        name.removeprefix(_JAAS_EXTENSION): value
        for name, value in options.items()
        if name.startswith(_JAAS_EXTENSION)
    }
    for entry in settings.sasl_oauthbearer_extensions:
        name, equals, value = entry.partition("=")
        if not equals:
            raise ClientConfigError("sasl.oauthbearer.extensions: entries must look like NAME=VALUE")
        extensions[name] = value
    return extensions
