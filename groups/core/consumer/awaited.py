"""What a consumer group's rebalance waits for, noted for its journal entry (``explanation``).

After each event of a rebalance the members that it changed are looked at (``observe``): what is
awaited of them, and since when. A new target looks at all of them, as computing it did. Decides
nothing; without a rebalance nothing is noted.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from groups.core.consumer import guards
from groups.core.consumer.index import Index
from groups.core.consumer.live import Live, Open
from groups.core.consumer.member import LEFT_FOR_NOW, UNRELEASED, UNREVOKED, Member
from groups.core.consumer.states import ASSIGNING, RECONCILING
from groups.core.consumer.work import Work, released_at
from groups.core.explanation import CAUSE_NAMED_MAX, REMOVALS, Because, End, Episode, Named, Wait
from groups.core.group import Millis, Rules, last_heard
from groups.core.rows import GroupRow
from groups.core.values import SharedDict
from groups.core.waiting import Act, name_of

CAUSES: Final = "causes"
"""A detail of the row: the causes of the current rebalance, if there are several."""

DONE: Final[Mapping[Act | None, End]] = {
    Act.REVOKE: End.REVOKED,
    Act.REJOIN: End.REJOINED,
    Act.RETURN: End.RETURNED,
    Act.HEARTBEAT: End.HEARD,
}
"""How a wait ends with what was awaited."""


def asks_by(member: Member) -> Act:
    """By what a member asks for news: it gets a target, or partitions that it waited for."""
    return Act.REJOIN if member.is_classic else Act.HEARTBEAT


def named(members: Sequence[Member]) -> Named:
    """The members that a cause names."""
    some = members[:CAUSE_NAMED_MAX]
    return tuple((member.row.member_id, name_of(member.row)) for member in some)


def because(work: Work, trigger: str, reason: str, who: Sequence[Member], said: str) -> None:
    """One more cause of the current rebalance, in the row as well: it survives the owner."""
    live = work.change()
    episode = live.episode
    if episode is None:
        episode, work.is_retargeted = Episode(work.now), True  # some may have been away before
    count = max(1, len(who))
    cause = Because(work.now, work.now, trigger, reason, said, count, named(who))
    live.episode = episode.with_cause(cause)
    if live.owed_since is None:
        live.owed_since = work.now
    if len(live.episode.causes) > 1:
        work.set_details(causes=live.episode.packed())
    elif CAUSES in work.row.details:
        kept = {key: value for key, value in work.row.details.items() if key != CAUSES}
        work.set_row(details=kept)


def after_takeover(
    row: GroupRow, members: Mapping[str, Member], now: Millis
) -> tuple[Episode | None, SharedDict[str, Open]]:
    """The rebalance that another owner began, with its causes, and what is awaited from now on."""
    is_on = row.state in (ASSIGNING, RECONCILING)
    if not is_on or guards.begun(row) <= row.details.get("settled_epoch", 0):
        return None, SharedDict()
    trigger, reason, *who = row.details.get("cause") or ("", "", None, None)
    first = [[trigger, reason, "", 1, [who] if who[0] else []]] if trigger else []
    episode = Episode.resumed(now, row.details.get(CAUSES) or first)
    target = int(row.details.get("target_epoch", 0))
    acts = {m: _act(member, target) for m, member in members.items()}
    return episode, SharedDict((m, Open(act[0], now)) for m, act in acts.items() if act)


def _act(member: Member, target_epoch: int) -> tuple[Act | None] | None:
    """The act that is awaited of a member; (None,): it waits for partitions. None: nothing."""
    if member.state == UNRELEASED and member.epoch == target_epoch:
        return (None,)
    if member.is_settled(target_epoch):
        return None
    if member.is_classic:
        return (Act.REJOIN,)
    if member.state == UNREVOKED:
        return (Act.REVOKE,)
    return (Act.RETURN if member.epoch == LEFT_FOR_NOW else Act.HEARTBEAT,)


def left_off(
    live: Live, members: Mapping[str, Member], index: Index, now: Millis
) -> Episode | None:
    """The current rebalance with what it has waited for until now: it goes on under the other
    protocol. None: there is none."""
    episode = live.episode
    if episode is None:
        return None
    for member_id, was in live.open.items():
        member, act, since = members[member_id], was.act, max(was.since, episode.since)
        if act is None:
            at = released_at(member, index, live)
            act, since = asks_by(member), now if at is None else max(since, at)
        if since < now:
            name = name_of(member.row)
            episode = episode.waited(Wait(member_id, act, since, now, End.PENDING, name))
    return episode


def observe(work: Work) -> None:
    """Note what the event changed. Called after each one that changed anything."""
    moved, work.moved = work.moved, {}
    is_new, work.is_retargeted = work.is_retargeted, False
    if work.live.episode is None:
        return
    was = work.live.open.get(work.live.client_round.assigning_id or "")
    for member_id, at in moved.items():
        _look(work, member_id, at)
    if is_new:
        _look_at_all(work)
    _look_at_the_asked(work, is_new, owes=was is not None and was.act is not None)
    look_at_owed(work)


def look_at_owed(work: Work) -> None:
    """Note since when any member's heartbeat is waited for, or that none is."""
    if is_unnoted(work.row, work.index, work.live, work.rules, work.now):
        work.change().owed_since = work.now if work.live.owed_since is None else None


