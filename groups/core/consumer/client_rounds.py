"""Rounds in which a member computes the target: which one, until when, and what if it fails
(KIP-848).

A round is open from the time when a target is needed until a member has installed one, or the
coordinator assigns instead. The first member that can run the assignor and sends a heartbeat is
asked, so the group does not wait for an absent one. ``client_assignment`` handles its requests.

Rounds are in memory only: a new owner asks again. Why a round outlives a new group epoch, and how
many members are asked: docs/decisions/0019-client-side-assignors.md.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from groups.core.assignors.client_side import Elected, elect
from groups.core.consumer import votes
from groups.core.consumer.live import NO_CLIENT_ROUND, ClientRound
from groups.core.consumer.member import LEFT_FOR_NOW, Member
from groups.core.consumer.work import Work
from groups.core.group import Millis, Rules, forgiven
from groups.core.journal import EntryKind, Trigger
from groups.core.rows import GroupRow

ATTEMPTS_MAX: Final = 3
"""Members that are asked, one after another, before the coordinator assigns."""


def reloaded(now: ClientRound, members: Mapping[str, Member]) -> ClientRound:
    """After a reload of the rows: the asked member may be gone."""
    return replace(now, assigning_id=now.assigning_id if now.assigning_id in members else None)


def rearmed(now: ClientRound, rules: Rules, at: Millis, missed: Millis) -> ClientRound:
    """After missed time: the asked member's time is extended by it, but not beyond its full
    time."""
    wait = _patience(rules) if now.assigning_id else _patience_until_heartbeat(rules)
    began = forgiven(now.until - wait, at, missed)
    return now if now.elected is None else replace(now, until=began + wait)


def due(now: ClientRound) -> Millis | None:
    """When another member must be asked; None: no round is open."""
    return None if now.elected is None else now.until


def is_open(now: ClientRound, row: GroupRow) -> bool:
    """Whether a member computes the target of the current group epoch, or will be asked to."""
    return now.elected is not None and now.epoch == row.generation


def waits_for(now: ClientRound, row: GroupRow, member: Member) -> bool:
    """Whether the round needs this member's next heartbeat, which must not be held."""
    if not is_open(now, row):
        return False
    return (
        now.assigning_id == member.row.member_id if now.assigning_id else _may_assign(now, member)
    )


def begin(work: Work) -> bool:
    """A target is needed: begin a round. False: the coordinator has to compute it at once."""
    elected = election(work)
    before = work.live.client_round
    if elected is None:
        _set_fell_back(work, None)
        return False
    until = work.now + _patience_until_heartbeat(work.rules)
    now = ClientRound(elected, work.row.generation, until=until, failed=before.failed)
    if not any(_candidates(work, now)):
        close(work)
        _note_fallback(work, elected.name, _why_nobody(work, elected))
        return False
    live = work.change()
    live.client_round = now
    live.schedule = replace(live.schedule, is_wanted=False, requested_epoch=0)
    return True


def goes_on(work: Work) -> bool:
    """Whether the open round is still valid. A new group epoch becomes the next task of its member,
    within the same time, unless the group now wants another assignor."""
    now = work.live.client_round
    if now.elected is None or now.epoch == work.row.generation:
        return now.elected is not None
    elected = election(work)
    if elected is None or elected.name != now.elected.name:
        close(work)
        return False
    after = replace(now, elected=elected, epoch=work.row.generation)
    if not any(_candidates(work, after)):
        close(work)
        return False
    work.change().client_round = after
    if now.assigning_id is not None and not _may_assign(after, work.members[now.assigning_id]):
        gone(work, now.assigning_id)
    return True


def offer(work: Work, member: Member) -> bool:
    """Whether this member's heartbeat tells it to assign: the first member that can is asked."""
    now = work.live.client_round
    if not waits_for(now, work.row, member):
        return False
    if now.assigning_id is None:
        until = work.now + _patience(work.rules)
        assigning = replace(now, assigning_id=member.row.member_id, since=work.now, until=until)
        work.change().client_round = assigning
    return True


