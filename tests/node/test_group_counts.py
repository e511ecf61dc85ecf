"""An owner counts the work of its groups after they have changed; lists are ordered by it."""

import asyncio
from collections.abc import Callable, Iterable

import pytest
from psycopg.errors import LockNotAvailable

from groups.core.assignment import assignment_of
from groups.core.counts import counts_of
from groups.core.replies import Committed, Joined
from groups.core.row_packing import pack_topics
from groups.core.subscription import metadata_of
from groups.postgres import connections
from groups.reporting import group_counts
from groups.reporting.group_counts import Counted
from groups.store.sql.group_counts import PUT
from tests.in_process import Other
from tests.node.running import Running, running
from tests.node.test_committer import END_BACKENDS
from tests.node.test_long_steps import Gate, reached

Row = tuple[int, int, int] | None

METADATA = metadata_of(pack_topics("range", ["boxes"]), "range")
THREE = assignment_of([("boxes", n) for n in range(3)], 0)


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_counts, "LOOK_S", 0.05)
    monkeypatch.setattr(group_counts, "CATALOGUE_LOOKS", 1)


async def stored(group_id: str = "g") -> Row:
    """What lists are ordered by: topics, partitions, unowned."""
    async with await connections.connect("test") as connection:
        found = await connection.execute(
            "SELECT topics, partitions, unowned FROM rollcall_group_counts WHERE group_id = %s",
            [group_id],
        )
        row = await found.fetchone()
        return None if row is None else (row[0], row[1], row[2])


async def until(holds: Callable[[Row], bool], group_id: str = "g") -> None:
    """Look until it is so; the test's time limit ends what never is."""
    while not holds(await stored(group_id)):
        await asyncio.sleep(0.02)


async def packers(one: Running, group_id: str = "g") -> Joined:
    """A member that has three of the eight partitions of its topic."""
    await one.node.catalogue.create_many({"boxes": 8})
    joined = await one.join(group_id, protocols=(("range", METADATA),))
    assert isinstance(joined, Joined) and joined.error == 0, joined
    synced = await one.sync(group_id, joined, {joined.member_id: THREE})
    assert synced.error == 0, synced
    return joined


async def test_work_is_counted_after_each_change_of_the_group_or_its_topics(one: Running) -> None:
    joined = await packers(one)
    await until(lambda row: row == (1, 8, 5))
    await one.node.catalogue.grow("boxes", 12)
    await until(lambda row: row == (1, 12, 9))
    again = await one.join("g", joined.member_id, protocols=(("range", b""),))
    assert again.error == 0, again
    await until(lambda row: row is not None and row[0] == 0)


MEMBERS_AND_LAST = """
SELECT c.members, c.last_rebalance - j.id
FROM rollcall_group_counts c,
     (SELECT max(id) AS id FROM rollcall_journal
      WHERE group_id = 'g' AND kind = 'rebalance-completed') j
WHERE c.group_id = 'g'
"""


async def test_members_and_the_last_rebalance_are_counted_too(one: Running, other: Other) -> None:
    await packers(one)
    await until(lambda row: row == (1, 8, 5))
    assert await (await other.execute(MEMBERS_AND_LAST)).fetchone() == (1, 0)


async def test_a_group_that_only_commits_is_not_counted_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(group_counts, "LOOK_S", 3_600)  # only this test looks
    # The catalogue may tell of the new topic between the two.
    monkeypatch.setattr(group_counts, "CATALOGUE_LOOKS", 1_000)
    async with running() as one:
        joined = await packers(one)
        (counted,) = await one.node.group_counts.collect()
        assert (counted.group_id, counted.counts.unowned) == ("g", 5)
        assert await one.commit("g", 7, joined) == Committed()
        assert await one.node.group_counts.collect() == []


async def test_an_owner_counts_the_groups_that_it_loads() -> None:
    """As after an upgrade, when nothing has been counted yet."""
    async with running() as first:
        await packers(first)
    async with await connections.connect("test", options="") as connection:
        await connection.execute("DELETE FROM rollcall_group_counts")
    async with running():
        await until(lambda row: row == (1, 8, 5))


async def test_a_group_whose_write_had_an_unknown_outcome_is_counted(
    one: Running, other: Other
) -> None:
    joined = await packers(one)
    await until(lambda row: row == (1, 8, 5))
    let_go = one.points.hold("membership:after")
    second = one.join("g", joined.member_id, protocols=(("range", b""),))
    await one.points.reached["membership:after"].wait()
    await other.execute(END_BACKENDS, ["rollcall node membership"])
    let_go()
    await until(lambda row: row is not None and row[0] == 0)
    second.cancel()


async def test_a_count_that_could_not_be_written_is_repeated(
    one: Running, other: Other, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, is_refused = group_counts._write, asyncio.Event()

    async def watched(pool: group_counts.Pool, counted: Iterable[Counted]) -> None:
        try:
            await write(pool, counted)
        except LockNotAvailable:
            is_refused.set()
            raise

    monkeypatch.setattr(group_counts, "_write", watched)
    async with other.transaction():
        await other.execute("LOCK TABLE rollcall_group_counts")
        await packers(one)
        await is_refused.wait()
    await until(lambda row: row == (1, 8, 5))


async def test_a_former_owner_does_not_overwrite_the_new_owners_counts(
    one: Running, other: Other
) -> None:
    await packers(one)
    await until(lambda row: row == (1, 8, 5))
    counts = {name: [9, 9] for name in ("members", "topics", "partitions", "unowned")}
    await other.execute(PUT, {"group_id": ["g", "gone"], "revision": [1, 1], **counts})
    assert await stored() == (1, 8, 5)
    assert await stored("gone") is None


async def test_counting_a_group_blocks_nobody(
    one: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate()

    def slowly(group: object, *more: object) -> object:
        gate.pass_through()
        return counts_of(group, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(group_counts, "counts_of", slowly)
    await packers(one, "large")
    await reached(gate)
    assert await one.commit("small", 1) == Committed()
    gate.open()
    await until(lambda row: row == (1, 8, 5), "large")


async def test_a_group_that_takes_long_to_count_is_counted_less_often(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(group_counts, "LOOK_S", 3_600)  # only this test looks
    monkeypatch.setattr(group_counts, "REST", 10**12)
    async with running() as one:
        await packers(one)
        counts = one.node.group_counts
        (first,) = await counts.collect()
        one.node.coordinator.changes.note("g", first.revision)
        assert await counts.collect() == []
        assert await counts.collect() == []
        assert counts._due == {"g"}
