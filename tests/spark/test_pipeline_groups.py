"""The consumer groups of a pipeline hear how far its queries are, from whoever follows them."""

from pathlib import Path

import pytest

from snakka.client.blocking import Admin, Producer
from snakka.client.topic_partition import TopicPartition
from snakka.spark.pipelines.declaration import Pipeline, Trigger, read_pipeline
from snakka.spark.pipelines.group_commits import GroupCommits
from snakka.spark.pipelines.offset_reset import parse_target
from snakka.spark.pipelines.problems import PipelineError
from snakka.spark.pipelines.resetting import reset
from snakka.spark.pipelines.run_state import RunState
from snakka.testing import BlockingLocalBroker

FILE = """
name: shop
kafka: {{bootstrap.servers: "{bootstrap}"}}
sources:
  gone: {{topics: gone-of-groups, kafka: {{bootstrap.servers: "127.0.0.1:1"}}}}
  orders: {{topics: orders-of-groups}}
  visits: {{pattern: "visits-of-.*", kafka: {{group.id: visitors}}}}
  here: {{topics: mirrored-of-groups}}
  there: {{topics: mirrored-of-groups, kafka: {{bootstrap.servers: "127.0.0.1:1"}}}}
sinks:
  one: {{from: orders, format: console}}
  two: {{from: visits, format: console}}
"""
ORDERS, VISITS, MIRRORED, GONE = (f"{name}-of-groups" for name in ("orders", "visits", "mirrored", "gone"))


@pytest.fixture
def pipeline(broker: BlockingLocalBroker, admin: Admin, tmp_path: Path) -> Pipeline:
    for topic in {ORDERS, VISITS, MIRRORED} - {topic.name for topic in admin.list_topics()}:
        admin.create_topic(topic, partitions=2)
    (tmp_path / "shop.yaml").write_text(FILE.format(bootstrap=broker.bootstrap_servers))
    return read_pipeline(tmp_path / "shop.yaml")


def committed(admin: Admin, group: str) -> dict[TopicPartition, int]:
    return {each: offset.offset for each, offset in admin.list_group_offsets(group).results.items()}


def test_each_topic_is_committed_where_its_source_says(pipeline: Pipeline, admin: Admin) -> None:
    GroupCommits(pipeline, Trigger("every", 3600.0)).batch_done(
        "one", {ORDERS: {"0": 5, "1": 7}, VISITS: {"1": 3}, MIRRORED: {"0": 9}}
    )
    assert committed(admin, "shop-one") == {TopicPartition(ORDERS, 0): 5, TopicPartition(ORDERS, 1): 7}
    assert committed(admin, "visitors") == {TopicPartition(VISITS, 1): 3}


def test_short_intervals_are_left_to_the_source_until_the_end(pipeline: Pipeline, admin: Admin) -> None:
    commits = GroupCommits(pipeline, Trigger("every", 0.2))
    commits.batch_done("two", {ORDERS: {"0": 11}})
    assert committed(admin, "shop-two") == {}
    commits.all_done("two", {ORDERS: {"0": 11}})
    assert committed(admin, "shop-two") == {TopicPartition(ORDERS, 0): 11}


def test_brokers_that_are_gone_do_not_keep_others_from_it(pipeline: Pipeline, admin: Admin) -> None:
    ends = {GONE: {"0": 2}, ORDERS: {"0": 12}}
    GroupCommits(pipeline, Trigger("once")).batch_done("two", ends)
    assert committed(admin, "shop-two") == {TopicPartition(ORDERS, 0): 12}


def test_topics_of_one_name_at_different_brokers_are_not_sent_to_each_others_offsets(
    broker: BlockingLocalBroker, admin: Admin, tmp_path: Path
) -> None:
    admin.create_topic("namesake")
    file = tmp_path / "two.yaml"
    with BlockingLocalBroker() as other, Producer(bootstrap_servers=other.bootstrap_servers) as producer:
        producer.send_and_wait("namesake", b"only there")
        file.write_text(
            f"""
kafka: {{bootstrap.servers: "{broker.bootstrap_servers}"}}
sources:
  here: {{topics: namesake}}
  there: {{pattern: "names.*", kafka: {{bootstrap.servers: "{other.bootstrap_servers}"}}}}
sinks: {{out: {{format: noop}}}}
"""
        )
        pipeline = read_pipeline(file)
        for target in ("latest", '{"namesake":{"0":0}}'):
            with pytest.raises(PipelineError, match="here and there read namesake at different brokers"):
                reset(pipeline, parse_target(target), (), is_dry=False, abandon=False)
    assert RunState(pipeline).starts() == {}
