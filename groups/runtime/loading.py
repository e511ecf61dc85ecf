"""Groups from the rows that were read: of slots that this node takes over, and of groups whose rows
were in doubt.

A ``Merge`` combines the rows with what the node has in memory: on the event loop, or in a thread if
the group is large. It has no side effects; afterwards the group goes into the runtime. The caller
runs each ``Merge``, and may pause between them.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Final

from groups.core.configs.group import Values
from groups.core.conversion.step import LONG_STEP_MIN
from groups.core.earlier import NO_WAITS, NOTHING_NOTED, Earlier, Noted, Service
from groups.core.group import Group, Millis, Rules
from groups.core.kinds import CLASSIC, KINDS
from groups.core.rows import Durable, slot_of
from groups.runtime.entries import GroupEntry
from groups.runtime.runtime import STALL_MS, CoordinatorRuntime

logger = logging.getLogger(__name__)

LOADED_LATE_MS = 2_000
"""Members can reach the node only when all groups are loaded. If loading takes longer than this, a
third of the shortest session, it does not count as silence."""


@dataclass(slots=True)
class Merge:
    """``work`` creates the group of these rows. ``group`` is None before ``run``, and afterwards if
    the rows are invalid."""

    group_id: str
    work: Callable[[], Group]
    is_long: bool
    group: Group | None = None

    def run(self) -> None:
        """Create the group. An error is logged."""
        try:
            self.group = self.work()
        except Exception:
            self.group = None
            logger.exception("group %r cannot be loaded", self.group_id)

    async def run_aside(self) -> None:
        """The same, in a thread if it takes long."""
        if self.is_long:
            await asyncio.to_thread(self.run)
        else:
            self.run()


@dataclass(frozen=True, slots=True)
class Inherited:
    """What earlier owners left about time: of slots, of members, and of groups that wait."""

    services: Mapping[int, Service]
    silences: Mapping[str, Mapping[str, Noted]]
    waits: Mapping[str, Mapping[str, Millis]]

    def of(self, group_id: str) -> Earlier | None:
        """The part about one group; None: nothing is known of its slot."""
        service = self.services.get(slot_of(group_id))
        if service is None:
            return None
        silences = self.silences.get(group_id, NOTHING_NOTED)
        return Earlier(service, silences, self.waits.get(group_id, NO_WAITS))


NOTHING: Final = Inherited({}, {}, {})


def takes_long(durable: Durable) -> bool:
    """Whether these rows are too many for the event loop: by the members, their subscribed topics
    and their partitions, as far as rows of this kind contain them."""
    size = 0
    for row in durable.members.values():
        details = row.details
        try:
            size += 1 + len(details.get("topics", ())) + len(details.get("since", ()))
        except (AttributeError, TypeError):
            return False  # an unknown kind: ``run`` reports it
        if size >= LONG_STEP_MIN:
            return True
    return False


def revived(
    durable: Durable, rules: Rules, clock: Callable[[], Millis], earlier: Earlier | None
) -> Group:
    """The group of these rows, with its next deadline already computed."""
    now = clock()
    group = KINDS[durable.group.kind].merge(durable, None, rules, now, earlier)
    group.due(now)
    return group


def begun(group: Group, clock: Callable[[], Millis], since: Millis) -> Group:
    """The group with sessions that go on from now; it was created at some time after ``since``."""
    now = clock()
    group = group.rearm(now, now - since)
    group.due(now)
    return group


def rejoined(
    durable: Durable, old: Group, rules: Rules, clock: Callable[[], Millis], doubted_at: Millis
) -> Group:
    """The group of these rows with the old group's live state. Heartbeats got an error during the
    whole time of doubt, so no member's session counts this time."""
    kind = KINDS[durable.group.kind]
    live = old.live if kind is type(old) else None
    group = kind.merge(durable, live, rules, clock())
    now = clock()
    return group.rearm(now, now - doubted_at)


