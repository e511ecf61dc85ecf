"""Draft and commanded groups beside the catalogue: an up-to-date group costs nothing, and
a change is sent again until the group knows it."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from groups.topics.commanded_topics import CommandedTopics
from groups.topics.draft_topics import DraftTopics
from tests.core.every_kind import JOINS
from tests.server.conftest import _prepared as _prepared
from tests.server.serving import Serving, serving, until

KINDS: Mapping[str, type[DraftTopics | CommandedTopics]] = {
    "draft": DraftTopics,
    "commanded": CommandedTopics,
}


@pytest.fixture
async def served(_prepared: None, settings: Any) -> AsyncIterator[Serving]:
    settings.CONSUMER_MIN_SESSION_TIMEOUT_MS = 100
    async with serving() as started:
        await started.node.catalogue.create_many({"orders": 4, "bills": 1})
        yield started


async def topics_of(
    served: Serving, kind: str, counts: Mapping[str, int]
) -> DraftTopics | CommandedTopics:
    """Beside the catalogue: one group that believes this of its topics."""
    join: Any = JOINS[kind]
    wants: dict[str, Any] = (
        {"topics": tuple(counts)} if kind == "draft" else {"threads": dict.fromkeys(counts, 1)}
    )
    join = replace(join, counts=counts, **wants)
    reply = await served.ask("g", lambda ticket: replace(join, ticket=ticket))
    assert not reply.error
    node = served.node
    made: DraftTopics | CommandedTopics = KINDS[kind](node.coordinator, node.catalogue)
    made.knows("g")
    return made


@pytest.mark.parametrize("kind", KINDS)
async def test_an_up_to_date_group_is_compared_again_after_a_change(
    served: Serving, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared, compare = list[str](), KINDS[kind]._compare

    async def noting(self: Any, group_id: str, *rest: Any) -> Any:
        compared.append(group_id)
        return await compare(self, group_id, *rest)

    topics = await topics_of(served, kind, {"orders": 4})
    monkeypatch.setattr(KINDS[kind], "_compare", noting)
    for follower in served.node.topics_of_kinds.values():
        follower._groups.clear()
    for _ in range(3):
        await topics.look()
    assert compared == ["g"]

    await served.node.catalogue.create_many({"other": 1})
    for _ in range(3):
        await topics.look()
    again = len(compared)  # the node's own look may have begun at the same moment
    for _ in range(3):
        await topics.look()
    assert 1 < again == len(compared)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_group_is_notified_until_it_is_up_to_date(served: Serving, kind: str) -> None:
    topics = await topics_of(served, kind, {"orders": 2, "gone": 3})
    group: Any = served.node.coordinator.group("g")
    assert dict(group.counts) == {"orders": 2, "gone": 3}
    await topics.look()

    def knows() -> bool:
        found: Any = served.node.coordinator.group("g")
        return dict(found.counts) == {"orders": 4, "gone": 0}

    await until(knows)
