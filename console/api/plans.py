"""Dry runs: what a verb would do to a group in its current state; nothing is requested.

Plans are computed from rows; members may join or leave before the verb is requested.
"""

from datetime import datetime
from typing import Final

from rest_framework.response import Response

from console.api import serializers as shapes
from console.queries import groups, previews
from groups.models import Group, Operation

NAMED_MAX: Final = 100
"""Maximum number of members that are named."""

STAYS: Final = frozenset({"cooperative-sticky"})
"""Protocols whose members keep partitions that do not move (KIP-429)."""


def plan(
    group_id: str,
    verb: Operation.Verb,
    name: str = "",
    generation: int | None = None,
    until: datetime | None = None,
) -> Response:
    """What the operation would do. ``name``: for one member. ``generation``: the expected one."""
    group = Group.objects.filter(group_id=group_id).first()
    members = [] if group is None else groups.members_of(group)
    chosen = [m for m in members if not name or name in (m.member_id, m.instance_id)]
    asked = previews.Asked(group_id, group, members, name, generation, until)
    preview = previews.of(verb, asked)
    moves = verb in MOVES and preview.would == previews.CHANGED
    values = {
        "dry_run": True,
        "verb": verb.value,
        "group_id": group_id,
        "generation": 0 if group is None else group.generation,
        "would": preview.would,
        "detail": " ".join(preview.sentences),
        "members": [m.member_id for m in chosen[:NAMED_MAX]],
        "members_count": len(chosen),
        "partitions": _given_up(group, verb, chosen) if group is not None and moves else 0,
    }
    return Response(shapes.Plan(values).data)


MOVES: Final = (Operation.Verb.REBALANCE, Operation.Verb.EVICT, Operation.Verb.DRAIN)
"""Operations after which partitions move."""


def _given_up(group: Group, verb: Operation.Verb, chosen: previews.Members) -> int | None:
    """Partitions that members would revoke; None: only those that move, which are not known yet."""
    eager = group.kind != groups.CONSUMER and group.protocol_name not in STAYS
    if verb is not Operation.Verb.REBALANCE or eager:
        return sum(member.partition_count for member in chosen)
    return None
