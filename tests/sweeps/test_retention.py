"""Offset retention and clean-up, against a node that decides."""

import asyncio

import pytest
from django.db import OperationalError

from groups.core.configs.entries import Change, ConfigOperation
from groups.core.replies import Committed
from groups.sweeps.session import RetentionSweep, clean_up
from tests.node.running import Running
from tests.sweeps.conftest import Other, swept, until, value

OLD = (
    "UPDATE rollcall_offset SET committed_at = committed_at - interval '2 minutes' WHERE topic = %s"
)
DONE = "SELECT count(*) FROM rollcall_operation WHERE state = 'succeeded' AND group_id = %s"
TOPICS = "SELECT string_agg(DISTINCT topic, ' ') FROM rollcall_offset WHERE group_id = %s"
GROUPS = "SELECT string_agg(group_id, ' ' ORDER BY group_id) FROM rollcall_group"


async def test_old_offsets_are_deleted_and_the_last_deletes_its_group(
    one: Running, other: Other
) -> None:
    await one.commit("mixed", 1, topic="old")
    await one.commit("mixed", 1, topic="new")
    await one.commit("over", 1, topic="old")
    await one.commit("young", 1, topic="new")
    await other.execute(OLD, ["old"])

    assert await swept(RetentionSweep().run) == "2 groups asked"
    await until(lambda: value(other, DONE, "over"))
    await until(lambda: value(other, DONE, "mixed"))

    assert await value(other, TOPICS, "mixed") == "new"
    assert await value(other, GROUPS) == "mixed young"
    assert await swept(RetentionSweep().run) == "0 groups asked"


async def test_a_commit_during_the_clean_up_is_kept(one: Running, other: Other) -> None:
    """The sweep saw an old offset; before the owner looks, the group commits again."""
    await one.commit("g", 1)
    await other.execute(OLD, ["t"])
    let_go = one.points.hold("offsets:before")
    newer = one.commit("g", 2)
    await one.points.reached["offsets:before"].wait()

    await swept(RetentionSweep().run)
    await until(lambda: value(other, "SELECT count(*) FROM rollcall_operation"))
    await one.node.operator.look()
    let_go()

    assert await newer == Committed()
    await until(lambda: value(other, DONE, "g"))
    assert await value(other, "SELECT committed_offset FROM rollcall_offset") == 2


async def test_every_group_is_visited(
    one: Running, other: Other, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("groups.sweeps.session.GROUPS_A_SWEEP", 2)
    monkeypatch.setattr("groups.sweeps.session.GROUPS_A_PAGE", 1)
    for name in "abc":
        await one.commit(name, 1)
    await other.execute(OLD, ["t"])
    sweep = RetentionSweep()

    assert await swept(sweep.run) == "2 groups asked"
    assert await swept(sweep.run) == "1 groups asked"
    await until(lambda: value(other, "SELECT count(*) = 0 FROM rollcall_group"))


async def test_a_page_that_takes_too_long_is_made_smaller(
    one: Running, other: Other, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Progress before it counts, and the next turn reads fewer groups at once."""
    monkeypatch.setattr("groups.sweeps.session.GROUPS_A_PAGE", 4)
    for name in "abcdef":
        await one.commit(name, 1)
    await other.execute(OLD, ["t"])
    sweep = RetentionSweep()
    sizes: list[int] = []
    page = sweep._page

    def slow(size: int) -> list[tuple[object, ...]]:
        sizes.append(size)
        if len(sizes) == 2:
            raise OperationalError("canceling statement due to statement timeout")
        return page(size)

    monkeypatch.setattr(sweep, "_page", slow)
    with pytest.raises(OperationalError):
        await swept(sweep.run)
    assert await swept(sweep.run) == "2 groups asked"
    assert sizes == [4, 4, 1, 4]


async def test_the_clean_up_keeps_pace_with_the_backlog(
    one: Running, other: Other, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many statements of few rows, in one turn."""
    monkeypatch.setattr("groups.sweeps.session.ROWS_A_STATEMENT", 2)
    await other.execute(
        "INSERT INTO rollcall_journal (at, group_id, revision, node_id, kind, trigger, reason,"
        ' generation_before, generation_after, waited_for, joined, "left", details)'
        " SELECT now() - interval '31 days', 'g', 1, 0, 'emptied', '', '', 0, 0, '{}', '[]', '[]',"
        " '{}' FROM generate_series(1, 7)"
    )
    await other.execute("UPDATE rollcall_journal SET at = now() - interval '31 days'")
    await swept(clean_up)
    assert await value(other, "SELECT count(*) FROM rollcall_journal") == 0


async def test_the_clean_up_removes_only_old_rows(one: Running, other: Other) -> None:
    await one.settled("g")
    await until(lambda: value(other, "SELECT count(*) FROM rollcall_liveness"))
    await other.execute(
        "INSERT INTO rollcall_operation (group_id, slot, verb, member_id, reason, actor, state,"
        " detail, created_at, finished_at)"
        " SELECT 'g', 0, 'rebalance', '', 'r', who, 'succeeded', '', now(), now() - ago"
        " FROM (VALUES ('alice', interval '31 days'), ('bob', interval '1 day'),"
        "              ('retention', interval '1 day')) AS o(who, ago)"
    )
    await other.execute(
        "UPDATE rollcall_journal SET at = now() - interval '31 days' WHERE group_id = ''"
    )
    await other.execute(
        "INSERT INTO rollcall_liveness VALUES ('g', 'stranger', now(), now() - interval '1 day')"
    )

    assert await swept(clean_up) == "removed 2 operations, 1 journal entries, 1 notes"
    assert await value(other, "SELECT actor FROM rollcall_operation") == "bob"
    assert await value(other, "SELECT count(*) FROM rollcall_liveness") == 1


async def test_settings_of_groups_that_never_existed_are_deleted_and_others_kept(
    one: Running, other: Other
) -> None:
    await one.commit("there", 1)
    for group_id in ("there", "gone", "never", "yet to come"):
        await one.node.configs.alter(
            {group_id: [Change("rollcall.freeze", ConfigOperation.SET, "true")]}
        )
    await other.execute(
        "INSERT INTO rollcall_journal (at, group_id, revision, node_id, kind, trigger, reason,"
        ' generation_before, generation_after, waited_for, joined, "left", details)'
        " VALUES (now(), 'gone', 1, 0, 'group-deleted', '', '', 0, 0, '{}', '[]', '[]', '{}')"
    )
    await other.execute(
        "UPDATE rollcall_group_config SET updated_at = now() - interval '169 hours'"
        " WHERE group_id <> 'yet to come'"
    )
    own = one.node.coordinator.own
    assert own.rules_of("never").guards.frozen

    assert await swept(clean_up) == "removed 1 settings of groups that were never created"

    names = "SELECT string_agg(group_id, ', ' ORDER BY group_id) FROM rollcall_group_config"
    assert await value(other, names) == "gone, there, yet to come"
    while own.rules_of("never").guards.frozen:
        await asyncio.sleep(0.01)  # its owner applies it as soon as it is notified
