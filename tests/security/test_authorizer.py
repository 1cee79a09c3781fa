from snakka.security.authorizer import AllowAll
from snakka.security.operations import SUPPORTED_OPERATIONS, Operation, ResourceType
from snakka.security.principal import ANONYMOUS, Principal


def test_principals_read_as_kafka_writes_them() -> None:
    assert str(ANONYMOUS) == "User:ANONYMOUS"
    assert Principal("User", "alice") == Principal("User", "alice")


def test_without_an_authorizer_everybody_may_do_everything() -> None:
    authorizer = AllowAll()
    for resource, operations in SUPPORTED_OPERATIONS.items():
        for operation in operations:
            assert authorizer.authorize(ANONYMOUS, "10.0.0.1", operation, resource, "any")


def test_every_concrete_resource_has_its_operations() -> None:
    concrete = set(ResourceType) - {ResourceType.UNKNOWN, ResourceType.ANY}
    assert set(SUPPORTED_OPERATIONS) == concrete
    for operations in SUPPORTED_OPERATIONS.values():
        assert len(set(operations)) == len(operations)
        assert not set(operations) & {Operation.UNKNOWN, Operation.ANY, Operation.ALL}
    # As the bit fields that Kafka's describe APIs answer.
    fields = {kind: sum(1 << operation for operation in rows) for kind, rows in SUPPORTED_OPERATIONS.items()}
    assert fields[ResourceType.TOPIC] == 0b110111111000
    assert fields[ResourceType.GROUP] == 0b110101001000
    assert fields[ResourceType.CLUSTER] == 0b1111110100000
