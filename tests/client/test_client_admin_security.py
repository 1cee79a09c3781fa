"""ACLs, quotas, SCRAM users and delegation tokens by the admin, judged by Apache Kafka; Snakka does not serve them yet."""

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest
from tests.client.awaited_answers import answer
from tests.client.kafka_broker import PASSWORD, USER, KafkaBroker

from snakka.client.admin import (
    Acl,
    AclFilter,
    Admin,
    Operation,
    PatternType,
    Permission,
    QuotaEntity,
    QuotaName,
    ResourceType,
    ScramCredential,
    ScramDeletion,
    ScramUser,
)
from snakka.client.errors import AuthenticationError, UnsupportedByBrokerError
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.testing import LocalBroker


@pytest.fixture
async def admin(kafka: KafkaBroker) -> AsyncIterator[Admin]:
    async with Admin(bootstrap_servers=kafka.bootstrap) as running:
        yield running


@pytest.fixture
def name() -> str:
    """A name of the test's own: Apache Kafka is shared."""
    return f"name-{uuid4().hex[:8]}"


def login(kafka: KafkaBroker, user: str, password: str, mechanism: str) -> Admin:
    return Admin(
        bootstrap_servers=kafka.sasl,
        security_protocol="SASL_PLAINTEXT",
        sasl_mechanism=mechanism,
        sasl_username=user,
        sasl_password=password,
    )


async def test_acls_come_and_go(admin: Admin, name: str) -> None:
    may = Acl(f"User:{name}", Operation.READ, ResourceType.TOPIC, name, PatternType.PREFIXED)
    may_not = Acl(
        f"User:{name}", Operation.ALL, ResourceType.GROUP, name, permission=Permission.DENY, host="::1"
    )
    nonsense = Acl("nobody", Operation.READ, ResourceType.TOPIC, name)
    created = await admin.create_acls([may, may_not, nonsense])
    assert list(created.results) == [may, may_not]
    assert created.errors[nonsense].code is ErrorCode.INVALID_REQUEST  # type: ignore[union-attr]
    everything = AclFilter(principal=f"User:{name}")
    known = await answer(lambda: admin.describe_acls(everything), lambda acls: len(acls) == 2)
    assert set(known) == {may, may_not}
    matching = AclFilter(
        resource_type=ResourceType.TOPIC, resource_name=f"{name}-more", pattern_type=PatternType.MATCH
    )
    assert may in await admin.describe_acls(matching)
    deleted = await admin.delete_acls([AclFilter(principal=f"User:{name}", permission=Permission.DENY)])
    assert list(deleted.raise_for_errors().values()) == [[may_not]]
    assert (await admin.delete_acls([everything]))[everything] == [may]
    assert await answer(lambda: admin.describe_acls(everything), lambda acls: not acls) == []


async def test_an_acl_forbids_what_it_says(kafka: KafkaBroker, admin: Admin, name: str) -> None:
    await admin.create_topic(name)
    forbidden = Acl(f"User:{USER}", Operation.DESCRIBE, ResourceType.TOPIC, name, permission=Permission.DENY)
    (await admin.create_acls([forbidden])).raise_for_errors()
    assert await answer(lambda: admin.describe_acls(AclFilter(resource_name=name)), bool) == [forbidden]
    async with login(kafka, USER, PASSWORD, "SCRAM-SHA-512") as theirs:
        with pytest.raises(ApiError, match="TOPIC_AUTHORIZATION_FAILED"):
            (await theirs.describe_topics([name])).raise_for_errors()
    (await admin.delete_acls([AclFilter(resource_name=name)])).raise_for_errors()


