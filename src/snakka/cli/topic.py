"""`snakka topic`: create, list, describe and delete topics."""

import json
from argparse import Namespace
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from snakka.cli.command import OK, CommandParser, assignment, positive
from snakka.cli.connect import REQUEST_SECONDS, add_connection_arguments, run_with_cluster

if TYPE_CHECKING:
    from snakka.client.admin import Admin, TopicDescription
    from snakka.client.cluster_view import ClusterView, TopicView

_DESCRIPTION = "Create, list, describe and delete topics."

_EXAMPLES = """examples:
  snakka topic create orders
  snakka topic create orders --partitions 3 --config retention.ms=86400000 --config cleanup.policy=compact
  snakka topic list
  snakka topic describe orders -o json
  snakka topic delete orders --bootstrap-server broker.example.com:9092"""

_BROKER_DEFAULT = -1
_REQUEST_MS = int(REQUEST_SECONDS * 1000)


def run(arguments: Sequence[str]) -> int:
    given = _parser().parse_args(arguments)

    async def work(cluster: "ClusterView") -> int:
        from snakka.client.admin import Admin

        action: Callable[[Admin, Namespace], Awaitable[None]] = given.action
        await action(Admin(cluster=cluster), given)
        return OK

    return run_with_cluster(given, work)


def _parser() -> CommandParser:
    parser = CommandParser("snakka topic", _DESCRIPTION, _EXAMPLES)
    actions = parser.add_subparsers(metavar="ACTION", required=True)

    def add_action(name: str, doc: str) -> CommandParser:
        return actions.add_parser(name, help=doc, description=f"{doc.capitalize()}.", epilog=_EXAMPLES)

    create = add_action("create", "create a topic")
    create.add_argument("name")
    create.add_argument(
        "--partitions",
        type=positive,
        default=_BROKER_DEFAULT,
        metavar="N",
        help="the broker's num.partitions unless said",
    )
    create.add_argument(
        "--replication-factor",
        type=positive,
        default=_BROKER_DEFAULT,
        metavar="N",
        help="the broker's default.replication.factor unless said",
    )
    create.add_argument(
        "--config",
        type=assignment,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="one of Kafka's topic configs; may be given often",
    )
    create.set_defaults(action=_create)

    list_topics = add_action("list", "list all topics but the internal ones")
    list_topics.add_argument("--internal", action="store_true", help="the internal ones too")
    list_topics.set_defaults(action=_list)

    describe = add_action("describe", "show a topic's partitions and configs")
    describe.add_argument("name")
    describe.set_defaults(action=_describe)

    delete = add_action("delete", "delete a topic and all its records")
    delete.add_argument("name")
    delete.set_defaults(action=_delete)

    for each in (create, list_topics, describe, delete):
        add_connection_arguments(each)
    for each in (list_topics, describe):
        each.add_argument("-o", "--output", choices=("text", "json"), default="text", help="text unless said")
    return parser


async def _create(admin: "Admin", given: Namespace) -> None:
    await admin.create_topic(
        given.name,
        partitions=given.partitions,
        replication_factor=given.replication_factor,
        configs=dict(given.config),
        timeout_ms=_REQUEST_MS,
    )
    print(f"created topic {given.name}")


async def _delete(admin: "Admin", given: Namespace) -> None:
    await admin.delete_topic(given.name, timeout_ms=_REQUEST_MS)
    print(f"deleted topic {given.name}")


async def _list(admin: "Admin", given: Namespace) -> None:
    topics = await admin.list_topics(include_internal=given.internal, timeout_ms=_REQUEST_MS)
    if given.output == "json":
        print(json.dumps([_summary(topic) for topic in topics], indent=2))
    else:
        for topic in topics:
            print(topic.name)


async def _describe(admin: "Admin", given: Namespace) -> None:
    from snakka.client.admin import ConfigResource, ConfigSource

    topic = (await admin.describe_topics([given.name], timeout_ms=_REQUEST_MS))[given.name]
    resource = ConfigResource.topic(given.name)
    known = (await admin.describe_configs([resource], timeout_ms=_REQUEST_MS))[resource]
    set_here = {name: config.value for name, config in known.items() if config.source is ConfigSource.TOPIC}
    summary = _summary(topic)
    if given.output == "json":
        partitions = [
            {
                "partition": partition.index,
                "leader": partition.leader_id,
                "leader_epoch": partition.leader_epoch,
                "replicas": list(partition.replicas),
                "isr": list(partition.isr),
                "offline_replicas": list(partition.offline_replicas),
            }
            for partition in topic.partitions
        ]
        print(json.dumps({**summary, "configs": set_here, "partitions": partitions}, indent=2))
        return
    configs = ", ".join(f"{name}={value}" for name, value in sorted(set_here.items()))
    print(f"topic               {summary['name']}")
    print(f"id                  {summary['id']}")
    print(f"replication factor  {summary['replication_factor']}")
    print(f"configs             {configs or '(none set)'}")
    print()
    header = ("PARTITION", "LEADER", "REPLICAS", "ISR")
    rows = [
        (
            str(partition.index),
            str(partition.leader_id) if partition.leader_id >= 0 else "none",
            _node_list(partition.replicas),
            _node_list(partition.isr),
        )
        for partition in topic.partitions
    ]
    _print_table([header, *rows])


def _summary(topic: "TopicView | TopicDescription") -> dict[str, object]:
    from snakka.protocol.uuids import uuid_text

    return {
        "name": topic.name,
        "id": uuid_text(topic.topic_id),
        "internal": topic.is_internal,
        "partition_count": len(topic.partitions),
        "replication_factor": len(topic.partitions[0].replicas) if topic.partitions else 0,
    }


def _node_list(nodes: Iterable[int]) -> str:
    return ",".join(map(str, nodes))


def _print_table(rows: Sequence[Sequence[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
