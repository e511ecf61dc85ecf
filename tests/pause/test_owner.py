"""An operator's word becomes a row, written by the group's owner, and outlives it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from groups.core.events import DeleteGroup, RowsVerb
from groups.core.pauses import WHOLE, PauseWork
from groups.core.replies import Deleted
from groups.operations.requests import READS_MAX
from groups.postgres import connections
from groups.postgres.errors import Unknown
from groups.store import apply, load
from groups.store.apply import Batch
from groups.store.sql import sweeps
from tests import rows
from tests.node.conftest import _prepared, one, other
from tests.node.running import Running, running
from tests.pause.asking import Other, ask, completed, ended, pauses
from tests.server.serving import until

__all__ = ["_prepared", "one", "other"]

END_COMMITTERS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE application_name = 'rollcall node membership' AND datname = current_database()"
)


async def test_a_stopped_group_has_a_row_and_a_journal_entry(one: Running, other: Other) -> None:
    await one.settled("g")
    number = await completed(other, "pause")

    assert await pauses(other) == [("group", "", number)]
    assert [kind for _, kind, _ in await rows.journal(other)][-1] == "paused"
    revision = (await rows.groups(other))["g"][2]
    await completed(other, "resume")
    assert await pauses(other) == []
    assert [kind for _, kind, _ in await rows.journal(other)][-1] == "resumed"
    assert (await rows.groups(other))["g"][2] == revision  # the group itself did not change


async def test_an_invalid_pause_fails_with_a_reason(one: Running, other: Other) -> None:
    await one.settled("g")

    nobody = await ask(other, "pause", "clara")
    nothing = await ask(other, "pause", group_id="h")

    assert await ended(other, nobody) == ("failed", "the group has no such member")
    assert await ended(other, nothing) == ("failed", "there is no such group")
    assert await pauses(other) == []


async def test_concurrent_stops_and_starts_keep_their_order(one: Running, other: Other) -> None:
    await one.settled("g")
    numbers = [await ask(other, verb) for verb in ("pause", "resume", "pause")]

    for number in numbers:
        assert (await ended(other, number))[0] == "succeeded"
    assert await pauses(other) == [("group", "", numbers[-1])]


async def test_the_next_owner_knows_the_pauses(other: Other) -> None:
    async with running() as first:
        await first.settled("g")
        number = await completed(other, "pause")

    async with running(1) as second:
        assert second.node.coordinator.own.paused.of("g")[WHOLE].pause_id == number
        await completed(other, "resume")
        await until(lambda: second.node.coordinator.own.paused.of("g") == {})


async def test_a_pause_survives_an_owner_that_never_saw_it(other: Other) -> None:
    async with running() as first:
        await first.settled("g")
    number = await ask(other, "pause")

    async with running(1):
        assert (await ended(other, number))[0] == "succeeded"
        assert await pauses(other) == [("group", "", number)]


async def test_after_a_broken_connection_memory_equals_the_rows(one: Running, other: Other) -> None:
    await one.settled("g")
    await completed(other, "pause")
    await other.execute(END_COMMITTERS)

    number = await completed(other, "resume")

    assert (await pauses(other), number > 0) == ([], True)
    await until(lambda: one.node.coordinator.own.paused.of("g") == {})


async def test_an_unknown_outcome_is_looked_up(
    one: Running, other: Other, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows say that it was written; so it holds, and the operation is not stepped twice."""
    await one.settled("g")
    write, failures = apply.apply, [1]

    async def written_and_lost(connection: Any, batch: Batch) -> None:
        await write(connection, batch)
        if failures and any(each.decision.beside for each in batch.writes):
            failures.pop()
            raise Unknown("the connection broke behind the COMMIT")

    monkeypatch.setattr(apply, "apply", written_and_lost)
    number = await completed(other, "pause")
    await until(lambda: one.node.coordinator.own.paused.of("g"))

    assert await pauses(other) == [("group", "", number)]
    kinds = [kind for _, kind, _ in await rows.journal(other)]
    assert kinds.count("paused") == 1 and not failures


LATE = """
UPDATE rollcall_operation SET state = 'succeeded', finished_at = now() WHERE id = %(number)s
"""
LATE_PAUSE = """
INSERT INTO rollcall_pause (group_id, slot, scope, name, pause_id, actor, reason, since)
SELECT group_id, slot, 'group', '', id, actor, reason, now() FROM rollcall_operation
WHERE id = %(number)s
"""
LOCK = "SELECT FROM rollcall_group WHERE group_id = 'g' FOR UPDATE"


