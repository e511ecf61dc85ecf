"""``python -m proof fleet``: many groups on a hundred nodes, restarts and the loss of a zone
(``proof/simulation/fleet.py``)."""

import argparse
from collections.abc import Sequence

from proof.simulation.command import prepare


def main(arguments: Sequence[str]) -> int:
    """Print a line for each act; returns 1 if a group was lost, or had a rebalance."""
    parser = argparse.ArgumentParser(prog="python -m proof fleet")
    parser.add_argument("--nodes", type=int, default=100)
    parser.add_argument("--groups", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    prepare()
    from proof.simulation.fleet import living, play

    with living(given.seed, given.nodes, given.groups) as fleet:
        for line in play(fleet):
            print(line, flush=True)
        print(f"{fleet.served()} groups served, {fleet.rebalances()} rebalanced")
        return int(not fleet.is_whole() or fleet.rebalances() > 0)
