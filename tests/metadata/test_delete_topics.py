"""DeleteTopics by name and by id."""

from dataclasses import replace

import pytest
from cluster_builder import NEWEST, Cluster, uuid

from snakka.metadata.state.rules import Caller
from snakka.metadata.state.topic_deletion import delete_topics
from snakka.protocol.errors import ApiError, ErrorCode
from snakka.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from snakka.protocol.uuids import ZERO_UUID
from snakka.security.operations import Operation, ResourceType


@pytest.fixture
def cluster() -> Cluster:
    one = Cluster()
    one.add_broker(1)
    one.add_topic("a", [1])
    one.add_topic("b", [1])
    return one


def wanted(name: str | None = None, topic_id: bytes = ZERO_UUID) -> DeleteTopicState:
    return DeleteTopicState(name=name, topic_id=topic_id)


def delete(cluster: Cluster, *topics: DeleteTopicState, names: tuple[str, ...] = (), caller: Caller = NEWEST):
    request = DeleteTopicsRequest(topics=list(topics), topic_names=list(names))
    return delete_topics(cluster.image, request, caller, cluster.rules)


def results(decision) -> list[tuple[str | None, bytes, ErrorCode]]:
    return [(one.name, one.topic_id, ErrorCode(one.error_code)) for one in decision.response.responses]


def test_by_name_and_by_id(cluster: Cluster) -> None:
    a, b = (cluster.image.topics.by_name[name].id for name in "ab")
    decision = delete(cluster, wanted("a"), wanted(topic_id=b))
    assert results(decision) == [("a", a, ErrorCode.NONE), ("b", b, ErrorCode.NONE)]
    cluster.apply(decision)
    assert not cluster.image.topics.by_id


def test_older_requests_name_topics_in_another_field(cluster: Cluster) -> None:
    decision = delete(cluster, names=("a", "nope"))
    assert [error for _, _, error in results(decision)] == [
        ErrorCode.NONE,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ]


def test_what_is_not_there(cluster: Cluster) -> None:
    decision = delete(cluster, wanted("nope"), wanted(topic_id=uuid(1)))
    assert results(decision) == [
        ("nope", ZERO_UUID, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        (None, uuid(1), ErrorCode.UNKNOWN_TOPIC_ID),
    ]
    assert not decision.records


def test_names_that_make_no_sense(cluster: Cluster) -> None:
    a = cluster.image.topics.by_name["a"].id
    decision = delete(cluster, wanted(), wanted("a", a), wanted("b"), wanted("b"))
    assert {error for _, _, error in results(decision)} == {ErrorCode.INVALID_REQUEST}
    assert len(decision.response.responses) == 3
    assert not decision.records


def test_one_topic_by_name_and_by_id_is_not_deleted(cluster: Cluster) -> None:
    a = cluster.image.topics.by_name["a"].id
    decision = delete(cluster, wanted(topic_id=a), wanted("a"))
    assert [error for _, _, error in results(decision)] == [ErrorCode.INVALID_REQUEST]
    assert not decision.records


def test_who_may_not_delete_learns_no_names(cluster: Cluster) -> None:
    a = cluster.image.topics.by_name["a"].id
    nobody = Caller(6, lambda *_: False)
    decision = delete(cluster, wanted(topic_id=a), wanted("b"), caller=nobody)
    assert results(decision) == [
        (None, a, ErrorCode.TOPIC_AUTHORIZATION_FAILED),
        ("b", ZERO_UUID, ErrorCode.TOPIC_AUTHORIZATION_FAILED),
    ]
    observer = Caller(6, lambda operation, *_: operation is Operation.DESCRIBE)
    assert results(delete(cluster, wanted(topic_id=a), caller=observer)) == [
        ("a", a, ErrorCode.TOPIC_AUTHORIZATION_FAILED)
    ]
    owner = Caller(6, lambda _operation, resource, name: resource is ResourceType.TOPIC and name == "a")
    assert [error for _, _, error in results(delete(cluster, wanted("a"), wanted("b"), caller=owner))] == [
        ErrorCode.NONE,
        ErrorCode.TOPIC_AUTHORIZATION_FAILED,
    ]


@pytest.mark.parametrize(
    ("version", "error"), [(2, ErrorCode.INVALID_REQUEST), (3, ErrorCode.TOPIC_DELETION_DISABLED)]
)
def test_deletion_can_be_turned_off(cluster: Cluster, version: int, error: ErrorCode) -> None:
    cluster.rules = replace(cluster.rules, topic_deletion_enabled=False)
    with pytest.raises(ApiError) as refused:
        delete(cluster, wanted("a"), caller=Caller(version))
    assert refused.value.code is error
