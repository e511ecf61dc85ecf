"""The node's memory: the groups of its slots, their inboxes, their views and their timers.

Events arrive by ``submit``, wait in their group's inbox, and are taken by a committer
(``groups.runtime.committer``). Groups whose rows were read come in by
``groups.runtime.loading``. This file has no SQL and no rules: it knows where each group is, and
nothing about what a group decides.
"""

import heapq
import logging
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from random import Random

from groups.core.configs.freeze import FreezeChange
from groups.core.configs.group import Values
from groups.core.conversion.step import creates_group, kind_for
from groups.core.errors import ErrorCode
from groups.core.events import Event, Tick, Ticket, Verb
from groups.core.group import Answer, Decision, Group, Millis, Rules
from groups.core.kinds import KINDS
from groups.core.pauses import PausesChange
from groups.core.replies import ErrorReply
from groups.core.rows import SLOTS, slot_of
from groups.core.signs_of_life import Sign
from groups.event_loop import Slices
from groups.postgres.timeline import SeenRevision
from groups.runtime.collaborators import Collaborators
from groups.runtime.entries import (
    Changes,
    CommitQueue,
    GroupEntry,
    GroupOverrides,
    Repeat,
    Repeatable,
)
from groups.runtime.heartbeat_views import HeartbeatViews
from groups.runtime.tallies import Tallies

logger = logging.getLogger(__name__)

STALL_MS = 1_000
"""If the process was suspended for longer than this, its overdue timers do not show that members
are dead (docs/architecture.md, *Failover*)."""

INBOX_EVENTS_MAX = 50_000
"""Events that may wait for one group: five times the members that a group may have. A node that
cannot write for seconds must refuse requests, not use more and more memory."""

_new = tuple.__new__  # takes a third of the time of calling the class

SEEN_AT_ONCE = 2_000
"""Groups that are compared with their rows in one go: two milliseconds of the event loop."""


