"""Rebalances: from a new group epoch to its target, and to their end (KIP-848).

Only this file raises the epoch, lets targets be computed and derives the group's state. ``guards``
and ``target_schedule`` decide when a target has to wait, ``reconcile`` how a member reaches it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from groups.core.assignors.registry import table
from groups.core.assignors.types import Parts
from groups.core.consumer import (
    awaited,
    client_rounds,
    draining,
    guards,
    target_schedule,
    targets,
    votes,
)
from groups.core.consumer.member import Member
from groups.core.consumer.partition_moves import Name
from groups.core.consumer.states import ASSIGNING, EMPTY, RECONCILING, STABLE_GROUP
from groups.core.consumer.work import CLIENT_REASON, Work
from groups.core.explanation import Explanation
from groups.core.facts import Departure
from groups.core.group import Millis
from groups.core.journal import NAMED_MAX, EntryKind
from groups.core.rounds import Outcome
from groups.core.values import SharedDict

NO_CAUSE: Final = ("", "", None, None)
"""The cause of a rebalance if the row has none."""


def bump(
    work: Work,
    trigger: str,
    reason: str,
    member: Member | None = None,
    left: Iterable[str] = (),
    *,
    waits: bool = True,
    client_reason: str = "",
    gone: Sequence[Member] = (),
) -> None:
    """Raise the group epoch by one, with a reason. A rebalance that ``waits`` may be put off.
    ``gone``: all members whose removal is the reason, of which ``member`` is the first."""
    epoch = work.row.generation
    work.set_row(generation=epoch + 1)
    held = waits and bool(work.members) and guards.holds(work)
    if held:
        guards.put_off(work, trigger)
    elif work.members:
        _begin(work)
    elif guards.is_put_off(work.row):
        guards.begins(work)
    if work.live.episode is None and not held:
        work.change().since = work.now
        who = (member.row.member_id, member.row.client_id) if member else (None, None)
        work.set_details(cause=[trigger, reason, *who])
        work.keep_client_reason(client_reason)
    if not held or (gone and work.live.episode is not None):  # who is gone is not waited for
        who_all = gone or (() if member is None else (member,))
        awaited.because(work, trigger, reason, who_all, client_reason)
    if not work.members:
        work.round_ended(work.row.generation, Outcome.EMPTIED, _why(work))
    kind = EntryKind.REBALANCE_PUT_OFF if held else EntryKind.REBALANCE_STARTED
    work.note(
        kind if work.members else EntryKind.EMPTIED,
        frozen=work.rules.guards.frozen if held else None,
        trigger=trigger,
        reason=reason,
        member_id=member.row.member_id if member else None,
        client_id=member.row.client_id if member else None,
        client_reason=client_reason,
        generation_before=epoch,
        left=tuple(left)[:NAMED_MAX],
        why=_why(work) if not work.members else None,
    )


def _why(work: Work) -> Explanation | None:
    episode = work.live.episode
    return None if episode is None else episode.explained(work.now)


def remove(work: Work, member_id: str, departure: Departure, since: Millis | None = None) -> Member:
    """Remove the member (``Work.take``); if it was computing a target, another one is asked."""
    if departure is Departure.REPLACED:
        awaited.returned(work, work.members[member_id])
    member = work.take(member_id, departure, since)
    client_rounds.gone(work, member_id)
    return member


def assign(work: Work) -> None:
    """Compute the target if one is needed, unless it has to wait."""
    if work.row.generation == work.target_epoch:
        return
    if guards.holds(work):
        target_schedule.forget_wish(work)
        client_rounds.close(work)
        if not work.target_epoch:
            work.set_target(guards.first_target(work.rules))
    elif client_rounds.goes_on(work):
        _begin(work)  # a member computes it
    elif target_schedule.waits(work):
        target_schedule.want(work)
    else:
        _begin(work)
        work_out(work)


def assign_for(work: Work, before: Member) -> None:
    """The same for a member's request: topics that it has unsubscribed from since ``before`` are
    revoked at once, even if the target has to wait for its interval."""
    owed_since = work.live.owed_since
    assign(work)
    member = work.members[before.row.member_id]
    is_new = not (before.topics or before.regex)
    if owed_since is not None and owed_since < work.now and not is_new:
        awaited.heard(work, member, owed_since)
    if targets.subscribes_anew(before, member) and target_schedule.is_coming(work):
        targets.forget_unsubscribed(work, member)


def _begin(work: Work) -> None:
    """Begin the rebalance that was put off."""
    trigger = work.row.details.get("put_off")
    if trigger is None:
        return
    reason = "it had been put off"
    guards.begins(work)
    if work.live.episode is None:
        work.set_details(cause=[trigger, reason, None, None])
        work.keep_client_reason("")
        work.change().since = work.now
    awaited.because(work, trigger, reason, (), "")
    work.note(EntryKind.REBALANCE_STARTED, trigger=trigger, reason=reason)


def work_out(work: Work, *, by_members: bool = True) -> None:
    """Compute the target of the current epoch for every member, or have it computed.

    If an assignor fails, the whole step fails without changes. ``by_members`` False: no member can
    be asked, although members have assignors of their own.
    """
    _forget_topics(work)
    if len(work.index.drained) == len(work.members):
        nobody = targets.question(work, votes.vote(work), nothing_to_assign)
        targets.go_by(work, nobody, {})
        return
    if by_members and client_rounds.begin(work):
        _keep_what_there_is(work)
        return
    name = votes.vote(work)
    foreign = work.rules.plugged_in.get(name)
    question = targets.question(work, name, foreign or table()[name])
    if target_schedule.is_elsewhere(foreign is not None, targets.size_of(work), work.rules):
        work.question = question
        target_schedule.requested(work, question)
        _keep_what_there_is(work)
    else:
        targets.go_by(work, question, question.answer())


def nothing_to_assign(*_arguments: object) -> Mapping[str, Parts]:
    """In place of an assignor: all members are drained."""
    return {}


def _keep_what_there_is(work: Work) -> None:
    """The target comes later; a group without one has an empty one until then."""
    if not work.target_epoch:
        work.set_target(guards.first_target(work.rules))


def _forget_topics(work: Work) -> None:
    """Drop topics without subscribers: handlers do not update them any more."""
    used, matches = work.index.regexes, work.index.matches
    if not matches.keys() <= used.keys():
        work.set_matches({regex: matches[regex] for regex in matches if regex in used})
    names, known = work.index.names, work.index.catalogue
    if not known.keys() <= names.keys():
        work.set_catalogue({name: topic for name, topic in known.items() if name in names})


def choice(work: Work) -> str:
    """The assignor for the group, server-side or client-side."""
    elected = client_rounds.election(work)
    return votes.vote(work) if elected is None else elected.name


def settle(work: Work) -> None:
    """Derive the state from the members; if a rebalance has ended, add it to the journal."""
    awaited.observe(work)
    draining.settle(work)
    if not work.members and work.row.generation > work.target_epoch:
        _nothing_to_assign(work)
    state = derived(work)
    if work.members and guards.begun(work.row) == work.target_epoch and not work.index.unsettled:
        _complete(work)
    if state == EMPTY and work.live.episode is not None:
        _forget_episode(work)
        work.forget_moves()
    if state != work.row.state:
        work.set_row(state=state)


def _nothing_to_assign(work: Work) -> None:
    """A group without members is at its target, as in Kafka since 4.4; one that is being computed
    is of no use."""
    work.set_target(work.row.generation, settled_epoch=work.row.generation)
    target_schedule.forget(work)


def _complete(work: Work) -> None:
    """All members have reached the target: the rebalance has ended, also while the next one is put
    off."""
    is_begun = work.live.episode is not None or not guards.is_put_off(work.row)
    if not is_begun or work.target_epoch <= work.row.details.get("settled_epoch", 0):
        return
    since = work.live.since
    trigger, reason, member_id, client_id = work.row.details.get("cause", NO_CAUSE)
    why = _why(work)
    work.note(
        EntryKind.REBALANCE_COMPLETED,
        trigger=trigger,
        reason=reason,
        member_id=member_id,
        client_id=client_id,
        client_reason=work.row.details.get(CLIENT_REASON, ""),
        generation_before=work.row.details.get("settled_epoch", 0),
        generation_after=work.target_epoch,
        duration_ms=None if since is None else work.now - since,
        moved=work.row.details.get("moved", 0),
        waited_for={} if why is None else why.waited_for(),
        why=why,
        facts=work.live.moves.details(work.members, _partition_namer(work)),
    )
    work.round_ended(work.target_epoch, Outcome.ASSIGNED, why)
    work.forget_moves()
    work.set_details(settled_epoch=work.target_epoch, moved=0)
    _forget_episode(work)
    work.change().settled_at = work.now


def _forget_episode(work: Work) -> None:
    live = work.change()
    live.since, live.episode, live.owed_since, live.asked = None, None, None, None
    live.open, work.own_open = SharedDict(), True


def _partition_namer(work: Work) -> Name:
    """Names partitions by their topic's name, if that still exists."""
    names = work.index.names_by_id
    return lambda part: f"{names.get(part[0], part[0])}-{part[1]}"


def derived(work: Work) -> str:
    """Kafka's state of a consumer group."""
    if not work.members:
        return EMPTY
    if work.row.generation > work.target_epoch:
        return ASSIGNING
    return RECONCILING if work.index.unsettled else STABLE_GROUP
