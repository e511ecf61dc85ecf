"""The facts of a classic group: whose lives began, who owns what, and how each rebalance ended: a
join phase and a sync phase (``groups.core.rounds``).

A life begins with the first JoinGroup. A partition is owned from the member's own SyncGroup to the
next JoinGroup that gives it up: by what that names as owned (KIP-429), or, where it names nothing,
by the assignment that follows. A partition that the member gets again did not move. The bytes are
the clients' own: an assignment that cannot be read counts as nothing that is known.
"""

from collections.abc import Iterable, Mapping

from groups.core.assignment import Parts, count_of
from groups.core.classic.live import NO_PARTS, Join, Told
from groups.core.classic.states import COMPLETING
from groups.core.classic.work import KIND, Work
from groups.core.explanation import Explanation
from groups.core.facts import (
    NOTHING,
    Began,
    Departure,
    Ended,
    Origin,
    Owned,
    Owns,
    both,
    grouped,
    owned_in,
)
from groups.core.group import Millis
from groups.core.rounds import Outcome
from groups.core.rows import MemberRow
from groups.core.subscription import (
    metadata_of,
    owned_count,
    subscription_of,
    topics_of,
    unpack_protocols,
)

Stays = tuple[bytes, Owned]
"""A member's assignment before, and what it has again of it: found where the two are compared, so
that nothing is decoded twice."""


