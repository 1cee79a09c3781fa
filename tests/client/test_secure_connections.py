"""TLS and logins, judged by Apache Kafka: who gets in, and what those are told who do not."""

import asyncio
import base64
import json
import ssl
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.client.awaited_answers import answer
from tests.client.certificates import KEY_PASSWORD
from tests.client.kafka_broker import CLUSTER_ID, PASSWORD, SESSION_MS, USER, KafkaBroker
from tests.client.topic_content import new_name

from snakka.client.admin import Acl, Admin, Operation, ResourceType
from snakka.client.cluster_view import running_cluster
from snakka.client.consumer import Consumer
from snakka.client.errors import AuthenticationError, ClientConfigError, ClientError, NoBrokerError
from snakka.client.producer import Producer
from snakka.client.settings import AdminSettings, resolve
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.metadata import MetadataRequest, MetadataResponse
from snakka.security.sasl.oauthbearer import BearerToken

pytestmark = pytest.mark.slow  # the first test waits for Kafka to start


def token(*, seconds: float = 600, scope: str = "kafka") -> str:
    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    now = time.time() - 5  # Kafka does not take a token of the next millisecond
    claims = {"sub": USER, "iat": now, "exp": now + seconds, "scope": scope}
    return f"{part({'alg': 'none'})}.{part(claims)}."


def content(path: str) -> str:
    return Path(path).read_text()


async def connect(bootstrap: str, **settings: object) -> None:
    """Reach the cluster, and a broker of it, as these settings say."""
    resolved = resolve(AdminSettings, {"bootstrap_servers": bootstrap, **settings})
    async with running_cluster(resolved) as cluster:
        deadline = cluster.clock.monotonic() + 20
        await cluster.connect(deadline)
        assert cluster.cluster_id == CLUSTER_ID
        (node_id,) = cluster.brokers
        await cluster.pool.ask(node_id, MetadataRequest(topics=[]), MetadataResponse, deadline)


def scram(mechanism: str = "SCRAM-SHA-512", password: str = PASSWORD) -> dict[str, object]:
    return {
        "security_protocol": "SASL_PLAINTEXT",
        "sasl_mechanism": mechanism,
        "sasl_username": USER,
        "sasl_password": password,
    }


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])
async def test_a_password_lets_in(kafka: KafkaBroker, mechanism: str) -> None:
    await connect(kafka.sasl, **scram(mechanism))
    over_tls = {"security_protocol": "SASL_SSL", "ssl_ca_location": kafka.certificates.ca}
    await connect(kafka.sasl_tls, **{**scram(mechanism), **over_tls})


async def test_java_s_notation_lets_in(kafka: KafkaBroker) -> None:
    jaas = f'ScramLoginModule required username="{USER}" password="{PASSWORD}";'
    await connect(
        kafka.sasl,
        security_protocol="SASL_PLAINTEXT",
        sasl_mechanism="SCRAM-SHA-256",
        sasl_jaas_config=jaas,
    )


@pytest.mark.parametrize("provide", [token, lambda: BearerToken(token()), lambda: asyncio.sleep(0, token())])
async def test_a_token_lets_in(kafka: KafkaBroker, provide: Callable[[], object]) -> None:
    await connect(
        kafka.sasl,
        security_protocol="SASL_PLAINTEXT",
        sasl_mechanism="OAUTHBEARER",
        sasl_oauthbearer_token_provider=provide,
        sasl_oauthbearer_extensions="tenant=blue",
    )


