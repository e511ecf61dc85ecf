"""What becomes of the drains of a consumer group's members (``groups.core.drains``), besides the
target without them (``targets``). ``operator`` begins and ends them.

A static member whose session expires is drained when it returns under its instance id; until then
its drain is in the group's row.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from groups.core import drains
from groups.core.consumer.member import Member
from groups.core.consumer.work import Work
from groups.core.drains import AWAY_MAX, DRAINED, Drain
from groups.core.facts import Departure

SILENTLY: Final = (Departure.EXPIRED, Departure.NOT_ACKNOWLEDGED)
"""Ends of lives that the member did not want: it may return."""


def settle(work: Work) -> None:
    """End the operations of members that have no partitions, and will get none."""
    if not work.index.draining:
        return
    for member_id in sorted(work.index.draining):
        member = work.members[member_id]
        if member.drain is not None and not member.holds and not member.target:
            work.put(replace(member, drain=drains.over(work, member.drain)))


def away(work: Work) -> Mapping[str, Drain]:
    """The drains of static members that are away, by instance id."""
    return {name: Drain(*packed) for name, packed in work.row.details.get(DRAINED, {}).items()}


def keep(work: Work, member: Member, departure: Departure) -> None:
    """A member is about to be removed: a static one may return."""
    instance_id, drain = member.row.instance_id, member.drain
    if drain is None or instance_id is None or departure not in SILENTLY:
        return
    kept = {**away(work), instance_id: drain._replace(is_over=True)}
    newest = sorted(kept, key=lambda name: kept[name].operation_id)[-AWAY_MAX:]
    _set_away(work, {name: kept[name] for name in newest})


def returned(work: Work, member: Member) -> Member:
    """A new member, with the drain of its instance id."""
    instance_id = member.row.instance_id
    if instance_id is None or instance_id not in (drained := away(work)):
        return member
    forget(work, instance_id)
    return replace(member, drain=drained[instance_id])


def forget(work: Work, instance_id: str) -> None:
    """This instance id is not drained any more, or has a member."""
    _set_away(work, {name: drain for name, drain in away(work).items() if name != instance_id})


def _set_away(work: Work, drained: Mapping[str, Drain]) -> None:
    """Keep these in the group's row; without any it has no such detail."""
    details = {key: value for key, value in work.row.details.items() if key != DRAINED}
    if drained:
        details[DRAINED] = {name: list(drained[name]) for name in sorted(drained)}
    work.set_row(details=details)
