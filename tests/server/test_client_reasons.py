"""What a client says itself when it joins or leaves (KIP-800): a field of its own, from the request
to the row and to the sentence that people read."""

from typing import Any

from console.queries.journal_text import sentence
from groups.core.errors import ErrorCode
from groups.models import Journal
from groups.postgres.connections import Connection
from rollcall.wire.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from rollcall.wire.messages.leave_group import LeaveGroupRequest, MemberIdentity
from tests.server.client import Client
from tests.server.serving import Serving

ENTRIES = """
SELECT kind, "trigger", reason, client_reason, member_id, client_id, generation_before,
       generation_after, duration_ms, waited_for, joined, "left", details
FROM rollcall_journal WHERE group_id = %s ORDER BY id
"""

NAMES = (
    "kind", "trigger", "reason", "client_reason", "member_id", "client_id", "generation_before",
    "generation_after", "duration_ms", "waited_for", "joined", "left", "details",
)  # fmt: skip

LEAVES = "the consumer is being closed by a deploy"
JOINS = "need to re-join: topics changed"


async def entries(other: Connection, group_id: str) -> list[Journal]:
    """The group's journal in the rows."""
    rows = await (await other.execute(ENTRIES, [group_id])).fetchall()
    return [Journal(**dict(zip(NAMES, row, strict=True))) for row in rows]


def join(group_id: str, said: str, **who: Any) -> JoinGroupRequest:
    return JoinGroupRequest(
        group_id=group_id,
        session_timeout_ms=10_000,
        rebalance_timeout_ms=60_000,
        protocol_type="consumer",
        protocols=[JoinGroupRequestProtocol(name="range", metadata=b"")],
        reason=said,
        **who,
    )


async def leave(client: Client, group_id: str, member_id: str, said: str | None) -> None:
    who = MemberIdentity(member_id=member_id, reason=said)
    left = await client.call(LeaveGroupRequest(group_id=group_id, members=[who]), 5)
    assert left.error_code == ErrorCode.NONE and left.members[0].error_code == ErrorCode.NONE


async def test_a_reason_to_leave_is_shown(served: Serving, other: Connection) -> None:
    client = await Client.connect(served.address)
    await leave(client, "g", (await client.settled("g")).member_id, LEAVES)

    gone = [entry for entry in await entries(other, "g") if entry.trigger == "member-left"]
    assert {entry.kind for entry in gone} == {"rebalance-started", "emptied"}
    for entry in gone:
        assert (entry.reason, entry.client_reason) == ("a member left", LEAVES)
        assert sentence(entry).endswith(f" left: '{LEAVES}'.")


async def test_a_member_that_leaves_without_a_reason_has_none(
    served: Serving, other: Connection
) -> None:
    client = await Client.connect(served.address)
    await leave(client, "g", (await client.settled("g")).member_id, None)

    last = (await entries(other, "g"))[-1]
    assert (last.trigger, last.reason, last.client_reason) == ("member-left", "a member left", "")
    assert sentence(last).endswith(" left.")


async def test_a_reason_to_join_is_shown_when_the_rebalance_ends(
    served: Serving, other: Connection
) -> None:
    client = await Client.connect(served.address)
    joined = await client.call(join("g", JOINS, group_instance_id="i-1"), 9)
    assert joined.error_code == ErrorCode.NONE

    completed = (await entries(other, "g"))[-1]
    assert (completed.kind, completed.client_reason) == ("rebalance-completed", JOINS)
    assert completed.reason == "a new member joined"
    assert f" joined: '{JOINS}'" in sentence(completed)


async def test_invalid_characters_of_a_reason_are_replaced(
    served: Serving, other: Connection
) -> None:
    client = await Client.connect(served.address)
    await leave(client, "g", (await client.settled("g")).member_id, "a\0b" + "x" * 2_000)
    said = (await entries(other, "g"))[-1].client_reason
    assert said.startswith("a\ufffdbx") and len(said) == 1_000
