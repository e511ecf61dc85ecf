"""Events that a replay decides in a second of CPU time, and how much of it are the rules' own.

Groups of ten members are invented (``pipeline.what_if.fleet``) and replayed as they were: in this
process, where the time within the rules is measured beside the whole, and in a process for each
processor at once. Heartbeats are not sent by a replay, and not counted.
"""

import gc
import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from random import Random
from time import perf_counter, process_time
from typing import Any

from benchmarks.options import Options
from groups.core.conversion.step import decide
from groups.core.events import Event
from groups.core.group import Decision, Group, Rules
from pipeline.what_if import world
from pipeline.what_if.changes import unchanged
from pipeline.what_if.clients import clients_of
from pipeline.what_if.fleet import Description, group_of
from pipeline.what_if.recording import Recording
from pipeline.what_if.replay import replay

FLEET = Description(members=10, partitions=40, hours=6.0, crashes=4.0, stalls=4.0, deploys=12.0)
BEGIN = 1_767_225_600_000
GROUPS = 10
REPEATED = 3


def main(options: Options) -> bool:
    """Print the figures; nothing here can be wrong."""
    rounds = options.rounds or REPEATED
    print(f"\nwhat-if: groups of {FLEET.members} members, six hours each, the best of {rounds}")
    for classic, kind in ((1.0, "classic"), (0.0, "consumer")):
        invented = [_invented(classic, number) for number in range(GROUPS)]
        alone, rules_share = min(_alone(invented) for _ in range(rounds))
        together = min(_together(invented) for _ in range(rounds))
        print(
            f"  {kind}: {1 / alone:,.0f} events/s of CPU in one process, {rules_share:.0%} of it in"
            f" the rules; {1 / together:,.0f} events/s by the clock in {os.cpu_count()} processes"
        )
    return True


def _invented(classic: float, number: int) -> Recording:
    return group_of(replace(FLEET, classic=classic), number, BEGIN).recording


def _replayed(recordings: Iterable[Recording]) -> int:
    events = 0
    for recording in recordings:
        clients, _ = clients_of(recording)
        events += replay(recording, unchanged(recording, clients, Rules())).events
    return events


def _alone(recordings: Sequence[Recording]) -> tuple[float, float]:
    """Seconds of CPU an event without being measured, and the rules' share where they are."""
    gc.collect()
    started = process_time()
    events = _replayed(recordings)
    each = (process_time() - started) / events
    inside = [0.0]

    def timed(group: Group, some: Sequence[Event], now: int, rng: Random) -> Decision:
        began = process_time()
        decision = decide(group, some, now, rng)
        inside[0] += process_time() - began
        return decision

    swapped: Any = world
    swapped.decide = timed
    try:
        started = process_time()
        _replayed(recordings)
        share = inside[0] / (process_time() - started)
    finally:
        swapped.decide = decide
    return each, share


def _together(recordings: Sequence[Recording]) -> float:
    """Seconds by the clock an event, with a process for each processor."""
    cores = os.cpu_count() or 1
    parts = [recordings[core::cores] for core in range(cores)]
    with ProcessPoolExecutor(cores) as pool:
        list(pool.map(_replayed, [part[:1] for part in parts]))  # they have imported everything
        started = perf_counter()
        events = sum(pool.map(_replayed, parts))
        return (perf_counter() - started) / events