def adopting(
    runtime: CoordinatorRuntime,
    epochs: Mapping[int, int],
    durables: Mapping[str, Durable],
    with_pending: Iterable[str] = (),
    configs: Mapping[str, Values] = MappingProxyType({}),
    inherited: Inherited = NOTHING,
) -> Iterator[Merge]:
    """Serve newly owned slots whose groups were loaded. Nothing is served before the end, which
    takes microseconds for each group.

    Sessions go on as ``inherited``; of slots without that they start again. ``with_pending``:
    groups with pending transactional offsets. ``configs``: settings of single groups. A group whose
    rows this version cannot read (an unknown kind, in a rolling upgrade) returns errors; it must
    affect neither its slot nor the node.
    """
    now = runtime.clock()
    runtime.with_pending.update(with_pending)
    for group_id, values in configs.items():
        runtime.own.put(group_id, values, now)
    merges: list[Merge] = []
    for group_id, durable in durables.items():
        earlier = inherited.of(group_id)
        work = partial(revived, durable, runtime.own.rules_of(group_id), runtime.clock, earlier)
        merges.append(Merge(group_id, work, takes_long(durable)))
        yield merges[-1]
    if runtime.clock() - now > LOADED_LATE_MS:
        for merge in merges:
            if merge.group is not None:
                merge.work = partial(begun, merge.group, runtime.clock, now)
                yield merge
    for merge in merges:
        _seat(runtime, merge)
    runtime.shifts.update({slot: service.shift for slot, service in inherited.services.items()})
    runtime.epochs.update(epochs)


def _seat(runtime: CoordinatorRuntime, merge: Merge) -> None:
    if merge.group is not None:
        try:
            runtime.seat(merge.group_id, merge.group)
        except Exception:
            logger.exception("group %r cannot be loaded", merge.group_id)
        else:
            runtime.changes.seated(merge.group_id)
            return
    rules = runtime.own.rules_of(merge.group_id)
    absent = KINDS[CLASSIC].absent(merge.group_id, rules, runtime.clock())
    runtime.mark_broken(runtime.seat(merge.group_id, absent))


def reseating(runtime: CoordinatorRuntime, entry: GroupEntry, durable: Durable | None) -> Merge:
    """The ``Merge`` of a group's current rows with its live state; it must run before
    ``reseated``."""
    if runtime.stood_still_ms > STALL_MS:
        runtime.awake()  # otherwise a stall of the node would count twice for this group
    group_id, old = entry.group_id, entry.group
    rules = runtime.own.rules_of(group_id)
    if durable is None:
        absent = partial(KINDS[old.durable.group.kind].absent, group_id, rules, runtime.clock())
        return Merge(group_id, absent, is_long=False)
    work = partial(rejoined, durable, old, rules, runtime.clock, entry.doubted_at)
    return Merge(group_id, work, takes_long(durable))


def reseated(runtime: CoordinatorRuntime, entry: GroupEntry, merge: Merge) -> None:
    """The group continues with the combined state."""
    if runtime.entries.get(entry.group_id) is not entry:
        return
    try:
        _reseated(runtime, entry, merge.group)
    except Exception:
        logger.exception("group %r cannot be loaded again", entry.group_id)
        runtime.mark_broken(entry)


def _reseated(runtime: CoordinatorRuntime, entry: GroupEntry, group: Group | None) -> None:
    if group is None:
        runtime.mark_broken(entry)
        return
    rules = runtime.own.rules_of(entry.group_id)  # they may have changed in the meantime
    entry.group = group if group.rules is rules else group.with_rules(rules)
    waiting = {event.ticket for event in entry.inbox}
    runtime.send(entry, entry.group.resume(sorted(entry.parked - waiting)))
    runtime.heartbeat_views.put(entry.group_id, entry.group.heartbeat_view())
    entry.suspended = False
    runtime.changes.seated(entry.group_id)
    runtime.changes.look()  # changes with an unknown outcome were not notified
    runtime.release(entry)
