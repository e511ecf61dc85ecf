"""The guard, through the store's own pipeline: who is fenced writes nothing at all."""

import asyncio
from dataclasses import replace

import psycopg
import pytest

from groups.core.rows import Durable, slot_of
from groups.postgres import errors
from groups.postgres.connections import Connection
from groups.postgres.errors import Busy, Conflict, Contended, Fenced
from groups.store import apply, load
from groups.store.apply import Batch
from tests import rows
from tests.factories import (
    batch,
    birth,
    change,
    commit,
    death,
    durable,
    ids_in_slots,
    member,
    nothing,
    offset,
    written,
)

TAKE_OVER = "UPDATE rollcall_slot SET epoch = epoch + 1 WHERE slot = %s"


async def seated(connection: Connection, *group_ids: str) -> list[Durable]:
    """Groups of two members each, with one offset, as their owner remembers them."""
    births = [birth(g, member("m-1"), member("m-2", position=1)) for g in group_ids]
    await apply.apply(connection, batch(*births))
    found = [written(b) for b in births]
    await apply.apply(connection, batch(*(commit(d, offset(5)) for d in found)))
    return found


async def refused(connection: Connection, attempt: Batch) -> errors.StoreError:
    """The attempt's error, having checked that it left every row as it was."""
    before = await rows.everything(connection)
    with pytest.raises(errors.StoreError) as caught:
        await apply.apply(connection, attempt)
    assert await rows.everything(connection) == before
    return caught.value


# -- what the owner writes


async def test_a_new_group_is_written_completely(connection: Connection) -> None:
    """Group, members, journal and revision 1 in one transaction."""
    await apply.apply(connection, batch(birth("g", member("m-1"), member("m-2", position=1))))

    assert await rows.groups(connection) == {"g": ("Stable", 1, 1)}
    assert await rows.members(connection) == {("g", "m-1"), ("g", "m-2")}
    assert await rows.journal(connection) == [("g", "group-created", 1)]


async def test_reloaded_rows_equal_the_written_ones(connection: Connection) -> None:
    """What the store writes, ``load`` gives back to the byte."""
    static = member("m-1", instance_id="i", details={"rack": "a"}, assignment=bytes(range(256)))
    await apply.apply(connection, batch(birth("g", static, details={"synced": True})))

    found = await load.groups_by_id(connection, ["g", "nobody"])

    assert found == {"g": durable("g", [static], revision=1, details={"synced": True})}


async def test_offsets_raise_no_revision(connection: Connection) -> None:
    """A commit is no change of membership: the same owner's next write is still right."""
    (group,) = await seated(connection, "g")

    await apply.apply(connection, batch(commit(group, offset(9), offset(10))))
    await apply.apply(connection, batch(change(group, generation=2)))

    assert await rows.offsets(connection) == {("g", "t", 0): 10}
    assert await rows.groups(connection) == {"g": ("Stable", 2, 2)}


async def test_a_deleted_group_leaves_only_its_journal(connection: Connection) -> None:
    """Offsets and members go with the group."""
    before = written(birth("g"))
    await apply.apply(connection, batch(birth("g")))
    await apply.apply(connection, batch(commit(before, offset(1))))

    await apply.apply(connection, batch(death(before)))

    assert await rows.groups(connection) == {}
    assert await rows.offsets(connection) == {}
    assert [kind for _, kind, _ in await rows.journal(connection)] == [
        "group-created",
        "group-deleted",
    ]


# -- who is fenced

STALE = {
    "an update": lambda group: change(group, generation=9),
    "the birth of a group": lambda _group: birth("newcomer", member()),
    "an offset": lambda group: commit(group, offset(99)),
    "an offset of a group that is missing": lambda _group: commit(nothing("newcomer"), offset(99)),
    "a deletion": death,
}


@pytest.mark.parametrize("what", STALE)
async def test_a_stale_owner_writes_nothing(
    connection: Connection, other: Connection, what: str
) -> None:
    """After a takeover nothing of the old owner goes through, COMMIT included."""
    (group,) = await seated(connection, "g")
    attempt = STALE[what](group)
    await other.execute(TAKE_OVER, [slot_of(attempt.group_id)])

    assert isinstance(await refused(connection, batch(attempt)), Fenced)


async def test_a_batch_that_hangs_is_past_the_guard(
    connection: Connection, other: Connection
) -> None:
    """Fail points inside a transaction stand where PostgreSQL has done all but the COMMIT."""
    (group,) = await seated(connection, "g")
    reached: list[str] = []

    async def inside() -> None:
        reached.append("inside")

    good = replace(batch(change(group, generation=9)), inside=inside)
    await apply.apply(connection, good)
    assert reached == ["inside"]

    await other.execute(TAKE_OVER, [slot_of("g")])
    assert isinstance(await refused(connection, good), Fenced)
    assert reached == ["inside"], "whoever is refused never comes so far"


