"""A request that is not decided counts for a member exactly if its decision would have, or would
have told it of a rebalance of the draft: refused, it has told nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any, Final

import pytest

from groups.core import commands, events
from groups.core.draft.group import DraftGroup
from groups.core.draft.states import PREPARING
from groups.core.group import Group
from groups.core.signs_of_life import ClassicHeartbeat, CommandPoll, Sign
from tests.core.consumer.wire_bytes import subscription
from tests.core.every_kind import EVERY, NOW, SESSION_MS, settled

ASKED: Final = events.Ticket(2, 2)
LATER: Final = NOW + 3_000
PROTOCOLS: Final = (("range", subscription(("t",), frozenset(), 1)),)


def join(member_id: str, instance_id: str | None) -> events.JoinGroup:
    return events.JoinGroup(
        ticket=ASKED, member_id=member_id, instance_id=instance_id, client_id="c",
        client_host="/h", session_timeout_ms=SESSION_MS, rebalance_timeout_ms=10_000,
        protocol_type="consumer", protocols=PROTOCOLS,
    )  # fmt: skip


def beat(
    member_id: str, epoch: int, instance_id: str | None = None, owned: Any = None
) -> events.ConsumerHeartbeat:
    joins = epoch == 0
    return events.ConsumerHeartbeat(
        ticket=ASKED, member_id=member_id, member_epoch=epoch, instance_id=instance_id,
        rack_id=None, client_id="c", client_host="/h", rebalance_timeout_ms=10_000 if joins else -1,
        subscribed_topic_names=("t",) if joins else None, server_assignor=None,
        owned={} if joins else owned, topics={"t": ("id-t", 1)},
    )  # fmt: skip


def commit(member_id: str, generation_id: int, instance_id: str | None) -> events.OffsetCommit:
    offsets = (events.OffsetWrite("t", 0, 5, -1, "", None, None),)
    return events.OffsetCommit(
        ticket=ASKED, member_id=member_id, generation_id=generation_id, instance_id=instance_id,
        offsets=offsets, version=8,
    )  # fmt: skip


def sync(member_id: str, generation_id: int, instance_id: str | None) -> events.SyncGroup:
    return events.SyncGroup(
        ticket=ASKED, generation_id=generation_id, member_id=member_id, instance_id=instance_id,
        assignments={},
    )  # fmt: skip


def offer(consumer_id: str) -> events.RegisterConsumer:
    return events.RegisterConsumer(
        ticket=ASKED, consumer_id=consumer_id, generation_id=-1, client_id="c", client_host="/h",
        session_timeout_ms=SESSION_MS, threads={"t": 1}, counts={"t": 1},
    )  # fmt: skip


def draft_join(consumer_id: str) -> events.DraftJoin:
    return events.DraftJoin(
        ticket=ASKED, consumer_id=consumer_id, client_id="c", client_host="/h",
        session_timeout_ms=SESSION_MS, topics=("t",), strategy="range", counts={"t": 1},
    )  # fmt: skip


def signs(group: Group, member_ids: Sequence[str]) -> list[Sign]:
    """Of all these members, in all epochs near the group's, with and without instance ids."""
    now = group.durable.group.generation
    near = sorted({-2, -1, 0, *range(max(0, now - 2), now + 2)})
    found: list[Sign] = []
    for who in (*member_ids, "", "stranger"):
        found += [CommandPoll(who), offer(who), draft_join(who)]
        found += [
            events.AcknowledgeCommand(ticket=ASKED, member_id=who, command_id=command_id)
            for command_id in (1, 99)
        ]
        found += [
            events.DraftHeartbeat(ticket=ASKED, consumer_id=who, generation_id=generation_id)
            for generation_id in near
        ]
        for instance_id in (None, "i", "nobody's"):
            found.append(join(who, instance_id))
            for generation_id in near:
                found += [
                    ClassicHeartbeat(who, instance_id, generation_id),
                    sync(who, generation_id, instance_id),
                    commit(who, generation_id, instance_id),
                    beat(who, generation_id, instance_id),
                    beat(who, generation_id, instance_id, {}),
                    beat(who, generation_id, instance_id, {"id-t": (0, 7)}),
                ]
    return found


def heard_at(group: Group, member_id: str) -> int | None:
    """None if there is no such member any more."""
    found = (s.heard_at for s in group.sessions(LATER) if s.member_id == member_id)
    return next(found, None)


