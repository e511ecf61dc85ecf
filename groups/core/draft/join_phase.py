"""A rebalance of a draft group, from start to end; only this file raises generations.

``start`` begins one, or adds its cause to the current one; ``maybe_complete`` ends it once every
member that is considered alive has joined. It reads no clock, and replies only to held joins.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Final
from uuid import UUID

from groups.core import drains, row_packing
from groups.core.assignment import count_of
from groups.core.draft import awaited, guards, strategies
from groups.core.draft.live import Join, JoinPhase
from groups.core.draft.states import EMPTY, PREPARING, STABLE
from groups.core.draft.strategies import Misdealt
from groups.core.draft.work import KIND, OWED, Work
from groups.core.explanation import Episode, Explanation
from groups.core.facts import Began, Departure, Owns
from groups.core.group import Beat
from groups.core.journal import NAMED_MAX, EntryKind, Trigger
from groups.core.rebalance_cause import Cause, end_forced
from groups.core.replies import DraftJoined
from groups.core.rounds import Outcome
from groups.core.rows import MemberRow
from groups.core.strategy import Parts
from groups.core.values import SharedDict

EXCLUDED_MAX = 1_000
"""Excluded consumers that a row keeps. Others receive UnknownConsumer, and start over without an
id: one more round trip."""


PUT_OFF: Final = "it had been put off"
"""The reason of a rebalance that began later than it was due."""


def start(
    work: Work,
    cause: Cause,
    *,
    owed: bool = False,
    is_forced: bool = False,
    left: Sequence[str] = (),
    who: Sequence[MemberRow] = (),
) -> None:
    """Let every consumer join again: start a rebalance in Stable or Empty, or continue the current
    one.

    ``owed``: a later owner must continue it (the rows alone would not show that). If guard rails
    put it off, it is always owed; one that ``is_forced`` is not put off. ``left``: members that are
    already gone, ``who``: all members that are the cause, for the journal.
    """
    silence = cause.trigger == Trigger.SESSION_EXPIRED
    if not is_forced and guards.holds(work):
        guards.put_off(work, cause)
        return
    if work.state == PREPARING:
        awaited.because(work, cause, who)
        if not silence and work.join_phase.is_doubtful:
            work.set_join_phase(is_doubtful=False)
        if left:
            work.set_join_phase(left=(*work.join_phase.left, *left))
    else:
        doubtful = silence and OWED not in work.row.details
        first, episode = _opened(work, cause, who)
        work.change().join_phase = JoinPhase(
            first, work.now, episode, is_doubtful=doubtful, left=tuple(left)
        )
        work.move_to(PREPARING)
        work.note(EntryKind.REBALANCE_STARTED, **first._asdict())
    if owed:
        first = work.row.details.get(OWED, cause.trigger)
        work.set_details(owed=first, causes=work.join_phase.episode.packed())
    maybe_complete(work)


def _opened(work: Work, cause: Cause, who: Sequence[MemberRow]) -> tuple[Cause, Episode]:
    """The first cause of a rebalance that begins now, and all: one that was put off comes first,
    whatever began it in the end."""
    episode, owed = Episode(work.now), work.row.details.get(OWED)
    first = cause if owed is None or not work.members else Cause(owed, PUT_OFF)
    if first != cause:
        episode = episode.with_cause(first.because(work.now, ()))
    return first, episode.with_cause(cause.because(work.now, who))


def begin_what_was_put_off(work: Work) -> None:
    """The guard rail has ended, and nothing else has begun it."""
    owed = work.row.details.get(OWED)
    if work.state == STABLE and owed is not None and not guards.holds(work):
        start(work, Cause(owed, PUT_OFF))


def maybe_complete(work: Work) -> None:
    """End the rebalance once all members have joined or are suspects."""
    live = work.live
    if work.state == PREPARING and len(live.joins) + len(live.suspects) == len(work.members):
        _complete(work)


def call_off(work: Work, consumer_id: str) -> None:
    """All suspects sent heartbeats before any consumer was told: the generation stays (Slow
    consumers 3)."""
    live = work.change()
    live.join_phase = None
    work.move_to(STABLE)
    client_id = work.members[consumer_id].client_id
    work.note(
        EntryKind.REBALANCE_ABANDONED,
        trigger=Trigger.MEMBER_RETURNED,
        reason="the silent consumer was heard of before any other had been told",
        member_id=consumer_id,
        client_id=client_id,
    )


def _complete(work: Work) -> None:
    """Rebalancing: raise the generation, assign ids and partitions, and reply to all held joins."""
    round_, before = work.join_phase, work.members
    held = _named(work)
    why = awaited.explained(work)
    gone = [row for consumer_id, row in before.items() if consumer_id not in held]
    left = (*round_.left, *(row.member_id for row in gone))
    excluded = [row.member_id for row in gone][:EXCLUDED_MAX] or None
    work.set_details(excluded=excluded, owed=None, causes=None)
    for row in gone:
        work.ended(row.member_id, Departure.EXPIRED)
    _stop(work)
    if held:
        _next_generation(work, held, left, why)
    else:
        _empty(work, left, why)
    _settle(work, held)


def _stop(work: Work) -> None:
    """Those that joined again have not worked on their partitions since."""
    live, now = work.change(), work.now
    stopped = ((row, live.joins.get(consumer_id)) for consumer_id, row in work.members.items())
    still = sum(
        (now - join.first) * count_of(row.assignment) for row, join in stopped if join is not None
    )
    live.idle = live.idle.stopped(still)


def _named(work: Work) -> dict[str, Join]:
    """Every held join by its consumer's id; one without an id gets one now, and a position."""
    live = work.live
    held = {c: live.joins[c] for c in work.members if c in live.joins}
    place = max((row.position for row in work.members.values()), default=-1)
    for join in live.newcomers:
        place += 1
        named = join.row.member_id or new_id(work.row.group_id, work.rng)
        held[named] = replace(join, row=replace(join.row, member_id=named, position=place))
    return held


