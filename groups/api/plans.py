"""Dry runs: what a verb would do to a group in its current state; nothing is requested.

Plans are computed from rows; members may join or leave before the verb is requested.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from rest_framework.response import Response

from groups.api import serializers as shapes
from groups.api.views import existing
from groups.core.classic.states import EMPTY, PREPARING
from groups.models import Group, Operation
from groups.queries import groups, pauses

NAMED_MAX: Final = 100
"""Maximum number of members that are named."""

STAYS: Final = frozenset({"cooperative-sticky"})
"""Protocols whose members keep partitions that do not move (KIP-429)."""


class Would(StrEnum):
    """The outcome."""

    CHANGE = "change"
    LEAVE = "leave"
    FAIL = "fail"


def plan(
    group_id: str, verb: Operation.Verb, name: str = "", generation: int | None = None
) -> Response:
    """What the verb would do. ``name``: for one member. ``generation``: the expected one. 404 if
    there is no such group."""
    group = existing(group_id)
    members = groups.members_of(group)
    chosen = [m for m in members if not name or name in (m.member_id, m.instance_id)]
    would, detail = _RULES[verb](group, members, chosen, generation)
    moves = verb in (Operation.Verb.REBALANCE, Operation.Verb.EVICT) and would is Would.CHANGE
    values = {
        "dry_run": True,
        "verb": verb.value,
        "group_id": group_id,
        "generation": group.generation,
        "would": would.value,
        "detail": detail,
        "members": [m.member_id for m in chosen[:NAMED_MAX]],
        "members_count": len(chosen),
        "partitions": _given_up(group, verb, chosen) if moves else 0,
    }
    return Response(shapes.Plan(values).data)


Members = Sequence[groups.MemberView]
Verdict = tuple[Would, str]


def _given_up(group: Group, verb: Operation.Verb, chosen: Members) -> int | None:
    """Partitions that members would revoke; None: only those that move, which are not known yet."""
    eager = group.kind != groups.CONSUMER and group.protocol_name not in STAYS
    if verb is Operation.Verb.EVICT or eager:
        return sum(member.partition_count for member in chosen)
    return None


def _rebalance(group: Group, members: Members, _chosen: Members, expected: int | None) -> Verdict:
    if group.state == EMPTY or not members:
        return Would.FAIL, "The group has no members."
    if expected is not None and expected != group.generation:
        return Would.FAIL, f"The group is in generation {group.generation}, not {expected}."
    if _is_frozen(group):
        return Would.FAIL, "The group is frozen."
    if group.state == PREPARING:
        return Would.LEAVE, "The group is already rebalancing."
    return Would.CHANGE, f"Every member rejoins: generation {group.generation + 1}."


def _evict(group: Group, members: Members, chosen: Members, _expected: int | None) -> Verdict:
    if not chosen:
        return Would.FAIL, "There is no such member."
    if _is_frozen(group):
        return Would.CHANGE, "The member is removed; its partitions have no owner until a thaw."
    others = len(members) - 1
    return (
        Would.CHANGE,
        f"The member is removed and {others} rebalance; if its client is alive, it joins again.",
    )


def _pause(group: Group, members: Members, chosen: Members, _expected: int | None) -> Verdict:
    work = _work(group, members)
    ids = [member.member_id for member in chosen]
    if work.of_group is not None or (ids and all(_is_stopping(work, m) for m in ids)):
        return Would.LEAVE, "The work is already stopped."
    deaf = sum(not work.listens.get(member_id, False) for member_id in ids)
    return (
        Would.CHANGE,
        f"{len(ids) - deaf} members stop working; {deaf} do not support stopping.",
    )


def _resume(group: Group, members: Members, chosen: Members, _expected: int | None) -> Verdict:
    work = _work(group, members)
    if not work.is_stopped:
        return Would.LEAVE, "Nothing is stopped."
    return Would.CHANGE, f"{len(chosen)} members may work again."


def _is_stopping(work: pauses.WorkState, member_id: str) -> bool:
    return work.members.get(member_id) in (pauses.STOPPING, pauses.STOPPED)


def _work(group: Group, members: Members) -> pauses.WorkState:
    return pauses.work_of(group.group_id, [(m.member_id, m.instance_id) for m in members])


def _is_frozen(group: Group) -> bool:
    rows = groups.with_freezes(Group.objects.filter(group_id=group.group_id))
    return rows.filter(frozen_since__isnull=False).exists()


_RULES: Final = {
    Operation.Verb.REBALANCE: _rebalance,
    Operation.Verb.EVICT: _evict,
    Operation.Verb.PAUSE: _pause,
    Operation.Verb.RESUME: _resume,
}