def is_unnoted(row: GroupRow, index: Index, live: Live, rules: Rules, now: Millis) -> bool:
    """Whether that began or ended without an event: by other rules (a freeze), or a reload."""
    if live.episode is None:
        return False
    return (live.owed_since is not None) != _is_owed(row, index, live, rules, now)


def is_owed(work: Work) -> bool:
    """Whether the next heartbeat, of any member, computes the target or is asked to."""
    return _is_owed(work.row, work.index, work.live, work.rules, work.now)


def _is_owed(row: GroupRow, index: Index, live: Live, rules: Rules, now: Millis) -> bool:
    if row.generation == row.details.get("target_epoch", 0) or not live.beats:
        return False
    is_held = guards.is_put_off(row) or guards.holds_at(now, row, index, live, rules)
    is_coming = live.schedule.is_wanted or live.schedule.requested_epoch
    return not (is_held or is_coming or live.client_round.assigning_id is not None)


def _look(work: Work, member_id: str, released_at: Millis | None) -> None:
    member = work.members.get(member_id)
    was = work.live.open.get(member_id)
    act = None if member is None else _act(member, work.target_epoch)
    if was is not None:
        if (
            act is not None
            and act[0] is was.act
            and was.act in (Act.REVOKE, Act.HEARTBEAT, Act.RETURN)
        ):
            return
        _close(work, member_id, was, released_at, member)
    if act is not None:
        work.change_open()[member_id] = Open(act[0], work.now)


def _close(
    work: Work, member_id: str, was: Open, released_at: Millis | None, member: Member | None
) -> None:
    del work.change_open()[member_id]
    if member is not None:
        _ended(work, member, was, released_at, DONE[was.act or asks_by(member)])


def _ended(
    work: Work,
    member: Member,
    was: Open,
    released_at: Millis | None,
    end: End,
    silent_ms: Millis = 0,
) -> None:
    """Note the wait, unless the member itself waited until now."""
    since = was.since
    if was.act is None:
        if released_at is None:
            return
        since = max(since, released_at)
    act, row = was.act or asks_by(member), member.row
    note(work, Wait(row.member_id, act, since, work.now, end, name_of(row), silent_ms))


def note(work: Work, wait: Wait) -> None:
    """Note a wait that has ended."""
    episode = work.live.episode
    if episode is None or wait.until <= max(wait.since, episode.since):
        return
    if wait.since < episode.since:
        wait = wait._replace(since=episode.since)
    work.change().episode = episode.waited(wait)


