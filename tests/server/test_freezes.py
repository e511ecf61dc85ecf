"""Groups that operators freeze, thaw and delete, against the rows."""

import asyncio
from typing import Any

import pytest

from groups.core.configs.entries import Change, ConfigOperation
from groups.core.rows import slot_of
from groups.models import Operation
from groups.operations.requests import event_of
from groups.postgres.connections import Connection
from groups.store.sql.ends import THAW
from groups.sweeps.ends import WHO
from tests.server.serving import Serving
from tests.server.test_offset_totals import commit_many
from tests.server.totals import make

GROUP = "cold"

ASK = """
INSERT INTO rollcall_operation
    (group_id, slot, verb, member_id, reason, actor, state, detail, created_at, until)
VALUES (%s, %s, %s, '', 'a mistake', 'olga', 'pending', '', now(), %s) RETURNING id
"""
ENDED = "SELECT state, outcome, detail FROM rollcall_operation WHERE id = %s"
CONFIGS = "SELECT name, value FROM rollcall_group_config"
PUT = """
INSERT INTO rollcall_group_config (group_id, slot, name, value, updated_at)
VALUES (%s, %s, 'rollcall.freeze', 'false', now())
"""
JOURNAL = """
SELECT kind, reason, details -> 'author' ->> 'user' FROM rollcall_journal
WHERE kind IN ('config-changed', 'group-deleted') ORDER BY id
"""
FROZEN = "config-changed", "a mistake", "olga"


async def ended(
    served: Serving, other: Connection, *verbs: str, until: str | None = None
) -> list[tuple[Any, ...]]:
    """State, outcome and detail of these operations, requested in this order."""
    ids = []
    for verb in verbs:
        row = await (await other.execute(ASK, [GROUP, slot_of(GROUP), verb, until])).fetchone()
        assert row is not None
        ids.append(row[0])
    await served.node.operator.look()
    while True:
        found = [await (await other.execute(ENDED, [one])).fetchone() for one in ids]
        if all(row is not None and row[0] in ("succeeded", "failed") for row in found):
            return [row for row in found if row is not None]


async def of(other: Connection, question: str) -> list[tuple[Any, ...]]:
    """All rows."""
    return await (await other.execute(question.encode())).fetchall()


@pytest.fixture
async def cold(served: Serving) -> Serving:
    """A server with a group without members."""
    client, _ = await served.connect()
    assert await make(client, 1, "wide") == [0]
    assert await commit_many(client, GROUP, range(1)) == [0]
    return served


async def test_a_group_is_frozen_once_and_thawed_once(cold: Serving, other: Connection) -> None:
    """In the order of the requests; one without effect writes nothing."""
    assert await ended(cold, other, "freeze", "freeze") == [
        ("succeeded", "changed", "the group is frozen"),
        ("succeeded", "unchanged", "the group was frozen already"),
    ]
    assert await of(other, CONFIGS) == [("rollcall.freeze", "true")]
    assert cold.node.coordinator.own.rules_of(GROUP).guards.frozen
    assert await ended(cold, other, "thaw", "thaw") == [
        ("succeeded", "changed", "the group is thawed"),
        ("succeeded", "unchanged", "the group was thawed already"),
    ]
    assert await of(other, CONFIGS) == []
    assert not cold.node.coordinator.own.rules_of(GROUP).guards.frozen
    assert await of(other, JOURNAL) == [FROZEN, FROZEN]


async def test_a_group_that_is_explicitly_not_frozen_counts_as_thawed(
    cold: Serving, other: Connection
) -> None:
    await other.execute(PUT.encode(), [GROUP, slot_of(GROUP)])
    assert await ended(cold, other, "thaw") == [
        ("succeeded", "unchanged", "the group was thawed already")
    ]
    assert await of(other, CONFIGS) == [("rollcall.freeze", "false")]
    assert await ended(cold, other, "freeze") == [("succeeded", "changed", "the group is frozen")]


async def test_a_deleted_groups_freeze_does_not_apply_to_its_successor(
    cold: Serving, other: Connection
) -> None:
    assert await ended(cold, other, "delete", "delete") == [
        ("succeeded", "changed", "the group was deleted"),
        ("failed", None, "the group is gone"),
    ]
    assert await ended(cold, other, "freeze") == [("failed", None, "the group is gone")]
    assert await of(other, CONFIGS) == []
    assert await of(other, "SELECT count(*) FROM rollcall_offset") == [(0,)]
    assert await of(other, JOURNAL) == [("group-deleted", "a mistake", "olga")]


