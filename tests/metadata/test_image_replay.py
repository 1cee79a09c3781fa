"""Each of Kafka's metadata records, one after the other: what it makes of the image."""

import pytest
from cluster_builder import Cluster, directory_of, uuid

from snakka.metadata.image import ClusterImage, InconsistentRecord
from snakka.metadata.image.brokers import Endpoint
from snakka.metadata.image.configs import ConfigResourceType
from snakka.metadata.image.directories import is_online, is_reserved
from snakka.metadata.image.partition import RECOVERING
from snakka.metadata.image.record_keys import RecordKey
from snakka.protocol.message import Message
from snakka.protocol.metadata_framing import metadata_record_class
from snakka.protocol.record_types.keys import METADATA_RECORDS
from snakka.protocol.uuids import LOST_DIRECTORY, MIGRATING_DIRECTORY, UNASSIGNED_DIRECTORY


def record(kind: RecordKey, /, **fields: object):
    return metadata_record_class(kind)(**fields)


def test_every_record_type_of_kafka_has_its_number_here() -> None:
    assert set(RecordKey) == set(METADATA_RECORDS)
    for key in RecordKey:
        assert METADATA_RECORDS[key][1] == "".join(part.title() for part in key.name.split("_")) + "Record"


def test_a_record_of_another_log_is_refused() -> None:
    class Stranger(Message):
        RECORD_KEY = 99

    with pytest.raises(InconsistentRecord, match="Stranger"):
        ClusterImage().replay(Stranger())


def test_a_registration_says_all_about_a_broker() -> None:
    cluster = Cluster()
    cluster.add_broker(7, rack="r1", fenced=True, directories=2)
    broker = cluster.image.brokers.by_id[7]
    assert (broker.id, broker.epoch, broker.rack, broker.fenced) == (7, 107, "r1", True)
    assert broker.endpoints == {"PLAINTEXT": Endpoint("h", 9092, 0)}
    assert broker.features["metadata.version"] == (7, 30)
    assert broker.directories == (directory_of(7, 0), directory_of(7, 1))
    assert broker.cordoned_directories is None
    assert not broker.is_active


def test_fencing_has_two_forms() -> None:
    cluster = Cluster()
    cluster.add_broker(1, fenced=True)
    broker = {"id": 1, "epoch": 101}
    cluster.replay(record(RecordKey.UNFENCE_BROKER, **broker))
    assert cluster.image.brokers.is_active(1)
    cluster.replay(record(RecordKey.FENCE_BROKER, **broker))
    assert not cluster.image.brokers.is_active(1)
    cluster.fence(1, change=-1)
    assert cluster.image.brokers.is_active(1)
    cluster.fence(1)
    assert not cluster.image.brokers.is_active(1)
    cluster.fence(1, change=0)
    assert not cluster.image.brokers.is_active(1)


def test_a_change_of_a_registration_leaves_out_what_it_does_not_name() -> None:
    cluster = Cluster()
    cluster.add_broker(1, directories=3)
    cluster.begin_shutdown(1)
    before = cluster.image.brokers.by_id[1]
    assert before.in_controlled_shutdown
    assert not before.is_active
    change = {"broker_id": 1, "broker_epoch": 101}
    cluster.replay(
        record(RecordKey.BROKER_REGISTRATION_CHANGE, **change, log_dirs=[directory_of(1, 2)]),
        record(RecordKey.BROKER_REGISTRATION_CHANGE, **change, cordoned_log_dirs=[directory_of(1, 2)]),
    )
    broker = cluster.image.brokers.by_id[1]
    assert broker.directories == (directory_of(1, 2),)
    assert broker.cordoned_directories == (directory_of(1, 2),)
    assert broker.in_controlled_shutdown
    assert not broker.fenced
    assert not broker.takes_new_replicas


@pytest.mark.parametrize("change", [-2, 2, 100])
def test_a_flag_cannot_change_by_anything_else(change: int) -> None:
    cluster = Cluster()
    cluster.add_broker(1)
    with pytest.raises(InconsistentRecord):
        cluster.fence(1, change=change)


@pytest.mark.parametrize(
    "stale",
    [
        record(RecordKey.FENCE_BROKER, id=1, epoch=5),
        record(RecordKey.UNFENCE_BROKER, id=2, epoch=101),
        record(RecordKey.UNREGISTER_BROKER, broker_id=1, broker_epoch=5),
        record(RecordKey.BROKER_REGISTRATION_CHANGE, broker_id=1, broker_epoch=5, fenced=1),
    ],
)
def test_a_record_for_another_epoch_of_a_broker_does_not_fit(stale: object) -> None:
    cluster = Cluster()
    cluster.add_broker(1)
    with pytest.raises(InconsistentRecord):
        cluster.replay(stale)


