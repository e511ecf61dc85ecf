"""Stock administrators of six libraries run the same errands: topics, groups and offsets."""

import asyncio
from collections.abc import Iterator

import pytest

from groups.core.errors import ErrorCode
from launcher.installation import Installation
from tests.clients.conftest import Shell, Start, each, topic
from tests.clients.programs import ADMINS

pytestmark = pytest.mark.timeout(900)  # the first of a language builds

DONE = {"done": True}
UNKNOWN_MEMBER_ID = int(ErrorCode.UNKNOWN_MEMBER_ID)
KAFKAJS = "The consumer group must have no running instances, current state: Stable"
THOROUGH = ("kafka-python", "java", "franz-go", "sarama")
"""Those that can remove members and delete single offsets."""


@pytest.fixture
def admin(request: pytest.FixtureRequest, installation: Installation) -> Iterator[Shell]:
    """The administrator of the library that the test names."""
    with Shell(ADMINS[request.param].command(installation.kafka)) as shell:
        yield shell


every_library = pytest.mark.parametrize(
    "admin", each(ADMINS, quick="confluent-kafka"), indirect=True
)
thorough_library = pytest.mark.parametrize(
    "admin", each(ADMINS, THOROUGH, quick="kafka-python"), indirect=True
)


def refused(code: ErrorCode) -> dict[str, int]:
    """What a program says when Rollcall answered so."""
    return {"error": int(code)}


@every_library
def test_a_topic_is_created_once_and_deleted_once(admin: Shell, name: str) -> None:
    assert admin.ask(f"create {name} 3") == DONE
    assert admin.ask(f"create {name} 3") == refused(ErrorCode.TOPIC_ALREADY_EXISTS)

    assert admin.ask(f"delete-topic {name}") == DONE
    assert admin.ask(f"delete-topic {name}") == refused(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)


@every_library
def test_offsets_of_an_empty_group_are_set_and_deleted_with_it(admin: Shell, name: str) -> None:
    admin.ask(f"create {name} 3")

    assert admin.ask(f"commit {name} {name} 2 7") == DONE

    assert admin.ask(f"offsets {name}") == {"offsets": {"2": 7}}
    assert name in admin.ask("groups")["groups"]
    assert admin.ask(f"describe {name}") == {"state": "Empty", "members": []}
    assert admin.ask(f"delete-group {name}") == DONE
    assert name not in admin.ask("groups")["groups"]
    assert admin.ask(f"delete-group {name}") == refused(ErrorCode.GROUP_ID_NOT_FOUND)


@every_library
def test_describing_an_active_group_does_not_disturb_it(
    admin: Shell, installation: Installation, start: Start, name: str
) -> None:
    asyncio.run(topic(installation.kafka, name, partitions=2))
    worker = start("confluent-kafka", installation.kafka, name)
    worker.until(lambda: worker.owned == {0, 1}, "both")

    shown = admin.ask(f"describe {name}")

    assert shown == {"state": "Stable", "members": [{"instance": "", "partitions": [0, 1]}]}
    # kafkajs looks first, and refuses by itself with a sentence.
    assert admin.ask(f"commit {name} {name} 0 5")["error"] in (UNKNOWN_MEMBER_ID, KAFKAJS)
    assert admin.ask(f"delete-group {name}") == refused(ErrorCode.NON_EMPTY_GROUP)
    assert worker.commit(9) == {"0": 9, "1": 9}


@thorough_library
def test_single_offsets_are_deleted_unless_the_topic_is_in_use(
    admin: Shell, installation: Installation, start: Start, name: str
) -> None:
    asyncio.run(topic(installation.kafka, name, partitions=2))
    worker = start("confluent-kafka", installation.kafka, name)
    worker.until(lambda: worker.owned == {0, 1}, "both")
    worker.commit(4)

    subscribed = admin.ask(f"delete-offsets {name} {name} 1")
    worker.close()

    assert subscribed == refused(ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC)
    assert admin.ask(f"delete-offsets {name} {name} 1") == DONE
    assert admin.ask(f"offsets {name}") == {"offsets": {"0": 4}}


@thorough_library
def test_a_dead_static_member_is_removed_manually(
    admin: Shell, installation: Installation, start: Start, name: str
) -> None:
    asyncio.run(topic(installation.kafka, name, partitions=2))
    worker = start("confluent-kafka-static", installation.kafka, name, 45_000)
    worker.until(lambda: worker.owned == {0, 1}, "both")
    instance = f"{name}-static"
    worker.kill()
    shown = admin.ask(f"describe {name}")["members"]

    assert admin.ask(f"remove {name} {instance}") == DONE

    assert shown == [{"instance": instance, "partitions": [0, 1]}]
    assert admin.ask(f"describe {name}") == {"state": "Empty", "members": []}
    assert admin.ask(f"remove {name} {instance}") == refused(ErrorCode.UNKNOWN_MEMBER_ID)