async def test_a_deleted_frozen_group_can_be_thawed(cold: Serving, other: Connection) -> None:
    await ended(cold, other, "freeze")
    await ended(cold, other, "delete")
    assert await of(other, CONFIGS) == [("rollcall.freeze", "true")]
    assert await ended(cold, other, "thaw") == [("succeeded", "changed", "the group is thawed")]
    assert await of(other, CONFIGS) == []


SOON, LATER = "2999-01-01 00:00:00+00", "2999-01-02 00:00:00+00"
ENDS = "SELECT until::text FROM rollcall_group_config"
UNTIL = """
SELECT details ->> 'until' IS NOT NULL FROM rollcall_journal
WHERE kind = 'config-changed' ORDER BY id
"""


async def test_a_freeze_has_an_end_and_a_repeated_one_moves_it(
    cold: Serving, other: Connection
) -> None:
    frozen, same = "the group is frozen", "the group was frozen already"
    for until, told in (
        (SOON, frozen),
        (SOON, same),
        (LATER, frozen),
        (None, frozen),
        (None, same),
    ):
        outcome = "changed" if told == frozen else "unchanged"
        assert await ended(cold, other, "freeze", until=until) == [("succeeded", outcome, told)]
        found = await of(other, ENDS)
        assert [end and end[:10] for (end,) in found] == [until and until[:10]]
    assert await of(other, UNTIL) == [(True,), (True,), (False,)]
    assert await of(other, JOURNAL) == [FROZEN] * 3


async def test_the_end_of_a_freeze_thaws_no_later_one(cold: Serving, other: Connection) -> None:
    """Somebody has put the end off while the worker's wish was on its way."""
    already = ("succeeded", "unchanged", "the group was thawed already")
    await ended(cold, other, "freeze", until=LATER)
    assert await ended(cold, other, "thaw", until=SOON) == [already]
    await ended(cold, other, "freeze")
    assert await ended(cold, other, "thaw", until=LATER) == [already]
    assert cold.node.coordinator.own.rules_of(GROUP).guards.frozen
    await ended(cold, other, "freeze", until=SOON)
    assert await ended(cold, other, "thaw", until=SOON) == [
        ("succeeded", "changed", "the group is thawed")
    ]
    while cold.node.coordinator.own.rules_of(GROUP).guards.frozen:
        await asyncio.sleep(0.001)  # the operation has ended a moment before the owner goes by it


async def test_the_worker_requests_one_thaw_when_the_time_is_up(
    cold: Serving, other: Connection
) -> None:
    wish = {"actor": WHO, "groups": 10}
    await ended(cold, other, "freeze", until=SOON)
    assert (await other.execute(THAW.encode(), wish)).rowcount == 0
    await other.execute(b"UPDATE rollcall_group_config SET until = now()")
    assert (await other.execute(THAW.encode(), wish)).rowcount == 1
    assert (await other.execute(THAW.encode(), wish)).rowcount == 0
    await cold.node.operator.look()
    while await of(other, CONFIGS):
        await asyncio.sleep(0.005)
    entries = await of(other, JOURNAL)
    assert entries[1][0] == "config-changed" and entries[1][2] == WHO
    assert entries[1][1].startswith("frozen until ")
    assert (await other.execute(THAW.encode(), wish)).rowcount == 0


@pytest.mark.parametrize("verb", list(Operation.Verb))
def test_each_operation_is_an_event(verb: str) -> None:
    """None is taken for another, and an unknown one for none."""
    parameters = {"how": "so", "to": [], "before": []}
    row = (1, "g", verb, "m", "a reason", "olga", None, None, parameters, None)
    assert event_of(row)[0] == "g"
    is_rebalance = type(event_of(row)[1]).__name__ == "ForceRebalance"
    assert is_rebalance == (verb == Operation.Verb.REBALANCE)
    with pytest.raises(ValueError, match="unknown verb in this version"):
        event_of((1, "g", f"{verb}-2", *row[3:]))


async def test_a_save_of_other_settings_does_not_freeze_a_group_again(
    cold: Serving, other: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is thawed between the read of its settings and the write."""
    configs = cold.node.configs
    check = configs._changed
    await ended(cold, other, "freeze")

    async def thawed_meanwhile(*given: Any) -> Any:
        assert (await ended(cold, other, "thaw"))[0][1] == "changed"
        return await check(*given)

    monkeypatch.setattr(configs, "_changed", thawed_meanwhile)
    most = Change("rollcall.max.members", ConfigOperation.SET, "7")
    assert await configs.alter({GROUP: [most]}) == {}

    assert await of(other, CONFIGS) == [("rollcall.max.members", "7")]