async def test_a_delegation_token_lets_in_whoever_has_it_until_it_expires(kafka: KafkaBroker) -> None:
    """It is a user's name and password of its own; whoever has it may do what its owner may (KIP-48)."""
    async with Admin(bootstrap_servers=kafka.sasl, **scram()) as admin:
        made = await admin.create_delegation_token(max_lifetime_ms=3_600_000)
        await answer(admin.describe_delegation_tokens, lambda tokens: made in tokens)
        secret = base64.b64encode(made.hmac).decode()
        by_token = {
            "security_protocol": "SASL_PLAINTEXT",
            "sasl_jaas_config": f'ScramLoginModule required username="{made.token_id}" password="{secret}" tokenauth=true;',
        }
        for mechanism in ("SCRAM-SHA-256", "SCRAM-SHA-512"):
            await connect(kafka.sasl, sasl_mechanism=mechanism, **by_token)
        topic = new_name("by-token")
        ours = Acl(f"User:{USER}", Operation.ALL, ResourceType.TOPIC, topic)
        async with Admin(bootstrap_servers=kafka.bootstrap) as everything:
            await everything.create_topic(topic)
            await everything.create_acls([ours])
            await answer(everything.describe_acls, lambda acls: ours in acls)
        settings = {"bootstrap_servers": kafka.sasl, "sasl_mechanism": "SCRAM-SHA-512", **by_token}
        async with (
            Producer(**settings) as producer,
            Consumer(topic, **settings, auto_offset_reset="earliest") as consumer,
            Admin(**settings) as owner,
        ):
            await producer.send_and_wait(topic, b"by its bearer")
            assert (await asyncio.wait_for(consumer.getone(), 20)).value == b"by its bearer"
            with pytest.raises(ApiError, match="DELEGATION_TOKEN_REQUEST_NOT_ALLOWED"):
                await owner.create_delegation_token()  # a token is not had for a token
        await admin.expire_delegation_token(made.hmac)
        await answer(admin.describe_delegation_tokens, lambda tokens: made not in tokens)
        with pytest.raises(AuthenticationError, match="check user, password or token") as caught:
            await connect(kafka.sasl, sasl_mechanism="SCRAM-SHA-512", **by_token)
        assert secret not in str(caught.value)


async def test_certificates_in_every_form_let_in(kafka: KafkaBroker) -> None:
    certificates = kafka.certificates
    trust = {"security_protocol": "SSL", "ssl_ca_location": certificates.ca}
    await connect(kafka.tls, **trust)
    await connect(
        kafka.mutual_tls,
        **trust,
        ssl_certificate_location=certificates.client_chain,
        ssl_key_location=certificates.client_key_encrypted,
        ssl_key_password=KEY_PASSWORD,
    )
    await connect(
        kafka.mutual_tls,
        security_protocol="SSL",
        ssl_truststore_certificates=content(certificates.ca),
        ssl_keystore_certificate_chain=content(certificates.client_chain),
        ssl_keystore_key=content(certificates.client_key),
    )
    await connect(
        kafka.mutual_tls,
        security_protocol="SSL",
        ssl_truststore_type="PEM",
        ssl_truststore_location=certificates.ca,
        ssl_keystore_type="PEM",
        ssl_keystore_location=certificates.client_both,
        ssl_enabled_protocols="TLSv1.2",
    )
    context = ssl.create_default_context(cafile=certificates.ca)
    await connect(kafka.tls, security_protocol="SSL", ssl_context=context)


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256"])
async def test_a_wrong_password_is_named_and_not_shown(kafka: KafkaBroker, mechanism: str) -> None:
    expected = f"can't log in at {kafka.sasl} with {mechanism}: Authentication failed.*check user, password"
    with pytest.raises(AuthenticationError, match=expected) as caught:
        await connect(kafka.sasl, **scram(mechanism, "wrong-one"))
    assert "wrong-one" not in str(caught.value)
    assert not caught.value.retriable


async def test_a_token_that_is_refused(kafka: KafkaBroker) -> None:
    with pytest.raises(
        AuthenticationError, match=r"insufficient_scope, scope .*check user, password or token"
    ):
        await connect(
            kafka.sasl,
            security_protocol="SASL_PLAINTEXT",
            sasl_mechanism="OAUTHBEARER",
            sasl_oauthbearer_token=token(scope="other"),
        )


async def test_a_mechanism_that_is_not_taken(kafka: KafkaBroker) -> None:
    expected = f"{kafka.short_sessions} does not take sasl.mechanism=PLAIN; it takes SCRAM-SHA-512"
    with pytest.raises(AuthenticationError, match=expected):
        await connect(kafka.short_sessions, **scram("PLAIN"))


async def test_a_login_where_none_is_wanted(kafka: KafkaBroker) -> None:
    with pytest.raises(AuthenticationError, match=f"{kafka.bootstrap} expects no login: use .*PLAINTEXT"):
        await connect(kafka.bootstrap, **scram())


async def test_no_login_where_one_is_wanted(kafka: KafkaBroker) -> None:
    with pytest.raises(
        ClientError, match=r"at the first request: if it wants a login, set security\.protocol=SASL"
    ):
        await connect(kafka.sasl)