async def test_one_stale_slot_fences_the_whole_batch(
    connection: Connection, other: Connection
) -> None:
    """The groups of slots that are still owned are not written either."""
    groups = await seated(connection, *ids_in_slots(5))
    await other.execute(TAKE_OVER, [slot_of(groups[3].group.group_id)])

    error = await refused(connection, batch(*(change(g, generation=2) for g in groups)))

    assert isinstance(error, Fenced)


async def test_an_unowned_slot_is_fenced(connection: Connection) -> None:
    """A batch for a slot whose epoch the node does not even know."""
    attempt = Batch(1, {}, [birth("g", member())])

    assert isinstance(await refused(connection, attempt), Fenced)


async def test_the_connection_is_usable_after_a_refusal(
    connection: Connection, other: Connection
) -> None:
    """Each refusal leaves the committer's connection ready for the next batch."""
    one, two = await seated(connection, *ids_in_slots(2))
    await other.execute(TAKE_OVER, [slot_of(one.group.group_id)])

    for _ in range(3):
        with pytest.raises(Fenced):
            await apply.apply(connection, batch(change(one, generation=2)))
        await apply.apply(connection, batch(commit(two, offset(6))))

    assert not connection.broken
    assert (await rows.offsets(connection))[two.group.group_id, "t", 0] == 6


# -- wrong revisions


@pytest.mark.parametrize("seen", [0, 1, 3])
async def test_a_wrong_revision_is_named(connection: Connection, seen: int) -> None:
    """Older, newer or "there is no row": each is a conflict of that group alone."""
    one, two = await seated(connection, *ids_in_slots(2))
    await apply.apply(connection, batch(change(one, generation=2)))
    wrong = Durable(one.group, one.members, seen)

    error = await refused(connection, batch(change(wrong, generation=3), change(two, generation=2)))

    assert isinstance(error, Conflict)
    assert error.group_ids == (one.group.group_id,)


async def test_a_group_that_vanished_is_a_conflict(connection: Connection) -> None:
    """Remembered with a revision, but without a row."""
    gone = durable("gone", [member()], revision=4)

    error = await refused(connection, batch(commit(gone, offset(1))))

    assert isinstance(error, Conflict)
    assert error.group_ids == ("gone",)


async def test_an_old_commit_does_not_overwrite_a_changed_group(connection: Connection) -> None:
    """A commit decided against an older membership is not written behind the newer one."""
    (group,) = await seated(connection, "g")
    await apply.apply(connection, batch(change(group, generation=2)))

    assert isinstance(await refused(connection, batch(commit(group, offset(7)))), Conflict)


# -- rows locked by another session


async def test_a_locked_group_is_named_and_the_others_are_written_without_it(
    connection: Connection, other: Connection
) -> None:
    """Busy names the held group at once; the batch goes through without it."""
    groups = await seated(connection, *ids_in_slots(4))
    held, *free = (change(g, generation=2) for g in groups)
    async with other.transaction():
        await other.execute(
            "SELECT FROM rollcall_group WHERE group_id = %s FOR UPDATE", [held.group_id]
        )
        error = await refused(connection, batch(held, *free))
        assert isinstance(error, Busy)
        assert error.group_ids == (held.group_id,)

        await apply.apply(connection, batch(*free))

    await apply.apply(connection, batch(held))
    assert {g: r for g, (_, _, r) in (await rows.groups(connection)).items()} == {
        g.group.group_id: 2 for g in groups
    }


async def test_a_group_being_deleted_by_another_session_is_busy_not_absent(
    connection: Connection, other: Connection
) -> None:
    """An uncommitted deletion decides nothing yet."""
    await apply.apply(connection, batch(birth("g")))
    async with other.transaction(force_rollback=True):
        await other.execute("DELETE FROM rollcall_group WHERE group_id = 'g'")
        error = await refused(connection, batch(change(written(birth("g")), generation=2)))

    assert isinstance(error, Busy)


# -- a takeover that is under way


async def waits_for_a_lock(connection: Connection, waiter: int) -> None:
    """Return once PostgreSQL says that the backend waits for a lock."""
    while True:
        cursor = await connection.execute("SELECT pg_blocking_pids(%s) <> '{}'", [waiter])
        row = await cursor.fetchone()
        if row and row[0]:
            return
        await asyncio.sleep(0)


@pytest.mark.parametrize("committed", [True, False])
async def test_a_takeover_in_progress_is_waited_for(
    connection: Connection, other: Connection, committed: bool
) -> None:
    """The guard waits for the uncommitted epoch; what it says then is what happened."""
    (group,) = await seated(connection, "g")
    async with other.transaction(force_rollback=not committed):
        await other.execute(TAKE_OVER, [slot_of("g")])
        attempt = asyncio.create_task(apply.apply(connection, batch(change(group, generation=2))))
        await waits_for_a_lock(other, connection.info.backend_pid)

    if committed:
        with pytest.raises(Fenced):
            await attempt
    else:
        await attempt
    assert (await rows.groups(other))["g"] == (("Stable", 1, 1) if committed else ("Stable", 2, 2))