async def test_quotas_are_set_and_removed(admin: Admin, name: str) -> None:
    both = QuotaEntity(user=name, client_id=QuotaName.DEFAULT)
    alone = QuotaEntity(user=name)
    changed = await admin.alter_quotas(
        {
            both: {"producer_byte_rate": 1024.0},
            alone: {"consumer_byte_rate": 2048.0, "request_percentage": 50.0},
        }
    )
    assert set(changed.raise_for_errors()) == {both, alone}
    assert await answer(lambda: admin.describe_quotas(alone), lambda quotas: len(quotas) == 2) == {
        both: {"producer_byte_rate": 1024.0},
        alone: {"consumer_byte_rate": 2048.0, "request_percentage": 50.0},
    }
    assert list(await admin.describe_quotas(alone, strict=True)) == [alone]
    assert both in await admin.describe_quotas(QuotaEntity(user=QuotaName.ANY, client_id=QuotaName.DEFAULT))
    refused = await admin.alter_quotas({alone: {"no_such_rate": 1.0}}, validate_only=True)
    assert refused.errors[alone].code is ErrorCode.INVALID_REQUEST  # type: ignore[union-attr]
    removed = {"consumer_byte_rate": None, "request_percentage": None}
    (await admin.alter_quotas({both: {"producer_byte_rate": None}, alone: removed})).raise_for_errors()
    assert await answer(lambda: admin.describe_quotas(alone), lambda quotas: not quotas) == {}


async def test_a_new_scram_user_can_log_in(kafka: KafkaBroker, admin: Admin, name: str) -> None:
    user = ScramUser(name, "a password", mechanism="SCRAM-SHA-256", iterations=8192)
    assert "a password" not in repr(user)
    (await admin.alter_scram_users([user])).raise_for_errors()
    known = await answer(
        lambda: admin.describe_scram_users([name, "nobody at all"]), lambda users: name in users.results
    )
    assert known[name] == (ScramCredential("SCRAM-SHA-256", 8192),)
    assert known.errors["nobody at all"].code is ErrorCode.RESOURCE_NOT_FOUND  # type: ignore[union-attr]
    assert name in await admin.describe_scram_users()
    await kafka.settle()
    async with login(kafka, name, "a password", "SCRAM-SHA-256") as theirs:
        assert await theirs.list_topics() is not None
    (await admin.alter_scram_users([ScramDeletion(name, "SCRAM-SHA-256")])).raise_for_errors()
    await answer(lambda: admin.describe_scram_users(), lambda users: name not in users)
    outcomes = await admin.alter_scram_users([ScramDeletion(name), ScramUser("other", "x", iterations=1)])
    assert {key: error.code for key, error in outcomes.errors.items()} == {  # type: ignore[union-attr]
        name: ErrorCode.RESOURCE_NOT_FOUND,
        "other": ErrorCode.UNACCEPTABLE_CREDENTIAL,
    }
    await kafka.settle()
    with pytest.raises(AuthenticationError):
        await login(kafka, name, "a password", "SCRAM-SHA-256").start()


async def test_a_delegation_token_s_life(kafka: KafkaBroker, admin: Admin) -> None:
    with pytest.raises(ApiError, match="DELEGATION_TOKEN_REQUEST_NOT_ALLOWED"):
        await admin.create_delegation_token()
    async with login(kafka, USER, PASSWORD, "SCRAM-SHA-256") as ours:
        token = await ours.create_delegation_token(renewers=["User:bob"], max_lifetime_ms=3_600_000)
        assert (token.owner, token.requester, token.renewers) == (
            f"User:{USER}",
            f"User:{USER}",
            ("User:bob",),
        )
        assert token.ends_ms - token.issued_ms == 3_600_000
        assert repr(token.hmac) not in repr(token)
        assert await answer(lambda: ours.describe_delegation_tokens([f"User:{USER}"]), bool) == [token]
        assert await ours.describe_delegation_tokens(["nobody"]) == []
        assert await ours.renew_delegation_token(token.hmac, renew_period_ms=60_000) < token.ends_ms
        await ours.expire_delegation_token(token.hmac)
        assert await answer(ours.describe_delegation_tokens, lambda tokens: not tokens) == []
        with pytest.raises(ApiError, match="DELEGATION_TOKEN_NOT_FOUND"):
            await ours.renew_delegation_token(token.hmac)


async def test_what_a_broker_does_not_serve_is_told_by_name(snakka: LocalBroker) -> None:
    async with Admin(bootstrap_servers=snakka.bootstrap_servers) as admin:
        for call, api in (
            (admin.describe_acls(), "DescribeAcls"),
            (admin.describe_quotas(), "DescribeClientQuotas"),
            (admin.describe_scram_users(), "DescribeUserScramCredentials"),
            (admin.create_delegation_token(), "CreateDelegationToken"),
        ):
            with pytest.raises(UnsupportedByBrokerError, match=f"does not serve {api} in a version"):
                await call
