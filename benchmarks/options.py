"""What the command line may ask of a benchmark. Values only."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """``None`` leaves the choice to the benchmark. ``rounds`` are repetitions, each measured
    for ``seconds``."""

    rounds: int | None = None
    seconds: float | None = None
