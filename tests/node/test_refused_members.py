"""A member whose row PostgreSQL refuses is refused alone, whichever request would have written
it; and a group too large for the usual time is written beside its queue.

The forms that handlers check keep such rows away: here they come by past them.
"""

import random
import string
from collections.abc import Sequence
from typing import Any

import psycopg
import pytest

from groups.core.conversion.step import decide
from groups.core.errors import ErrorCode
from groups.core.events import Event
from groups.core.group import Decision, Group
from groups.core.replies import Committed, Joined
from groups.postgres import connections
from groups.runtime import batch_writer, committer
from tests import rows
from tests.node.running import Running

Other = connections.Connection


DENIED = """
CREATE FUNCTION denied() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'permission denied' USING ERRCODE = 'insufficient_privilege'; END $$;
CREATE TRIGGER denied BEFORE INSERT OR UPDATE ON rollcall_member
FOR EACH ROW EXECUTE FUNCTION denied();
"""


def unindexable() -> str:
    """More than a row of an index holds, however it is compressed."""
    return "".join(random.Random(5).choices(string.printable[:94], k=6_000))


@pytest.mark.parametrize("value", ["a\0b", unindexable()], ids=["U+0000", "6,000 characters"])
async def test_a_round_completes_without_the_new_member_whose_row_is_refused(
    one: Running, other: Other, value: str
) -> None:
    """The good member ends the round: its request is not to blame, nor is another new member."""
    joined = await one.settled("g")
    bad = one.join("g", instance_id=value)
    good = one.join("g", client_id="good")
    again = one.join("g", joined.member_id)

    assert (await bad).error in (ErrorCode.INVALID_REQUEST, ErrorCode.UNKNOWN_SERVER_ERROR)
    one_more, member = await good, await again
    assert isinstance(member, Joined) and member.error is ErrorCode.NONE
    assert one_more.error is ErrorCode.NONE
    assert len(await rows.members(other)) == 2


@pytest.mark.parametrize("value", ["a\0b", unindexable()], ids=["U+0000", "6,000 characters"])
async def test_the_first_member_of_a_group_gets_the_error_itself(one: Running, value: str) -> None:
    """Its own request writes the row, or a tick that ends the first join phase."""
    assert (await one.join("g", instance_id=value)).error is not ErrorCode.NONE
    assert (await one.settled("g")).error is ErrorCode.NONE


async def test_members_get_a_retriable_error_while_the_refused_row_is_unknown(
    one: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection that would say whose row is to blame cannot be had; then it can."""
    connect = connections.connect

    async def unless_it_is_to_blame(name: str, *rest: Any, **parameters: Any) -> Other:
        if name.endswith("blame"):
            raise psycopg.OperationalError("the server closed the connection")
        return await connect(name, *rest, **parameters)

    joined = await one.settled("g")
    bad = one.join("g", instance_id=unindexable())
    with monkeypatch.context() as patched:
        patched.setattr(connections, "connect", unless_it_is_to_blame)
        refused = await one.join("g", joined.member_id)
    again = await one.join("g", joined.member_id)

    assert refused.error is ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert again.error is ErrorCode.NONE
    assert (await bad).error is ErrorCode.INVALID_REQUEST


async def test_a_missing_grant_refuses_no_member(one: Running, other: Other) -> None:
    """No member's row is to blame, and no code may end a client for good."""
    joined = await one.settled("g")
    await other.execute(DENIED)
    try:
        newcomer = one.join("g", client_id="good")
        refused = await one.join("g", joined.member_id)
    finally:
        await other.execute("DROP FUNCTION denied CASCADE")
    again = one.join("g", joined.member_id)

    assert refused.error is ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert (await again).error is ErrorCode.NONE
    assert (await newcomer).error in (ErrorCode.NONE, ErrorCode.COORDINATOR_NOT_AVAILABLE)


async def test_a_refused_write_is_not_retried_at_once(one: Running, other: Other) -> None:
    """A tick that cannot be written leaves its group alone for a while: no more than one try."""
    joined = await one.settled("g")
    entry = one.node.coordinator.entries["g"]
    one.node.coordinator.put_off(entry, batch_writer.REFUSED_PAUSE_MS)
    now = one.node.coordinator.clock()
    one.node.coordinator.look_after("g")

    assert not entry.inbox
    assert entry.quiet_until >= now + batch_writer.REFUSED_PAUSE_MS - 100
    assert await one.commit("g", 1, joined) == Committed()


async def test_a_refused_event_costs_the_events_beside_it_few_steps(
    one: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large group whose events were stepped one by one after each did not settle any more: its
    members asked again before they had their turn (seed 24199 of the simulation)."""
    steps: list[int] = []

    def counted(group: Group, events: Sequence[Event], *more: Any) -> Decision:
        steps.append(len(events))
        return decide(group, events, *more)

    joined = await one.settled("g")
    monkeypatch.setattr(committer, "decide", counted)
    before = [one.commit("g", at, joined, topic=f"t{at}") for at in range(40)]
    bad = one.commit("g", 1, joined, metadata="a\0b")
    after = [one.commit("g", at, joined, topic=f"t{at}") for at in range(40, 63)]
    assert {await reply for reply in (*before, *after)} == {Committed()}
    assert (await bad).error is ErrorCode.UNKNOWN_SERVER_ERROR

    assert max(steps) == 64
    assert len(steps) <= 4 * int.bit_length(64), steps


async def test_a_group_too_large_for_a_batch_is_written_separately(
    one: Running, other: Other, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its members are all there; a client that joins later has not waited for it."""
    for module in (committer, batch_writer):
        monkeypatch.setattr(module, "BATCH_BYTES_MAX", 100_000)
    joined = await one.settled("large")
    metadata = random.Random(1).randbytes(8_192)
    others = [one.join("large", protocols=(("range", metadata),)) for _ in range(40)]
    assert (await one.settled("stranger")).error is ErrorCode.NONE
    again = one.join("large", joined.member_id)

    assert (await again).error is ErrorCode.NONE
    assert {(await joining).error for joining in others} == {ErrorCode.NONE}
    assert len([m for g, m in await rows.members(other) if g == "large"]) == 41


async def test_a_group_that_cannot_be_written_in_time_fails_alone(
    one: Running, other: Other, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its new members are refused, and it continues as it was; other groups are not affected."""
    for module in (committer, batch_writer):
        monkeypatch.setattr(module, "BATCH_BYTES_MAX", 100_000)
    monkeypatch.setattr(batch_writer, "LONE_MS", 1)
    monkeypatch.setattr(batch_writer, "LONE_BYTES_PER_MS", 1_000_000_000)
    joined = await one.settled("large")
    metadata = random.Random(1).randbytes(60_000)
    others = [one.join("large", protocols=(("range", metadata),)) for _ in range(40)]
    again = one.join("large", joined.member_id)

    assert (await one.settled("stranger")).error is ErrorCode.NONE
    assert {(await joining).error for joining in others} == {ErrorCode.INVALID_REQUEST}
    member = await again
    assert isinstance(member, Joined) and member.error is ErrorCode.NONE
    assert len([m for g, m in await rows.members(other) if g == "large"]) == 1
