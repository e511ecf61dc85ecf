"""``python -m proof predicted``: a session timeout that advice proposes, predicted, then run.

Groups of simulated members live for a while, on the product's own nodes, and pause now and then as
processes do. The pipeline's advice on what was recorded of them is tried by what-if; then the same
groups live again, with the same pauses, under the proposed session timeout. Printed is what was
predicted beside what was seen. Time is simulated, so the machine's load changes nothing.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from unittest.mock import patch

from pipeline.what_if.answers import Answer, answer
from pipeline.what_if.changes import Change
from pipeline.what_if.figures import Figures, total
from pipeline.what_if.ledger import Ledger
from pipeline.what_if.recording import Millis, Recording
from pipeline.what_if.replay import recorded_hours
from proof.simulation.command import prepare

if TYPE_CHECKING:
    from proof.simulation.cluster import Run

MINUTES, SEEDS = 10.0, 2
BEGUN_S: Final = 30.0
"""Pauses begin when the members have found each other."""

EVERY_S: Final = 90.0
"""About so often each member pauses."""

LASTS: Final = (0.5, 1.7)
"""For so much of the recorded session timeout; what-if takes one that is away for more than two of
them for a process that ended, and another one that began."""

SESSION_MS: Final = 6_000
PROTOCOLS: Final = ("classic", "consumer")
GROUPS: Final = ("one", "two")
MEMBERS: Final = 4

COST_MAX: Final = 0.1
"""By so much of what it was before the cost of a protocol's groups may be wrong."""

SOME_MS: Final = 8_000
"""Beside the proposed session timeout, under which no pause ends a session, one under which some
do."""

Recordings = Sequence[Recording]


class Pair(NamedTuple):
    """A group's answer, and what was recorded under the new session timeout."""

    answer: Answer
    seen: Figures


