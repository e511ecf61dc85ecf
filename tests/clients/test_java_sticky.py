"""Java's sticky assignors beside the rules that foresee them: random groups go from change to
change in both; and real members of a real group end up as was predicted."""

import asyncio
import json
import urllib.request
from collections.abc import Iterator
from random import Random
from typing import Any, Final
from urllib.parse import urlencode

import pytest

from console.foresight import java_sticky
from launcher.installation import Installation
from tests.clients.conftest import Shell, Start, topic
from tests.clients.programs import JAVA_STICKY, JAVA_STICKY_4_3
from tests.clients.test_sharing import LONG_SESSION_MS
from tests.foresight.sticky_groups import RULES, Group, changed, fresh, owned, written
from tests.installations import TOKEN

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]  # the first of them builds

GROUPS: Final = 150
CHANGES: Final = 6
STRATEGY: Final = "partition.assignment.strategy=org.apache.kafka.clients.consumer."


@pytest.fixture(scope="module", params=["newest", "the one before"])
def java(request: pytest.FixtureRequest) -> Iterator[Shell]:
    """What the assignors of a release answer."""
    program = JAVA_STICKY if request.param == "newest" else JAVA_STICKY_4_3
    with Shell(program.command()) as shell:
        yield shell


@pytest.mark.parametrize("name", RULES)
def test_java_assigns_what_the_rules_say(java: Shell, name: str) -> None:
    seed = Random().randrange(10**9)
    for number in range(GROUPS):
        chance = Random(f"{seed} {number}")
        group = fresh(chance)
        for _ in range(CHANGES):
            group = changed(group, chance)
            answer = owned(java.ask(written(name, group))["owned"])
            assert RULES[name](group.subscribers, group.counts) == answer, (seed, number, group)
            group = Group(group.counts, answer)


def test_versions_that_were_compared_are_known() -> None:
    assert java_sticky.is_known((java_sticky.SOFTWARE, "4.4.0"))


def ask(installation: Installation, path: str, **query: str) -> Any:
    """What REST says."""
    url = f"{installation.web.rstrip('/')}/api/v1/{path}?{urlencode(query)}"
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as answer:
        return json.load(answer)


@pytest.mark.parametrize("assignor", ["StickyAssignor", "CooperativeStickyAssignor"])
def test_members_own_what_was_predicted(
    installation: Installation, start: Start, name: str, assignor: str
) -> None:
    """Three stock members, of which one leaves."""
    asyncio.run(topic(installation.kafka, name))
    strategy = f"{STRATEGY}{assignor}"
    workers = [start("java", installation.kafka, name, LONG_SESSION_MS, strategy) for _ in range(3)]
    shared = [2, 2, 2]
    workers[0].until(lambda: [len(each.owned) for each in workers] == shared, "two each")
    last = workers.pop()
    rows = ask(installation, f"groups/{name}/members")["data"]
    gone = next(row for row in rows if set(row["assignment"][name]) == last.owned)
    told = ask(installation, f"groups/{name}/foresight", gone=gone["member_id"])
    last.close()

    workers[0].until(lambda: [len(each.owned) for each in workers] == [3, 3], "three each")
    assert (told["accuracy"], told["moved"], told["rebalances"]) == ("exact", 2, 1)
    after = {share["member_id"]: share["after"] for share in told["shares"]}
    assert sorted(n for n in after.values() if n) == [3, 3]
