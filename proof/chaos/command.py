"""``python -m proof chaos``: a run from the command line; status 1 when anything did not hold."""

import argparse
import asyncio
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from proof.chaos import report
from proof.chaos.faults import BY_NAME, FAULTS
from proof.chaos.fleet import Size
from proof.chaos.run import Outcome, run


def main(arguments: Sequence[str]) -> int:
    """Run, print the report, and return by the exit status whether all held."""
    options = _parser().parse_args(arguments)
    faults = [BY_NAME[name] for name in options.only] if options.only else FAULTS
    size = Size(
        classic_groups=options.classic,
        consumer_groups=options.consumer,
        cooperative_groups=options.cooperative,
        draft_groups=options.draft,
        commanded_groups=options.commanded,
        members=options.members,
        big=options.big,
        is_odd=not options.plain,
    )
    outcome = asyncio.run(
        run(options.minutes, options.nodes, options.seed, faults, size, options.most)
    )
    if options.log:
        Path(options.log).write_text("".join(outcome.log))
        if outcome.history:
            Path(f"{options.log}.history").write_text("".join(_history(outcome)))
    print("\n".join(report.lines(outcome, options.seed)), flush=True)
    return 1 if outcome.violations else 0


def _history(outcome: Outcome) -> Iterator[str]:
    """The records around violations and all faults, a line of JSON each, in order."""
    faults = [
        {"at": begun * 1000, "type": "fault", "name": each.name} for each, begun in outcome.injected
    ]
    for record in sorted([*outcome.history, *faults], key=lambda record: record["at"]):
        yield json.dumps(record, default=str) + "\n"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m proof chaos", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0, help="of faults, without the start")
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=1_000_000, help="faults, then it is enough")
    parser.add_argument("--classic", type=int, default=6, help="groups of the classic protocol")
    parser.add_argument("--consumer", type=int, default=2, help="groups of the consumer protocol")
    for kind in ("cooperative", "draft", "commanded"):
        parser.add_argument(f"--{kind}", type=int, default=1, help=f"{kind} groups")
    parser.add_argument("--members", type=int, default=5, help="members of each group")
    parser.add_argument("--big", type=int, default=60, help="members of a big group; 0: none")
    parser.add_argument("--plain", action="store_true", help="no groups with odd names and values")
    parser.add_argument("--only", nargs="*", choices=sorted(BY_NAME), help="these faults alone")
    parser.add_argument(
        "--log", help="a file for what the processes said, and beside it the history of violations"
    )
    return parser
