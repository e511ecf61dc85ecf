"""Operators who do not know of each other, at one group, at the same time: each operation has a
result, and the members share the work in the end, whatever was requested in which order."""

import asyncio
import json
import logging
from random import Random
from typing import Any

import pytest

from benchmarks.wire import create_topic
from groups.core.rows import slot_of
from groups.postgres import connections
from rollcall.client import Member
from tests.server.serving import Serving

PARTITIONS = 6
MEMBERS = 3
ROUNDS = 3
AT_ONCE = 6

VERBS = (
    "delete",
    "evict",
    "expire-offsets",
    "freeze",
    "pause",
    "rebalance",
    "reset-offsets",
    "restore-offsets",
    "resume",
    "thaw",
)

ASK = """
WITH asked AS (
    INSERT INTO rollcall_operation (
        slot, group_id, verb, member_id, reason, actor, state, detail, created_at, restore_to,
        offsets)
    SELECT %(slot)s, %(group_id)s, verb, member_id, 'why', 'who', 'pending', '', now(),
           CASE verb WHEN 'restore-offsets' THEN now() END, %(offsets)s::jsonb
    FROM unnest(%(verbs)s::text[], %(members)s::text[]) AS wanted (verb, member_id))
SELECT pg_notify('rollcall_operations', %(slot)s::text)
"""

UNDECIDED = """
SELECT verb, state FROM rollcall_operation WHERE state IN ('pending', 'running')
"""

DECIDED = """
SELECT FROM rollcall_operation WHERE state <> 'pending'
"""

RESET = {"how": "to-offset", "to": [["t", 0, 5]], "before": [["t", 0, None]]}


async def ask(other: connections.Connection, group_id: str, verbs: list[tuple[str, str]]) -> None:
    """Insert these operations at once, and notify."""
    given: dict[str, Any] = {
        "slot": slot_of(group_id),
        "group_id": group_id,
        "verbs": [verb for verb, _ in verbs],
        "members": [member_id for _, member_id in verbs],
        "offsets": json.dumps(RESET),
    }
    await other.execute(ASK.encode(), given)


def drawn(rng: Random, members: list[Member]) -> list[tuple[str, str]]:
    """Some verbs; those about a member name one that lives, or once did."""
    verbs = rng.choices(VERBS, k=AT_ONCE)
    of_members = [f"{rng.choice(members).member_id}"[:100] for _ in verbs]
    return [(v, m if v == "evict" else "") for v, m in zip(verbs, of_members, strict=True)]


async def decided(other: connections.Connection) -> int:
    """How many operations have been decided."""
    return len(await (await other.execute(DECIDED.encode())).fetchall())


async def work(member: Member) -> None:
    """As an application: take what is given, and note progress."""
    async for change in member:
        for partition in change.partitions & member.workable:
            member.note(partition, 7)


def share_all(members: list[Member]) -> bool:
    """Whether each partition has one owner, and none is idle for want of a start."""
    given = [p.partition for member in members for p in member.assigned]
    return sorted(given) == list(range(PARTITIONS)) and not any(m.paused for m in members)


CASES = [(protocol, seed) for protocol in ("classic", "consumer", "draft") for seed in range(2)]


@pytest.mark.parametrize(
    ("protocol", "seed"),
    [
        pytest.param(*case, marks=() if case == ("consumer", 0) else pytest.mark.long)
        for case in CASES
    ],
)
async def test_each_operation_has_a_result_and_the_work_continues(
    protocol: str,
    seed: int,
    served: Serving,
    other: connections.Connection,
    caplog: pytest.LogCaptureFixture,
) -> None:
    rng, group_id = Random(f"{protocol} {seed}"), "g"
    caplog.set_level(logging.WARNING)
    await create_topic(served.address, "t", PARTITIONS)
    where = served.draft_address if protocol == "draft" else served.address
    members = [Member(where, group_id, ["t"], protocol=protocol) for _ in range(MEMBERS)]
    for member in members:
        await member.start()
    working = [asyncio.create_task(work(member)) for member in members]
    try:
        while not share_all(members):
            await asyncio.sleep(0.05)
        for _ in range(ROUNDS):
            before = await decided(other)
            some = [drawn(rng, members) for _ in range(2)]
            for verbs in some:
                await ask(other, group_id, verbs)
            while await decided(other) == before:
                await asyncio.sleep(0.01)
        await ask(other, group_id, [("thaw", ""), ("resume", "")])
        found: Any = None
        while found != [] or not share_all(members):
            found = await (await other.execute(UNDECIDED.encode())).fetchall()
            assert not [member for member in members if member.failure]
            await asyncio.sleep(0.05)
    finally:
        for task in working:
            task.cancel()
        for member in members:
            await member.close()
    assert not [r for r in caplog.records if r.exc_info or "step failed" in r.getMessage()]