class CoordinatorRuntime:
    """All groups of the slots that this node owns.

    ``monotonic`` returns the process's clock in milliseconds, which leases use; ``rng`` makes
    member ids; ``others`` is what it calls (``groups.runtime.collaborators``). ``missed``: the
    total time in which the node could receive nothing. Sessions and timers use ``clock``, which
    excludes it: a stall moves every deadline by its length, so no member expires because of it.
    ``listened_at``: when the node could last receive. ``epochs`` maps each owned slot to the epoch
    under which it is owned, ``shifts`` to its service time less ``clock``
    (``groups.core.earlier``). ``with_pending``: groups that have, or once had, pending
    transactional offsets; plain commits of all other groups need no check. ``full``: groups that
    may commit no further partitions, as ``groups.reporting.offset_totals`` last found.
    """

    def __init__(
        self,
        rules: Rules,
        monotonic: Callable[[], Millis],
        rng: Random,
        others: Collaborators,
    ) -> None:
        self.own = GroupOverrides(rules)
        self.monotonic = monotonic
        self.missed: Millis = 0
        self.listened_at = monotonic()
        self.rng = rng
        self.others = others
        self.answer = others.answer
        self.undecided = others.undecided
        self.hang_up = others.hang_up
        self.epochs: dict[int, int] = {}
        self.shifts: dict[int, Millis] = {}
        self.entries: dict[str, GroupEntry] = {}
        self.heartbeat_views = HeartbeatViews()
        self.with_pending: set[str] = set()
        self.lease_until: Millis = 0
        self.written_max = others.written_max
        self.full: Container[str] = frozenset()
        self.changes = Changes()
        self.tallies = Tallies()
        self.membership = CommitQueue("membership")
        self.offsets = CommitQueue("offsets")
        self._timers: list[tuple[Millis, str]] = []

    # -- time

    def clock(self) -> Millis:
        """The clock of sessions and timers."""
        return self.monotonic() - self.missed

    @property
    def stood_still_ms(self) -> Millis:
        """How long ago the node could last receive: one turn of the event loop while the process
        runs and the lease holds."""
        return self.monotonic() - self.listened_at

    @property
    def listened(self) -> Millis:
        """``clock`` when members could last be heard from: it stops while the lease has expired."""
        return self.listened_at - self.missed

    def served(self, slots: Iterable[int]) -> dict[int, Millis]:
        """Until when these slots have been served here, in their service time; not those that are
        not served."""
        return {s: self.listened + self.shifts[s] for s in slots if s in self.shifts}

    def now_to_decide(self) -> Millis:
        """``clock`` for a decision that is made now. After a stall it must not be ahead of what the
        node could hear."""
        now = self.monotonic()
        if now - self.listened_at > STALL_MS:
            self.awake()
        return now - self.missed

    def awake(self) -> None:
        """The node was suspended, or its database was away: extend all sessions by that time."""
        self.missed += self.stood_still_ms
        self.listened_at = self.monotonic()

    # -- requests

    def owns(self, group_id: str) -> bool:
        """Whether this node believes that it owns the group's slot."""
        return slot_of(group_id) in self.epochs

    def serves(self, slot: int) -> bool:
        """Whether requests for groups of this slot may be decided now."""
        return slot in self.epochs and self.holds_lease

    @property
    def holds_lease(self) -> bool:
        """Whether the node may answer from memory: its own clock says that its lease holds."""
        return self.monotonic() < self.lease_until

    def submit(self, group_id: str, event: Event) -> None:
        """Put an event into its group's inbox. The reply is sent to the event's ticket."""
        if not self.owns(group_id):
            self._refuse(event, ErrorCode.NOT_COORDINATOR)
            return
        entry = self.entries.get(group_id)
        if entry is None:
            if creates_group(event) and len(self.entries) >= self.groups_share:
                self._refuse(event, ErrorCode.POLICY_VIOLATION)
                return
            entry = self._admit(group_id, event)
        if entry.broken:
            self._refuse(event, ErrorCode.UNKNOWN_SERVER_ERROR)
            return
        if len(entry.inbox) >= INBOX_EVENTS_MAX:
            self.heard(group_id, event)
            self._refuse(event, ErrorCode.COORDINATOR_NOT_AVAILABLE)
            return
        if event.ticket is not None:
            entry.parked.add(event.ticket)
        entry.inbox.append(event)
        self.schedule(entry)

    def repeat(
        self, group_id: str, earlier: Repeatable, ticket: Ticket, offsets: tuple[int, ...]
    ) -> bool:
        """Take a commit without an event: it repeats an earlier one with other offsets, and nothing
        has changed since that was checked. False: it has to be submitted as an event."""
        entry = self.entries.get(group_id)
        if entry is None or entry.inbox or entry.suspended:
            return False
        entry.parked.add(ticket)
        repeat = _new(Repeat, (earlier, ticket, offsets))
        if entry.repeats is not None:
            entry.repeats.append(repeat)
            return True
        entry.repeats = [repeat]
        if not entry.busy:  # otherwise its release queues it
            self.offsets.push_repeating(entry)
        return True

    def heard(self, group_id: str, sign: Sign) -> None:
        """A request is refused without a decision, since the lease has expired or the group's rows
        are in doubt. It still shows that its member is alive: the session continues from now, or
        from the end of the lease, since clients wait between attempts and may reach this node again
        only after that.

        ``listened`` is never later than the request, and a beat never goes back.
        """
        entry = self.entries.get(group_id)
        if entry is not None:
            self._heard(entry, sign)

    def _heard(self, entry: GroupEntry, sign: Sign) -> None:
        beat = entry.group.beat_of(sign)
        if beat is not None:
            beat.at = max(beat.at, self.listened)

    def _heard_all(self, entry: GroupEntry, signs: Iterable[Sign]) -> None:
        try:
            for sign in signs:
                self._heard(entry, sign)
        except Exception:
            logger.exception("group %r: a sign of life could not be counted", entry.group_id)

    @property
    def groups_share(self) -> int:
        """The share of ``groups_max`` for the owned slots: group ids are spread evenly over
        slots."""
        return self.others.groups_max * len(self.epochs) // SLOTS

    def groups(self) -> Iterable[Group]:
        """Every committed group of the owned slots that exists (see ``group``)."""
        return (r.group for r in self.entries.values() if _exists(r.group))

    def seen(self) -> Iterator[Sequence[SeenRevision]]:
        """The committed state in memory, in parts: epochs of slots, then groups."""
        yield [SeenRevision(slot, epoch, "", 0, True) for slot, epoch in self.epochs.items()]
        entries = list(self.entries.values())
        for at in range(0, len(entries), SEEN_AT_ONCE):
            part = entries[at : at + SEEN_AT_ONCE]
            yield [seen for entry in part if (seen := self._seen(entry)) is not None]

    def _seen(self, entry: GroupEntry) -> SeenRevision | None:
        durable, slot = entry.group.durable, slot_of(entry.group_id)
        epoch = self.epochs.get(slot)
        if epoch is None or not durable.exists:
            return None
        is_in_doubt = entry.busy or entry.suspended
        return SeenRevision(slot, epoch, entry.group_id, durable.revision, is_in_doubt)

    def group(self, group_id: str) -> Group | None:
        """The committed group, or None if it does not exist.

        As in Kafka, a group exists as soon as a member id was returned to a client.
        """
        entry = self.entries.get(group_id)
        return entry.group if entry and _exists(entry.group) else None

    # -- committers and owners

    def schedule(self, entry: GroupEntry) -> None:
        """Put an entry into the queue for its next event."""
        if entry.busy or entry.queued or entry.suspended or not entry.inbox:
            return
        queue = self.offsets if entry.head_is_offsets() else self.membership
        queue.push(entry)

    def install(self, entry: GroupEntry, decision: Decision, revision: int) -> None:
        """A decision has committed: replace the group and its view, then send the replies.

        If the slot was lost in the meantime, all requests were already answered.
        """
        if entry.suspended:
            return
        group_id = entry.group_id
        if decision.deleted:
            kind = KINDS[decision.group.durable.group.kind]
            entry.group = kind.absent(group_id, self.own.rules_of(group_id), self.clock())
            self.heartbeat_views.drop(group_id)
            self.own.paused.put(group_id, {})
        elif entry.group is not decision.group:
            changed = entry.group.durable.revision != revision
            entry.group = decision.group.with_revision(revision) if changed else decision.group
            rules = self.own.rules_of(group_id)
            if entry.group.rules is not rules:  # they changed while the batch was being written
                entry.group = entry.group.with_rules(rules)
            self.heartbeat_views.put(group_id, entry.group.heartbeat_view())
        if decision.beside is not None:
            self._install_beside(group_id, decision.beside)
        self.send(entry, decision.answers)
        if decision.hung_up:
            self.hang_up(group_id, decision.hung_up)
        if decision.question is not None:
            self.others.question(group_id, decision.question)

    def _install_beside(self, group_id: str, change: PausesChange | FreezeChange) -> None:
        if isinstance(change, PausesChange):
            self.own.paused.put(group_id, change.after)
        else:
            self.configure(group_id, change.values)

    def release(self, entry: GroupEntry, *, is_same: bool = False) -> None:
        """A committer has finished with an entry; remove it if its group does not exist any more.
        ``is_same``: the group has not changed, so its deadlines are not earlier than before; a
        timer that fires too early is set again. A group whose deadlines cannot be found is broken:
        after an error here the other groups of a round would stay busy."""
        entry.busy = False
        if self.entries.get(entry.group_id) is not entry:
            return  # the slot was lost; another entry may have the id by now
        if not is_same or entry.wake_at is None:
            try:
                self._rearm(entry)
            except Exception:
                self._without_deadlines(entry)
                return
        if entry.repeats is not None:
            self.offsets.push_repeating(entry)  # older than its events, which follow them
        elif entry.inbox:
            self.schedule(entry)
        elif not entry.group.durable.exists and entry.group.idle and not entry.parked:
            del self.entries[entry.group_id]
            self.heartbeat_views.drop(entry.group_id)

    def send(self, entry: GroupEntry, answers: Iterable[Answer]) -> None:
        """Answer tickets; each is answered once."""
        for ticket, reply in answers:
            if ticket in entry.parked:
                entry.parked.remove(ticket)
                self.answer(ticket, reply)

    def refuse(self, entry: GroupEntry, events: Iterable[Event], code: ErrorCode) -> None:
        """Answer the tickets of events that were not decided. Those that clients are to send again
        count as signs of life: no client sends another heartbeat while one waits."""
        events = list(events)
        if code is ErrorCode.COORDINATOR_NOT_AVAILABLE:
            self._heard_all(entry, events)
        self.send(entry, [Answer(e.ticket, ErrorReply(code)) for e in events if e.ticket])
        self._forget_operations(events)

    def refuse_waiting(self, entry: GroupEntry, code: ErrorCode) -> None:
        """Refuse the requests that arrived while the group could not be stepped, and drop their
        events. Timers that became due in the meantime become due again."""
        events = list(entry.inbox)
        entry.inbox.clear()
        entry.suspects = 0
        self.refuse(entry, events, code)

    def put_off(self, entry: GroupEntry, ms: Millis) -> None:
        """Delay the group's timers by this time: a decision could not be written, and an immediate
        retry would fail again."""
        entry.quiet_until = self.clock() + ms

    def configure(self, group_id: str, values: Values) -> None:
        """Replace the group's own settings. If they require a step, it is due at once."""
        self.own.put(group_id, values, self.clock())
        entry = self.entries.get(group_id)
        if entry is not None:
            entry.group = entry.group.with_rules(self.own.rules_of(group_id))
            if entry.busy:
                entry.wake_at = None  # its release sets the timer again
            elif not entry.suspended:
                self._rearm(entry)

    def seat(self, group_id: str, group: Group) -> GroupEntry:
        """Serve the group from now on."""
        entry = self.entries[group_id] = GroupEntry(group_id, group)
        self.heartbeat_views.put(group_id, group.heartbeat_view())
        self._rearm(entry)
        return entry

    def mark_broken(self, entry: GroupEntry) -> None:
        """This version cannot read the group's rows: every request gets an error."""
        entry.broken = entry.suspended = True
        self.heartbeat_views.drop(entry.group_id)
        self._forget_operations(entry.inbox)
        entry.inbox.clear()
        entry.repeats = None
        error = ErrorReply(ErrorCode.UNKNOWN_SERVER_ERROR)
        self.send(entry, [Answer(ticket, error) for ticket in sorted(entry.parked)])

    def drop(self, slots: Iterable[int], code: ErrorCode) -> None:
        """This node does not own these slots any more: answer all parked requests, remove the
        groups."""
        gone = set(slots)
        self.own.forget(gone)
        for slot in gone:
            self.epochs.pop(slot, None)
            self.shifts.pop(slot, None)
        self.with_pending = {g for g in self.with_pending if slot_of(g) not in gone}
        for group_id in [g for g in self.entries if slot_of(g) in gone]:
            entry = self.entries.pop(group_id)
            self.heartbeat_views.drop(group_id)
            entry.suspended = True
            self._forget_operations(entry.inbox)
            entry.inbox.clear()
            entry.repeats = None
            self.send(entry, [Answer(t, ErrorReply(code)) for t in sorted(entry.parked)])

    def doubt(self, entry: GroupEntry) -> None:
        """The content of the group's rows is unknown: no view and no step until they have
        been read again (``groups.runtime.loading``)."""
        if not entry.suspended:
            entry.doubted_at = self.clock()
        entry.suspended = True
        entry.put_in_front()
        if self.entries.get(entry.group_id) is entry:
            self.heartbeat_views.drop(entry.group_id)

    def unpark(self, code: ErrorCode, *, in_batches: bool = False) -> None:
        """The lease has expired: answer all parked requests, since another node may serve the
        groups by now. For a group this is as if these connections had closed. Groups in a batch are
        skipped unless ``in_batches``: the error code must then not imply whether the batch
        commits."""
        for entry in self.entries.values():
            if in_batches or not entry.busy:
                self.send(entry, [Answer(t, ErrorReply(code)) for t in sorted(entry.parked)])

    # -- time

    def tick(self) -> bool:
        """Put a ``Tick`` into the inbox of every group that is due. Called a few times a second.
        Returns whether more groups are due than fit into one slice of the event loop."""
        now, slices = self.clock(), Slices(self.monotonic)
        while self._timers and self._timers[0][0] <= now:
            if slices.is_over:
                return True
            at, group_id = heapq.heappop(self._timers)
            entry = self.entries.get(group_id)
            if entry is None or entry.wake_at != at:
                continue  # it was set again, or the group is gone
            entry.wake_at = None
            if not entry.suspended:  # otherwise a reload sets it again
                self._wake(entry, now)
        return False

    def _wake(self, entry: GroupEntry, now: Millis) -> None:
        try:
            due = self._due(entry)
        except Exception:
            self._without_deadlines(entry)
            return
        if due is not None and due <= now:
            entry.inbox.append(Tick())
            self.schedule(entry)
        else:
            self._rearm(entry)

    def _without_deadlines(self, entry: GroupEntry) -> None:
        """An error prevents that they are found."""
        logger.exception("group %r: its deadlines are invalid", entry.group_id)
        self.mark_broken(entry)

    def look_after(self, group_id: str) -> None:
        """Put a ``Tick`` into the inbox of a group if it is due, independently of its timer: the
        session sweep requested it."""
        entry = self.entries.get(group_id)
        if entry is None or entry.suspended:
            return
        due = self._due(entry)
        if due is not None and due <= self.clock():
            entry.inbox.append(Tick())
            self.schedule(entry)

    def _due(self, entry: GroupEntry) -> Millis | None:
        due = entry.group.due(self.clock())
        return None if due is None else max(due, entry.quiet_until)

    def _rearm(self, entry: GroupEntry) -> None:
        due = self._due(entry)
        if due is None or (entry.wake_at is not None and entry.wake_at <= due):
            return
        entry.wake_at = due
        heapq.heappush(self._timers, (due, entry.group_id))

    # -- inside

    def _admit(self, group_id: str, event: Event) -> GroupEntry:
        kind = KINDS[kind_for(event)]
        rules = self.own.rules_of(group_id)
        return self.seat(group_id, kind.absent(group_id, rules, self.clock()))

    def _refuse(self, event: Event, code: ErrorCode) -> None:
        if event.ticket is not None:
            self.answer(event.ticket, ErrorReply(code))
        self._forget_operations([event])

    def _forget_operations(self, events: Iterable[Event]) -> None:
        for event in events:
            if isinstance(event, Verb):
                self.undecided(event.operation_id)


def _exists(group: Group) -> bool:
    return group.durable.exists or not group.idle
