"""``python -m proof repeats``: faults that repeat, one kind after another; status 1 when anything
did not hold. The times of bystanders are the point: printed, and judged with much room."""

import argparse
import asyncio
from collections.abc import Iterator, Sequence
from statistics import median

from proof.chaos import repeats
from proof.chaos.repeats import BY_NAME, REPEATS, Outcome


def main(arguments: Sequence[str]) -> int:
    """Run, print the report, and return by the exit status whether all held."""
    options = _parser().parse_args(arguments)
    settings = dict(repeats.PRODUCT)
    if options.backoff_ms is not None:
        settings = dict.fromkeys(settings, str(options.backoff_ms))
    violated = 0
    for name in options.only or BY_NAME:
        outcome = asyncio.run(
            repeats.run(
                BY_NAME[name],
                options.nodes,
                options.seed,
                options.seconds,
                options.rounds,
                settings,
            )
        )
        violated += len(outcome.violations)
        print("\n".join(lines(name, outcome)), flush=True)
    return 1 if violated else 0


def lines(name: str, outcome: Outcome) -> Iterator[str]:
    """The report of one kind."""
    yield (
        f"{name}: {outcome.rounds} rounds; groups of struck nodes {_figures(outcome.struck)};"
        f" bystanders {_figures(outcome.bystanders)}; in hand-overs {_figures(outcome.handed)};"
        " at most"
        f" {max(outcome.outages.values(), default=0)} outages of a group, without a coordinator"
        f" {outcome.away:.0%} of the time; violations {len(outcome.violations)}"
    )
    yield from (f"VIOLATION {violation}" for violation in outcome.violations)


def _figures(gaps: Sequence[float]) -> str:
    if not gaps:
        return "always served"
    return f"{len(gaps)} times without, median {median(gaps):.2f} s, worst {max(gaps):.2f} s"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m proof repeats", description=__doc__)
    names = [repeat.name for repeat in REPEATS]
    parser.add_argument("--only", nargs="*", choices=names, help="these alone")
    parser.add_argument("--seconds", type=float, default=60.0, help="of each kind")
    parser.add_argument("--rounds", type=int, default=1_000_000, help="then it is enough")
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--backoff-ms",
        type=int,
        help="node.restart.backoff.ms, and its maximum; else the product's",
    )
    return parser
