"""The report of a run: the verdict, the table of faults, how soon members were served."""

from collections import Counter
from collections.abc import Sequence
from statistics import median, quantiles

from proof.chaos.faults import FAULTS
from proof.chaos.probe import PAUSE_S
from proof.chaos.record import Record
from proof.chaos.run import Outcome


def lines(outcome: Outcome, seed: int) -> list[str]:
    """The report, the verdict last."""
    return [
        *_faults(outcome),
        "",
        *_members(outcome),
        *_times(outcome),
        *(f"VIOLATION {violation}" for violation in outcome.violations),
        _verdict(outcome, seed),
    ]


def next_beats(outcome: Outcome, instants: Sequence[float]) -> list[float]:
    """For each instant and member: seconds to the end of its next good heartbeat."""
    found: list[float] = []
    for instant in instants:
        first: dict[str, float] = {}
        for beat in outcome.record.beats:
            if beat.sent_at > instant:
                first.setdefault(beat.member, beat.received_at - instant)
        found += first.values()
    return found


PATIENCE = 0.9
"""A member measures on its side; its requests may have arrived a little later."""


def _faults(outcome: Outcome) -> list[str]:
    counts = Counter(fault.name for fault, _ in outcome.injected)
    done = [fault for fault in FAULTS if counts[fault.name]]
    return [
        *(f"not possible on this machine: {fault.name}" for fault in outcome.left_out),
        *(f"{counts[fault.name]:4} x {fault.name:28} {fault.meaning}" for fault in done),
    ]


def _members(outcome: Outcome) -> list[str]:
    record = outcome.record
    live = beating(record)
    commits = Counter(commit.error for commit in record.commits)
    in_doubt = commits[None] + commits[15]
    refused = commits.total() - commits[0] - in_doubt
    return [
        f"heartbeats answered {len(record.beats)}; offsets acknowledged {commits[0]},"
        f" in doubt {in_doubt}, refused {refused}",
        f"rows of facts compared: {outcome.facts['life']} of lives,"
        f" {outcome.facts['owned']} of ownership",
        f"the run itself stood still for {record.late_s:.1f} s in all",
        f"members evicted while beating {live}, after silence {len(record.evictions) - live}",
    ]


def beating(record: Record) -> int:
    """How many members were removed although they had sent a request in their session."""
    return sum(e.silent_s < e.session_s * PATIENCE for e in record.evictions)


def _times(outcome: Outcome) -> list[str]:
    kills = [at for fault, at in outcome.injected if fault.kills]
    lines = []
    if kills:
        beats = next_beats(outcome, kills)
        lines.append(
            f"from a kill to a member's next good heartbeat: median {median(beats):.2f} s,"
            f" worst {max(beats):.2f} s ({len(kills)} kills)"
        )
    return [
        *lines,
        *(f"longest pause of a group after {name}: {_spread(outcome, name)}" for name in PROBED),
    ]


PROBED = ("kill-node", "pause-node", "term-node")


def _spread(outcome: Outcome, name: str) -> str:
    """Of faults without another one at the same time, up to the next one."""
    begun = [at for _, at in outcome.injected]
    ends = [*begun[1:], begun[-1] + LAST_S] if begun else []
    return pauses(
        [
            pause
            for (fault, at), end in zip(outcome.injected, ends, strict=True)
            if fault.name == name and begun.count(at) == 1
            for pause in outcome.served.longest(at, end - at).values()
        ]
    )


def pauses(found: Sequence[float]) -> str:
    """Median and worst of the groups that had no service for a while, p99 of all."""
    touched = [pause for pause in found if pause > PAUSE_S]
    if len(found) < 2 or not touched:
        return f"none above {PAUSE_S:.1f} s in {len(found)}"
    p99 = quantiles(found, n=100, method="inclusive")[98]
    return (
        f"median {median(touched):.2f} s of {len(touched)} touched, p99 {p99:.2f} s of all"
        f" {len(found)}, worst {max(found):.2f} s"
    )


LAST_S = 15.0
"""How long after the last fault is measured."""


def _verdict(outcome: Outcome, seed: int) -> str:
    kinds = len({fault.name for fault, _ in outcome.injected})
    return (
        f"{len(outcome.injected)} faults of {kinds} kinds, seed {seed}:"
        f" {len(outcome.violations)} violations"
    )