def new_id(group_id: str, rng: Random) -> str:
    """A consumer id: ``<group>-<uuid>`` (Consumer id assignment, 3)."""
    return f"{group_id}-{UUID(int=rng.getrandbits(128), version=4)}"


def _next_generation(
    work: Work, held: Mapping[str, Join], left: tuple[str, ...], why: Explanation
) -> None:
    before, generation = work.members, work.row.generation
    rows = {consumer_id: join.row for consumer_id, join in held.items()}
    topics = {
        consumer_id: row_packing.topics_in(row.subscription) for consumer_id, row in rows.items()
    }
    names = sorted(set().union(*topics.values()))
    counts = {name: work.live.counts.get(name, 0) for name in names}
    shares = _deal(work, before, topics, counts)
    work.set_members({c: _with(row, before.get(c), shares[c]) for c, row in rows.items()})
    work.set_details(topics=counts)
    work.change().count_only(counts)
    work.move_to(STABLE, generation=generation + 1)
    _end_drains(work)
    joined = [consumer_id for consumer_id in held if consumer_id not in before]
    work.facts += [_began(work, held[consumer_id]) for consumer_id in joined]
    work.facts += _owns(work, held, shares)
    moved = _moved(before, shares)
    work.round_ended(Outcome.ASSIGNED, why, moved=moved)
    work.note(
        EntryKind.REBALANCE_COMPLETED,
        **work.join_phase.cause._asdict(),
        generation_before=generation,
        duration_ms=work.now - work.join_phase.started_at,
        waited_for=why.waited_for(),
        why=why,
        joined=tuple(joined)[:NAMED_MAX],
        left=left[:NAMED_MAX],
        details={"members": len(held), "moved": moved, "left": len(left)},
    )


def _began(work: Work, join: Join) -> Began:
    row = join.row
    return Began(
        row,
        KIND,
        work.row.generation,
        age_ms=work.now - join.since,
        client=join.client,
        topics=tuple(sorted(row_packing.topics_in(row.subscription))),
        protocols=(work.row.protocol_name or strategies.RANGE,),
    )