def test_a_broker_can_leave_for_good() -> None:
    cluster = Cluster()
    cluster.add_broker(1)
    cluster.replay(record(RecordKey.UNREGISTER_BROKER, broker_id=1, broker_epoch=101))
    assert cluster.image.brokers.get(1) is None
    assert cluster.image.brokers.default_directory(1) == UNASSIGNED_DIRECTORY
    assert not cluster.image.brokers.has_online(1, directory_of(1))


def test_the_default_directory_depends_on_how_many_there_are() -> None:
    cluster = Cluster()
    cluster.add_broker(1, directories=0)
    cluster.add_broker(2, directories=1)
    cluster.add_broker(3, directories=2)
    of = cluster.image.brokers.default_directory
    assert [of(1), of(2), of(3)] == [MIGRATING_DIRECTORY, directory_of(2), UNASSIGNED_DIRECTORY]


def test_directory_ids_with_a_meaning() -> None:
    assert is_online(UNASSIGNED_DIRECTORY, [uuid(1)])
    assert is_online(MIGRATING_DIRECTORY, [uuid(1)])
    assert not is_online(LOST_DIRECTORY, [])
    assert is_online(uuid(1), [uuid(1)])
    assert not is_online(uuid(2), [uuid(1)])
    assert is_online(uuid(2), [])
    assert is_reserved(LOST_DIRECTORY)
    assert not is_reserved((100).to_bytes(16, "big"))


def test_a_controller_registers() -> None:
    cluster = Cluster()
    register = metadata_record_class(RecordKey.REGISTER_CONTROLLER)(
        controller_id=3, incarnation_id=uuid(1), zk_migration_ready=False
    )
    cluster.replay(register)
    assert cluster.image.controllers.by_id[3].incarnation_id == uuid(1)


def test_a_partition_change_touches_only_what_it_names() -> None:
    cluster = Cluster()
    cluster.add_brokers(1, 2, 3)
    topic_id = cluster.add_topic("t", [1, 2, 3])
    change = {"topic_id": topic_id, "partition_id": 0}
    cluster.replay(record(RecordKey.PARTITION_CHANGE, **change, isr=[1, 2]))
    after_shrink = cluster.partition("t")
    assert (after_shrink.isr, after_shrink.leader, after_shrink.leader_epoch) == ((1, 2), 1, 0)
    assert after_shrink.partition_epoch == 1
    cluster.replay(
        record(
            RecordKey.PARTITION_CHANGE,
            **change,
            leader=2,
            leader_recovery_state=RECOVERING,
            eligible_leader_replicas=[3],
            last_known_elr=[1],
            removing_replicas=[1],
            adding_replicas=[4],
            replicas=[2, 3, 4, 1],
            directories=[directory_of(2), directory_of(3), directory_of(4), directory_of(1)],
        )
    )
    partition = cluster.partition("t")
    assert (partition.leader, partition.leader_epoch, partition.partition_epoch) == (2, 1, 2)
    assert (partition.elr, partition.last_known_elr) == ((3,), (1,))
    assert (partition.removing, partition.adding, partition.is_reassigning) == ((1,), (4,), True)
    assert partition.directory_of(4) == directory_of(4)
    assert partition.leader_recovery_state == RECOVERING
    assert partition.isr == (1, 2)
    with pytest.raises(KeyError):
        partition.directory_of(9)


def test_naming_the_same_leader_opens_a_new_epoch() -> None:
    cluster = Cluster()
    topic_id = cluster.add_topic("t", [1])
    cluster.replay(record(RecordKey.PARTITION_CHANGE, topic_id=topic_id, partition_id=0, leader=1))
    assert cluster.partition("t").leader_epoch == 1


def test_a_partition_without_directories_is_older_than_them() -> None:
    cluster = Cluster()
    topic_id = cluster.add_topic("t", [1, 2], directories=[])
    assert cluster.partition("t").directories == (MIGRATING_DIRECTORY,) * 2
    cluster.replay(
        record(RecordKey.PARTITION_CHANGE, topic_id=topic_id, partition_id=0, replicas=[1], directories=[])
    )
    assert cluster.partition("t").directories == (MIGRATING_DIRECTORY,)


