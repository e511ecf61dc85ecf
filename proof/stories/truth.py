"""What a rebalance waited for, known from outside.

``passes`` adds up whom the group's own report (``groups.core.waiting``, what an operator sees
meanwhile) names as awaited; ``stepped`` finds who came and went, and by what, in the members before
and after an event. At each entry that ends a rebalance both are compared with its explanation
(``comparison``).
"""

from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, Final

from groups.core import events
from groups.core.commanded.work import QUEUED
from groups.core.commands import EXPELLED, is_expelled
from groups.core.consumer import waiting as consumer
from groups.core.consumer.index import Index
from groups.core.consumer.live import NO_CLIENT_ROUND
from groups.core.consumer.member import UNRELEASED
from groups.core.explanation import REMOVALS
from groups.core.group import JournalEntry
from groups.core.journal import EntryKind, Trigger
from groups.core.rebalance_cause import Cause
from groups.core.waiting import Act
from proof.stories.comparison import compare
from proof.stories.facts import PUT_OFF, Facts, Gone, Key, Known
from proof.stories.members import SESSION_MS, Member

LATE: Final = {
    ("classic", "PreparingRebalance"): Trigger.JOIN_TIMED_OUT,
    ("classic", "CompletingRebalance"): Trigger.SYNC_EXPIRED,
    ("classic", "Stable"): Trigger.SYNC_EXPIRED,
    ("classic", "Empty"): Trigger.JOIN_TIMED_OUT,
    ("consumer", "Reconciling"): Trigger.REBALANCE_TIMEOUT,
    ("consumer", "Assigning"): Trigger.REBALANCE_TIMEOUT,
    ("consumer", "Stable"): Trigger.REBALANCE_TIMEOUT,
    ("draft", "PreparingRebalance"): Trigger.SESSION_EXPIRED,
    ("commanded", "PreparingRebalance"): Trigger.NOT_ACKNOWLEDGED,
    ("commanded", "CompletingRebalance"): Trigger.NOT_ACKNOWLEDGED,
}
"""By what a member is removed that is not silent, in each state."""


ON_REQUEST: Final = (Trigger.OPERATOR, Trigger.LEADER_REJOINED, Trigger.METADATA_CHANGED)
"""Causes that no member's coming or going shows."""

ENDS: Final = (EntryKind.REBALANCE_COMPLETED, EntryKind.EMPTIED, EntryKind.STABLE)


