"""What happens to a group besides its members: operators, sweeps, the catalogue, and the node."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from groups.core import events, pauses
from groups.core.authors import Author
from groups.core.commanded.group import CommandedGroup
from groups.core.consumer.group import ConsumerGroup
from groups.core.draft.group import DraftGroup
from groups.core.earlier import Earlier, Interruption, Noted, Service
from groups.core.errors import ErrorCode
from groups.core.expiry import MS_PER_MINUTE, Age
from groups.core.group import Guards
from tests.walks.people import TOPICS

if TYPE_CHECKING:
    from tests.walks.life import Life

Said = Iterator[events.Event]

ASSIGNORS = (("uniform", "range"), ("range",), ("own", "uniform"), ("own",), ("bad", "own"))
GRACE_MS = 15_000
GUARDS = (Guards(), Guards(), Guards(8_000), Guards(0, frozen=True))
CHANGES: Mapping[str, tuple[Any, ...]] = {
    "group_initial_rebalance_delay_ms": (0, 3_000),
    "group_quiet_window_ms": (0, 500),
    "group_max_size": (2, 3, 10_000),
    "group_metadata_max_bytes": (150, 400, 4_194_304),
    "group_consumer_max_size": (2, 3, 10_000),
    "group_consumer_metadata_max_bytes": (200, 500, 67_108_864),
    "group_consumer_assignors": ASSIGNORS,
    "group_consumer_assignment_interval_ms": (0, 0, 4_000),
    "group_consumer_assignor_offload_enable": (False, True),
    "group_consumer_migration_policy": ("bidirectional", "upgrade", "downgrade", "disabled"),
    "rebalance_max_retries": (0, 1, 4),
    "offsets_retention_minutes": (1, 10_080),
    "guards": GUARDS,
}
"""What an operator, or a group's own settings, may change."""


def force(life: "Life") -> Said:
    now = life.group.durable.group.generation
    expected = life.chance.pick((None, now, now, now - 1))
    yield events.ForceRebalance(**life.verb(), expected_generation=expected)


def evict(life: "Life") -> Said:
    yield events.EvictMember(**life.verb(), member_id=life.chance.pick(("nobody", *life.ids())))


def delete_group(life: "Life") -> Said:
    author = life.chance.pick((None, Author("", "ops", "/h").details()))
    yield events.DeleteGroup(ticket=life.ticket(None), author=author)


def delete_offsets(life: "Life") -> Said:
    at = life.chance.some([(t, p) for t in TOPICS for p in range(2)], 4)
    author = life.chance.pick((None, Author("", "ops", "/h")))
    yield events.OffsetDelete(ticket=life.ticket(None), partitions=at, author=author)


def expire(life: "Life") -> Said:
    """Ages around what is kept."""
    chance, kept_ms = life.chance, life.rules.offsets_retention_minutes * MS_PER_MINUTE
    ages = tuple(
        Age(
            t, p, chance.pick((0, kept_ms - 1, kept_ms, kept_ms + 1)),
            chance.pick((None, None, -1, 0, 1)), chance.once_in(4),
        )
        for t in TOPICS
        for p in range(2)
    )  # fmt: skip
    state_age_ms = chance.pick((0, kept_ms - 1, kept_ms, kept_ms + 1))
    said = ages if chance.below(4) else ()
    yield events.ExpireOffsets(**life.verb(), state_age_ms=state_age_ms, ages=said)


def restore(life: "Life") -> Said:
    at = life.chance.some([(t, p) for t in TOPICS for p in range(2)], 3)
    writes = tuple(events.OffsetWrite(t, p, 5, -1, "old") for t, p in at)
    yield events.RestoreOffsets(**life.verb(), to="noon", offsets=writes)


def abandon(life: "Life") -> Said:
    yield events.IdsAbandoned(member_ids=life.chance.some(life.known(), 2))


def refuse(life: "Life") -> Said:
    yield events.MembersRefused(member_ids=life.chance.some(("nobody", *life.known()), 2))


def topics_change(life: "Life") -> Said:
    """The catalogue changes; groups that are notified of it are notified."""
    chance, group = life.chance, life.group
    life.counts[chance.pick(TOPICS)] = chance.below(5)
    life.counts = {name: count for name, count in life.counts.items() if count}
    racks = [frozenset(chance.some(("r-1", "r-2"), 2)) for _ in range(4)]
    life.racks = {"id-t": racks} if chance.once_in(2) else {}
    if isinstance(group, DraftGroup):
        yield events.TopicsChanged(counts={t: life.counts.get(t, 0) for t in group.counts})
    elif isinstance(group, CommandedGroup):
        matches = {key: life.let_through(key) for key in sorted(group.filters)}
        names = sorted(group.names.union(*matches.values()))
        counts = {name: life.counts.get(name, 0) for name in names}
        yield events.TopicsChanged(counts=counts, matches=matches)
    elif isinstance(group, ConsumerGroup):
        patterns = chance.some(("t", "[tu]", "t|v", "none"), 4)
        facts = {t: (f"id-{t}", count) for t, count in life.counts.items()}
        found = {key: life.let_through(f"white_list:{key}") for key in patterns}
        yield events.TopicsMatched(matches=found, topics=facts)