def heard_by_decision(group: Any, sign: Sign) -> set[str]:
    """The members of the committed group that the decision of this request keeps alive."""
    before = {member_id: heard_at(group, member_id) for member_id in group.durable.members}
    after, told = group, False
    if isinstance(sign, ClassicHeartbeat):
        group.heartbeat_view().heartbeat(*sign, LATER)
    elif isinstance(sign, CommandPoll):
        if commands.receiver(group, sign.member_id) is not None:
            commands.polled(group, sign.member_id, LATER)
    else:
        after = group.step([sign], LATER, Random(1)).group
        told = tells_of_a_rebalance(group, sign)
    named = getattr(sign, "member_id", getattr(sign, "consumer_id", ""))
    return {
        m
        for m, at in before.items()
        if m == named and at != LATER and (told or heard_at(after, m) == LATER)
    }


def tells_of_a_rebalance(group: Group, sign: Sign) -> bool:
    """The reply to a heartbeat of the draft's current generation, while the next one begins."""
    if not (isinstance(group, DraftGroup) and isinstance(sign, events.DraftHeartbeat)):
        return False
    row = group.durable.group
    return row.state == PREPARING and sign.generation_id == row.generation


def consumer_group() -> Any:
    """A member that stays, one with an instance id, one that left for now, one of the classic
    protocol, and one whose last answer may be lost."""
    group = settled("consumer").group
    said: Sequence[events.Event] = (
        beat("static", 0, "i"),
        beat("gone", 0, "away"),
        beat("gone", -2, "away"),
        join("", None),
    )
    for event in said:
        group = group.step([event], NOW, Random(2)).group.with_revision(1)
    return group


def two_of(kind: str, *more: events.Event) -> Any:
    """A group during a rebalance: a second member has joined."""
    group = settled(kind).group
    for number, event in enumerate(more, 3):
        event = replace(event, ticket=events.Ticket(3, number))
        group = group.step([event], NOW, Random(2)).group.with_revision(1)
    return group


GROUPS: Final[Mapping[str, Any]] = {
    "classic": lambda: settled("classic").group,
    "classic, static": lambda: two_of("classic", join("", "i")),
    "consumer": lambda: settled("consumer").group,
    "consumer, mixed": consumer_group,
    "draft": lambda: settled("draft").group,
    "draft, in a rebalance": lambda: two_of("draft", draft_join("")),
    "commanded": lambda: settled("commanded").group,
    "commanded, in a rebalance": lambda: two_of("commanded", offer("second")),
}


@pytest.mark.parametrize("name", GROUPS)
def test_a_request_is_a_sign_of_life_if_its_decision_would_be(name: str) -> None:
    group, counted = GROUPS[name](), 0
    silent_since = {member_id: beat.at for member_id, beat in group.live.beats.items()}
    for sign in signs(group, list(group.durable.members)):
        found = group.beat_of(sign)
        of = {m for m, each in group.live.beats.items() if each is found}
        assert of & group.durable.members.keys() == heard_by_decision(group, sign), sign
        for member_id, at in silent_since.items():
            group.live.beats[member_id].at = at
        counted += bool(of)
    assert counted


@EVERY
def test_asking_changes_nothing(kind: str) -> None:
    group, member_id = settled(kind)
    before = [s.heard_at for s in group.sessions(LATER)]
    for sign in signs(group, [member_id]):
        group.beat_of(sign)
    assert [s.heard_at for s in group.sessions(LATER)] == before


def test_a_consumer_of_the_draft_whose_heartbeat_was_refused_has_a_session_to_join() -> None:
    """It could not be told of the rebalance before; the others wait for it, once told or not."""
    group = two_of("draft", draft_join(""))
    (member_id,) = group.durable.members
    generation = group.durable.group.generation
    refused = events.DraftHeartbeat(ticket=ASKED, consumer_id=member_id, generation_id=generation)
    refused_at = NOW + SESSION_MS - 1
    found = group.beat_of(refused)
    assert found is not None
    found.at = refused_at

    assert group.due(NOW + SESSION_MS) == refused_at + SESSION_MS
    late = group.step([events.Tick(), refused], refused_at + SESSION_MS - 1, Random(3)).group
    assert member_id in late.durable.members
    left_out = late.step([events.Tick()], refused_at + SESSION_MS, Random(3)).group
    assert member_id not in left_out.durable.members
