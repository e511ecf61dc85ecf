"""A member works the target out: who is asked, until when, and what if nothing comes (KIP-848).

A round is open from the moment a target is called for until a member has installed one, or until
the coordinator assigns instead. Whoever can run the assignor and beats first is asked, so nobody
is waited for who is not there. What is asked and answered is in ``client_assignment``.

A round is live only: a new owner asks again. Why a round outlives a new group epoch, and how often
another is asked: docs/decisions/0019-client-side-assignors.md.
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

ASKED_MAX: Final = 3
"""Members that are asked, one after another, before the coordinator assigns."""


def reloaded(now: ClientRound, members: Mapping[str, Member]) -> ClientRound:
    """After the rows were read again: whoever was asked may be gone."""
    return replace(now, asked=now.asked if now.asked in members else None)


def rearmed(now: ClientRound, rules: Rules, at: Millis, missed: Millis) -> ClientRound:
    """The node slept: whoever is asked has so much longer, and never more than its whole time."""
    wait = _patience(rules) if now.asked else _until_asked(rules)
    began = forgiven(now.until - wait, at, missed)
    return now if now.elected is None else replace(now, until=began + wait)


def due(now: ClientRound) -> Millis | None:
    """When somebody else must be asked; None: no round is open."""
    return None if now.elected is None else now.until


def is_open(now: ClientRound, row: GroupRow) -> bool:
    """Whether a member works out the target of the present group epoch, or is about to."""
    return now.elected is not None and now.epoch == row.generation


def waits_for(now: ClientRound, row: GroupRow, member: Member) -> bool:
    """Whether the round goes on with this member's next heartbeat: it must not be held."""
    if not is_open(now, row):
        return False
    return now.asked == member.row.member_id if now.asked else _may_be_asked(now, member)


def begin(work: Work) -> bool:
    """A target is called for: whether members work it out. Else the coordinator does, at once."""
    elected = election(work)
    before = work.live.client_round
    if elected is None:
        _tell_page(work, None)
        return False
    until = work.now + _until_asked(work.rules)
    now = ClientRound(elected, work.row.generation, until=until, failed=before.failed)
    if not any(_candidates(work, now)):
        close(work)
        _told(work, elected.name, _why_nobody(work, elected))
        return False
    live = work.change()
    live.client_round = now
    live.schedule = replace(live.schedule, is_wanted=False, asked=0)
    return True


def goes_on(work: Work) -> bool:
    """Whether the round that is open is still the right one. Another group epoch is the next
    thing that its member is asked for, within the same time, unless the group now wants another
    assignor."""
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
    if now.asked is not None and not _may_be_asked(after, work.members[now.asked]):
        gone(work, now.asked)
    return True


def offer(work: Work, member: Member) -> bool:
    """A member beats: whether it is told to assign. The first that can is the one."""
    now = work.live.client_round
    if not waits_for(now, work.row, member):
        return False
    if now.asked is None:
        until = work.now + _patience(work.rules)
        asked = replace(now, asked=member.row.member_id, since=work.now, until=until)
        work.change().client_round = asked
    return True


def gone(work: Work, member_id: str) -> None:
    """A member goes, for now or for good: whoever beats next is asked instead."""
    now = work.live.client_round
    if now.asked == member_id:
        until = work.now + _until_asked(work.rules)
        work.change().client_round = replace(now, asked=None, until=until)


def close(work: Work) -> None:
    """No member works anything out; whoever failed is remembered until there is a target."""
    if work.live.client_round.elected is not None:
        work.change().client_round = ClientRound(failed=work.live.client_round.failed)


def came(work: Work) -> None:
    """There is a new target: everybody may be asked for the next."""
    if work.live.client_round != NO_CLIENT_ROUND:
        work.change().client_round = NO_CLIENT_ROUND


def failed(work: Work, why: str) -> bool:
    """The member that was asked gives no target. Whether another may: else the round is over,
    and it is the coordinator that must assign."""
    now = work.live.client_round
    assert now.elected is not None, "nobody was asked"
    name = now.elected.name
    if now.asked is None:
        close(work)
        _told(work, name, "no member that can run it was heard of in time")
        return False
    member = work.members.get(now.asked)
    who = (now.asked, member.row.client_id if member else None)
    work.note(
        EntryKind.ASSIGNOR_FAILED,
        trigger=Trigger.ASSIGNOR_FAILED,
        reason=why,
        member_id=who[0],
        client_id=who[1],
        facts={"assignor": name},
    )
    until = work.now + _until_asked(work.rules)
    after = replace(now, asked=None, until=until, failed=(*now.failed, now.asked))
    work.change().client_round = after
    if len(after.failed) < ASKED_MAX and any(_candidates(work, after)):
        return True
    count = len(after.failed)
    close(work)
    _told(work, name, f"{count} {'member' if count == 1 else 'members'} gave no assignment: {why}")
    return False


def is_late(work: Work) -> bool:
    """Whether whoever was asked has had its time."""
    end = due(work.live.client_round)
    return end is not None and work.now >= end


def election(work: Work) -> Elected | None:
    """The client-side assignor that the group's members want, if they want one."""
    return elect(work.index.votes, work.rules.group_consumer_assignors)


def _candidates(work: Work, now: ClientRound) -> Iterator[Member]:
    return (member for member in work.members.values() if _may_be_asked(now, member))


def _why_nobody(work: Work, elected: Elected) -> str:
    if any(elected.may_run(member.client_assignors) for member in work.members.values()):
        return "every member that can run it was asked, or is away"
    return f"no member reads versions {elected.lowest} to {elected.highest} of its metadata"


def _may_be_asked(now: ClientRound, member: Member) -> bool:
    return (
        now.elected is not None
        and member.row.member_id not in now.failed
        and member.epoch != LEFT_FOR_NOW
        and now.elected.may_run(member.client_assignors)
    )


def _told(work: Work, name: str, why: str) -> None:
    """The coordinator assigns, although the members wanted to: the journal and the page say so."""
    instead = votes.vote(work)
    work.note(
        EntryKind.ASSIGNOR_FELL_BACK,
        trigger=Trigger.ASSIGNOR_FAILED,
        reason=why,
        facts={"assignor": name, "instead": instead},
    )
    _tell_page(work, f"{name}: {why}")


def _tell_page(work: Work, fell_back: str | None) -> None:
    if work.row.details.get("fell_back") != fell_back:
        work.set_details(fell_back=fell_back)


def _patience(rules: Rules) -> Millis:
    """The time that a member has from when it was asked."""
    return rules.group_consumer_assignment_timeout_ms


def _until_asked(rules: Rules) -> Millis:
    """Longer while nobody is asked: somebody must beat first."""
    return rules.group_consumer_heartbeat_interval_ms + rules.group_consumer_assignment_timeout_ms
