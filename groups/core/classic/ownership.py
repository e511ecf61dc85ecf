"""The facts of a classic group: whose lives began, and who owns what.

A life begins with the first JoinGroup. A partition is owned from the member's own SyncGroup to the
next JoinGroup that gives it up: by what that names as owned (KIP-429), or, where it names nothing,
by the assignment that follows. A partition that the member gets again did not move. The bytes are
the clients' own: an assignment that cannot be read counts as nothing that is known.
"""

from collections.abc import Mapping

from groups.core.assignment import Parts
from groups.core.classic import packing
from groups.core.classic.live import Join, Told
from groups.core.classic.work import KIND, Work
from groups.core.facts import NO_PARTS, Began, Departure, Ended, Origin, Owns, owned_in, recordable
from groups.core.rows import MemberRow
from groups.core.subscription import subscription_of, topics_of


def began(work: Work, join: Join, origin: Origin = Origin.JOINED) -> Began:
    """The life of a member that joins."""
    protocols = packing.unpack(join.row.subscription)
    topics = topics_of(protocols[0][1]) if protocols else None
    return Began(
        join.row,
        KIND,
        work.row.generation,
        age_ms=max(0, work.now - join.first),
        origin=origin,
        client=join.client,
        topics=None if topics is None else tuple(sorted(topics)),
        protocols=tuple(name for name, _ in protocols),
    )


def came_to_nothing(work: Work, join: Join, departure: Departure) -> None:
    """A new member is gone before the group had a generation with it."""
    silent_ms = max(0, work.now - join.since)
    ended = Ended(join.row.member_id, departure, work.row.generation, silent_ms)
    work.facts += (began(work, join), ended)


def joined_again(work: Work, joins: Mapping[str, Join]) -> None:
    """A generation has begun with these: what they give up, they gave up when they joined."""
    live = work.change()
    live.rejoined = {m: join.first for m, join in joins.items()} | dict(live.rejoined)


def assigned(work: Work) -> None:
    """The leader's assignment is there; members whose SyncGroup is held receive it now."""
    live = work.change()
    reported = {m: parts for m in live.rejoined if (parts := _reported(work, m))}
    kept = _kept(work, reported)
    for member_id, row in work.members.items():
        still = kept.get(member_id, NO_PARTS)
        if live.told.get(member_id) == Told(row.assignment, still, has_all=True):
            continue
        has_all = member_id in live.syncs
        rejoined_at = live.rejoined.get(member_id, work.now)
        _owns(work, row, still, gains=has_all, lost_ms=max(0, work.now - rejoined_at))
        live.told[member_id] = Told(row.assignment, still, has_all)
    live.rejoined = {}


def _reported(work: Work, member_id: str) -> Parts | None:
    """The partitions that the member's JoinGroup says it still owns; None or empty: none."""
    row = work.members.get(member_id)
    if row is None:
        return None
    subscription = subscription_of(packing.metadata_of(row.subscription, work.row.protocol_name))
    return None if subscription is None else recordable(subscription.owned)


def _kept(work: Work, reported: Mapping[str, Parts]) -> dict[str, Parts]:
    """The partitions that members still hold although they are not assigned to them any more, by
    member: they give them up by their next JoinGroup, and until then nobody else has them."""
    more = {m: parts - _parts(work.members[m]) for m, parts in reported.items()}
    if not any(more.values()):
        return {}
    dealt = frozenset().union(*map(_parts, work.members.values()))
    return {m: parts - dealt for m, parts in more.items()}


def synced(work: Work, member_id: str) -> None:
    """The member receives its assignment in Stable."""
    row, told = work.members[member_id], work.live.told.get(member_id)
    if told is not None and told.has_all and told.assignment == row.assignment:
        return
    kept = NO_PARTS if told is None else told.kept
    _owns(work, row, kept, gains=True)
    work.change().told[member_id] = Told(row.assignment, kept, has_all=True)


def _owns(work: Work, row: MemberRow, kept: Parts, *, gains: bool, lost_ms: int = 0) -> None:
    parts = _parts(row) | kept
    work.facts.append(Owns(row.member_id, work.row.generation, parts, lost_ms, gains))


def _parts(row: MemberRow) -> Parts:
    return owned_in(row.assignment) or NO_PARTS