async def test_a_late_attempt_is_waited_for(
    one: Running, other: Other, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The node gave it up, and PostgreSQL commits it all the same: memory has it too."""
    await one.settled("g", session_timeout_ms=300_000)
    write, fence = apply.apply, load.fence
    under_way, fenced = asyncio.Event(), asyncio.Event()

    async def given_up(connection: Any, batch: Batch) -> None:
        if not any(each.decision.beside for each in batch.writes):
            await write(connection, batch)
            return
        monkeypatch.setattr(apply, "apply", write)
        await other.execute("BEGIN")
        for statement in (LOCK, LATE, LATE_PAUSE):
            await other.execute(statement, {"number": number})
        under_way.set()
        raise Unknown("no answer came")

    async def seen(*given: Any) -> set[str]:
        held: set[str] = await fence(*given)
        fenced.set()
        return held

    monkeypatch.setattr(apply, "apply", given_up)
    monkeypatch.setattr(load, "fence", seen)
    async with await connections.connect("asking", options="") as asking:
        number = await ask(asking, "pause")
        await under_way.wait()
        await fenced.wait()
        assert not one.node.coordinator.own.paused.of("g")
        await other.execute("COMMIT")
        await until(lambda: one.node.coordinator.own.paused.of("g"))
        assert await ended(asking, number) == ("succeeded", "")


async def test_of_two_attempts_at_one_operation_one_writes(one: Running, other: Other) -> None:
    """The second comes when the operation, and the one after it, have ended."""
    await one.settled("g", session_timeout_ms=300_000)
    number = await completed(other, "pause")
    await completed(other, "resume")
    operator = one.node.operator

    verb = PauseWork(operation_id=number, actor="olga", reason="an upgrade", member_id="")
    one.node.coordinator.submit("g", verb)
    last = await completed(other, "pause")

    assert not operator._reads and number not in operator._dispatched
    assert await pauses(other) == [("group", "", last)]


async def test_an_operation_that_ends_during_the_look_is_not_repeated(
    one: Running, other: Other, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The check saw it pending: it was tried a second time, and its outcome called unknown."""
    await one.settled("g", session_timeout_ms=300_000)
    operator = one.node.operator
    readers, read_rows = operator.readers, operator.rows.read
    under_way, write, looked, go = (asyncio.Event() for _ in range(4))
    tried: list[int] = []

    async def held_up(group_id: str, verb: RowsVerb) -> RowsVerb:
        read = await read_rows(group_id, verb)
        tried.append(verb.operation_id)
        under_way.set()
        await write.wait()
        return read

    @asynccontextmanager
    async def slow() -> AsyncIterator[Any]:
        async with readers() as connection:
            yield connection
        looked.set()
        await go.wait()

    monkeypatch.setattr(operator.rows, "read", held_up)
    number = await ask(other, "pause")
    await under_way.wait()
    monkeypatch.setattr(operator, "readers", slow)
    looking = asyncio.create_task(operator.look())
    await looked.wait()
    write.set()
    await until(lambda: one.node.coordinator.own.paused.of("g"))
    go.set()
    await looking
    later = await completed(other, "resume")

    assert tried == [number, later]
    assert "outcome unknown" not in caplog.text


async def test_many_operations_are_read_a_few_at_a_time(one: Running, other: Other) -> None:
    """A group waits while rows are read for it, and the node has few connections for that."""
    groups = [f"g{number}" for number in range(8)]
    for group_id in groups:
        await one.kept(group_id)
    rows_of_operations, most = one.node.operator.rows, list[int]()
    read = rows_of_operations.read

    async def counted(group_id: str, verb: RowsVerb) -> RowsVerb:
        most.append(len(one.node.operator._reads))
        return await read(group_id, verb)

    rows_of_operations.read = counted  # type: ignore[method-assign]
    numbers = [await ask(other, "pause", group_id=group_id) for group_id in groups]

    for number in numbers:
        assert (await ended(other, number))[0] == "succeeded"
    assert len(most) == len(groups) and max(most) <= READS_MAX
    assert not one.node.operator._reads and not one.node.operator._unread


async def test_a_group_written_by_another_owner_is_read_again_first(
    one: Running, other: Other
) -> None:
    await one.settled("g")
    await other.execute("UPDATE rollcall_group SET revision = revision + 1 WHERE group_id = 'g'")

    number = await completed(other, "pause")

    assert await pauses(other) == [("group", "", number)]
    revision = (await rows.groups(other))["g"][2]
    group = one.node.coordinator.group("g")
    assert group is not None and group.durable.revision == revision


async def test_a_locked_row_is_waited_for(one: Running, other: Other) -> None:
    await one.settled("g")
    async with other.transaction():
        await other.execute("SELECT FROM rollcall_group WHERE group_id = 'g' FOR UPDATE")
        number = await ask_elsewhere("pause")
        await asyncio.sleep(0)
        assert await pauses(other) == []

    assert (await ended(other, number))[0] == "succeeded"


async def ask_elsewhere(verb: str) -> int:
    """Over a connection of one's own, since the other's transaction is open."""
    async with await connections.connect("asking", options="") as connection:
        return await ask(connection, verb)


async def test_the_pause_of_a_deleted_group_ends(one: Running, other: Other) -> None:
    await one.kept("g")
    await completed(other, "pause")
    await until(lambda: one.node.coordinator.own.paused.of("g"))

    deleted = await one.ask("g", DeleteGroup(ticket=one.counter.ticket()))

    assert deleted == Deleted()
    assert await pauses(other) == []
    assert one.node.coordinator.own.paused.of("g") == {}


async def test_retention_keeps_a_stopped_group(one: Running, other: Other) -> None:
    """Its members could not commit if they would."""
    for group_id in ("g", "h"):
        await one.kept(group_id)
    await completed(other, "pause")
    await other.execute("UPDATE rollcall_offset SET committed_at = now() - interval '1 year'")

    values = {"minutes": 1, "after": "", "groups": 10}
    found = await (await other.execute(sweeps.MAY_EXPIRE.encode(), values)).fetchall()

    assert [group_id for group_id, may_expire in found if may_expire] == ["h"]
