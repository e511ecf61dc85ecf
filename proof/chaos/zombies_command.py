"""``python -m proof zombies``: nodes whose writes come late; status 1 if any was taken."""

import argparse
import asyncio
from collections.abc import Sequence

from proof.chaos import zombies
from proof.chaos.fleet import Size


def main(arguments: Sequence[str]) -> int:
    """Run, print the report, and return by the exit status whether all held."""
    options = _parser().parse_args(arguments)
    size = Size(
        classic_groups=options.classic,
        consumer_groups=options.consumer,
        members=options.members,
        beats_s=(0.3, 1.0),  # a fail point is reached soon
    )
    outcome = asyncio.run(zombies.run(options.count, options.nodes, options.seed, size))
    print("\n".join(zombies.lines(outcome, options.seed)), flush=True)
    return 1 if outcome.violations else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m proof zombies", description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--classic", type=int, default=6, help="groups of the classic protocol")
    parser.add_argument("--consumer", type=int, default=2, help="groups of the consumer protocol")
    parser.add_argument("--members", type=int, default=3, help="members of each group")
    return parser