def _owns(work: Work, held: Mapping[str, Join], shares: Mapping[str, Parts]) -> Iterator[Owns]:
    """What each member owns from now on, if it is not the same: it gave up the rest when it
    joined."""
    before, generation = work.before.members, work.row.generation
    for consumer_id, join in held.items():
        row, parts = before.get(consumer_id), frozenset(shares[consumer_id])
        if row is None or row_packing.parts_in(row.assignment) != parts:
            owned = row_packing.by_topic(parts)
            yield Owns(consumer_id, generation, owned, lost_ms=work.now - join.since)


def _end_drains(work: Work) -> None:
    """Every consumer has given up its partitions: drained ones have none."""
    for consumer_id, row in list(work.members.items()):
        if drains.DRAINED in row.details:
            work.change_members()[consumer_id] = drains.looked(work, row)


def _deal(
    work: Work,
    before: Mapping[str, MemberRow],
    topics: Mapping[str, frozenset[str]],
    counts: Mapping[str, int],
) -> Mapping[str, Parts]:
    """The shares of all consumers: drained ones have none."""
    drained = {c for c in topics if c in before and drains.of(before[c]) is not None}
    others = {c: names for c, names in topics.items() if c not in drained}
    dealt = _dealt(work, others, counts) if others else {}
    return {**dict.fromkeys(drained, frozenset()), **dealt}


def _dealt(
    work: Work, topics: Mapping[str, frozenset[str]], counts: Mapping[str, int]
) -> Mapping[str, Parts]:
    """The result of the group's strategy; of ranges, if that is invalid or missing."""
    name = work.row.protocol_name or strategies.RANGE
    strategy = strategies.find(name, work.rules.strategies)
    try:
        if strategy is None:
            raise Misdealt("nobody here knows it any more")
        return strategies.deal(strategy, topics, counts)
    except Misdealt as fault:
        reason = f"the strategy {name} could not be used, since {fault}"
        work.note(EntryKind.STRATEGY_FAILED, trigger=Trigger.STRATEGY_FAILED, reason=reason)
        return strategies.deal(strategies.assign_ranges, topics, counts)


def _with(row: MemberRow, before: MemberRow | None, parts: Parts) -> MemberRow:
    """The row with its partitions; the same object as before if nothing changed."""
    packed = row_packing.pack_parts(parts)
    after = replace(row, assignment=packed, details=drains.carried(before))
    return before if before is not None and after == before else after


def _moved(before: Mapping[str, MemberRow], shares: Mapping[str, Parts]) -> int:
    """How many partitions changed their owner."""
    owners = {p: c for c, row in before.items() for p in row_packing.parts_in(row.assignment)}
    return sum(owners.get(p, c) != c for c, parts in shares.items() for p in parts)


def _empty(work: Work, left: tuple[str, ...], why: Explanation) -> None:
    """No member is left. The row stays because of the offsets, and so that no generation is used
    twice."""
    cause = work.join_phase.cause
    work.set_members({})
    work.move_to(EMPTY, protocol_name=None)
    work.set_details(topics=None)
    work.change().count_only({})
    work.round_ended(Outcome.EMPTIED, why)
    work.note(EntryKind.EMPTIED, **cause._asdict(), left=left[:NAMED_MAX], why=why)


def _settle(work: Work, held: Mapping[str, Join]) -> None:
    """Reply to the held joins; every session starts again, and operations get their result."""
    for consumer_id, join in held.items():
        work.answer(join.ticket, joined(work, consumer_id))
    live = work.change()
    live.beats = SharedDict((consumer_id, Beat(work.now)) for consumer_id in work.members)
    live.joins, live.newcomers, live.suspects, live.join_phase = SharedDict(), [], {}, None
    live.settled_at = work.now
    end_forced(work)
    work.set_details(operations=None)


def joined(work: Work, consumer_id: str) -> DraftJoined:
    """A member's reply for the current generation."""
    parts = row_packing.parts_in(work.members[consumer_id].assignment)
    return DraftJoined(
        generation_id=work.row.generation,
        consumer_id=consumer_id,
        partitions=row_packing.by_topic(parts),
    )
