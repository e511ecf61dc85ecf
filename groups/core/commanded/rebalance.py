"""A rebalance of a commanded group, from the queue to the last acknowledgement (the design's D).

``queue`` requests one; a group is in the queue at most once. ``advance`` takes the group as far as
possible: into the stop phase, if a rebalance is necessary; from there, after **every** consumer has
acknowledged or is gone, into the start phase (docs/decisions/0012); and back to Stable. Only this
file raises generations and changes owners.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from groups.core import commands, drains
from groups.core.commanded import acknowledging, assignment, awaited, guards, thread_offers
from groups.core.commanded.states import COMPLETING, EMPTY, PREPARING, STABLE
from groups.core.commanded.thread_offers import Owned
from groups.core.commanded.work import ATTEMPT, CAUSE, FORCED, QUEUED, ROUND, Work
from groups.core.commands import is_expelled
from groups.core.facts import Owns, grouped
from groups.core.journal import NAMED_MAX, EntryKind, Trigger
from groups.core.rebalance_cause import Cause, end_forced
from groups.core.rounds import Outcome
from groups.core.rows import CommandRow, MemberRow

NOTHING_YET: Final[Mapping[str, Any]] = {"joined": [], "moved": 0}
"""The results of a rebalance that has just begun."""


def queue(work: Work, cause: Cause, *, forced: bool = False, who: Sequence[MemberRow] = ()) -> None:
    """Put the group into the rebalance queue, unless it is there already, is empty, or has no
    existing topic (and owns no partition). ``who``: the members that are the cause, for the
    journal."""
    if not work.members:
        return
    if forced:
        work.set_details(forced=True)
    if forced or QUEUED in work.row.details or _has_work(work):
        awaited.queue(work, cause, who)
        if QUEUED not in work.row.details:
            work.set_details(queued=cause._asdict())


def _has_work(work: Work) -> bool:
    offered = work.offered
    has_topic = any(n and offered.topics.get(topic) for topic, n in work.counts.items())
    return has_topic or bool(offered.owning)


def advance(work: Work) -> None:
    """Advance until an acknowledgement has to be waited for; the previous steps do not matter."""
    while work.members and STEPS[work.state](work):
        pass
    if not work.members and work.state != EMPTY:
        _empty(work)


# -- from the queue to stop-fetcher


def _begin(work: Work) -> bool:
    """3 and 4.1: check that a rebalance is necessary, and stop every fetcher."""
    queued = work.row.details.get(QUEUED)
    if queued is None or not _present(work):
        return False
    if guards.holds(work):
        guards.put_off(work)
        return False
    cause, is_forced = Cause.of(queued), FORCED in work.row.details
    because = _necessity(work)
    work.set_details(queued=None, forced=None)
    if not because and not is_forced:
        awaited.forget_queue(work)
        return False
    live = work.change()
    live.started_at = live.attempt_at = work.now
    awaited.begin(work, cause)
    work.set_details(cause=cause._asdict(), attempt=1, round=dict(NOTHING_YET))
    work.move_to(PREPARING)
    details = {"necessary": because or "forced"}
    work.note(EntryKind.REBALANCE_STARTED, **cause._asdict(), details=details)
    for row in _present(work).values():
        _command(work, row, commands.STOP)
    return True


def _necessity(work: Work) -> str:
    owned = {c: thread_offers.owned_by(row) for c, row in _present(work).items()}
    return assignment.necessity(owned, _deal(work), work.counts)


def _present(work: Work) -> Mapping[str, MemberRow]:
    return {c: row for c, row in work.members.items() if not is_expelled(row)}


def _deal(work: Work) -> Mapping[str, Owned]:
    """The new ownership, without partitions that an expelled consumer may still work on. Drained
    consumers have none."""
    shares = _shares(work)
    expelled = [row for row in work.members.values() if is_expelled(row)]
    if not expelled:
        return shares
    kept = frozenset().union(*map(thread_offers.parts_in, expelled))
    return {c: {p: n for p, n in owned.items() if p not in kept} for c, owned in shares.items()}


def _shares(work: Work) -> Mapping[str, Owned]:
    present, matches = _present(work), work.matches
    offered = {
        c: {} if drains.DRAINED in row.details else thread_offers.threads_of(row, matches)
        for c, row in present.items()
    }
    return assignment.deal(offered, work.counts)


def _command(work: Work, row: MemberRow, option: str, owned: Owned | None = None) -> None:
    """Send one command; earlier ones without an acknowledgement are dropped."""
    is_start = owned is not None
    command = CommandRow(
        command_id=work.next_command_id(),
        option=option,
        generation=work.row.generation if is_start else -1,
        ownership=thread_offers.ownership(row.member_id, owned) if owned is not None else None,
        reason=Cause.of(work.row.details[CAUSE]).reason,
    )
    work.put(commands.send(row, command))


# -- from the last acknowledgement of stop-fetcher to start-fetcher


def _start(work: Work) -> bool:
    """4.2, after all have stopped: the new ownership, the next generation."""
    if any(row.commands for row in work.members.values()):
        return False
    shares, present = _deal(work), _present(work)
    before = {
        part: c for c, row in work.before.members.items() for part in thread_offers.parts_in(row)
    }
    moved = sum(before.get(p, c) != c for c, parts in shares.items() for p in parts)
    joined = [c for c, row in present.items() if thread_offers.OWNED not in row.details]
    done = {**work.row.details[ROUND], "moved": moved, "joined": joined[:NAMED_MAX]}
    work.set_details(queued=None, attempt=1, round=done)
    work.move_to(COMPLETING, generation=work.row.generation + 1)
    work.change().attempt_at = work.now
    acknowledging.all_stopped(work)
    awaited.begin_start(work)
    for consumer, row in present.items():
        owned = shares[consumer]
        after = thread_offers.owning(row, owned)
        if not owned:
            after = drains.looked(work, after)
        _command(work, after, commands.START, owned)
        if thread_offers.owned_by(row).keys() != owned.keys():
            work.facts.append(Owns(consumer, work.row.generation, grouped(owned)))
    return True


# -- from the last acknowledgement of start-fetcher to Stable


def _finish(work: Work) -> bool:
    """4.3 and 5: all have started. Another rebalance may be queued by now."""
    if any(row.commands for row in work.members.values()):
        return False
    details, live = work.row.details, work.change()
    done, cause = details[ROUND], Cause.of(details[CAUSE])
    left, why = live.left, awaited.explained(work)
    work.round_ended(Outcome.ASSIGNED, why, moved=done["moved"])
    work.note(
        EntryKind.REBALANCE_COMPLETED,
        **cause._asdict(),
        generation_before=work.row.generation - 1,
        duration_ms=work.now - live.started_at,
        joined=tuple(done["joined"]),
        left=left[:NAMED_MAX],
        details={"members": len(work.members), "moved": done["moved"], "left": len(left)},
        waited_for=why.waited_for(),
        why=why,
    )
    live.left, live.settled_at, live.episode = (), work.now, None
    _settle(work)
    work.move_to(STABLE)
    return True


def _settle(work: Work) -> None:
    """The rebalance has ended: report the result to its operations."""
    end_forced(work)
    work.set_details(cause=None, causes=None, attempt=None, round=None, operations=None)


def _empty(work: Work) -> None:
    """No member is left. The row stays because of the offsets, and so that no generation is used
    twice."""
    live = work.change()
    assert work.emptied_by is not None, "members went, and nobody said why"
    why = awaited.explained(work) if is_waiting(work.state) else None
    work.round_ended(Outcome.EMPTIED, why or awaited.at_once(work, work.emptied_by))
    work.note(EntryKind.EMPTIED, **work.emptied_by._asdict(), left=live.left[:NAMED_MAX], why=why)
    live.left, live.settled_at, live.episode = (), work.now, None
    awaited.forget_queue(work)
    _settle(work)
    work.set_details(queued=None, forced=None, topics=None, matches=None)
    work.move_to(EMPTY)


# -- retries


def is_waiting(state: str) -> bool:
    """Whether acknowledgements are awaited."""
    return state in (PREPARING, COMPLETING)


def laggards(members: Iterable[MemberRow]) -> list[MemberRow]:
    """The members that have not acknowledged."""
    return [row for row in members if row.commands]


def try_again(work: Work, late: Iterable[MemberRow]) -> None:
    """Send the commands without an acknowledgement once more."""
    attempt: int = work.row.details[ATTEMPT] + 1
    late = list(late)
    work.set_details(attempt=attempt)
    work.change().attempt_at = work.now
    for row in late:
        work.put(commands.send_again(row, work.next_command_id()))
    first = late[0]
    who = "a consumer has" if len(late) == 1 else f"{len(late)} consumers have"
    work.note(
        EntryKind.REBALANCE_RETRIED,
        trigger=Trigger.NOT_ACKNOWLEDGED,
        reason=f"{who} not acknowledged {first.commands[0].option}",
        member_id=first.member_id,
        client_id=first.client_id,
        details={"attempt": attempt, "late": len(late)},
    )


STEPS: Final[Mapping[str, Callable[[Work], bool]]] = {
    STABLE: _begin,
    PREPARING: _start,
    COMPLETING: _finish,
}
"""The transition to try in each state; it returns False if the group has to wait."""