@pytest.mark.parametrize(
    "unfit",
    [
        record(RecordKey.TOPIC, name="t", topic_id=uuid(1)),
        record(RecordKey.TOPIC, name="other", topic_id=uuid(500_000)),
        record(RecordKey.PARTITION, topic_id=uuid(1), partition_id=0),
        record(RecordKey.PARTITION_CHANGE, topic_id=uuid(1), partition_id=0),
        record(RecordKey.PARTITION_CHANGE, topic_id=uuid(500_000), partition_id=9),
        record(RecordKey.REMOVE_TOPIC, topic_id=uuid(1)),
        record(RecordKey.CLEAR_ELR, topic_name="other"),
        record(RecordKey.REMOVE_ACCESS_CONTROL_ENTRY, id=uuid(1)),
    ],
)
def test_a_record_about_something_that_is_not_there_does_not_fit(unfit: object) -> None:
    cluster = Cluster()
    cluster.add_topic("t", [1])
    with pytest.raises(InconsistentRecord):
        cluster.replay(unfit)


def test_a_deleted_topic_takes_its_configs_along_and_frees_its_name() -> None:
    cluster = Cluster()
    topic_id = cluster.add_topic("a.b", [1])
    cluster.set_config(ConfigResourceType.TOPIC, "a.b", "retention.ms", "1")
    assert cluster.image.topics.colliding == {"a_b": {"a.b"}}
    cluster.replay(record(RecordKey.REMOVE_TOPIC, topic_id=topic_id))
    assert cluster.image.topics.get("a.b") is None
    assert cluster.image.topics.partition(topic_id, 0) is None
    assert cluster.image.configs.of_topic("a.b") == {}
    assert cluster.image.topics.colliding == {}
    cluster.add_topic("a.b", [2])
    assert cluster.partition("a.b").leader == 2


def test_clearing_eligible_replicas_of_one_topic_or_of_all() -> None:
    cluster = Cluster()
    for name in ("one", "two", "three"):
        cluster.add_topic(name, [1, 2], isr=[1], eligible_leader_replicas=[2], last_known_elr=[1])
    cluster.replay(record(RecordKey.CLEAR_ELR, topic_name="one"))
    assert (cluster.partition("one").elr, cluster.partition("two").elr) == ((), (2,))
    assert cluster.partition("one").partition_epoch == 1
    cluster.replay(record(RecordKey.CLEAR_ELR, topic_name=""))
    assert cluster.partition("two").last_known_elr == ()
    # Nothing was left to clear there, so nothing changed.
    assert cluster.partition("one").partition_epoch == 1


def test_configs_come_and_go() -> None:
    cluster = Cluster()
    cluster.set_config(ConfigResourceType.BROKER, "", "k", "v")
    assert cluster.image.configs.of(ConfigResourceType.BROKER, "") == {"k": "v"}
    delete = {"resource_type": ConfigResourceType.BROKER, "resource_name": "", "value": None}
    cluster.replay(
        record(RecordKey.CONFIG, name="other", **delete), record(RecordKey.CONFIG, name="k", **delete)
    )
    cluster.replay(record(RecordKey.CONFIG, name="k", **delete))
    assert cluster.image.configs.by_resource == {}


def test_features_at_level_zero_are_gone_and_kraft_version_is_not_kept_here() -> None:
    cluster = Cluster(levels=(("metadata.version", 30), ("share.version", 1), ("kraft.version", 1)))
    assert cluster.image.features.levels == {"metadata.version": 30, "share.version": 1}
    cluster.replay(record(RecordKey.FEATURE_LEVEL, name="share.version", feature_level=0))
    assert cluster.image.features.level("share.version") == 0
    assert cluster.image.features.metadata_version == 30


@pytest.mark.parametrize(
    ("level", "versions"),
    [
        (7, {0: 1, 17: 1, 3: 0, 5: 0}),
        (8, {0: 2, 17: 1, 3: 0, 5: 0}),
        (17, {0: 3, 17: 2, 3: 1, 5: 1}),
        (23, {0: 3, 17: 2, 3: 2, 5: 2}),
        (29, {0: 3, 17: 2, 3: 2, 5: 2}),
        (30, {}),
    ],
)
def test_records_are_written_as_the_finalized_level_can_read_them(level: int, versions: dict) -> None:
    assert Cluster(levels=(("metadata.version", level),)).image.features.record_versions() == versions


def test_producer_ids_only_grow() -> None:
    cluster = Cluster()
    assert cluster.image.producer_ids.next_producer_id == -1
    cluster.replay(record(RecordKey.PRODUCER_IDS, broker_id=1, broker_epoch=1, next_producer_id=1000))
    with pytest.raises(InconsistentRecord):
        cluster.replay(record(RecordKey.PRODUCER_IDS, broker_id=1, broker_epoch=1, next_producer_id=1000))
    assert cluster.image.producer_ids.next_producer_id == 1000


