"""The catalogue follows a cluster, which is an installation of Rollcall: over its own wire."""

from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import AdminClient, NewPartitions, NewTopic
from django.core.exceptions import ImproperlyConfigured

from console.operations import kafka_import
from console.operations import topic_changes as changes
from groups.models import Topic
from groups.sweeps import schedule
from launcher.installation import Installation
from tests.node.running import Running
from tests.sweeps.conftest import Other, swept, until, value

ENDS = "SELECT end_offsets FROM rollcall_topic WHERE name = 'imported-orders'"


class Cluster:
    """A cluster with an administrator."""

    def __init__(self, bootstrap: str) -> None:
        self.bootstrap = bootstrap
        self.admin: Any = AdminClient({"bootstrap.servers": bootstrap})

    def create(self, name: str, partitions: int) -> None:
        for done in self.admin.create_topics([NewTopic(name, partitions)]).values():
            done.result()

    def grow(self, name: str, partitions: int) -> None:
        for done in self.admin.create_partitions([NewPartitions(name, partitions)]).values():
            done.result()

    def end(self, name: str, partition: int, offset: int) -> None:
        """ "Latest" follows the greatest committed offset: a client commits."""
        at = [TopicPartition(name, partition, offset)]
        asked = [ConsumerGroupTopicPartitions(f"readers of {name}", at)]
        for done in self.admin.alter_consumer_group_offsets(asked).values():
            done.result()


@pytest.fixture(scope="module")
def cluster(installation: Installation) -> Cluster:
    """What topics are imported from, and does not know it."""
    return Cluster(installation.kafka)


@pytest.fixture
def imports(cluster: Cluster, settings: Any) -> Cluster:
    """This test's catalogue follows the cluster."""
    settings.IMPORT_BOOTSTRAP_SERVERS = cluster.bootstrap
    return cluster


async def test_topics_are_created_grown_and_notified_to_nodes(
    imports: Cluster, one: Running, other: Other, settings: Any
) -> None:
    settings.IMPORT_TOPICS = "imported-o.*"
    imports.create("imported-orders", 2)
    imports.create("others", 1)
    assert await swept(kafka_import.run) == "1 topics found; 1 made (imported-orders)"
    await until(lambda: _has(one, "imported-orders", 2))
    assert one.node.catalogue.get("others") is None

    imports.grow("imported-orders", 3)
    imports.end("imported-orders", 2, 41)
    assert await swept(kafka_import.run) == (
        "1 topics found; 1 grown (imported-orders); end offsets of 1 raised"
    )
    await until(lambda: _has(one, "imported-orders", 3))
    assert await value(other, ENDS) == [0, 0, 41]

    assert await swept(kafka_import.run) == "1 topics found"


async def _has(one: Running, name: str, partitions: int) -> bool:
    entry = one.node.catalogue.get(name)
    return entry is not None and entry.partitions == partitions


async def test_a_larger_existing_topic_is_kept(
    imports: Cluster, one: Running, settings: Any
) -> None:
    settings.IMPORT_TOPICS = "imported-s.*"
    imports.create("imported-small", 1)
    await swept(lambda: changes.create("imported-small", 4).name)
    outcome = await swept(kafka_import.run)
    assert outcome.endswith("1 not changed (imported-small: It has 1 partitions there and 4 here.)")


async def test_a_topic_without_room_keeps_no_other_from_being_imported(
    imports: Cluster, one: Running, settings: Any
) -> None:
    """It was the end of each import: what grew in Kafka did not grow here any more."""
    settings.IMPORT_TOPICS = "imported-r.*"
    imports.create("imported-rises", 1)
    await swept(kafka_import.run)
    imports.create("imported-refused", 1)
    imports.grow("imported-rises", 2)
    imports.end("imported-rises", 0, 7)
    settings.TOPICS_MAX = 0
    assert await swept(kafka_import.run) == (
        "2 topics found; 1 grown (imported-rises); end offsets of 1 raised; 1 not changed"
        " (imported-refused: There are as many topics as there may be.)"
    )


@pytest.mark.django_db
def test_without_a_cluster_nothing_is_imported(settings: Any) -> None:
    settings.IMPORT_BOOTSTRAP_SERVERS = ""
    assert kafka_import.run() == "no cluster is configured (import.bootstrap.servers)"
    assert "catalogue import" not in {row.name for row in schedule.defaults()}
    settings.IMPORT_BOOTSTRAP_SERVERS = "kafka:9092"
    assert "catalogue import" in {row.name for row in schedule.defaults()}


@pytest.mark.django_db
def test_ends_only_rise() -> None:
    topic = Topic.objects.create(
        name="t", topic_id="6f1c1f3e-0000-4000-8000-000000000001", partitions=3, end_offsets=[5, 6]
    )
    assert not changes.raise_ends("t", [4, 6])
    assert changes.raise_ends("t", [4, 7, 1])
    topic.refresh_from_db()
    assert topic.end_offsets == [5, 7, 1]


def test_the_clients_file_keeps_secrets_out_of_the_environment(tmp_path: Path) -> None:
    file = tmp_path / "client.properties"
    file.write_text("# how to reach it\nsecurity.protocol = SASL_SSL\nsasl.password=a=b\n\n")
    assert kafka_import.read_config(str(file)) == {
        "security.protocol": "SASL_SSL",
        "sasl.password": "a=b",
    }
    file.write_text("nonsense\n")
    with pytest.raises(ImproperlyConfigured, match="line without"):
        kafka_import.read_config(str(file))
    with pytest.raises(ImproperlyConfigured, match=r"import\.client\.config"):
        kafka_import.read_config(str(tmp_path / "missing"))
