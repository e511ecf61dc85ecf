"""Fleets that never were: groups whose clients live by a short description, decided by the rules
themselves. Pure.

A description is made of numbers that a fleet has, or is fitted to what was recorded (``fitted``).
Each group is a replay of invented clients, so its lives, ownership and journal are as consistent as
those of a coordinator; whatever reads recordings can read it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from statistics import median
from typing import Final

from groups.core.facts import Departure
from groups.core.group import Rules
from pipeline.what_if.clients import Client, Run, Stop, clients_of
from pipeline.what_if.deploys import BACK_MS, deploys
from pipeline.what_if.figures import Span
from pipeline.what_if.recording import HOUR_MS, Interval, Life, Millis, Recording
from pipeline.what_if.replay import Plan, Replayed, replay

TOPIC: Final = "work"
STARTED_MS: Final = 30_000
"""A group's clients start within so much."""

SESSIONS: Final = 3
"""A stall lasts for up to so many session timeouts."""


@dataclass(frozen=True, slots=True)
class Description:
    """A fleet. Rates are per client and day; ``classic`` is the share of groups of the classic
    protocol, ``static`` that of clients with an instance id; ``deploys`` are per group and day.
    Times are milliseconds."""

    groups: int = 100
    members: int = 10
    partitions: int = 40
    hours: float = 24.0
    classic: float = 0.5
    static: float = 0.0
    crashes: float = 0.2
    stalls: float = 0.2
    deploys: float = 1.0
    session_ms: Millis = 45_000
    rebalance_ms: Millis = 300_000
    away_ms: Millis = 20_000
    assignor: str = "range"

    def problem(self) -> str:
        """What is wrong with it; "": nothing."""
        counts = (self.groups, self.members, self.partitions, self.session_ms, self.rebalance_ms)
        if min(counts) < 1 or self.hours <= 0 or self.away_ms < 0:
            return "Counts and times are more than 0."
        if not (0 <= self.classic <= 1 and 0 <= self.static <= 1):
            return "Shares are between 0 and 1."
        if min(self.crashes, self.stalls, self.deploys) < 0:
            return "Rates are not negative."
        return ""


def group_of(description: Description, number: int, begin: Millis, seed: int = 0) -> Replayed:
    """One group of the fleet, always the same for the same arguments."""
    rng = Random(f"{seed}/{number}")
    end = begin + round(description.hours * HOUR_MS)
    kind = "classic" if rng.random() < description.classic else "consumer"
    clients = [
        _client(description, kind, name, (begin, end), rng) for name in range(description.members)
    ]
    clients = _deployed(description, clients, (begin, end), rng)
    recording = _catalogue(f"fleet-{number:07}", description.partitions, (begin, end))
    rules = Rules(group_consumer_session_timeout_ms=description.session_ms)
    return replay(recording, Plan(clients, rules), seed=rng.getrandbits(32))


def _catalogue(group_id: str, partitions: int, span: Span) -> Recording:
    """A recording in which nothing happened, but the topic has its partitions."""
    begin, end = span
    topic = [Interval(0, (TOPIC, number), begin, None) for number in range(partitions)]
    return Recording(group_id, begin, end, (), topic, ())


def _client(description: Description, kind: str, number: int, span: Span, rng: Random) -> Client:
    begin, end = span
    instance = f"worker-{number}" if rng.random() < description.static else None
    life = Life(
        number,
        "",
        instance,
        f"worker-{number}",
        f"/10.0.{number // 250}.{number % 250 + 1}",
        kind,
        description.session_ms,
        description.rebalance_ms,
        (TOPIC,),
        (description.assignor,) if kind == "classic" else (),
        begin,
        software=("rollcall-fleet", "1"),
    )
    start = begin + rng.randrange(STARTED_MS)
    crashes = _moments(description.crashes, (start, end), rng)
    runs: list[Run] = []
    for crash in crashes:
        runs.append(Run(start, crash, Stop.DIES, _stalls(description, (start, crash), rng)))
        start = min(crash + 1 + _about(description.away_ms, rng), end)
    runs.append(Run(start, end, Stop.RUNS, _stalls(description, (start, end), rng)))
    return Client(life.client_id, life, tuple(runs))


def _moments(a_day: float, span: Span, rng: Random) -> Sequence[Millis]:
    """Moments of a Poisson process, in order."""
    found: list[Millis] = []
    at: float = span[0]
    while a_day > 0:
        at += 1 + rng.expovariate(a_day / (24 * HOUR_MS))
        if at >= span[1]:
            break
        found.append(round(at))
    return found


