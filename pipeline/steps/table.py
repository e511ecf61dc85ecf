"""The steps, in their order: what each reads and makes.

To add a report: a class in ``datasets``, a function here beside these, and a row. Nothing else
knows its name: results are stored generically, and pages, REST and the command line show every
report that a run has made.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pipeline.datasets.advice import Advice
from pipeline.datasets.cost import Clients, Cost, Hours, Software
from pipeline.datasets.dataset import Dataset, Report
from pipeline.datasets.deploys import Deploys
from pipeline.datasets.facts import LifeEvents, OwnershipEvents, ProgressHours, SilenceHours
from pipeline.datasets.hours import PartitionHours, SilentHours
from pipeline.datasets.journal import Journal
from pipeline.datasets.lives import Lives, Ownership
from pipeline.datasets.movement import Movement
from pipeline.datasets.progress import Progress
from pipeline.datasets.rebalances import Rebalances
from pipeline.datasets.stability import Silence, Stability
from pipeline.datasets.what_if import WhatIf
from pipeline.steps import cost, hours, lives, stability
from pipeline.steps.advice import advice
from pipeline.steps.deploys import deploys
from pipeline.steps.movement import movement
from pipeline.steps.progress import progress
from pipeline.steps.rebalances import rebalances


@dataclass(frozen=True, slots=True)
class Step:
    """``compute`` takes the inputs in their order and the moment of the run."""

    output: type[Dataset]
    inputs: Sequence[type[Dataset]]
    compute: Callable[..., Dataset]

    @property
    def report(self) -> type[Report] | None:
        """What it makes, if that is for people: stored in PostgreSQL, not as a table of files."""
        return self.output if issubclass(self.output, Report) else None


STEPS: Final[Sequence[Step]] = (
    Step(Rebalances, (Journal,), rebalances),
    Step(Lives, (LifeEvents,), lives.lives),
    Step(Ownership, (OwnershipEvents,), lives.ownership),
    Step(SilentHours, (SilenceHours,), hours.silences),
    Step(PartitionHours, (ProgressHours,), hours.partition_hours),
    Step(Cost, (Rebalances,), cost.cost),
    Step(Clients, (Rebalances,), cost.clients),
    Step(Software, (Rebalances, Lives), cost.software),
    Step(Deploys, (Lives, Rebalances), deploys),
    Step(Movement, (Ownership,), movement),
    Step(Stability, (Lives,), stability.stability),
    Step(Silence, (Lives, SilentHours), stability.silence),
    Step(Progress, (PartitionHours, Lives), progress),
    Step(Advice, (Lives, Rebalances, Ownership, Deploys), advice),
    Step(Hours, (Rebalances,), cost.hours),
)

REPORTS: Final[Mapping[str, type[Report]]] = {
    step.report.NAME: step.report for step in STEPS if step.report is not None
}

ANSWERS: Final[Sequence[type[Report]]] = (WhatIf,)
"""Reports that no run computes: their rows are answers to what somebody has asked, kept beside the
runs (``results.runs.answer``)."""

TABLES: Final = {step.output.NAME: step.output for step in STEPS if step.report is None}
"""Tables of files, which reports are made of."""


def is_read_again(made: type[Dataset]) -> bool:
    """Whether a table or report is read more than once, and so kept until the run ends: by later
    steps, and a report also to be stored."""
    return sum(made in step.inputs for step in STEPS) + issubclass(made, Report) > 1


def needed(reports: Sequence[str]) -> list[Step]:
    """The steps that these reports need, in their order."""
    wanted: set[type[Dataset]] = {REPORTS[name] for name in reports}
    chosen = []
    for step in reversed(STEPS):
        if step.output in wanted:
            chosen.append(step)
            wanted |= {*step.inputs}
    return chosen[::-1]
