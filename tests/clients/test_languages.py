"""Stock consumers of other languages: Java's, two of Go's and one of Node's, as programs.

What they ask for is in ``docs/clients.md``. Python's have their stories in ``test_sharing.py``.
"""

import asyncio

import pytest

from launcher.installation import Installation
from tests.clients.conftest import Shell, Start, topic
from tests.clients.programs import ADMINS, WORKERS_OF_OTHER_LANGUAGES
from tests.clients.test_sharing import ALL, LEAVES_S, LONG_SESSION_MS, share

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]  # the first of them builds


@pytest.mark.parametrize("library", WORKERS_OF_OTHER_LANGUAGES)
def test_two_processes_share_commit_and_one_leaves(
    library: str, installation: Installation, start: Start, name: str
) -> None:
    asyncio.run(topic(installation.kafka, name))
    one = start(library, installation.kafka, name, LONG_SESSION_MS)
    other = start(library, installation.kafka, name, LONG_SESSION_MS)
    one.until(lambda: share(one, other), "three and three")

    assert one.commit(41) == {str(p): 41 for p in one.owned}
    assert other.commit(42) == {str(p): 42 for p in other.owned}
    other.close()

    one.until(lambda: one.owned == ALL, "the other has all six", LEAVES_S)
    assert one.commit(43) == {str(p): 43 for p in ALL}


def test_four_libraries_of_three_languages_share_one_group(
    installation: Installation, start: Start, name: str
) -> None:
    asyncio.run(topic(installation.kafka, name))

    libraries = ("java", "franz-go", "sarama", "kafka-python")
    members = [start(library, installation.kafka, name) for library in libraries]

    def is_shared() -> bool:
        """Each partition has one owner, and every member has some."""
        held = [member.owned for member in members]
        return sorted(map(len, held)) == [1, 1, 2, 2] and set().union(*held) == ALL

    members[0].until(is_shared, "two, two, one and one")


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_a_static_member_returns_to_its_partitions(
    protocol: str, installation: Installation, start: Start, name: str
) -> None:
    asyncio.run(topic(installation.kafka, name))
    bootstrap, settings = installation.kafka, f"group.protocol={protocol}"
    static = [f"group.instance.id={name}-{i}" for i in "ab"]
    one = start("java", bootstrap, name, LONG_SESSION_MS, settings, static[0])
    other = start("java", bootstrap, name, LONG_SESSION_MS, settings, static[1])
    one.until(lambda: share(one, other), "three and three")
    said = len(one.events)

    other.close()
    again = start("java", bootstrap, name, LONG_SESSION_MS, settings, static[1])
    again.until(lambda: again.owned == other.owned, "what it had")

    assert one.events[said:] == []
    again.close()
    with Shell(ADMINS["java"].command(bootstrap)) as admin:
        assert admin.ask(f"remove {name} {name}-b") == {"done": True}
    one.until(lambda: one.owned == ALL, "all six, since the operator removed the other", 20)
