"""The rounds: a fault under stock clients and commits, and what must hold afterwards."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median

from tests.hosts import claims
from tests.hosts.faults import FAULTS, Fault, Outage
from tests.hosts.members import GROUPS, TOPIC, Members
from tests.hosts.probing import Probing
from tests.hosts.site import Site
from tests.launcher.waiting import until

RAISED_BY = 999_999
"""A promotion raises every generation by a million (docs/backups.md)."""

OFFSETS = (
    f"SELECT group_id, partition, committed_offset FROM rollcall_offset WHERE topic = '{TOPIC}'"
)
GENERATIONS = "SELECT group_id, generation FROM rollcall_group"
TWICE = """
SELECT group_id, generation_after FROM rollcall_journal WHERE kind = 'rebalance-completed'
GROUP BY group_id, generation_after HAVING count(*) > 1
"""


@dataclass(slots=True)
class Round:
    """What came of one: seconds until other nodes had claimed the slots (0: none did) and until the
    last group was served, the longest pause of a partition's commits, and what must not have
    happened."""

    name: str
    fault: Fault
    claimed_s: float = 0.0
    served_s: float = 0.0
    paused_s: float = 0.0
    violations: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        figures = (
            f"claimed after {self.claimed_s:5.2f} s, served after {self.served_s:5.2f} s,"
            f" commits after {self.paused_s:5.2f} s"
        )
        return f"{self.name:18} {figures}  {'; '.join(self.violations) or 'holds'}"


def play(site: Site, members: Members, probing: Probing, names: Sequence[str]) -> Iterator[Round]:
    """One round for each name, on the hosts that own the groups, one after the other."""
    groups = list(GROUPS)
    for at, name in enumerate(names):
        yield one(site, members, probing, name, groups[at % len(groups)])


def one(site: Site, members: Members, probing: Probing, name: str, group: str) -> Round:
    """Hurt the host that owns the group."""
    played = Round(name, FAULTS[name])
    before = dict(site.databases.primary.ask(GENERATIONS))
    noticed = sum(member.lost for member in members.all)
    host = site.owner(group)
    with claims.watched(site.databases.primary, host.address) as watched:
        began = time.monotonic()
        with played.fault.inflict(site, host):
            hurt = time.monotonic()
            if played.fault.outage is not Outage.NONE:
                until(lambda: _is_served(probing, hurt), f"every group is served again: {name}")
                members.settle()
        healed = time.monotonic()
    played.claimed_s = 0.0 if watched.at is None else watched.at - began
    members.settle()
    played.served_s = max(probing.served.longest(began, healed - began).values())
    played.paused_s = members.ledger.gap(began)
    if played.fault.outage is Outage.PROMOTION:
        played.violations += _not_raised(site, before)
    else:
        played.violations += _moved(site, before)
        lost = sum(member.lost for member in members.all) - noticed
        played.violations += [f"{lost} members lost their partitions"] if lost else []
        failures = [error for member in members.all for error in member.failures]
        played.violations += sorted({f"a commit failed: {error.name()}" for error in failures})
    for member in members.all:
        member.failures.clear()
    played.violations += _lost(site, members)
    return played


def _is_served(probing: Probing, since: float) -> bool:
    return all(times and times[-1] > since for times in probing.served.at.values())


def _moved(site: Site, before: dict[str, int]) -> list[str]:
    after = dict(site.databases.primary.ask(GENERATIONS))
    return [f"{g} rebalanced: {before[g]} to {after[g]}" for g in GROUPS if after[g] != before[g]]


def _not_raised(site: Site, before: dict[str, int]) -> list[str]:
    after = dict(site.databases.primary.ask(GENERATIONS))
    return [f"{g} has {after[g]}" for g in GROUPS if after[g] <= before[g] + RAISED_BY]


def _lost(site: Site, members: Members) -> list[str]:
    """What was acknowledged before the rows were read, and is not in them; numbers issued twice."""
    acknowledged = dict(members.ledger.acknowledged)
    rows = {(group, n): offset for group, n, offset in site.databases.primary.ask(OFFSETS)}
    lost = [key for key, offset in acknowledged.items() if rows.get(key, 0) < offset]
    twice = site.databases.primary.ask(TWICE)
    return [f"lost: {lost}"] * bool(lost) + [f"generations twice: {twice}"] * bool(twice)


def summary(rounds: Sequence[Round]) -> Iterator[str]:
    """The median and the longest of each kind of outage, beside what is wanted."""
    for outage in Outage:
        played = [each for each in rounds if each.fault.outage is outage]
        if played and outage is not Outage.NONE:
            served = [each.served_s for each in played]
            parts = (
                f"{outage.name.lower():10} {len(played):3} rounds",
                f"p50 {median(served):.2f} s, longest {max(served):.2f} s",
                f"(wanted {outage.value} s)",
                f"claimed {median(each.claimed_s for each in played):.2f} s",
                f"commits {median(each.paused_s for each in played):.2f} s",
            )
            yield "  ".join(parts)