async def test_plaintext_at_a_tls_port(kafka: KafkaBroker) -> None:
    with pytest.raises(NoBrokerError, match=r"TLS.*security\.protocol=SSL or SASL_SSL"):
        await connect(kafka.tls)


async def test_tls_at_a_plaintext_port(kafka: KafkaBroker) -> None:
    with pytest.raises(NoBrokerError, match=f"{kafka.bootstrap} does not speak TLS: use .*PLAINTEXT"):
        await connect(kafka.bootstrap, security_protocol="SSL", ssl_ca_location=kafka.certificates.ca)


async def test_a_broker_that_is_not_trusted(kafka: KafkaBroker) -> None:
    with pytest.raises(AuthenticationError, match=r"certificate that is not trusted.*set ssl\.ca\.location"):
        await connect(kafka.tls, security_protocol="SSL", ssl_ca_location=kafka.certificates.other_ca)
    await connect(kafka.tls, security_protocol="SSL", enable_ssl_certificate_verification=False)


async def test_a_broker_under_a_name_that_its_certificate_lacks(kafka: KafkaBroker) -> None:
    by_address = kafka.tls.replace("localhost", "127.0.0.1")
    trust = {"security_protocol": "SSL", "ssl_ca_location": kafka.certificates.ca}
    with pytest.raises(AuthenticationError, match=r"other names.*ssl\.endpoint\.identification\.algorithm"):
        await connect(by_address, **trust)
    await connect(by_address, **trust, ssl_endpoint_identification_algorithm="")


async def test_a_client_s_certificate_that_is_missing(kafka: KafkaBroker) -> None:
    with pytest.raises(ClientError, match=r"certificate.*set ssl\.certificate\.location"):
        await connect(kafka.mutual_tls, security_protocol="SSL", ssl_ca_location=kafka.certificates.ca)


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"ssl_ca_location": "/nowhere.pem"}, "can't read trusted certificates from /nowhere.pem"),
        ({"ssl_ca_pem": "rubbish"}, "can't read trusted certificates from the given text"),
        ({"ssl_key_location": "/key.pem"}, "a private key but no certificate"),
        ({"ssl_certificate_location": "/nowhere.pem"}, "can't use the certificate and key of /nowhere.pem"),
        ({"ssl_cipher_suites": "ROT13"}, "none of the ciphers ROT13"),
    ],
)
async def test_certificates_that_can_t_be_used(settings: dict[str, object], complaint: str) -> None:
    with pytest.raises(ClientConfigError, match=complaint):
        await connect("localhost:1", security_protocol="SSL", **settings)


async def test_a_key_s_wrong_password(kafka: KafkaBroker) -> None:
    with pytest.raises(ClientConfigError, match="can't use the certificate and key") as caught:
        await connect(
            kafka.mutual_tls,
            security_protocol="SSL",
            ssl_certificate_location=kafka.certificates.client_chain,
            ssl_key_location=kafka.certificates.client_key_encrypted,
            ssl_key_password="not-this-one",
        )
    assert "not-this-one" not in str(caught.value)


async def test_a_login_is_renewed_while_requests_go_on(kafka: KafkaBroker) -> None:
    """Kafka ends a connection whose login is too old at its next request; ours outlives that (KIP-368)."""
    settings = resolve(AdminSettings, {"bootstrap_servers": kafka.short_sessions, **scram()})
    async with running_cluster(settings) as cluster:
        deadline = cluster.clock.monotonic() + 30
        connection = await cluster.pool.any_connection(deadline)
        ends = time.monotonic() + 2.5 * SESSION_MS / 1000
        while time.monotonic() < ends:
            asked = [
                cluster.pool.ask_on(connection, MetadataRequest(topics=[]), MetadataResponse, deadline)
                for _ in range(5)
            ]
            assert all(answer.cluster_id == CLUSTER_ID for answer in await asyncio.gather(*asked))
            await asyncio.sleep(0.1)
        assert connection.is_open
        await asyncio.sleep(1.2 * SESSION_MS / 1000)  # idle past the end of the login
        await cluster.pool.ask_on(connection, MetadataRequest(topics=[]), MetadataResponse, deadline)
