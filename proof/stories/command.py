"""``python -m proof stories``: many random stories, and what the journal says of them wrongly."""

import argparse
from collections.abc import Sequence
from typing import NamedTuple

from proof.stories.plot import KINDS, Story


class Result(NamedTuple):
    """What one story had: explained entries, causes, members that were removed while they were
    awaited, and mistakes."""

    entries: int
    causes: int
    removed: int
    wrong: Sequence[str]


def play(kind: str, seed: int) -> Result:
    """One story."""
    truth = Story(kind, seed).play()
    told = truth.told_of
    return Result(told.entries, told.causes, told.removed, truth.wrong)


def main(arguments: Sequence[str]) -> int:
    """Play stories of every kind of group; 1 if any was explained wrongly."""
    parser = argparse.ArgumentParser(prog="python -m proof stories", description=__doc__)
    parser.add_argument("--stories", type=int, default=10_000, help="how many, of all kinds")
    parser.add_argument("--kind", choices=KINDS, help="of this kind of group only")
    parser.add_argument("--seed", type=int, default=0, help="of the first one")
    options = parser.parse_args(arguments)
    kinds = (options.kind,) if options.kind else KINDS
    failed = 0
    for kind in kinds:
        results = [
            (seed, play(kind, seed))
            for seed in range(options.seed, options.seed + options.stories // len(kinds))
        ]
        wrong = [(seed, result) for seed, result in results if result.wrong]
        failed += len(wrong)
        print(_line(kind, [result for _, result in results], len(wrong)), flush=True)
        for seed, result in wrong[:10]:
            print(f"  --kind {kind} --seed {seed} --stories 1: {result.wrong[0]}")
    return 1 if failed else 0


def _line(kind: str, results: Sequence[Result], wrong: int) -> str:
    entries = sum(each.entries for each in results)
    causes = sum(each.causes for each in results)
    removed = sum(each.removed for each in results)
    return (
        f"{kind}: {len(results):,} stories, {wrong} wrong; {entries:,} rebalances explained by"
        f" {causes:,} causes, {removed:,} members were removed while they were awaited"
    )
