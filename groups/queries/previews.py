"""Previews of freezing, thawing and deleting a group, in the same sentences for the admin and for
dry runs of REST. Reads only; the state may differ when the owner decides."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from groups.core.waiting import Phase
from groups.models import Group, Member, Offset
from groups.queries.groups import freeze_of
from groups.queries.situation import waiting_of
from groups.queries.situation_text import clock, many

CHANGED, UNCHANGED, REFUSED = "change", "leave", "fail"
"""As in ``groups.api.plans`` for the other verbs."""


@dataclass(frozen=True, slots=True)
class Preview:
    """The outcome, and the reasons in sentences."""

    would: str
    sentences: Sequence[str]


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
    members = Member.objects.filter(group_id=group_id).count()
    if members:
        return Preview(REFUSED, [f"The group has {many(members, 'member')}: stop them first."])
    offsets = Offset.objects.filter(group_id=group_id).count()
    sentences = [
        f"The group is deleted, and its {many(offsets, 'committed offset')} with it.",
        "Its journal and its configuration are kept.",
    ]
    if freeze_of(group_id) is not None:
        sentences.append(
            "It is frozen, and its name stays frozen: if members join, no rebalance begins."
        )
    return Preview(CHANGED, sentences)


def _phase(group_id: str) -> str | None:
    """The group's current phase, as its owner wrote it."""
    waiting = waiting_of(list(Group.objects.filter(group_id=group_id)), timezone.now()).get(
        group_id
    )
    return None if waiting is None else waiting.phase
