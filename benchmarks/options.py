"""What the command line may ask of a benchmark. Values only."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """``None`` leaves the choice to the benchmark. ``rounds`` are repetitions, each measured
    for ``seconds``. ``against``: HOST:PORT of an Apache Kafka to run the same script against.
    ``kafka``: a program that starts one (``benchmarks.start``). ``than``: the folder of another
    checkout of Rollcall (``benchmarks.paired``). ``only``: these clients
    (``benchmarks.libraries``), parts (``benchmarks.beside``) or words of paths
    (``benchmarks.past``). ``every``: seconds between changes of a group, and ``members``: its size
    (``benchmarks.settling``)."""

    rounds: int | None = None
    seconds: float | None = None
    against: str | None = None
    kafka: str | None = None
    than: str | None = None
    only: Sequence[str] = ()
    every: float | None = None
    members: int | None = None
