"""The answer for one group: what was recorded, what a replay makes of it, and what the change makes
of it, with how sure that is. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp
from random import Random
from typing import Final

from groups.core.group import Rules
from pipeline.what_if.changes import Change, planned, refusal, unchanged
from pipeline.what_if.clients import clients_of
from pipeline.what_if.figures import Figures, total
from pipeline.what_if.recording import Millis, Recording
from pipeline.what_if.replay import recorded_hours, replay

RESAMPLES: Final = 200
HOURS_MIN: Final = 3
"""Of fewer hours in which anything differs, nothing can be said about how chance would have it."""

INSIDE: Final = 0.9
"""The part of the resamples that an interval holds."""


NONE: Final = Figures()


@dataclass(frozen=True, slots=True)
class Answer:
    """One group's. ``refused``: why there is none. ``drawn`` is a replay without the change whose
    members' reactions are all drawn, as those of a changed one mostly are. ``differences``: what
    the change makes of the cost, by the hour."""

    group_id: str
    kind: str
    refused: str = ""
    recorded: Figures = NONE
    replayed: Figures = NONE
    drawn: Figures = NONE
    changed: Figures = NONE
    differences: Mapping[int, Millis] | None = None
    events: int = 0


def answer(recording: Recording, rules: Rules, change: Change, seed: int = 0) -> Answer:
    """Replay one group without the change, and with it."""
    kind = min(recording.kinds, default="")
    if why := refusal(recording, change):
        return Answer(recording.group_id, kind, why)
    clients, _ = clients_of(recording)
    plain = unchanged(recording, clients, rules)
    drawn = unchanged(recording, clients, rules, are_drawn=True)
    plans = (plain, drawn, planned(recording, clients, rules, change))
    as_it_was, as_drawn, changed = (replay(recording, plan, seed) for plan in plans)
    return Answer(
        recording.group_id,
        kind,
        "",
        total(recorded_hours(recording)),
        total(as_it_was.hours),
        total(as_drawn.hours),
        total(changed.hours),
        differences(as_it_was.hours, changed.hours),
        as_it_was.events + as_drawn.events + changed.events,
    )


def differences(
    before: Mapping[int, Figures], after: Mapping[int, Figures]
) -> Mapping[int, Millis]:
    """How the cost of each hour differs, without those in which it does not."""
    found = {
        hour: after.get(hour, NONE).cost_ms - before.get(hour, NONE).cost_ms
        for hour in sorted(before.keys() | after.keys())
    }
    return {hour: ms for hour, ms in found.items() if ms}


def interval(values: Sequence[Millis], seed: int = 0) -> tuple[Millis, Millis] | None:
    """Between what the sum of these would lie in nine of ten repetitions, if the hours had come
    more or less often: a bootstrap with a Poisson weight for each. None: too few."""
    if len(values) < HOURS_MIN:
        return None
    rng = Random(seed)
    sums = sorted(sum(ms * _poisson(rng) for ms in values) for _ in range(RESAMPLES))
    outside = round(RESAMPLES * (1 - INSIDE) / 2)
    return sums[outside], sums[-outside - 1]


def _poisson(rng: Random) -> int:
    """A number whose mean is 1 (Knuth, The Art of Computer Programming, 3.4.1)."""
    number, product = 0, rng.random()
    while product > ONE:
        product *= rng.random()
        number += 1
    return number


ONE: Final = exp(-1)