def gone(work: Work, member_id: str) -> None:
    """A member left, for now or for good: ask the next one that sends a heartbeat."""
    now = work.live.client_round
    if now.assigning_id == member_id:
        until = work.now + _patience_until_heartbeat(work.rules)
        work.change().client_round = replace(now, assigning_id=None, until=until)


def close(work: Work) -> None:
    """End the round without a target; members that failed are remembered until there is one."""
    if work.live.client_round.elected is not None:
        work.change().client_round = ClientRound(failed=work.live.client_round.failed)


def came(work: Work) -> None:
    """There is a new target: all members may be asked for the next one."""
    if work.live.client_round != NO_CLIENT_ROUND:
        work.change().client_round = NO_CLIENT_ROUND


def failed(work: Work, why: str) -> bool:
    """The asked member gave no target. Returns whether another one may be asked; otherwise the
    round ends, and the coordinator must assign."""
    now = work.live.client_round
    assert now.elected is not None, "nobody was asked"
    name = now.elected.name
    if now.assigning_id is None:
        close(work)
        _note_fallback(work, name, "no member that can run it was heard of in time")
        return False
    member = work.members.get(now.assigning_id)
    who = (now.assigning_id, member.row.client_id if member else None)
    work.note(
        EntryKind.ASSIGNOR_FAILED,
        trigger=Trigger.ASSIGNOR_FAILED,
        reason=why,
        member_id=who[0],
        client_id=who[1],
        facts={"assignor": name},
    )
    until = work.now + _patience_until_heartbeat(work.rules)
    after = replace(now, assigning_id=None, until=until, failed=(*now.failed, now.assigning_id))
    work.change().client_round = after
    if len(after.failed) < ATTEMPTS_MAX and any(_candidates(work, after)):
        return True
    count = len(after.failed)
    close(work)
    _note_fallback(
        work, name, f"{count} {'member' if count == 1 else 'members'} gave no assignment: {why}"
    )
    return False


def is_late(work: Work) -> bool:
    """Whether the time of the asked member is over."""
    end = due(work.live.client_round)
    return end is not None and work.now >= end


def election(work: Work) -> Elected | None:
    """The client-side assignor with the most votes, if any."""
    return elect(work.index.votes, work.rules.group_consumer_assignors)


def _candidates(work: Work, now: ClientRound) -> Iterator[Member]:
    return (member for member in work.members.values() if _may_assign(now, member))


def _why_nobody(work: Work, elected: Elected) -> str:
    if any(elected.may_run(member.client_assignors) for member in work.members.values()):
        return "every member that can run it was asked, or is away"
    return f"no member reads versions {elected.lowest} to {elected.highest} of its metadata"


def _may_assign(now: ClientRound, member: Member) -> bool:
    return (
        now.elected is not None
        and member.row.member_id not in now.failed
        and member.epoch != LEFT_FOR_NOW
        and now.elected.may_run(member.client_assignors)
    )


def _note_fallback(work: Work, name: str, why: str) -> None:
    """The coordinator assigns instead of members: add it to the journal and the details."""
    instead = votes.vote(work)
    work.note(
        EntryKind.ASSIGNOR_FELL_BACK,
        trigger=Trigger.ASSIGNOR_FAILED,
        reason=why,
        facts={"assignor": name, "instead": instead},
    )
    _set_fell_back(work, f"{name}: {why}")


def _set_fell_back(work: Work, fell_back: str | None) -> None:
    if work.row.details.get("fell_back") != fell_back:
        work.set_details(fell_back=fell_back)


def _patience(rules: Rules) -> Millis:
    """The time from the request to a member until its answer."""
    return rules.group_consumer_assignment_timeout_ms


def _patience_until_heartbeat(rules: Rules) -> Millis:
    """Longer while no member is asked: one must send a heartbeat first."""
    return rules.group_consumer_heartbeat_interval_ms + rules.group_consumer_assignment_timeout_ms
