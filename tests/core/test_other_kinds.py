"""What only another kind of group can serve is refused in its words, and changes nothing."""

from random import Random

import pytest

from groups.core import events
from groups.core.classic.group import ClassicGroup
from groups.core.commanded.group import CommandedGroup
from groups.core.conversion.step import decide
from groups.core.draft.group import DraftGroup
from groups.core.errors import ErrorCode
from groups.core.events import Ticket
from groups.core.group import Group, Rules
from groups.core.rows import Durable, GroupRow, MemberRow
from groups.core.subscription import pack_protocols

TICKET = Ticket(1, 1)
SUBSCRIPTION = pack_protocols((("range", b""),))
MEMBER = MemberRow("m", None, "c", "/h", 10_000, 300_000, 0, SUBSCRIPTION)
ROW = GroupRow("g", "classic", "Stable", 7, "consumer", "range", "m", {"synced": True})
EMPTY = GroupRow("g", "classic", "Empty", 7, "consumer", None, None, {})
STABLE = ClassicGroup.merge(Durable(ROW, {"m": MEMBER}, 5), None, Rules(), 0)

DRAFT_JOIN = events.DraftJoin(
    ticket=TICKET,
    consumer_id="",
    client_id="c",
    client_host="/h",
    session_timeout_ms=10_000,
    topics=("t",),
    strategy="range",
    counts={"t": 2},
)
REGISTER = events.RegisterConsumer(
    ticket=TICKET,
    consumer_id="",
    generation_id=-1,
    client_id="c",
    client_host="/h",
    session_timeout_ms=10_000,
    threads={"t": 1},
    counts={"t": 2},
)
INSTALL = events.InstallAssignment(
    ticket=TICKET, member_id="m", member_epoch=1, group_epoch=1, targets={}
)

REFUSED = [
    (DRAFT_JOIN, ErrorCode.INCONSISTENT_GROUP_PROTOCOL),
    (
        events.DraftHeartbeat(ticket=TICKET, consumer_id="m", generation_id=7),
        ErrorCode.UNKNOWN_MEMBER_ID,
    ),
    (REGISTER, ErrorCode.INCONSISTENT_GROUP_PROTOCOL),
    (
        events.AcknowledgeCommand(ticket=TICKET, member_id="m", command_id=1),
        ErrorCode.UNKNOWN_MEMBER_ID,
    ),
    (
        events.PrepareAssignment(ticket=TICKET, member_id="m", member_epoch=1),
        ErrorCode.GROUP_ID_NOT_FOUND,
    ),
    (INSTALL, ErrorCode.GROUP_ID_NOT_FOUND),
]


@pytest.mark.parametrize(
    ("event", "code"), REFUSED, ids=[type(event).__name__ for event, _ in REFUSED]
)
def test_a_classic_group_refuses_requests_of_other_kinds(
    event: events.Event, code: ErrorCode
) -> None:
    decision = decide(STABLE, [event], 0, Random(1))

    [answer] = decision.answers
    assert (answer.ticket, answer.reply.error) == (TICKET, code)
    assert decision.group.durable == STABLE.durable


@pytest.mark.parametrize(
    ("event", "kind"), [(DRAFT_JOIN, DraftGroup), (REGISTER, CommandedGroup)], ids=["draft", "2012"]
)
def test_an_empty_group_changes_its_kind_and_keeps_its_row(
    event: events.Event, kind: type[Group]
) -> None:
    """Its revision and generation continue: others would overwrite it, or repeat a number."""
    empty = ClassicGroup.merge(Durable(EMPTY, {}, 5), None, Rules(), 0)

    decision = decide(empty, [event], 0, Random(1))

    assert type(decision.group) is kind
    assert decision.group.durable.revision == 5
    assert decision.group.durable.group.generation >= 7