async def test_a_takeover_waits_for_the_batch_that_was_first(
    connection: Connection, other: Connection
) -> None:
    """An owner inside its transaction is not fenced in the middle: the takeover comes after."""
    (group,) = await seated(connection, "g")
    async with connection.transaction():
        _lock, (text, parameters), *_ = apply.statements(batch(change(group, generation=2)))
        await connection.execute(text.encode(), parameters)
        takeover = asyncio.create_task(other.execute(TAKE_OVER, [slot_of("g")]))
        await waits_for_a_lock(connection, other.info.backend_pid)
        assert not takeover.done()
    await takeover


# -- two batches at once


async def test_batches_in_opposite_order_do_not_deadlock(
    connection: Connection, other: Connection
) -> None:
    """However a batch names its groups, one of two batches wins and the other is refused."""
    ids = ids_in_slots(20)
    await seated(connection, *ids)
    for generation in range(2, 22):
        found = await load.groups_by_id(connection, ids)
        writes = [change(found[g], generation=generation) for g in ids]

        ends = await asyncio.gather(
            apply.apply(connection, batch(*writes)),
            apply.apply(other, batch(*reversed(writes))),
            return_exceptions=True,
        )

        losers = [end for end in ends if end is not None]
        assert all(isinstance(end, Busy | Conflict | Contended) for end in losers), losers
        assert not any("deadlock" in str(end) for end in losers)
        assert len(losers) <= 1 or not any(isinstance(end, Conflict) for end in losers)


INTERLEAVINGS = {
    "guard takeover write commit": ["written"],
    "guard write takeover commit": ["written"],
    "takeover guard": ["fenced"],
    "takeover takeover guard": ["fenced"],
    "guard write commit takeover": ["written"],
    "takeover rival guard": ["the rival wrote", "fenced"],
    "guard write commit takeover rival": ["written", "the rival conflicts"],
}
"""What an owner and a rival do, in order, and what each is told. Exactly one of them writes, or
nobody does."""


@pytest.mark.parametrize("steps", INTERLEAVINGS)
async def test_every_interleaving_has_one_owner(
    connection: Connection, other: Connection, steps: str
) -> None:
    """One owner steps through its transaction; a rival takes the slot and writes in between."""
    (group,) = await seated(connection, "g")
    story = Story(connection, other, group)
    await connection.execute("BEGIN")

    for step in steps.split():
        await getattr(story, step)()
    await asyncio.gather(*story.takeovers)

    assert story.told == INTERLEAVINGS[steps]
    writers = sum(1 for end in story.told if end in ("written", "the rival wrote"))
    _, generation, revision = (await rows.groups(other))["g"]
    assert (generation, revision) == (1 + writers, 1 + writers)


class Story:
    """An owner, statement by statement, and a rival that takes its slot."""

    def __init__(self, owner: Connection, rival: Connection, group: Durable) -> None:
        self.mine = owner
        self.theirs = rival
        self.group = group
        _lock, *self.statements = apply.statements(batch(change(group, generation=2)))
        self.epoch = 1
        self.is_guarded = False
        self.told: list[str] = []
        self.takeovers: list[asyncio.Task[object]] = []

    async def guard(self) -> None:
        """The owner's first statement."""
        text, parameters = self.statements[0]
        self.is_guarded = True
        fenced = None
        try:
            await self.mine.execute(text.encode(), parameters)
        except psycopg.Error as error:
            fenced = errors.translate(error, self.mine)
        if fenced is not None:
            await self.mine.execute("ROLLBACK")
            assert isinstance(fenced, Fenced)
            self.told.append("fenced")

    async def write(self) -> None:
        """The rest of the owner's statements."""
        for text, parameters in self.statements[1:]:
            await self.mine.execute(text.encode(), parameters)

    async def commit(self) -> None:
        """The owner's last word."""
        await self.mine.execute("COMMIT")
        self.is_guarded = False
        self.told.append("written")

    async def takeover(self) -> None:
        """The rival raises the epoch; behind the owner's guard it waits for the end."""
        self.epoch += 1
        taking = asyncio.create_task(self.theirs.execute(TAKE_OVER, [slot_of("g")]))
        self.takeovers.append(taking)
        if not self.is_guarded:
            await taking

    async def rival(self) -> None:
        """The new owner writes what it had read before the old one's last write."""
        try:
            await apply.apply(
                self.theirs, batch(change(self.group, generation=2), epoch=self.epoch)
            )
            self.told.append("the rival wrote")
        except Conflict:
            self.told.append("the rival conflicts")
