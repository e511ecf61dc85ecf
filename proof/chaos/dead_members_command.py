"""``python -m proof dead-members``: members end, and a fault repeats; when are they removed?

Status 1 when one is removed later than its session, the time in which its group was not served and
one grace say, or a live member was evicted; times are printed.
"""

import argparse
import asyncio
from collections.abc import Sequence

from proof.chaos import dead_members


def main(arguments: Sequence[str]) -> int:
    """Run, print a line for each fault, and return by the exit status whether all held."""
    options = _parser().parse_args(arguments)
    failed = False
    for name in options.faults or dead_members.FAULTS:
        outcome = asyncio.run(dead_members.run(name, options.seed))
        print(dead_members.line(name, outcome), flush=True)
        failed |= bool(outcome.late) or outcome.evicted > 0
    return 1 if failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m proof dead-members", description=__doc__)
    parser.add_argument("faults", nargs="*", choices=[*dead_members.FAULTS, []], metavar="FAULT")
    parser.add_argument("--seed", type=int, default=1)
    return parser
