"""Previews of operators' requests on a group, in the same sentences for the admin and for dry runs
of REST: what the owner's rules would decide (``operator`` and ``offset_rules`` in ``groups.core``).
Reads only; the state may differ when the owner decides."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, NamedTuple

from django.db.models import Count
from django.utils import timezone

from console.foresight.foresight import Foresight
from console.queries import foresight, foresight_text, pauses
from console.queries.groups import (
    CLASSIC,
    COMMANDED,
    CONSUMER,
    OUT,
    MemberView,
    freeze_of,
    members_of,
)
from console.queries.situation import waiting_of
from console.queries.situation_text import clock, many
from groups.core.classic.states import COMPLETING, EMPTY, PREPARING
from groups.core.configs.group import FREEZE
from groups.core.drains import DRAINED
from groups.core.operations import OPERATIONS, Name
from groups.core.pauses import GROUP
from groups.core.waiting import Phase
from groups.models import Group, GroupConfig, Member, Offset, Operation

CHANGED, UNCHANGED, REFUSED = "change", "leave", "fail"
"""The outcomes."""

HAS_MEMBERS: Final = "The group has {}: stop them first."
NOBODY: Final = "The group has no members."
LEADER_ASSIGNS: Final = "The leader of a classic group assigns: nobody can be drained."
FROZEN: Final = "The group is frozen: no rebalance begins until it is thawed."

Members = Sequence[MemberView]

IN_PROGRESS: Final = {CONSUMER: (), COMMANDED: (PREPARING, COMPLETING)}
"""The states in which a forced rebalance changes nothing, by kind; of other kinds ``PREPARING``."""


@dataclass(frozen=True, slots=True)
class Preview:
    """The outcome, and the reasons in sentences. ``found``: what moves, if it moves anything."""

    would: str
    sentences: Sequence[str]
    found: Foresight | None = None

    @property
    def kept(self) -> dict[str, Any]:
        """What an operation's row keeps of it."""
        figures = foresight.kept(self.found) or {}
        return {"text": " ".join(self.sentences), "would": self.would, **figures}


def rebalance(group: Group, expected: int | None = None) -> Preview:
    """The preview of a forced rebalance. ``expected``: the generation that the request names."""
    if group.state == EMPTY:
        return Preview(REFUSED, [NOBODY])
    if expected is not None and expected != group.generation:
        detail = f"The group is in generation {group.generation}, not {expected}."
        return Preview(REFUSED, [detail])
    if freeze_of(group.group_id) is not None:
        return Preview(REFUSED, [FROZEN])
    if group.state in IN_PROGRESS.get(group.kind, (PREPARING,)):
        return Preview(UNCHANGED, ["The group is already rebalancing."])
    return Preview(CHANGED, [f"Every member rejoins: generation {group.generation + 1}."])


def evict(group: Group, members: Members, member_id: str) -> Preview:
    """The preview of an eviction of the member with this id."""
    member = next((m for m in members if m.member_id == member_id), None)
    if member is None or member.state == OUT:
        return Preview(REFUSED, ["There is no such member."])
    if freeze_of(group.group_id) is not None:
        return Preview(
            CHANGED, ["The member is removed; its partitions have no owner until a thaw."]
        )
    others = many(len(members) - 1, "member")
    text = f"The member is removed and {others} rebalance; if its client is alive, it joins again."
    return Preview(CHANGED, [text])


def pause(group: Group, members: Members, name: str = "") -> Preview:
    """The preview of stopping the work of a group, or of the member with this id or instance id."""
    work = _work(group, members)
    if _held(work, members, name):
        return Preview(UNCHANGED, ["The work is already stopped."])
    chosen = [m.member_id for m in members if not name or name in (m.member_id, m.instance_id)]
    deaf = sum(not work.listens.get(member_id, False) for member_id in chosen)
    stop = many(len(chosen) - deaf, "member")
    return Preview(CHANGED, [f"{stop} must stop working; {deaf} do not support stopping."])


