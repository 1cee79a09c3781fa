"""SUPPORTED_APIS.md: every API of Kafka 4.3, and whether it is served, derived from the broker's table.

Rule: an API that is not served has a reason here, and one that is served has none.
"""

from __future__ import annotations

from collections.abc import Iterator

from snakka.broker.api import Api
from snakka.broker.apis.table import ALL
from snakka.protocol.api_keys import API_FACTS, ApiKey

_INTRODUCTION = """\
# Supported APIs

<!-- GENERATED from the table of APIs by `make generate`: do not edit. -->

What Snakka serves of the {kafka} APIs that Apache Kafka 4.3 knows: {served} so far. ApiVersions tells a client the
same, for the listener that it asks on. Where versions or listeners are fewer than Kafka's, both are named.
"""

# Why an API is not served, and which these are.
_REASONS: dict[str, tuple[ApiKey, ...]] = {
    "there is one node so far: clusters are being built": (
        ApiKey.ELECT_LEADERS,
        ApiKey.ALTER_PARTITION_REASSIGNMENTS,
        ApiKey.LIST_PARTITION_REASSIGNMENTS,
        ApiKey.VOTE,
        ApiKey.BEGIN_QUORUM_EPOCH,
        ApiKey.END_QUORUM_EPOCH,
        ApiKey.ALTER_PARTITION,
        ApiKey.ENVELOPE,
        ApiKey.FETCH_SNAPSHOT,
        ApiKey.BROKER_REGISTRATION,
        ApiKey.BROKER_HEARTBEAT,
        ApiKey.UNREGISTER_BROKER,
        ApiKey.CONTROLLER_REGISTRATION,
        ApiKey.ASSIGN_REPLICAS_TO_DIRS,
        ApiKey.ADD_RAFT_VOTER,
        ApiKey.REMOVE_RAFT_VOTER,
        ApiKey.UPDATE_RAFT_VOTER,
    ),
    "everybody may do everything so far: security is to come": (
        ApiKey.SASL_HANDSHAKE,
        ApiKey.SASL_AUTHENTICATE,
        ApiKey.DESCRIBE_ACLS,
        ApiKey.CREATE_ACLS,
        ApiKey.DELETE_ACLS,
        ApiKey.CREATE_DELEGATION_TOKEN,
        ApiKey.RENEW_DELEGATION_TOKEN,
        ApiKey.EXPIRE_DELEGATION_TOKEN,
        ApiKey.DESCRIBE_DELEGATION_TOKEN,
        ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS,
        ApiKey.ALTER_USER_SCRAM_CREDENTIALS,
    ),
    "quotas are to come": (ApiKey.DESCRIBE_CLIENT_QUOTAS, ApiKey.ALTER_CLIENT_QUOTAS),
    "replicas do not move between directories yet": (ApiKey.ALTER_REPLICA_LOG_DIRS,),
    "clients' metrics are not collected yet": (ApiKey.GET_TELEMETRY_SUBSCRIPTIONS, ApiKey.PUSH_TELEMETRY),
    "share groups come after consumer groups": (
        ApiKey.SHARE_GROUP_HEARTBEAT,
        ApiKey.SHARE_GROUP_DESCRIBE,
        ApiKey.SHARE_FETCH,
        ApiKey.SHARE_ACKNOWLEDGE,
        ApiKey.INITIALIZE_SHARE_GROUP_STATE,
        ApiKey.READ_SHARE_GROUP_STATE,
        ApiKey.WRITE_SHARE_GROUP_STATE,
        ApiKey.DELETE_SHARE_GROUP_STATE,
        ApiKey.READ_SHARE_GROUP_STATE_SUMMARY,
        ApiKey.DESCRIBE_SHARE_GROUP_OFFSETS,
        ApiKey.ALTER_SHARE_GROUP_OFFSETS,
        ApiKey.DELETE_SHARE_GROUP_OFFSETS,
    ),
    "streams groups come after consumer groups": (
        ApiKey.STREAMS_GROUP_HEARTBEAT,
        ApiKey.STREAMS_GROUP_DESCRIBE,
    ),
    "Kafka 4.0 has removed it": (
        ApiKey.LEADER_AND_ISR,
        ApiKey.STOP_REPLICA,
        ApiKey.UPDATE_METADATA,
        ApiKey.CONTROLLED_SHUTDOWN,
    ),
}


def supported_apis() -> str:
    """The page."""
    served = {api.key: api for api in ALL}
    reasons = {key: reason for reason, keys in _REASONS.items() for key in keys}
    undecided = [key.name for key in ApiKey if (key in served) == (key in reasons)]
    if undecided:
        raise ValueError(f"in the table and among the reasons, or in neither: {', '.join(undecided)}")
    lines = [_INTRODUCTION.format(kafka=len(ApiKey), served=len(served)), *_table(served, reasons)]
    return "\n".join(lines) + "\n"


def _table(served: dict[ApiKey, Api], reasons: dict[ApiKey, str]) -> Iterator[str]:
    yield "| key | API | versions | listeners | why not |"
    yield "|----:|-----|----------|-----------|---------|"
    for key in sorted(ApiKey):
        api = served.get(key)
        versions, listeners = ("", "") if api is None else (_versions(api), _listeners(api))
        yield f"| {key:d} | {API_FACTS[key].name} | {versions} | {listeners} | {reasons.get(key, '')} |"


def _versions(api: Api) -> str:
    facts = API_FACTS[api.key]
    low, high = api.lowest_version(), api.highest_version()
    here, there = _range(low, high), _range(facts.min_version, facts.max_version)
    if facts.unstable and (low, high) == (facts.min_version, facts.max_version - 1):
        return f"{here} ({high + 1} is unstable in Kafka)"
    return here if here == there else f"{here} of {there}"


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"


def _listeners(api: Api) -> str:
    here, there = (", ".join(sorted(names)) for names in (api.listeners, API_FACTS[api.key].listeners))
    return here if here == there else f"{here} of {there}"