def test_quotas_by_entity() -> None:
    from snakka.protocol.record_types.metadata.client_quota_record import EntityData

    def quota(remove: bool, key: str = "producer_byte_rate"):
        # The order of the parts does not matter.
        parts = [
            EntityData(entity_type="user", entity_name=None),
            EntityData(entity_type="client-id", entity_name="c"),
        ]
        entity = parts[::-1] if remove else parts
        return record(RecordKey.CLIENT_QUOTA, entity=entity, key=key, value=2.5, remove=remove)

    cluster = Cluster()
    cluster.replay(quota(remove=False))
    assert cluster.image.client_quotas.by_entity == {
        (("client-id", "c"), ("user", None)): {"producer_byte_rate": 2.5}
    }
    cluster.replay(quota(remove=True, key="other"), quota(remove=True), quota(remove=True))
    assert cluster.image.client_quotas.by_entity == {}


def test_access_control_credentials_and_tokens_are_kept_as_their_records() -> None:
    cluster = Cluster()
    entry = record(
        RecordKey.ACCESS_CONTROL_ENTRY, id=uuid(1), resource_type=2, resource_name="t", principal="User:a"
    )
    credential = record(RecordKey.USER_SCRAM_CREDENTIAL, name="u", mechanism=1, salt=b"s", iterations=4096)
    token = record(RecordKey.DELEGATION_TOKEN, owner="User:a", token_id="x", renewers=["User:b"])
    cluster.replay(entry, credential, token)
    image = cluster.image
    assert image.acls.by_id == {uuid(1): entry}
    assert image.scram.by_user == {("u", 1): credential}
    assert image.delegation_tokens.by_id == {"x": token}
    cluster.replay(
        record(RecordKey.REMOVE_ACCESS_CONTROL_ENTRY, id=uuid(1)),
        record(RecordKey.REMOVE_USER_SCRAM_CREDENTIAL, name="u", mechanism=1),
        record(RecordKey.REMOVE_DELEGATION_TOKEN, token_id="x"),
    )
    assert not image.acls.by_id
    assert not image.scram.by_user
    assert not image.delegation_tokens.by_id


def test_records_without_effect() -> None:
    cluster = Cluster()
    twin = cluster.image.copy()
    cluster.replay(record(RecordKey.NO_OP), record(RecordKey.ZK_MIGRATION_STATE, zk_migration_state=1))
    assert cluster.image == twin


def test_a_transaction_shows_when_it_ends_and_never_when_it_is_aborted() -> None:
    image = Cluster().image
    topic = record(RecordKey.TOPIC, name="t", topic_id=uuid(1))
    image.replay(record(RecordKey.BEGIN_TRANSACTION, name="x"))
    image.replay(topic)
    assert image.in_transaction
    assert image.topics.get("t") is None
    image.replay(record(RecordKey.ABORT_TRANSACTION, reason="why not"))
    assert image.topics.get("t") is None
    image.replay(record(RecordKey.BEGIN_TRANSACTION))
    image.replay(topic)
    image.replay(record(RecordKey.END_TRANSACTION))
    assert not image.in_transaction
    assert image.topics.get("t") is not None


def test_transactions_do_not_nest_and_do_not_end_twice() -> None:
    image = ClusterImage()
    for end in (RecordKey.END_TRANSACTION, RecordKey.ABORT_TRANSACTION):
        with pytest.raises(InconsistentRecord):
            image.replay(record(end))
    image.replay(record(RecordKey.BEGIN_TRANSACTION))
    with pytest.raises(InconsistentRecord):
        image.replay(record(RecordKey.BEGIN_TRANSACTION))


def test_a_copy_changes_on_its_own_and_continues_an_open_transaction() -> None:
    cluster = Cluster()
    cluster.add_brokers(1, 2)
    cluster.add_topic("t", [1, 2])
    cluster.set_config(ConfigResourceType.TOPIC, "t", "k", "v")
    cluster.replay(record(RecordKey.BEGIN_TRANSACTION), record(RecordKey.TOPIC, name="u", topic_id=uuid(1)))
    twin = cluster.image.copy()
    assert twin == cluster.image
    twin.replay(record(RecordKey.END_TRANSACTION))
    assert twin.topics.get("u") is not None
    assert cluster.image.topics.get("u") is None
    twin.replay(
        record(RecordKey.PARTITION_CHANGE, topic_id=twin.topics.by_name["t"].id, partition_id=0, leader=2)
    )
    assert cluster.partition("t").leader == 1
    assert twin != cluster.image