def _look_at_all(work: Work) -> None:
    """There is a new target: nobody has reached it yet."""
    if not work.index.unsettled:
        return
    was, now, epoch = work.live.open, work.now, work.target_epoch
    beat, found = Open(Act.HEARTBEAT, now), {}
    for member_id, member in work.members.items():
        act = _act(member, epoch)
        before = was.get(member_id)
        if act is None:
            continue
        if before is not None and before.act is not None:
            found[member_id] = before
        else:
            found[member_id] = beat if act[0] is Act.HEARTBEAT else Open(act[0], now)
    work.change().open = SharedDict(found)
    work.own_open = True


def before_target(work: Work) -> None:
    """A new target is about to replace the old one: members that could have had their partitions
    of that owe a heartbeat already."""
    for member_id, was in list(work.live.open.items()):
        if was.act is None:
            member = work.members[member_id]
            at = work.released_at(member)
            if at is not None:
                work.change_open()[member_id] = Open(asks_by(member), max(was.since, at))


def removed(work: Work, gone: Iterable[Member], trigger: str) -> None:
    """Members are about to be removed: note how long they were waited for."""
    end = REMOVALS[trigger]
    for member in gone:
        _gone(work, member, end)


def returned(work: Work, member: Member) -> None:
    """A static member takes its place under another id."""
    _gone(work, member, End.RETURNED)


def _gone(work: Work, member: Member, end: End) -> None:
    live, member_id = work.live, member.row.member_id
    if live.episode is None:
        return
    silent_ms = max(0, work.now - last_heard(live.beats[member_id], live.floor))
    was = live.open.get(member_id)
    is_asked = live.asked is not None and live.asked[0] == member_id
    if live.asked is not None and is_asked:
        _ended(work, member, Open(Act.ASSIGN, live.asked[1]), None, end, silent_ms)
        work.change().asked = None
    released_at = work.released_at(member)
    if was is not None and was.act is None:
        since = None if released_at is None else max(was.since, released_at)
        was = None if since is None else Open(asks_by(member), since)
    if was is not None:
        _ended(work, member, was, None, end, silent_ms)
    elif is_asked or end is End.RETURNED:
        pass
    elif live.owed_since is not None and is_owed(work):
        _ended(work, member, Open(asks_by(member), live.owed_since), None, end, silent_ms)
    if member_id in work.live.open:
        del work.change_open()[member_id]


def heard(work: Work, member: Member, owed_since: Millis | None) -> None:
    """This member's heartbeat was the one that the target waited for."""
    row = member.row
    was = work.live.open.get(row.member_id)
    is_new = row.member_id in work.newcomers  # a static one was waited for to return
    if owed_since is None or is_new or is_owed(work):
        return
    if was is not None and was.act is not None:  # noted with what it owed anyway
        if was.act is asks_by(member) and was.since > owed_since:
            work.change_open()[row.member_id] = Open(was.act, owed_since)
        return
    if was is not None:
        released_at = work.released_at(member)
        if released_at is not None:
            owed_since = min(owed_since, max(was.since, released_at))
        work.change_open()[row.member_id] = Open(None, work.now)
    name = name_of(row)
    act = asks_by(member)
    note(work, Wait(row.member_id, act, owed_since, work.now, DONE[act], name))
    if guards.holds(work):
        work.change().owed_since = None  # it began nothing, nor does the next one


def _look_at_the_asked(work: Work, is_new: bool, *, owes: bool) -> None:
    """The member that is asked to compute a target may be another one now. ``owes``: its heartbeat
    was waited for anyway."""
    asked, now_asked = work.live.asked, work.live.client_round.assigning_id
    if (None if asked is None else asked[0]) == now_asked:
        return
    if asked is not None and asked[0] in work.members:
        has_done = is_new and work.row.details.get("assigned_by") is not None
        row, end = work.members[asked[0]].row, End.ASSIGNED if has_done else End.FAILED
        note(work, Wait(row.member_id, Act.ASSIGN, asked[1], work.now, end, name_of(row)))
    work.change().asked = None if now_asked is None else (now_asked, work.now)
    if now_asked is not None and not owes:
        heard(work, work.members[now_asked], work.live.owed_since)