def pause(life: "Life") -> Said:
    """An operator stops work, or starts it; and every client polls for orders."""
    chance = life.chance
    kinds: tuple[type[pauses.PauseVerb], ...] = (pauses.PauseWork, pauses.ResumeWork)
    kind = chance.pick(kinds)
    names = [row.instance_id for row in life.group.durable.members.values() if row.instance_id]
    verb = kind(**life.verb(), member_id=chance.pick(("", "nobody", *names, *life.ids())))
    ruling = pauses.decide(life.group.durable, life.pauses, verb)
    life.pauses = ruling.pauses
    orders = []
    for person in life.people:
        order = pauses.order_for(
            life.pauses, person.member_id, person.instance_id, life.obeyed.get(person.name, 0)
        )
        orders.append(order)
        if order is not None and chance.once_in(2):
            life.obeyed[person.name] = order.command_id
    life.note(f"{kind.__name__}({verb.member_id})", {"ruling": ruling, "orders": orders})
    yield from ()


def answer(life: "Life") -> Said:
    """The group's task is computed; now and then the assignor fails."""
    if life.questions:
        question = life.questions.pop(life.chance.below(len(life.questions)))
        yield life.worked_out(question)


def tick(life: "Life") -> Said:
    yield events.Tick()


# -- what is no event


def pass_time(life: "Life") -> Said:
    """To an instant, and the group decides whatever is due on the way."""
    end = life.now + life.chance.pick((1, 400, 600, 1_000, 2_000, 3_000, 6_000, 10_000, 25_000))
    for _ in range(8):
        due = life.group.due(life.now)
        if due is None or due > end:
            break
        life.now = max(life.now, due)
        life.step(events.Tick())
    life.now = max(life.now, end)
    yield from ()


def to_the_instant(life: "Life") -> Said:
    """Up to a deadline, a millisecond before or after it."""
    due = life.group.due(life.now)
    if due is not None:
        life.now = max(life.now, due + life.chance.pick((-1, 0, 0, 0, 1)))
        yield events.Tick()


def stand_still(life: "Life") -> Said:
    missed = life.chance.pick((500, 4_000, 20_000))
    life.now += missed
    life.put(life.group.rearm(life.now, life.chance.pick((missed, missed, missed // 2))))
    yield from ()


def change_rules(life: "Life") -> Said:
    name = life.chance.pick(tuple(CHANGES))
    changed: Any = {name: life.chance.pick(CHANGES[name])}
    life.rules = replace(life.rules, **changed)
    life.put(life.group.with_rules(life.rules))
    yield from ()


def change_guards(life: "Life") -> Said:
    life.rules = replace(life.rules, guards=life.chance.pick(GUARDS))
    life.put(life.group.with_rules(life.rules))
    yield from ()


def fail_over(life: "Life") -> Said:
    """Another node takes it over, gently or not: what was not answered never is."""
    if life.chance.once_in(2):
        life.answered(life.group.let_go(ErrorCode.NOT_COORDINATOR))
    life.waiting.clear()
    for person in life.people:
        person.is_busy = False
    life.put(life.merged(life.group.durable, None, left_behind(life)))
    yield events.Tick()


def left_behind(life: "Life") -> Earlier:
    """What the next owner finds noted; perhaps the outage was long, and the last notes are missing.
    All owners have the same clock here."""
    is_crash = life.chance.once_in(2)
    interruption = Interruption(life.now, GRACE_MS if is_crash else 0, is_noted=not is_crash)
    silences = {
        s.member_id: Noted(0, s.heard_at if s.silence is None else s.silence.since)
        for s in life.group.sessions(life.now)
    }
    return Earlier(Service(0, (interruption,)), silences, life.group.waits())


def reload(life: "Life") -> Said:
    """The same node reads the rows again. Requests that the group no longer holds are answered."""
    life.read_again(life.group.durable, life.group.live)
    yield from ()


Happening = Callable[["Life"], Said]

HAPPENINGS: tuple[tuple[Happening, int], ...] = (
    (pass_time, 6), (to_the_instant, 5), (topics_change, 3), (answer, 4), (force, 2), (evict, 2),
    (pause, 2), (delete_group, 1), (delete_offsets, 1), (expire, 2), (restore, 1), (abandon, 1),
    (refuse, 1), (tick, 1), (stand_still, 1), (change_rules, 1), (change_guards, 2), (fail_over, 2),
    (reload, 1),
)  # fmt: skip
OFTEN = tuple(one for one, times in HAPPENINGS for _ in range(times))
NODE_ALONE = (
    pause, pass_time, to_the_instant, stand_still, change_rules, change_guards, fail_over, reload,
)  # fmt: skip
SAYING = tuple(one for one in OFTEN if one not in NODE_ALONE)
"""Those that are events, and so may share a step with others."""