def _stalls(description: Description, span: Span, rng: Random) -> tuple[Span, ...]:
    found: list[Span] = []
    for moment in _moments(description.stalls, span, rng):
        until = moment + 1 + rng.randrange(SESSIONS * description.session_ms)
        if until < span[1] and (not found or found[-1][1] < moment):
            found.append((moment, until))
    return tuple(found)


def _about(ms: Millis, rng: Random) -> Millis:
    return round(ms * rng.uniform(0.5, 1.5))


def _deployed(
    description: Description, clients: Sequence[Client], span: Span, rng: Random
) -> list[Client]:
    """Each deploy restarts the clients one after the other, a few seconds apart."""
    made = list(clients)
    for begun in _moments(description.deploys, span, rng):
        at = begun
        for place, client in enumerate(made):
            made[place] = _restarted(client, at, at + _about(description.away_ms, rng))
            at += rng.randrange(1, 5_000)
    return made


def _restarted(client: Client, end: Millis, start: Millis) -> Client:
    """The client with its process at that time replaced by two; the same if that does not fit."""
    for place, run in enumerate(client.runs):
        if run.start < end and start < run.end:
            before = tuple(stall for stall in run.stalls if stall[1] < end)
            after = tuple(stall for stall in run.stalls if stall[0] > start)
            stop = Stop.PAUSES if client.life.instance_id else Stop.LEAVES
            both = (
                replace(run, end=end, stop=stop, stalls=before),
                replace(run, start=start, stalls=after),
            )
            return replace(client, runs=(*client.runs[:place], *both, *client.runs[place + 1 :]))
    return client


def fitted(recordings: Iterator[Recording]) -> Description:
    """The description of a fleet like the one that was recorded."""
    known = [one for one in recordings if one.lives]
    if not known:
        return Description()
    count = Counted()
    for recording in known:
        count.add(recording)
    return count.description()


class Counted:
    """What a description is made of."""

    def __init__(self) -> None:
        self.groups = self.clients = self.classic = self.static = self.deploys = 0
        self.crashes = self.stalls = 0
        self.client_days = self.group_days = 0.0
        self.sessions: list[Millis] = []
        self.rebalances: list[Millis] = []
        self.away: list[Millis] = []
        self.members: list[int] = []
        self.partitions: list[int] = []
        self.hours: list[float] = []

    def add(self, recording: Recording) -> None:
        """One more group."""
        clients, _ = clients_of(recording)
        day = 24 * HOUR_MS
        ran = sum(until - since for client in clients for since, until in client.spans)
        self.groups += 1
        self.clients += len(clients)
        self.classic += "classic" in recording.kinds
        self.static += sum(client.life.instance_id is not None for client in clients)
        self.client_days += ran / day
        self.group_days += (recording.end - recording.begin) / day
        self.hours.append((recording.end - recording.begin) / HOUR_MS)
        self.members.append(max(1, round(ran / max(1, recording.end - recording.begin))))
        self.partitions.append(max(1, len({interval.part for interval in recording.intervals})))
        self.stalls += sum(len(run.stalls) for client in clients for run in client.runs)
        self.crashes += sum(life.departure == Departure.EXPIRED for life in recording.lives)
        for deploy in deploys(clients):
            self.deploys += 1
            self.away += [one.start - one.end for one in deploy if one.start - one.end <= BACK_MS]
        self.sessions += [life.session_ms for life in recording.lives]
        self.rebalances += [life.rebalance_ms for life in recording.lives]

    def description(self) -> Description:
        """The fleet."""
        plain = Description()
        days = max(self.client_days, 1e-9)
        return Description(
            groups=self.groups,
            members=round(median(self.members)),
            partitions=round(median(self.partitions)),
            hours=round(median(self.hours), 2),
            classic=round(self.classic / self.groups, 3),
            static=round(self.static / self.clients, 3),
            crashes=round(max(0, self.crashes - self.stalls) / days, 3),
            stalls=round(self.stalls / days, 3),
            deploys=round(self.deploys / max(self.group_days, 1e-9), 3),
            session_ms=round(median(self.sessions)),
            rebalance_ms=round(median(self.rebalances)),
            away_ms=round(median(self.away)) if self.away else plain.away_ms,
        )
