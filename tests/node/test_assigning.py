"""Targets on a whole node: large ones beside the event loop, and a plug-in that is broken."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from groups.core.assignors.types import Parts, Racks, Subscriber
from groups.core.consumer import target_schedule
from groups.core.consumer.group import ConsumerGroup
from groups.core.errors import ErrorCode
from groups.core.events import ConsumerHeartbeat
from groups.core.replies import ConsumerBeaten
from groups.postgres import connections
from tests.node.running import Running

TOPICS = {"foo": ("f" * 32, 4)}


async def beat(
    node: Running, member_id: str, epoch: int = 0, group_id: str = "g", **over: Any
) -> Any:
    """One heartbeat and its answer."""
    joins = epoch == 0
    said: dict[str, Any] = {
        "member_id": member_id,
        "member_epoch": epoch,
        "instance_id": None,
        "rack_id": None,
        "client_id": "app",
        "client_host": "/127.0.0.1",
        "rebalance_timeout_ms": 60_000 if joins else -1,
        "subscribed_topic_names": ("foo",) if joins else None,
        "server_assignor": None,
        "owned": {} if joins else None,
        "topics": TOPICS,
        **over,
    }
    return await node.ask(group_id, ConsumerHeartbeat(ticket=node.counter.ticket(), **said))


def configure(node: Running, **rules: Any) -> None:
    """The node's own rules, as if it had been started with them."""
    own = node.node.coordinator.own
    own.rules = replace(own.rules, **rules)


async def test_a_large_target_is_computed_outside_the_event_loop(
    one: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(target_schedule, "INLINE_MAX", 0)
    joined = await beat(one, "a")
    assert joined == ConsumerBeaten(
        member_id="a", member_epoch=1, heartbeat_interval_ms=500, assignment={}
    )

    # Each heartbeat is a round through the committer, so the answer gets its turn in between.
    epoch, got = 1, None
    while got is None:
        reply = await beat(one, "a", epoch)
        assert reply.error is ErrorCode.NONE
        epoch, got = reply.member_epoch, reply.assignment

    assert (epoch, got) == (2, {"f" * 32: (0, 1, 2, 3)})


def broken(
    members: Sequence[Subscriber], counts: Mapping[str, int], _racks: Racks
) -> Mapping[str, Parts]:
    """Works for one member, and for no more."""
    if len(members) > 1:
        raise RuntimeError("too many")
    return {members[0].member_id: frozenset((t, p) for t in counts for p in range(counts[t]))}


async def test_a_failing_plug_in_leaves_assignments_unchanged(
    one: Running, other: connections.Connection
) -> None:
    """It runs outside the event loop, whatever its size; the journal has its failure."""
    configure(
        one,
        group_consumer_assignors=("broken",),
        plugged_in={"broken": broken},
        group_consumer_assignment_interval_ms=0,
    )
    assert await uniform_of_one(one, "g", "a") == {"f" * 32: (0, 1, 2, 3)}

    joined = await beat(one, "b")
    assert (joined.error, joined.assignment) == (ErrorCode.NONE, {})
    failed = "SELECT reason FROM rollcall_journal WHERE kind = 'assignment-failed'"
    while not (told := await (await other.execute(failed)).fetchall()):
        assert (await beat(one, "b", joined.member_epoch)).error is ErrorCode.NONE
    assert told == [("The assignor broken failed: RuntimeError('too many')",)]
    group = one.node.coordinator.group("g")
    assert isinstance(group, ConsumerGroup) and len(group.members["a"].holds) == 4


async def uniform_of_one(
    node: Running, group_id: str, member_id: str = "a", *, joins: bool = True
) -> Any:
    """What the only member of a group has in the end."""
    epoch, got = 0 if joins else 1, None
    while not got:
        reply = await beat(node, member_id, epoch, group_id=group_id)
        assert reply.error is ErrorCode.NONE, reply
        epoch, got = reply.member_epoch, reply.assignment
    return got