def resume(group: Group, members: Members, name: str = "") -> Preview:
    """The preview of starting it again."""
    work = _work(group, members)
    if not _held(work, members, name):
        return Preview(UNCHANGED, ["It is not stopped."])
    if work.of_group is not None and name:
        return Preview(CHANGED, ["The member stays stopped while the whole group is."])
    rest = len(work.pauses) - 1
    text = f"{many(rest, 'member')} that were stopped individually stay stopped."
    return Preview(CHANGED, ["Members may work again.", *([text] if rest and not name else [])])


def _work(group: Group, members: Members) -> pauses.WorkState:
    return pauses.work_of(group.group_id, [(m.member_id, m.instance_id) for m in members])


def _held(work: pauses.WorkState, members: Members, name: str) -> bool:
    """Whether exactly this is stopped: the group (no name), or the member."""
    if not name:
        return work.of_group is not None
    member = next((m for m in members if name in (m.member_id, m.instance_id)), None)
    held = name if member is None else member.instance_id or member.member_id
    return any(p.scope != GROUP and p.name == held for p in work.pauses)


def drain(group: Group, members: Members, name: str) -> Preview:
    """The preview of a drain of the member with this id or instance id."""
    if group.kind == CLASSIC:
        return Preview(REFUSED, [LEADER_ASSIGNS])
    member = _member(members, name)
    if member is None or member.state == OUT:
        return Preview(REFUSED, ["There is no such member."])
    if member.drain is not None:
        return Preview(UNCHANGED, [f"It is drained already, by {member.drain.actor}."])
    sentences = [
        f"It stays a member, and gives up {many(member.partition_count, 'partition')}.",
        "Others get them when it has revoked them. It gets none until the drain ends.",
    ]
    if all(m.drain is not None for m in members if m is not member):
        sentences.append("No other member may have partitions: they will have no owner.")
    if freeze_of(group.group_id) is not None:
        sentences.append("The group is frozen: it keeps its partitions until a thaw.")
    return Preview(CHANGED, sentences)


def undrain(group: Group, members: Members, name: str) -> Preview:
    """The preview of the end of a drain."""
    if group.kind == CLASSIC:
        return Preview(REFUSED, [LEADER_ASSIGNS])
    member = _member(members, name)
    if member is None and name not in drained_away(group):
        return Preview(REFUSED, ["There is no such member."])
    if member is not None and member.drain is None:
        return Preview(UNCHANGED, ["It is not drained."])
    return Preview(CHANGED, ["It may have partitions again: a new assignment is computed."])


def drained_away(group: Group) -> frozenset[str]:
    """Instance ids of drained static members that are away."""
    return frozenset(group.details.get(DRAINED, ()))


def _member(members: Members, name: str) -> MemberView | None:
    return next((m for m in members if name in (m.member_id, m.instance_id)), None)


def offsets(group_id: str) -> Preview:
    """Whether the offsets of an existing group may be set or deleted: members would commit over
    it."""
    members = Member.objects.filter(group_id=group_id).count()
    if members:
        return Preview(REFUSED, [HAS_MEMBERS.format(many(members, "member"))])
    return Preview(CHANGED, [])


def freeze(group_id: str, until: datetime | None = None) -> Preview:
    """The preview of a freeze of an existing group."""
    frozen = freeze_of(group_id)
    end = f"until {clock(until, timezone.now())}" if until else "until it is thawed"
    if frozen is not None:
        if frozen.until == until:
            return Preview(UNCHANGED, [f"The group is frozen {end} already."])
        return Preview(CHANGED, [f"The group is frozen already; it stays so {end}."])
    members = Member.objects.filter(group_id=group_id).count()
    sentences = [
        f"No rebalance begins {end}.",
        f"{many(members, 'member')} {'keeps its' if members == 1 else 'keep their'} partitions."
        " New members wait, and partitions of members that leave have no owner.",
    ]
    if _phase(group_id) is not None:
        sentences.append("The current rebalance ends as usual.")
    return Preview(CHANGED, sentences)


def thaw(group_id: str) -> Preview:
    """The preview of a thaw of a group, or of a name without a group."""
    if freeze_of(group_id) is None:
        return Preview(UNCHANGED, ["The group is not frozen."])
    phase = _phase(group_id)
    if phase is None:
        nothing = "No rebalance is due."
        return Preview(CHANGED, [f"Rebalances begin again. {nothing}"])
    if phase == Phase.PUT_OFF:
        return Preview(
            CHANGED, ["Rebalances begin again: the one that was put off begins at once."]
        )
    return Preview(CHANGED, ["Rebalances begin again. The current one ends as usual."])


