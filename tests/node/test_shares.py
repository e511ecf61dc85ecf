"""A node that cannot serve gives its slots back, and takes none for a while."""

import asyncio
from typing import Any
from unittest.mock import patch
from urllib.parse import urlsplit

import psycopg
import pytest

from groups.cluster import slot_keeper, supervision
from groups.cluster.lease import NodeIdTaken
from groups.cluster.slot_loader import SlotLoader
from groups.cluster.supervision import FAILURES_MAX, supervised
from groups.core.backoff import Backoff
from groups.core.replies import Committed
from groups.core.rows import SLOTS, slot_of
from groups.postgres.connections import Connection
from groups.store import preflight
from tests.node.running import Running, running
from tests.node.test_slots import owners, until
from tests.node.test_verbs import ask, reached
from tests.pooler import pooled


@pytest.fixture(autouse=True)
def _soon(_prepared: None, monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    """Waits are short here, but for the rest: that of these tests never ends."""
    settings.NODE_LEASE_MS = 1_000
    monkeypatch.setattr(slot_keeper, "LOAD_AGAIN_MS", 20)
    monkeypatch.setattr(slot_keeper, "LOAD_AGAIN_MS_MAX", 40)
    monkeypatch.setattr(slot_keeper, "REST_MS", 600_000)
    monkeypatch.setattr(supervision, "AGAIN_S", 0.01)


TAKEN_BY_ZERO = """
UPDATE rollcall_slot SET node_id = 0, incarnation = %(incarnation)s, epoch = epoch + 1
WHERE node_id = 8
"""


def test_retry_delays_double_up_to_a_maximum_and_restart_after_a_success() -> None:
    tried = Backoff(100, 350)
    waits = []
    for now in (0, 1_000, 2_000):
        tried.failed(now)
        waits.append([tried.waits(now + later) for later in (99, 100, 199, 200, 349, 350)])
    assert waits == [[True] + [False] * 5, [True] * 3 + [False] * 3, [True] * 5 + [False]]
    tried.succeeded()
    assert not tried.waits(2_000) and tried.failures == 0


async def test_slots_that_a_node_cannot_load_move_to_one_that_can(
    one: Running, other: Connection
) -> None:
    """Epochs rise by the claim and the release alone, however often the load was tried."""
    del one
    loads = 0

    async def fails(_loader: SlotLoader, *_: Any) -> int:
        nonlocal loads
        loads += 1
        raise LookupError("a column is not there")

    healthy = SlotLoader._adopt

    async def adopts(loader: SlotLoader, *given: Any) -> int:
        return await (fails if loader.node_id == 8 else healthy)(loader, *given)

    before = max(epoch for _, epoch in (await owners(other)).values())
    with patch.object(SlotLoader, "_adopt", adopts):
        eight = asyncio.create_task(_never_whole(8))
        await until(lambda: loads >= slot_keeper.LOADS_MAX)
        while {node for node, _ in (await owners(other)).values()} != {0}:
            await asyncio.sleep(0.01)
        row = await (
            await other.execute("SELECT takes_slots FROM rollcall_node WHERE node_id = 8")
        ).fetchone()
        after = await owners(other)
        eight.cancel()
        await asyncio.wait([eight])
    assert row == (False,)
    assert max(epoch for _, epoch in after.values()) <= before + 4


async def test_a_node_whose_unloaded_slots_others_took_claims_others_again(
    one: Running, other: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failure of which nothing is left kept it from claiming for good."""
    monkeypatch.setattr(slot_keeper, "LOAD_AGAIN_MS", 600_000)
    monkeypatch.setattr(slot_keeper, "LOAD_AGAIN_MS_MAX", 600_000)
    healthy, eighths = SlotLoader._adopt, list[SlotLoader]()

    async def fails_first(loader: SlotLoader, *given: Any) -> int:
        if loader.node_id == 8:
            eighths.append(loader)
            if len(eighths) == 1:
                raise psycopg.OperationalError("the connection was lost")
        return await healthy(loader, *given)

    with patch.object(SlotLoader, "_adopt", fails_first):
        eight = asyncio.create_task(_never_whole(8))
        await until(lambda: eighths)
        zero = {"incarnation": one.node.keeper.incarnation}
        await other.execute(TAKEN_BY_ZERO, zero)
        await until(lambda: len(eighths[0].coordinator.epochs) == SLOTS // 2)
        eight.cancel()
        await asyncio.wait([eight])


async def _never_whole(node_id: int) -> None:
    async with running(node_id=node_id):
        await asyncio.Event().wait()


async def test_a_node_that_cannot_load_any_slot_does_not_start(
    one: Running, other: Connection
) -> None:
    """So it gets no slots: their owner continues."""
    joined = await one.settled("g")
    await other.execute("ALTER TABLE rollcall_pause RENAME TO rollcall_pause_later")
    try:
        with pytest.raises(preflight.UnfitDatabase, match="could not load groups"):
            async with running(node_id=9):
                pass
        assert await one.commit("g", 1, joined) == Committed()
        assert {node for node, _ in (await owners(other)).values()} == {0}
    finally:
        await other.execute("ALTER TABLE rollcall_pause_later RENAME TO rollcall_pause")


async def test_a_node_behind_a_pooler_does_not_start(
    database_url: str, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its settings take effect there without any other sign."""
    with pooled(database_url) as port:
        monkeypatch.setitem(settings.DATABASES["default"], "PORT", str(port))
        with pytest.raises(preflight.UnfitDatabase, match="a connection pooler is in between"):
            async with running():
                pass


async def test_a_database_that_cannot_hold_every_letter_is_refused(database_url: str) -> None:
    async with await psycopg.AsyncConnection.connect(database_url, autocommit=True) as owner:
        await owner.execute(
            "CREATE DATABASE of_bytes TEMPLATE template0 ENCODING SQL_ASCII LOCALE_PROVIDER libc"
            " LOCALE 'C'"
        )
        try:
            url = urlsplit(database_url)._replace(path="/of_bytes").geturl()
            async with await psycopg.AsyncConnection.connect(url) as of_bytes:
                with pytest.raises(preflight.UnfitDatabase, match="UTF8, not SQL_ASCII"):
                    await preflight.check(of_bytes)
        finally:
            await owner.execute("DROP DATABASE of_bytes")


async def test_a_standby_that_may_lack_acknowledged_writes_causes_a_warning(
    other: Connection,
) -> None:
    """The tests' own server has no standby, so no line is logged."""
    assert await (await other.execute(preflight.FOLLOWERS.encode())).fetchone() == (0, "")
    assert preflight.standby_problem(0, "") is None
    assert preflight.standby_problem(2, "ANY 1 (*)") is None
    assert "2 standbys" in (preflight.standby_problem(2, "") or "")


async def test_a_schema_where_every_login_may_create_functions_causes_a_warning(
    other: Connection, caplog: pytest.LogCaptureFixture
) -> None:
    """One that fits better than PostgreSQL's own is called by ours that act as their owner."""
    await preflight.warn(other)
    assert "schema public" not in caplog.text
    await other.execute("GRANT CREATE ON SCHEMA public TO PUBLIC")
    try:
        await preflight.warn(other)
    finally:
        await other.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    assert "schema public" in caplog.text


async def test_a_failed_load_is_retried_under_the_same_epoch(
    other: Connection,
) -> None:
    failed: list[Any] = []
    healthy = SlotLoader._adopt

    async def adopts(loader: SlotLoader, *given: Any) -> int:
        if not failed:
            failed.append(given)
            raise LookupError("just now")
        return await healthy(loader, *given)

    with patch.object(SlotLoader, "_adopt", adopts):
        async with running(node_id=3) as one:
            await until(lambda: len(one.node.coordinator.epochs) == SLOTS)
            assert await owners(other) == dict.fromkeys(range(SLOTS), (3, 2))
    assert failed


async def test_an_operation_whose_slot_is_lost_and_regained_is_carried_out(
    one: Running, other: Connection
) -> None:
    """Its first step is fenced; the next look finds it pending, under another epoch."""
    await one.settled("g")
    slot, coordinator = slot_of("g"), one.node.coordinator
    let_go = one.points.hold("membership:before")
    operation = await ask(other, "g")
    await one.points.reached["membership:before"].wait()
    first = coordinator.epochs[slot]
    await other.execute(
        "UPDATE rollcall_slot SET epoch = epoch + 1, node_id = NULL, incarnation = NULL"
        " WHERE slot = %s",
        [slot],
    )
    await until(lambda: coordinator.epochs.get(slot, first) > first)
    let_go()

    assert (await reached(other, operation, "running", "succeeded"))[0] == "running"


@pytest.mark.parametrize("wrong", [KeyError("data"), asyncio.CancelledError()])
async def test_a_failing_task_is_restarted_and_a_persistent_failure_is_reported(
    wrong: BaseException,
) -> None:
    """An unrequested cancellation is a failure as well."""
    tries: list[int] = []
    told: list[str] = []

    async def work() -> None:
        tries.append(1)
        if len(tries) <= FAILURES_MAX:
            raise wrong

    await supervised("it", work, told.append)
    assert len(tries) == FAILURES_MAX + 1
    assert len(told) == 1 and "it fails" in told[0]


async def test_a_node_whose_id_was_taken_ends() -> None:
    async def work() -> None:
        raise NodeIdTaken("another")

    with pytest.raises(NodeIdTaken):
        await supervised("it", work, lambda _why: None)


async def test_a_group_is_served_again_after_a_failed_round_of_its_committer(one: Running) -> None:
    """No request waits for an end that never comes."""
    joined = await one.settled("g")
    healthy, committer = one.node.committers[1].writer._apply, one.node.committers[1].writer

    async def fails(_works: object) -> None:
        committer._apply = healthy  # type: ignore[method-assign]
        raise KeyError("a defect")

    committer._apply = fails  # type: ignore[assignment, method-assign]
    first = await one.commit("g", 1, joined)
    assert first.error != 0
    while await one.commit("g", 2, joined) != Committed():
        await asyncio.sleep(0.01)
