"""``python -m proof failover``: crash, hang and hand-over under 200 members with stock timing.

Status 1 when a member noticed, or anything did not hold; times are printed, and judged by whoever
knows what else the machine did.
"""

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import replace

from proof.chaos import failover


def main(arguments: Sequence[str]) -> int:
    """Run, print the report, and return by the exit status whether all held."""
    options = _parser().parse_args(arguments)
    size = replace(failover.STOCK, classic_groups=options.groups, members=options.members)
    outcome = asyncio.run(failover.run(options.nodes, options.seed, size, options.rounds))
    print("\n".join(failover.lines(outcome, options.seed)), flush=True)
    return 1 if outcome.violations or outcome.rebalances or outcome.evictions else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m proof failover", description=__doc__)
    parser.add_argument("--rounds", type=int, default=1, help="of crash, hang and hand-overs")
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--groups", type=int, default=failover.STOCK.classic_groups)
    parser.add_argument("--members", type=int, default=failover.STOCK.members, help="of each group")
    return parser