@dataclass
class Truth(Facts):
    """Watches a world."""

    since: int = 0
    deferred: list[Known] = field(default_factory=list)
    owed_since: int | None = None
    step_began: int = 0
    step_causes: list[Known] = field(default_factory=list)
    queues_group: bool = False
    was_synced: bool = False
    loaded_at: int = 0
    put_off: str | None = None
    put_off_for: int = 1
    is_on: bool = False
    parked: dict[str, str] = field(default_factory=dict)
    converted_at: int | None = None

    # -- what happens

    def passes(self, since: int, until: int) -> None:
        """Everybody that is awaited now is awaited for this time."""
        if self.kind == "consumer" and self._owes() is not (self.owed_since is not None):
            self.owed_since = since if self.owed_since is None else None  # a freeze, or its end
        for key in self._awaited(self.world.group):
            self.spans.append((key, since, until))

    def _awaited(self, group: Any) -> set[Key]:
        seen, asked = group.waiting(self.world.now), None
        kind = group.durable.group.kind
        if kind == "consumer":
            asked = group.live.client_round.assigning_id
        if asked is not None:  # what it owes beside the assignment
            live = replace(group.live, client_round=NO_CLIENT_ROUND)
            index = Index.of(group.members.values(), group.durable.group.details)
            now, rules = self.world.now, self.world.rules
            seen = consumer.waiting(group.durable, group.members, index, live, rules, now)
        found: set[Key] = set()
        if seen is not None:
            found = {(one.member_id, one.act) for one in seen.awaited}
            if kind == "consumer":  # its rebalance ends without the SyncGroup of a classic member
                found = {key for key in found if key[1] is not Act.SYNC}
        if kind == "classic" and group.live.join_phase is not None:
            found |= {(member_id, Act.JOIN) for member_id in group.live.awaited.values()}
        if asked is not None:
            found.add((asked, Act.ASSIGN))
        return found

    def stepped(self, before: Any, event: events.Event, sender: Any) -> None:
        """Who came, who went, and what else began a rebalance."""
        after, now = self.world.group, self.world.now
        row = before.durable.group
        if row.kind == "commanded" and row.state == "Stable" and QUEUED not in row.details:
            self.causes, self.deferred = [], []  # what needed no rebalance
        if self.put_off is not None:
            self._put_off(self.put_off)
            self.put_off = None if self._is_withdrawn(before) else self.put_off
        joins = getattr(before.live, "joins", {}) if self.kind == "classic" else {}
        self.parked = {m: join.row.client_id for m, join in joins.items() if join.is_new}
        self.step_began = len(self.causes)
        had, has = _everybody(before), _everybody(after)
        self.names.update(has)
        if after.durable.group.state != before.durable.group.state:
            self.phases.add(now)  # what is awaited from now on is another act
        if isinstance(event, events.JoinGroup):
            self.rejoined.add((event.member_id, now))
        replaced = _replaced(had, has)
        for member_id in has.keys() - had.keys() - set(replaced.values()):
            self._cause(before, Trigger.MEMBER_JOINED, has[member_id], member_id)
        for member_id in had.keys() - has.keys() - replaced.keys():
            self._went(before, event, member_id, had[member_id])
        if replaced and self.kind == "classic":
            new_id = next(iter(replaced.values()))
            self._static_came_back(before, has[new_id], new_id)
        self._suspected(before, after)
        self._expelled(before, after, event)
        stayed = has.keys() & (had.keys() | set(replaced.values()))
        self._others(before, after, event, stayed, sender)
        if self.kind != after.durable.group.kind:
            self.kind, self.converted_at = after.durable.group.kind, now
            self.put_off = self.owed = None  # the other kind's rules put it off anew
        self._owed(before, event, now, replaced)
        if self.queues_group:
            self._cause(before, Trigger.OWNER_CHANGED, None)
            self.queues_group = False
        self.step_causes = self.causes[self.step_began :]

    def _went(self, before: Any, event: events.Event, member_id: str, name: str) -> None:
        """A member was removed."""
        trigger = self._why_gone(before, event, member_id)
        if member_id not in getattr(before.live, "suspects", ()):
            self._remember(before, member_id, trigger)
        elif not _names(event, member_id):
            return  # it counted as dead before
        self._cause(before, trigger, name, member_id)

    def _cause(
        self, before: Any, trigger: str, name: str | None, member_id: str | None = None
    ) -> None:
        known = Known(self.world.now, trigger, name, member_id)
        is_late = before.durable.group.kind == "commanded"
        if is_late and before.durable.group.state == "CompletingRebalance":
            self.deferred.append(known)
            row = before.durable.members.get(member_id)
            says_so = trigger == Trigger.MEMBER_LEFT
            if trigger in REMOVALS and row is not None and (says_so or not is_expelled(row)):
                self.causes.append(known)
        else:
            self.causes.append(known)

    def _remember(self, before: Any, member_id: str, trigger: str) -> None:
        acts = frozenset(act for awaited, act in self._awaited(before) if awaited == member_id)
        member = self.member(member_id)
        heard = max(member.heard_at, self.loaded_at) if member is not None else self.world.now
        owed_since = None if self.world.rules.guards.frozen else self.owed_since
        if owed_since is not None and not acts and before.durable.group.kind == "consumer":
            act = self._asks_by(before, member_id)
            self.spans.append(((member_id, act), owed_since, self.world.now))
            acts = frozenset({act})
        if self.world.now == self.converted_at:
            acts = frozenset()  # as a member of this protocol it was not awaited for any time
        gone = Gone(self.world.now, trigger, acts, self.world.now - heard)
        self.gone.append((member_id, gone))

    def _asks_by(self, before: Any, member_id: str) -> Act:
        """By what the member asks for news in a consumer group."""
        row = before.durable.members.get(member_id)
        return Act.REJOIN if row is not None and row.subscription else Act.HEARTBEAT

    def _why_gone(self, before: Any, event: events.Event, member_id: str) -> str:
        """Who says goodbye has left; who is removed by the clock was silent, or late."""
        if isinstance(event, events.EvictMember):
            return Trigger.OPERATOR
        if not isinstance(event, events.Tick):
            return Trigger.MEMBER_LEFT
        row = before.durable.members.get(member_id)
        if row is not None and before.durable.group.kind == "commanded" and is_expelled(row):
            return Cause.of(row.details[EXPELLED]).trigger
        member = self.member(member_id)
        heard = max(member.heard_at if member else 0, self.loaded_at)
        timers = [getattr(before.live, name, {}) for name in ("timers", "calls", "syncs")]
        late = [each[member_id] for each in timers if member_id in each]
        is_late = any(getattr(each, "deadline", inf) <= self.world.now for each in late)  # first
        if self.world.now - heard >= SESSION_MS and not is_late:
            return Trigger.SESSION_EXPIRED
        return LATE[self.kind, before.durable.group.state]

    def _static_came_back(self, before: Any, name: str, member_id: str) -> None:
        """In CompletingRebalance that begins the rebalance anew."""
        if _goes_on_from(before) == "CompletingRebalance":
            self._cause(before, Trigger.MEMBER_REPLACED, name, member_id)

    def _suspected(self, before: Any, after: Any) -> None:
        if self.kind != "draft":
            return
        for member_id in after.live.suspects.keys() - before.live.suspects.keys():
            self._remember(before, member_id, Trigger.SESSION_EXPIRED)
            name = before.durable.members[member_id].client_id
            self._cause(before, Trigger.SESSION_EXPIRED, name, member_id)

    def _expelled(self, before: Any, after: Any, event: events.Event) -> None:
        if self.kind != "commanded":
            return
        for member_id, row in after.durable.members.items():
            was = before.durable.members.get(member_id)
            if is_expelled(row) and was is not None and not is_expelled(was):
                trigger = Cause.of(row.details[EXPELLED]).trigger
                self._remember(before, member_id, trigger)
                if before.durable.group.state != "Stable":
                    known = Known(self.world.now, trigger, row.client_id, member_id)
                    self.causes.append(known)

    def _others(
        self, before: Any, after: Any, event: events.Event, stayed: set[str], sender: Any
    ) -> None:
        """Causes that are no coming or going."""
        kind, was, row = self.kind, before.durable.group, after.durable.group
        if isinstance(event, events.ForceRebalance) and kind == "commanded":
            if was.state == "Stable" and not self.world.rules.guards.frozen:
                self._cause(before, Trigger.OPERATOR, None)
        elif isinstance(event, events.ForceRebalance) and kind == "draft" and self.put_off:
            if (was.state, row.state) == ("Stable", "PreparingRebalance"):  # it begins by this
                self._cause(before, Trigger.OPERATOR, None)
        elif isinstance(event, events.TopicsChanged) and before.durable.members:
            self._cause(before, Trigger.TOPICS_CHANGED, None)
        elif isinstance(event, events.ConsumerHeartbeat | events.JoinGroup) and kind == "consumer":
            member_id = event.member_id
            if isinstance(sender, Member) and not member_id:  # a static one
                member_id = next((m for m in stayed if self.names[m] == sender.name), "")
            if row.generation > was.generation and member_id in stayed and row.kind == kind:
                self._cause(before, Trigger.TOPICS_CHANGED, event.client_id, member_id)

    def _owes(self) -> bool:
        is_asked = self.world.group.live.client_round.assigning_id is not None
        return self._is_behind() and not (self.world.rules.guards.frozen or is_asked)

    def _is_behind(self) -> bool:
        row, members = self.world.group.durable.group, self.world.group.durable.members
        is_behind = row.generation > row.details.get("target_epoch", 0) and bool(members)
        return is_behind and row.details.get("put_off") is None

    def _owed(self, before: Any, event: events.Event, now: int, replaced: dict[str, str]) -> None:
        """In a consumer group the next heartbeat of any member may be what all wait for."""
        if self.kind != "consumer":
            self.owed_since = None
            return
        owes = self._owes()
        if owes and self.owed_since is None:
            self.owed_since = now
        elif self.world.group.live is before.live:
            pass  # refused
        elif not owes and self.owed_since is not None:
            named = {one for one, act in self._awaited(before) if act is not Act.ASSIGN}
            # One that waits for partitions owes nothing until they are free.
            named -= {m for m in named if before.members[m].state == UNRELEASED}
            named |= {new for old, new in replaced.items() if old in named}
            had = {*before.durable.members, *replaced.values()} - named
            if isinstance(event, events.ConsumerHeartbeat | events.JoinGroup):
                asks = event.member_id in had and getattr(event, "member_epoch", 0) >= 0
                key = (event.member_id, self._asks_by(before, event.member_id))
                self.spans += [(key, self.owed_since, now)] if asks else []
            self.owed_since = None

    def taken_over(self) -> None:
        """What was before is not known to the new owner, but for what the rows have."""
        row = self.world.group.durable.group
        is_on = row.state not in ("Stable", "Empty")
        if self.kind == "classic" and self.put_off is not None:
            self.put_off = row.details.get("must_rebalance")  # none for joins that were parked
            self.put_off_for, self.causes = 1, []
        if self.kind == "consumer":  # a static member may only be away for a while
            aim = row.generation if self.put_off is None else row.details["put_off_after"]
            is_on = is_on and aim > row.details.get("settled_epoch", 0)
        is_queued = self.kind == "commanded" and bool(self.world.group.durable.members)
        self.queues_group = is_queued
        self.taken_at, self.is_on = self.world.now if is_on else None, is_on
        self.was_synced = bool(row.details.get("synced")) or not self.world.group.durable.members
        if self.kind == "classic":  # also one that came while another was put off
            self.owed = row.details.get("must_rebalance") or self.owed
        self.loaded_at, self.spans, self.gone = self.world.now, [], []
        self.owed_since = None

    # -- what the journal says

    def told(self, entry: JournalEntry) -> None:
        """Compare an entry that ends a rebalance, or its sync phase, or the group's life."""
        if entry.kind == EntryKind.REBALANCE_ABANDONED:
            self._abandoned(entry)
        if entry.kind == EntryKind.REBALANCE_PUT_OFF and self.kind != "commanded":
            self._put_off(entry.trigger)
        if entry.kind == EntryKind.REBALANCE_STARTED:
            self._started(entry)
        if entry.kind == EntryKind.EMPTIED:
            self.deferred = []
        if entry.why is not None:
            compare(self, entry, entry.why)
        elif entry.kind in ENDS and entry.kind != EntryKind.EMPTIED and self.taken_at is None:
            self.say(entry, "is not explained")
        if entry.kind in ENDS:
            self._forget()
            self.owed = None
        if entry.kind == EntryKind.EMPTIED:
            is_held = self.kind == "classic" and self.world.rules.guards.frozen
            self.put_off = Trigger.MEMBER_JOINED if is_held and self.parked else None
        state = self.world.group.durable.group.state
        if entry.kind == EntryKind.REBALANCE_COMPLETED and state == "CompletingRebalance":
            self._carry(entry)

    def _abandoned(self, entry: JournalEntry) -> None:
        new = self.causes[self.step_began :]
        of_the_sync = (None, None) if self.was_synced else (self.taken_at, self.carried)
        self._forget()
        if self.kind == "classic":
            self.taken_at, self.carried = of_the_sync
        self.causes = new if entry.trigger == Trigger.OWNER_CHANGED else []
        self.step_began = 0

    def _is_withdrawn(self, group: Any) -> bool:
        """In a classic group nothing is due any more: no join waits, no member was removed since,
        and the row owes nothing."""
        if self.kind != "classic" or self.owed is not None or group.live.joins:
            return False
        return group.durable.group.details.get("must_rebalance") is None

    def _put_off(self, trigger: str) -> None:
        """The last step began nothing; but who was removed in it is waited for no more. A classic
        group's row owes a rebalance for the first such member (``owed``)."""
        new = self.causes[self.step_began :]
        went = [each for each in new if each.trigger in REMOVALS]
        first = next((each for each in went if each.member_id not in self.parked), None)
        if self.kind == "classic" and self.owed is None and first is not None:
            self.owed = first.trigger
        if self.put_off is None:
            count = sum(each.trigger == trigger for each in self.step_causes)
            self.put_off, self.put_off_for = trigger, count
        kept = [known for known in new if self.is_on and known.trigger in REMOVALS]
        self.causes[self.step_began :] = kept

    def _started(self, entry: JournalEntry) -> None:
        """One that was put off has its first trigger, unless there is nobody any more; clients
        whose joins were parked meanwhile join now."""
        put_off, self.put_off = self.put_off, None
        if put_off is None or not (self._is_of_before(entry) or self._has_anybody()):
            self._requested(entry)
        else:
            if not self.is_on:
                self.causes, self.step_began = self.causes[self.step_began :], 0
                self.spans, self.gone = [], []
            now, joined = self.world.now, Trigger.MEMBER_JOINED
            begins = [self._cause_put_off(put_off, entry.member_id)]
            for member_id, name in self.parked.items():
                if (put_off, member_id) != (joined, entry.member_id):
                    begins.append(Known(now, joined, name, member_id))
            self.causes[self.step_began : self.step_began] = begins
        self.is_on = True

    def _has_anybody(self) -> bool:
        return bool(self.world.group.durable.members or self.parked)

    def _is_of_before(self, entry: JournalEntry) -> bool:
        """Whether the step began what a classic group had put off, and only then emptied it."""
        new = {each.member_id for each in self.causes[self.step_began :]}
        return self.kind == "classic" and entry.member_id not in new

    def _cause_put_off(self, trigger: str, member_id: str | None) -> Known:
        """Only a classic group knows whom it was for."""
        now, members = self.world.now, max(1, self.put_off_for)
        if self.kind != "classic":
            return Known(now, trigger, None, PUT_OFF)
        name = self.names.get(member_id or "") if members == 1 else None
        return Known(now, trigger, name, PUT_OFF if name is None else member_id, members)

    def _requested(self, entry: JournalEntry) -> None:
        """A cause that no member's coming or going shows."""
        name = self.names.get(entry.member_id or "")
        is_eviction = name is not None and entry.trigger == Trigger.OPERATOR
        if entry.trigger in ON_REQUEST and not is_eviction and self.kind != "commanded":
            self.causes.append(Known(self.world.now, entry.trigger, name, entry.member_id))

    def _carry(self, entry: JournalEntry) -> None:
        """A sync phase has the first cause of its join phase, and every session begins anew."""
        self.loaded_at = self.world.now
        if entry.why is not None and entry.why.causes:
            first = entry.why.causes[0]
            member_id, name = first.named[0] if first.named else (None, None)
            also = tuple(other for other, _ in first.named[1:])
            self.carried = Known(
                self.world.now, first.trigger, name, member_id, first.members, also
            )

    def _forget(self) -> None:
        self.spans, self.gone, self.carried, self.taken_at = [], [], None, None
        self.is_on = False
        self.causes, self.deferred = self.deferred, []