def began(work: Work, join: Join, origin: Origin = Origin.JOINED) -> Began:
    """The life of a member that joins."""
    protocols = unpack_protocols(join.row.subscription)
    metadata = protocols[0][1] if protocols else b""
    subscription = subscription_of(metadata)
    topics = topics_of(metadata) if subscription is None else subscription.topics
    return Began(
        join.row,
        KIND,
        work.row.generation,
        age_ms=max(0, work.now - join.first),
        origin=origin,
        client=join.client,
        topics=None if topics is None else tuple(sorted({*topics})),
        protocols=tuple(name for name, _ in protocols),
        rack_id=None if subscription is None else subscription.rack_id,
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


def repeated(work: Work, member_id: str) -> None:
    """A member joins a generation that has begun: under another owner, whose notes are gone, or
    without this static member, which has worked until now."""
    if work.state == COMPLETING and member_id not in work.live.rejoined:
        live = work.change()
        live.rejoined = {**live.rejoined, member_id: work.now}


def assigned(work: Work, stays: Mapping[str, Stays]) -> None:
    """The leader's assignment is there; members whose SyncGroup is held receive it now. ``stays``:
    of members that have another assignment than before."""
    live = work.change()
    changed = _changed(work)
    kept = _kept(work, _lost(work, changed))
    for row in changed:
        still = kept.get(row.member_id, NO_PARTS)
        lost_ms = max(0, work.now - live.rejoined.get(row.member_id, work.now))
        if row.member_id in live.syncs:
            _receives(work, row, still, lost_ms)
        else:
            _awaits(work, row, still, lost_ms, stays.get(row.member_id))
    live.rejoined = {}


def _receives(work: Work, row: MemberRow, still: Parts, lost_ms: Millis = 0) -> None:
    """The member owns all that it is assigned, and what it still holds besides."""
    parts = grouped(still) if still else NOTHING
    owns = Owns(row.member_id, work.row.generation, parts, lost_ms, True, row.assignment)
    work.facts.append(owns)
    owned = count_of(row.assignment) + len(still)
    work.change().told[row.member_id] = Told(row.assignment, still, has_all=True, owned=owned)


def _awaits(work: Work, row: MemberRow, still: Parts, lost_ms: Millis, stays: Stays | None) -> None:
    """The member has not asked for its assignment, and owns what it had and has again."""
    live, has, assignment = work.change(), grouped(still), row.assignment
    told = live.told.get(row.member_id)
    if told is not None and stays is not None and not told.kept and told.assignment == stays[0]:
        has, assignment = both(stays[1], has), b""
    owns = Owns(row.member_id, work.row.generation, has, lost_ms, False, assignment)
    work.facts.append(owns)
    live.told[row.member_id] = Told(row.assignment, still, owned=len(still))


def round_ended(work: Work, why: Explanation | None, moved: int) -> None:
    """The rebalance has ended with an assignment."""
    live = work.change()
    work.round_ended(Outcome.ASSIGNED, live.why, why, moved=moved)
    live.why = None


def interrupted(work: Work) -> None:
    """A rebalance begins: one in its sync phase has ended without an assignment. What that phase
    took, and waited for, belongs to the new one."""
    live = work.live
    if work.state == COMPLETING and live.why is not None and live.sync is not None:
        work.round_ended(Outcome.INTERRUPTED, live.why, age_ms=work.now - live.sync.started_at)
        work.change().why = None


def _changed(work: Work) -> list[MemberRow]:
    """The members of which the facts have another assignment. Until now members did not work on
    what they had given up by joining again, which is noted (``groups.core.rounds``)."""
    live, now, still, changed = work.live, work.now, 0, []
    are_eager = _are_eager(work)
    for member_id, row in work.members.items():
        told = live.told.get(member_id)
        if told is None or not told.has_all or told.kept or told.assignment != row.assignment:
            changed.append(row)
        at = live.rejoined.get(member_id)
        if at is not None:
            told = told or _before(work, member_id)
            still += (now - at) * (told.owned if are_eager else len(told.kept))
    if still:
        work.change().idle = live.idle.stopped(still)
    return changed


def _before(work: Work, member_id: str) -> Told:
    """What another owner told the member, by its row: all that it was assigned, as far as known."""
    row = work.before.members.get(member_id)
    assignment = b"" if row is None else row.assignment
    return Told(assignment, has_all=True, owned=count_of(assignment))


def _are_eager(work: Work) -> bool:
    """Whether members give up everything to join again. All do, or none: they have agreed on the
    protocol, so the first one that had partitions tells."""
    for member_id in work.live.rejoined:
        told = work.live.told.get(member_id)
        told = told or _before(work, member_id)
        if told.owned and member_id in work.members:
            subscription = work.members[member_id].subscription
            metadata = metadata_of(subscription, work.row.protocol_name)
            return not owned_count(metadata)
    return True


def _lost(work: Work, changed: Iterable[MemberRow]) -> Mapping[str, Parts]:
    """What members say that they still own, of what they had and are not assigned any more: they
    give these up by their next JoinGroup. Nothing of a member that has not joined since, and of one
    of which it is not known what it had, since another node saw it."""
    live = work.live
    said: dict[bytes, Parts] = {}  # most members of a group say the same
    lost: dict[str, Parts] = {}
    for row in changed:
        told = live.told.get(row.member_id)
        if told is None or row.member_id not in live.rejoined:
            continue
        owned = said.get(row.subscription)
        if owned is None:
            owned = said[row.subscription] = _said(row, work.row.protocol_name)
        if owned and (gone := owned - _parts(row.assignment)):
            lost[row.member_id] = gone & (_parts(told.assignment) | told.kept)
    return {member_id: parts for member_id, parts in lost.items() if parts}


def _said(row: MemberRow, protocol_name: str | None) -> Parts:
    subscription = subscription_of(metadata_of(row.subscription, protocol_name))
    return NO_PARTS if subscription is None else subscription.owned


def _kept(work: Work, lost: Mapping[str, Parts]) -> Mapping[str, Parts]:
    """The partitions that members still hold: those that nobody else was assigned."""
    if not lost:
        return lost
    dealt = frozenset().union(*(_parts(row.assignment) for row in work.members.values()))
    return {member_id: parts - dealt for member_id, parts in lost.items()}


def synced(work: Work, member_id: str) -> None:
    """The member receives its assignment in Stable."""
    row, told = work.members[member_id], work.live.told.get(member_id)
    if told is not None and told.has_all and told.assignment == row.assignment:
        return
    _receives(work, row, NO_PARTS if told is None else told.kept)


def _parts(assignment: bytes) -> Parts:
    return frozenset((topic, p) for topic, numbers in owned_in(assignment).items() for p in numbers)
