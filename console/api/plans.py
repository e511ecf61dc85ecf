"""Dry runs: what a verb would do to a group in its current state; nothing is requested.

Plans are computed from rows; members may join or leave before the verb is requested.
"""

from collections.abc import Callable, Mapping
from typing import Final

from rest_framework.response import Response

from console.api import serializers as shapes
from console.api.views import existing
from console.queries import groups, previews
from groups.models import Group, Operation

NAMED_MAX: Final = 100
"""Maximum number of members that are named."""

STAYS: Final = frozenset({"cooperative-sticky"})
"""Protocols whose members keep partitions that do not move (KIP-429)."""


def plan(
    group_id: str, verb: Operation.Verb, name: str = "", generation: int | None = None
) -> Response:
    """What the verb would do. ``name``: for one member. ``generation``: the expected one. 404 if
    there is no such group."""
    group = existing(group_id)
    members = groups.members_of(group)
    chosen = [m for m in members if not name or name in (m.member_id, m.instance_id)]
    preview = PREVIEWS[verb](group, members, name, generation)
    moves = verb in (Operation.Verb.REBALANCE, Operation.Verb.EVICT)
    moves = moves and preview.would == previews.CHANGED
    values = {
        "dry_run": True,
        "verb": verb.value,
        "group_id": group_id,
        "generation": group.generation,
        "would": preview.would,
        "detail": " ".join(preview.sentences),
        "members": [m.member_id for m in chosen[:NAMED_MAX]],
        "members_count": len(chosen),
        "partitions": _given_up(group, verb, chosen) if moves else 0,
    }
    return Response(shapes.Plan(values).data)


PREVIEWS: Final[Mapping[Operation.Verb, Callable[..., previews.Preview]]] = {
    Operation.Verb.REBALANCE: lambda group, _, __, expected: previews.rebalance(group, expected),
    Operation.Verb.EVICT: lambda group, members, name, _: previews.evict(group, members, name),
    Operation.Verb.PAUSE: lambda group, members, name, _: previews.pause(group, members, name),
    Operation.Verb.RESUME: lambda group, members, name, _: previews.resume(group, members, name),
}


def _given_up(group: Group, verb: Operation.Verb, chosen: previews.Members) -> int | None:
    """Partitions that members would revoke; None: only those that move, which are not known yet."""
    eager = group.kind != groups.CONSUMER and group.protocol_name not in STAYS
    if verb is Operation.Verb.EVICT or eager:
        return sum(member.partition_count for member in chosen)
    return None
