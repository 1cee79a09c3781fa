"""Draws metadata records that fit an image, as a controller would write them: any of all types, from one seed.

One seed is one run. Drawing each field by the property tester itself would take minutes.
"""

import random

from snakka.metadata.image import ClusterImage
from snakka.metadata.image.record_keys import RecordKey
from snakka.protocol.message import Message
from snakka.protocol.metadata_framing import metadata_record_class
from snakka.protocol.record_types.metadata.client_quota_record import EntityData
from snakka.protocol.record_types.metadata.register_broker_record import BrokerEndpoint, BrokerFeature
from snakka.protocol.record_types.metadata.register_controller_record import (
    ControllerEndpoint,
    ControllerFeature,
)

NAMES = ("a", "b", "a.b", "a_b", "topic-1", "ünï")
NODE_IDS = (1, 2, 3, 4)


def record(kind: RecordKey, /, **fields: object) -> Message:
    return metadata_record_class(kind)(**fields)


class MetadataWriter:
    """Transactions are short, and all of them are aborted: their records need not fit each other."""

    def __init__(self, seed: int, image: ClusterImage) -> None:
        self.rng = random.Random(seed)
        self.image = image

    def next_record(self) -> Message:
        """A record that fits the image now; a kind that nothing fits becomes a no-op."""
        if self.image.in_transaction and self.flag():
            return record(RecordKey.ABORT_TRANSACTION)
        kind = self.rng.choice(list(RecordKey))
        return getattr(self, kind.name.lower())() or record(RecordKey.NO_OP)

    def flag(self) -> bool:
        return self.rng.random() < 0.5

    def name(self) -> str:
        return self.rng.choice(NAMES)

    def uuid(self) -> bytes:
        return self.rng.randrange(200, 212).to_bytes(16, "big")

    def uuids(self, count: int | None = None) -> list[bytes]:
        return [self.uuid() for _ in range(self.rng.randrange(3) if count is None else count)]

    def ids(self, smallest: int = 0) -> list[int]:
        return self.rng.sample(NODE_IDS, self.rng.randrange(smallest, 4))

    def ids_or_none(self) -> list[int] | None:
        return self.ids() if self.flag() else None

    def uuids_or_none(self) -> list[bytes] | None:
        return self.uuids() if self.flag() else None

    def register_broker(self) -> Message:
        return record(
            RecordKey.REGISTER_BROKER,
            broker_id=self.rng.choice(NODE_IDS),
            is_migrating_zk_broker=self.flag(),
            incarnation_id=self.uuid(),
            broker_epoch=self.rng.randrange(9),
            end_points=[
                BrokerEndpoint(
                    name=name, host=self.name(), port=self.rng.randrange(65536), security_protocol=0
                )
                for name in {self.name(), self.name()}
            ],
            features=[
                BrokerFeature(
                    name=name, min_supported_version=0, max_supported_version=self.rng.randrange(30)
                )
                for name in {self.name(), self.name()}
            ],
            rack=self.name() if self.flag() else None,
            fenced=self.flag(),
            in_controlled_shutdown=self.flag(),
            log_dirs=self.uuids(),
            cordoned_log_dirs=self.uuids_or_none(),
        )

    def broker(self):
        brokers = list(self.image.brokers.by_id.values())
        return self.rng.choice(brokers) if brokers else None

    def unregister_broker(self) -> Message | None:
        broker = self.broker()
        return broker and record(RecordKey.UNREGISTER_BROKER, broker_id=broker.id, broker_epoch=broker.epoch)

    def fence_broker(self) -> Message | None:
        broker = self.broker()
        return broker and record(RecordKey.FENCE_BROKER, id=broker.id, epoch=broker.epoch)

    def unfence_broker(self) -> Message | None:
        broker = self.broker()
        return broker and record(RecordKey.UNFENCE_BROKER, id=broker.id, epoch=broker.epoch)

    def broker_registration_change(self) -> Message | None:
        broker = self.broker()
        return broker and record(
            RecordKey.BROKER_REGISTRATION_CHANGE,
            broker_id=broker.id,
            broker_epoch=broker.epoch,
            fenced=self.rng.choice((-1, 0, 1)),
            in_controlled_shutdown=self.rng.choice((0, 1)),
            log_dirs=self.uuids(),
            cordoned_log_dirs=self.uuids_or_none(),
        )

    def register_controller(self) -> Message:
        return record(
            RecordKey.REGISTER_CONTROLLER,
            controller_id=self.rng.choice(NODE_IDS),
            incarnation_id=self.uuid(),
            zk_migration_ready=self.flag(),
            end_points=[ControllerEndpoint(name=self.name(), host="h", port=1, security_protocol=0)],
            features=[ControllerFeature(name=self.name(), min_supported_version=0, max_supported_version=1)],
        )

    def topic(self) -> Message | None:
        name, topic_id = self.name(), self.uuid()
        if name in self.image.topics.by_name or topic_id in self.image.topics.by_id:
            return None
        return record(RecordKey.TOPIC, name=name, topic_id=topic_id)

    def some_topic(self):
        topics = list(self.image.topics.by_id.values())
        return self.rng.choice(topics) if topics else None

    def partition(self) -> Message | None:
        topic = self.some_topic()
        replicas = self.ids(smallest=1)
        return topic and record(
            RecordKey.PARTITION,
            topic_id=topic.id,
            partition_id=self.rng.randrange(3),
            replicas=replicas,
            isr=self.ids(),
            removing_replicas=self.ids(),
            adding_replicas=self.ids(),
            leader=self.rng.randrange(-1, 5),
            leader_recovery_state=self.rng.choice((0, 1)),
            leader_epoch=self.rng.randrange(5),
            partition_epoch=self.rng.randrange(5),
            directories=self.uuids(len(replicas)) if self.flag() else [],
            eligible_leader_replicas=self.ids_or_none(),
            last_known_elr=self.ids_or_none(),
        )

    def partition_change(self) -> Message | None:
        topic = self.some_topic()
        if topic is None or not topic.partitions:
            return None
        replicas = self.ids(smallest=1) if self.flag() else None
        return record(
            RecordKey.PARTITION_CHANGE,
            topic_id=topic.id,
            partition_id=self.rng.choice(list(topic.partitions)),
            isr=self.ids_or_none(),
            leader=self.rng.randrange(-2, 5),
            replicas=replicas,
            removing_replicas=self.ids_or_none(),
            adding_replicas=self.ids_or_none(),
            leader_recovery_state=self.rng.choice((-1, 0, 1)),
            directories=replicas and self.uuids(len(replicas)),
            eligible_leader_replicas=self.ids_or_none(),
            last_known_elr=self.ids_or_none(),
        )

    def remove_topic(self) -> Message | None:
        topic = self.some_topic()
        return topic and record(RecordKey.REMOVE_TOPIC, topic_id=topic.id)

    def clear_elr(self) -> Message:
        topic = self.some_topic()
        return record(RecordKey.CLEAR_ELR, topic_name="" if topic is None or self.flag() else topic.name)

    def config(self) -> Message:
        return record(
            RecordKey.CONFIG,
            resource_type=self.rng.choice((2, 4, 16, 32)),
            resource_name=self.rng.choice(("", *NAMES)),
            name=self.name(),
            value=self.name() if self.flag() else None,
        )

    def feature_level(self) -> Message:
        name = self.rng.choice(("share.version", "kraft.version", "group.version"))
        return record(RecordKey.FEATURE_LEVEL, name=name, feature_level=self.rng.randrange(3))

    def client_quota(self) -> Message:
        types = self.rng.sample(("user", "client-id", "ip"), self.rng.randrange(1, 3))
        names = [self.name() if self.flag() else None for _ in types]
        return record(
            RecordKey.CLIENT_QUOTA,
            entity=[
                EntityData(entity_type=kind, entity_name=name)
                for kind, name in zip(types, names, strict=True)
            ],
            key=self.name(),
            value=self.rng.random() * 10**9,
            remove=self.flag(),
        )

    def producer_ids(self) -> Message:
        after = self.image.producer_ids.next_producer_id + self.rng.randrange(1, 1000)
        return record(RecordKey.PRODUCER_IDS, broker_id=1, broker_epoch=1, next_producer_id=after)

    def access_control_entry(self) -> Message:
        return record(
            RecordKey.ACCESS_CONTROL_ENTRY,
            id=self.uuid(),
            resource_type=2,
            resource_name=self.name(),
            pattern_type=3,
            principal=self.name(),
            host="*",
            operation=self.rng.randrange(2, 12),
            permission_type=3,
        )

    def remove_access_control_entry(self) -> Message | None:
        ids = list(self.image.acls.by_id)
        return record(RecordKey.REMOVE_ACCESS_CONTROL_ENTRY, id=self.rng.choice(ids)) if ids else None

    def user_scram_credential(self) -> Message:
        return record(
            RecordKey.USER_SCRAM_CREDENTIAL,
            name=self.name(),
            mechanism=self.rng.choice((1, 2)),
            salt=self.uuid(),
            stored_key=b"k",
            server_key=b"s",
            iterations=self.rng.randrange(4096, 9999),
        )

    def remove_user_scram_credential(self) -> Message:
        return record(
            RecordKey.REMOVE_USER_SCRAM_CREDENTIAL, name=self.name(), mechanism=self.rng.choice((1, 2))
        )

    def delegation_token(self) -> Message:
        return record(
            RecordKey.DELEGATION_TOKEN,
            owner=self.name(),
            requester=self.name(),
            renewers=[self.name()],
            issue_timestamp=1,
            max_timestamp=2,
            expiration_timestamp=self.rng.randrange(9),
            token_id=self.name(),
        )

    def remove_delegation_token(self) -> Message:
        return record(RecordKey.REMOVE_DELEGATION_TOKEN, token_id=self.name())

    def no_op(self) -> None:
        return None

    def zk_migration_state(self) -> Message:
        return record(RecordKey.ZK_MIGRATION_STATE, zk_migration_state=self.rng.randrange(4))

    def begin_transaction(self) -> Message | None:
        return None if self.image.in_transaction else record(RecordKey.BEGIN_TRANSACTION, name=self.name())

    def end_transaction(self) -> None:
        return None

    def abort_transaction(self) -> None:
        return None