def recorded(protocol: str, seed: int, session_ms: Millis, minutes: float) -> Recordings:
    """What was decided for the groups of one life, as the store writes it."""
    from proof.simulation import batches
    from proof.simulation.clients import BEATS_PER_SESSION, Client
    from proof.simulation.seams import Seams
    from proof.simulation.world import MS, SECOND

    ledgers = {group_id: Ledger(group_id) for group_id in GROUPS}
    write = batches._write

    def noting(db: Any, what: Any, *args: Any, **also: Any) -> None:
        write(db, what, *args, **also)
        if what.decision.facts or what.decision.journal:
            ledgers[what.group_id].note(db.world.now // MS, what.decision)

    run, end = _run(protocol, seed, session_ms, minutes), round(minutes * 60_000)
    with (
        patch.object(batches, "_write", noting),
        patch.object(Client, "beat_s", SESSION_MS / 1_000 / BEATS_PER_SESSION),
        Seams(run.database, run.network).in_place(),
    ):
        run.begin()
        run.world.run(end * SECOND // 1_000)
    for process in run.world.processes:
        process.bury()
    return [ledger.recording(0, end) for ledger in ledgers.values()]


def _run(protocol: str, seed: int, session_ms: Millis, minutes: float) -> "Run":
    """A cluster without faults, whose members pause."""
    from proof.simulation.classic_client import ClassicClient
    from proof.simulation.cluster import Run
    from proof.simulation.consumer_client import ConsumerClient
    from proof.simulation.population import Population
    from proof.simulation.world import SECOND

    class Paused(Run):
        def _names(self, count: int) -> list[str]:
            return list(GROUPS)

        def _fill(self, group_id: str, *, is_big: bool) -> None:
            for number in range(MEMBERS):
                self._join(self.population.protocols[0], group_id, None, number * SECOND // 4)
                self._pause(self.clients[-1])

        def _pause(self, client: Any) -> None:
            rng = Random(f"{seed}/{client.name}")
            for since_s, until_s in _pauses(rng, 60 * minutes):
                until = round(until_s * SECOND)
                self.world.at(round(since_s * SECOND), client.process.pause, until)

    kind = {"classic": ClassicClient, "consumer": ConsumerClient}[protocol]
    run = Paused(seed, {}, (), Population(protocols=(kind,)))
    run.session_ms = session_ms
    run.rules = replace(run.rules, group_consumer_session_timeout_ms=session_ms)
    run.world.take = lambda _record: None
    return run


def _pauses(rng: Random, until_s: float) -> Iterator[tuple[float, float]]:
    at = BEGUN_S
    while (at := at + rng.expovariate(1 / EVERY_S)) < until_s - BEGUN_S:
        lasts_s = rng.uniform(*LASTS) * SESSION_MS / 1_000
        yield at, at + lasts_s
        at += lasts_s


def proposed(recordings: Recordings) -> Mapping[str, Millis]:
    """The longest session timeout that the pipeline's advice proposes for groups of each
    protocol."""
    from pipeline.session import session
    from proof.advised import advised

    at = datetime.fromtimestamp(max(one.end for one in recordings) / 1_000, UTC)
    with session() as spark:
        rows = advised(spark, recordings, at)
    found: dict[str, Millis] = {}
    for row in rows:
        if row["rule"] == "session-timeout":
            protocol = row["group_id"].split("/")[0]
            found[protocol] = max(found.get(protocol, 0), int(row["what_if"].split()[-1]))
    return found


def lives(protocol: str, seeds: Sequence[int], session_ms: Millis, minutes: float) -> Recordings:
    """The groups of all seeds, each with a name of its own."""
    return [
        replace(one, group_id=f"{protocol}/{seed}/{one.group_id}")
        for seed in seeds
        for one in recorded(protocol, seed, session_ms, minutes)
    ]


def pairs(before: Recordings, after: Recordings, session_ms: Millis) -> list[Pair]:
    """What is predicted for each group, and what came of it."""
    from proof.simulation.cluster import RULES

    change = Change(session_ms=session_ms)
    return [
        Pair(answer(was, RULES, change), total(recorded_hours(now)))
        for was, now in zip(before, after, strict=True)
    ]


def main(arguments: Sequence[str]) -> int:
    """The exit status says whether the cost was predicted within the bound."""
    parser = argparse.ArgumentParser(prog="python -m proof predicted", description=__doc__)
    parser.add_argument("--minutes", type=float, default=MINUTES, help="of each life")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="lives of each protocol")
    options = parser.parse_args(arguments)
    prepare()
    seeds, errors = range(1, options.seeds + 1), []
    before = {name: lives(name, seeds, SESSION_MS, options.minutes) for name in PROTOCOLS}
    advice = proposed([one for recordings in before.values() for one in recordings])
    for protocol, recordings in before.items():
        for session_ms in (advice[protocol], SOME_MS):
            after = lives(protocol, seeds, session_ms, options.minutes)
            print(f"{protocol}: {session_ms} ms instead of {SESSION_MS}", flush=True)
            errors.append(_told(pairs(recordings, after, session_ms)))
    return int(max(errors) > COST_MAX)


def _told(found: Sequence[Pair]) -> float:
    """Print each group, and all of them; returns by how much of what it was the cost is wrong.
    Pauses that end no life are predicted, and cannot be recorded."""
    refused = [pair.answer.refused for pair in found if pair.answer.refused]
    assert not refused, refused
    was_ms = predicted_ms = seen_ms = missed_ms = 0
    for made, seen in found:
        predicted = made.changed.cost_ms - made.changed.stalled_ms
        print(
            f"  {made.group_id}: {made.recorded.rebalances} rebalances, predicted"
            f" {made.changed.rebalances}, seen {seen.rebalances}; partition-seconds"
            f" {made.recorded.cost_ms / 1e3:.1f}, predicted {predicted / 1e3:.1f}, seen"
            f" {seen.cost_ms / 1e3:.1f}"
        )
        was_ms, seen_ms = was_ms + made.recorded.cost_ms, seen_ms + seen.cost_ms
        predicted_ms += predicted
        missed_ms += abs(made.replayed.cost_ms - made.replayed.stalled_ms - made.recorded.cost_ms)
    error = abs(predicted_ms - seen_ms) / was_ms
    print(
        f"  all: partition-seconds {was_ms / 1e3:.1f}, predicted {predicted_ms / 1e3:.1f}, seen"
        f" {seen_ms / 1e3:.1f}: wrong by {error:.1%} of what it was; a replay without a change"
        f" misses {missed_ms / was_ms:.1%}",
        flush=True,
    )
    return error
