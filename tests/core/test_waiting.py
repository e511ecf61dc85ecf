"""What a group of each kind waits for while it does not settle, as conversations lead there."""

import struct
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from groups.core.assignment import assignment_of, count_of, partitions_of
from groups.core.classic.group import ClassicGroup
from groups.core.waiting import SILENT_MS, Act, Phase, Waiting, is_silent
from tests.conversing import OneGroup
from tests.core.commanded.conversation import Conversation as Commanded
from tests.core.consumer.talk import Talk
from tests.core.conversation import Conversation
from tests.core.draft.conversation import Conversation as Draft

KINDS: dict[str, Callable[[], OneGroup[Any]]] = {
    "classic": Conversation,
    "draft": Draft,
    "commanded": Commanded,
}

JOINS = "session=10s rebalance=60s protocols=range v=3"

SETTLED = (
    "rules initial=0",
    f"join a {JOINS}",
    "sync a",
    f"join b {JOINS}",
    "join a",
    "sync a",
    "sync b",
)
NEWCOMER = "join c protocols=range v=3"


def after(kind: str, *lines: str) -> OneGroup[Any]:
    """The conversation, once these were said."""
    talk = KINDS[kind]()
    for line in lines:
        talk.say(line)
    return talk


def settled(*lines: str) -> OneGroup[Any]:
    """Two eager members with two and three partitions; then these are said."""
    talk = after("classic", *SETTLED)
    durable = talk.group.durable
    counts = iter((2, 3))
    members = {
        member_id: replace(
            row, assignment=assignment_of([("t", p) for p in range(next(counts))], 0)
        )
        for member_id, row in durable.members.items()
    }
    after_sync = replace(durable, members=members)
    talk.group = ClassicGroup.merge(after_sync, talk.group.live, talk.rules, talk.now)
    for line in lines:
        talk.say(line)
    return talk


def waits(talk: OneGroup[Any]) -> Waiting:
    """What its group waits for."""
    found: Waiting | None = talk.group.waiting(talk.now)
    assert found is not None
    return found


def acts(talk: OneGroup[Any]) -> list[tuple[str, Act]]:
    """What is awaited of whom."""
    return [(talk._name(one.member_id), one.act) for one in waits(talk).awaited]


def test_a_settled_group_waits_for_nobody() -> None:
    assert settled().group.waiting(0) is None
    assert after("draft", "join a").group.waiting(0) is None


def test_a_join_phase_waits_for_missing_rejoins_until_the_session_or_the_phase_ends() -> None:
    talk = settled("tick 3s", "heartbeat a", NEWCOMER, "join a")
    began, waiting = talk.now, waits(talk)

    assert waiting.phase is Phase.JOIN and waiting.since == began
    assert acts(talk) == [("b", Act.REJOIN)]
    (late,) = waiting.awaited
    assert (late.heard_at, late.until) == (began - 3_000, began + 7_000)
    assert (waiting.ready, waiting.newcomers_count) == (1, 1)
    talk.say("heartbeat b")
    (late,) = waits(talk).awaited
    assert (late.heard_at, late.until) == (began, began + 10_000)


def test_a_rejoined_eager_member_and_a_silent_one_work_on_nothing() -> None:
    talk = settled(NEWCOMER, "join a")
    assert waits(talk).still == 2
    talk.say("tick 6s")
    assert waits(talk).still == 5


def test_a_sync_phase_waits_for_members_without_their_assignment() -> None:
    talk = settled("join b topics=payments", "join a")
    assert waits(talk).phase is Phase.SYNC and waits(talk).still == 5
    assert set(acts(talk)) == {("a", Act.SYNC), ("b", Act.SYNC)}
    talk.say("sync b")
    assert acts(talk) == [("a", Act.SYNC)]


def test_the_initial_delay_collects_the_first_members() -> None:
    talk = after("classic", "rules initial=3s", f"join a {JOINS}", f"join b {JOINS}")
    waiting = waits(talk)
    assert (waiting.phase, waiting.awaited) == (Phase.WINDOW, ())
    assert waiting.until == talk.now + 3_000 and waiting.newcomers_count == 2


def test_silent_members_stand_still_as_soon_as_they_are_called_silent() -> None:
    """Two of three were suspended: the page said that a third of the work stood still."""
    assert not is_silent(10_000, 20_000, 12_999) and is_silent(10_000, 20_000, 10_000 + SILENT_MS)
    assert is_silent(10_000, 4_000, 12_000), "half of a short session"
    assert not is_silent(10_000, 45_000, 17_000, interval_ms=5_000), "it is not awaited"


def test_a_pending_id_is_waited_for() -> None:
    talk = settled("join c protocols=range", NEWCOMER.replace(" c ", " d "), "join a", "join b")
    waiting = waits(talk)
    assert (waiting.awaited, waiting.handed_out, waiting.newcomers_count) == ((), 1, 1)


def test_a_frozen_group_waits_for_a_thaw_and_so_do_its_new_members() -> None:
    talk = settled("rules freeze=true", NEWCOMER)
    waiting = waits(talk)
    assert (waiting.phase, waiting.until, waiting.newcomers_count) == (Phase.PUT_OFF, None, 1)
    talk.say("rules freeze=false interval=30s")
    assert waits(talk).until is not None


def test_a_draft_group_waits_for_consumers_to_join_again() -> None:
    talk = after("draft", "join a", "tick 2s", "join b")
    assert waits(talk).phase is Phase.JOIN and acts(talk) == [("a", Act.REJOIN)]
    assert (waits(talk).still, waits(talk).newcomers_count) == (0, 1)
    talk.say("tick 6s")
    assert waits(talk).still == 4, "it is silent"


def test_a_commanded_group_waits_for_acknowledgements() -> None:
    talk = after("commanded", "register a session=10s")
    assert waits(talk).phase is Phase.STOP and acts(talk) == [("a", Act.ACKNOWLEDGE)]
    talk.say("poll a")
    talk.say("ack a")
    assert waits(talk).phase is Phase.START and waits(talk).still == 4


def test_a_consumer_group_waits_for_revoking_members_and_their_successors() -> None:
    talk = Talk({"foo": 4}, group_consumer_assignment_interval_ms=0)
    one = talk.join("a")
    talk.converge(one)
    assert talk.group.waiting(talk.now) is None
    talk.join("b")
    talk.answer()
    talk.beat(one)

    waiting = talk.group.waiting(talk.now)
    assert waiting is not None and waiting.phase is Phase.RECONCILE
    assert ("a", Act.REVOKE, 2) in [(m.member_id, m.act, m.partitions) for m in waiting.awaited]
    assert waiting.still == 0, "they are worked on until they are given up"


def test_a_frozen_consumer_group_reports_that_it_is_frozen() -> None:
    talk = Talk({"foo": 4})
    talk.guard(frozen=True)
    talk.join("a")
    waiting = talk.group.waiting(talk.now)
    assert waiting is not None
    assert (waiting.phase, waiting.still) == (Phase.PUT_OFF, 4)


@pytest.mark.parametrize(
    "assignment",
    [
        b"",
        b"x",
        assignment_of([("t", 0), ("t", 4), ("u", 1)], 0),
        struct.pack(">hi", 0, 9),
        struct.pack(">hihi", 0, 1, -1, 0),
        struct.pack(">hihi", 0, 1, 0, 3),
    ],
)
def test_partitions_are_counted_as_they_are_read(assignment: bytes) -> None:
    assert count_of(assignment) == len(partitions_of(assignment) or ())
