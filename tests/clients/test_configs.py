"""Configuration by a stock admin client, and what a freeze means to stock consumers."""

import asyncio
import subprocess
import sys

import pytest
from confluent_kafka import KafkaException
from confluent_kafka.admin import (
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ResourceType,
)

from launcher.installation import Installation
from tests.clients.conftest import PATIENCE_S, Start, each, topic
from tests.clients.programs import WORKERS
from tests.clients.workers import LIBRARIES

FREEZE = "rollcall.freeze"
ALL = {0, 1, 2, 3, 4, 5}


class Admin:
    """confluent-kafka's admin client, one resource at a time."""

    def __init__(self, bootstrap: str) -> None:
        self.client = AdminClient({"bootstrap.servers": bootstrap})

    def describe(self, kind: ResourceType, name: str) -> dict[str, ConfigEntry]:
        """The settings of a resource by name."""
        resource = ConfigResource(kind, name)
        found: dict[str, ConfigEntry] = self.client.describe_configs([resource])[resource].result(
            PATIENCE_S
        )
        return found

    def set(self, kind: ResourceType, name: str, setting: str, value: str) -> None:
        """Set one; raises what the coordinator answered."""
        entry = ConfigEntry(setting, value, incremental_operation=AlterConfigOpType.SET)
        resource = ConfigResource(kind, name, incremental_configs=[entry])
        self.client.incremental_alter_configs([resource])[resource].result(PATIENCE_S)


@pytest.fixture
def admin(installation: Installation) -> Admin:
    return Admin(installation.kafka)


def test_an_admin_client_configures_a_group(admin: Admin, name: str) -> None:
    assert admin.describe(ResourceType.GROUP, name)[FREEZE].value == "false"

    admin.set(ResourceType.GROUP, name, "consumer.session.timeout.ms", "50000")

    entry = admin.describe(ResourceType.GROUP, name)["consumer.session.timeout.ms"]
    assert (entry.value, entry.is_read_only, entry.is_default) == ("50000", False, False)
    assert "group.consumer.session.timeout.ms" in entry.synonyms
    with pytest.raises(KafkaException, match="INVALID_CONFIG"):
        admin.set(ResourceType.GROUP, name, "consumer.session.timeout.ms", "1")


KAFKA_PYTHON = """
import sys
from kafka.admin import ConfigResource, ConfigResourceType, KafkaAdminClient

admin = KafkaAdminClient(bootstrap_servers=sys.argv[1])
group = ConfigResource(ConfigResourceType.GROUP, sys.argv[2], {"rollcall.freeze": "true"})
admin.alter_configs([group])
admin.close()
"""
"""As docs/configuration.md has it; a process of its own, since its import warns."""


def test_kafka_pythons_admin_client_configures_a_group(
    admin: Admin, installation: Installation, name: str
) -> None:
    subprocess.run(
        [sys.executable, "-c", KAFKA_PYTHON, installation.kafka, name], check=True, timeout=60
    )

    assert admin.describe(ResourceType.GROUP, name)[FREEZE].value == "true"


def test_an_admin_client_reads_topic_and_broker_configs_and_cannot_change_them(
    admin: Admin, installation: Installation, name: str
) -> None:
    asyncio.run(topic(installation.kafka, name))

    assert admin.describe(ResourceType.TOPIC, name)["cleanup.policy"].value == "delete"
    assert admin.describe(ResourceType.BROKER, "0")["group.max.size"].is_read_only
    with pytest.raises(KafkaException, match="keeps no log"):
        admin.set(ResourceType.TOPIC, name, "retention.ms", "1000")
    with pytest.raises(KafkaException, match="while a node runs"):
        admin.set(ResourceType.BROKER, "0", "num.partitions", "3")


@pytest.mark.parametrize("library", each(WORKERS, LIBRARIES, quick="confluent-kafka-848"))
def test_a_frozen_group_keeps_working_and_admits_the_new_member_when_thawed(
    library: str, admin: Admin, installation: Installation, start: Start, name: str
) -> None:
    asyncio.run(topic(installation.kafka, name))
    one = start(library, installation.kafka, name)
    one.until(lambda: one.owned == ALL, "the first has all six")
    admin.set(ResourceType.GROUP, name, FREEZE, "true")
    heard = len(one.events)

    other = start(library, installation.kafka, name)
    one.until(lambda: _members(admin, name) == 2, "the newcomer waits")
    assert one.commit(7) == {str(p): 7 for p in sorted(ALL)}
    assert one.owned == ALL and other.owned == set()
    assert [e["event"] for e in one.events[heard:]] == ["committed"], "it was not disturbed"

    admin.set(ResourceType.GROUP, name, FREEZE, "false")
    one.until(lambda: len(one.owned) == len(other.owned) == 3, "three and three")
    assert one.owned | other.owned == ALL


def _members(admin: Admin, name: str) -> int:
    group = admin.client.describe_consumer_groups([name])[name].result(PATIENCE_S)
    return len(group.members)
