"""The steps, in their order: what each reads and makes.

To add a report: a class in ``datasets``, a function here beside these, and a row. Nothing else
knows its name: results are stored generically, and pages, REST and the command line show every
report that a run has made.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from pipeline.datasets.cost import Clients, Cost, Hours
from pipeline.datasets.dataset import Dataset, Report
from pipeline.datasets.journal import Journal
from pipeline.datasets.rebalances import Rebalances
from pipeline.steps import cost
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


def _at_any_time(compute: Callable[..., Any]) -> Callable[..., Any]:
    """A computation that does not depend on the moment."""

    def computed(*inputs: Any) -> Any:
        *datasets, at = inputs
        assert isinstance(at, datetime)
        return compute(*datasets)

    return computed


STEPS: Final[Sequence[Step]] = (
    Step(Rebalances, (Journal,), _at_any_time(rebalances)),
    Step(Cost, (Rebalances,), cost.cost),
    Step(Clients, (Rebalances,), cost.clients),
    Step(Hours, (Rebalances,), cost.hours),
)

REPORTS: Final[Mapping[str, type[Report]]] = {
    step.report.NAME: step.report for step in STEPS if step.report is not None
}


def needed(reports: Sequence[str]) -> list[Step]:
    """The steps that these reports need, in their order."""
    wanted: set[type[Dataset]] = {REPORTS[name] for name in reports}
    chosen = []
    for step in reversed(STEPS):
        if step.output in wanted:
            chosen.append(step)
            wanted |= {*step.inputs}
    return chosen[::-1]