def _names(event: events.Event, member_id: str) -> bool:
    """Whether the event is about this member's removal."""
    if isinstance(event, events.LeaveGroup):
        return any(leaver.member_id == member_id for leaver in event.members)
    return isinstance(event, events.EvictMember) and event.member_id == member_id


def _everybody(group: Any) -> dict[str, str]:
    """Members by id, with those whose first join is parked, and the names that causes give them."""
    found = {m: row.instance_id or row.client_id for m, row in group.durable.members.items()}
    joins = getattr(group.live, "joins", {})
    for member_id, join in joins.items():
        found[member_id] = join.row.instance_id or join.row.client_id
    for join in getattr(group.live, "newcomers", ()):
        found[f"new {id(join)}" if not join.row.member_id else join.row.member_id] = (
            join.row.client_id
        )
    return found


def _goes_on_from(group: Any) -> str:
    """The state of a classic group in which its next event finds it: the first step of a new owner
    gives up a join phase that the row does not owe, and goes on with the sync phase before it."""
    row = group.durable.group
    if row.state != "PreparingRebalance" or not group.live.recovering:
        return str(row.state)
    is_given_up = row.details.get("must_rebalance") is None and not row.details.get("synced")
    return "CompletingRebalance" if is_given_up else str(row.state)


def _replaced(had: dict[str, str], has: dict[str, str]) -> dict[str, str]:
    """Old to new ids of static members that came back, and of newcomers that got their ids."""
    went, came = had.keys() - has.keys(), has.keys() - had.keys()
    found: dict[str, str] = {}
    for old in went:
        for new in sorted(came - set(found.values())):
            if had[old] == has[new]:
                found[old] = new
                break
    return found