def delete(group_id: str) -> Preview:
    """The preview of a deletion of an existing group."""
    kept = offsets(group_id)
    if kept.would == REFUSED:
        return kept
    committed = Offset.objects.filter(group_id=group_id).count()
    sentences = [
        f"The group is deleted, and its {many(committed, 'committed offset')} with it.",
        "Its journal and its configuration are kept.",
    ]
    if freeze_of(group_id) is not None:
        sentences.append(
            "It is frozen, and its name stays frozen: if members join, no rebalance begins."
        )
    return Preview(CHANGED, sentences)


class Asked(NamedTuple):
    """An operation that may be requested. ``group`` None: it does not exist. ``name``: of a member;
    "": none. ``expected``: the generation that the request names."""

    group_id: str
    group: Group | None
    members: Members
    name: str = ""
    expected: int | None = None
    until: datetime | None = None


def _of_member(look: Callable[[Group, Members, str], Preview]) -> Callable[[Asked], Preview]:
    def preview(asked: Asked) -> Preview:
        assert asked.group is not None
        return look(asked.group, asked.members, asked.name)

    return preview


def _rebalance(asked: Asked) -> Preview:
    assert asked.group is not None
    return rebalance(asked.group, asked.expected)


PREVIEWS: Final[Mapping[Name, Callable[[Asked], Preview]]] = {
    Name.REBALANCE: _rebalance,
    Name.EVICT: _of_member(evict),
    Name.PAUSE: _of_member(pause),
    Name.RESUME: _of_member(resume),
    Name.DRAIN: _of_member(drain),
    Name.UNDRAIN: _of_member(undrain),
    Name.FREEZE: lambda asked: freeze(asked.group_id, asked.until),
    Name.THAW: lambda asked: thaw(asked.group_id),
    Name.DELETE: lambda asked: delete(asked.group_id),
}


def of(name: Name, asked: Asked) -> Preview:
    """The preview of an operation, with what it moves; one without a preview of its own changes
    something."""
    look = PREVIEWS.get(name)
    preview = Preview(CHANGED, [OPERATIONS[name].helps]) if look is None else look(asked)
    if preview.would != CHANGED or asked.group is None:
        return preview
    return with_moves(preview, foresight.of_operation(name, asked.group, asked.name))


def with_moves(preview: Preview, found: Foresight | None) -> Preview:
    """The preview with a sentence about what moves."""
    if found is None:
        return preview
    return replace(
        preview, sentences=[*preview.sentences, foresight_text.moves(found)], found=found
    )


def asked(
    name: Name, group_id: str, member: str = "", until: datetime | None = None
) -> Preview | None:
    """The preview of an operation that is about to be requested; None: there is no such group."""
    group = Group.objects.filter(group_id=group_id).first()
    if group is None:
        return None
    return of(name, Asked(group_id, group, members_of(group), member, until=until))


def refused(verb: str, group_ids: Sequence[str]) -> Mapping[str, str]:
    """Of these groups those whose owner would refuse the verb, with the reason. Two statements at
    most, whatever their number."""
    found: dict[str, str] = {}
    if verb == Operation.Verb.DELETE:
        members = Member.objects.filter(group_id__in=group_ids).order_by()
        for row in members.values("group_id").annotate(n=Count("*")):
            found[row["group_id"]] = HAS_MEMBERS.format(many(row["n"], "member"))
    elif verb == Operation.Verb.REBALANCE:
        frozen = GroupConfig.objects.filter(group_id__in=group_ids, name=FREEZE, value="true")
        found |= dict.fromkeys(frozen.values_list("group_id", flat=True), FROZEN)
        empty = Group.objects.filter(group_id__in=group_ids, state=EMPTY)
        found |= dict.fromkeys(empty.values_list("group_id", flat=True), NOBODY)
    return found


def _phase(group_id: str) -> str | None:
    """The group's current phase, as its owner wrote it."""
    waiting = waiting_of(list(Group.objects.filter(group_id=group_id)), timezone.now()).get(
        group_id
    )
    return None if waiting is None else waiting.phase
