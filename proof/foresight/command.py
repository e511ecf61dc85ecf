"""``python -m proof foresight``: random operations on real groups of each kind; status 1 if what
happened is not what was predicted."""

import argparse
import asyncio
import sys
from collections import Counter
from collections.abc import Sequence
from random import Random

from launcher.installation import Installation
from proof.foresight.acts import Outcome, happen, possible
from proof.foresight.scene import SPEAKS, Scene, Where

TOKEN = "the-token-of-a-proof"

GROUPS = 3
"""Of each sort at the same time: an operation is mostly waiting, for sessions that end and for
groups that settle."""

SETTINGS = {
    "ROLLCALL_API_TOKEN": TOKEN,
    "ROLLCALL_DATABASE_MAY_BE_UNSAFE": "on",
    "ROLLCALL_WEB_REST_READS_PER_MINUTE": "0",
    "ROLLCALL_WEB_REST_CHANGES_PER_MINUTE": "0",
    "ROLLCALL_GROUP_INITIAL_REBALANCE_DELAY_MS": "500",
    "ROLLCALL_GROUP_CONSUMER_SESSION_TIMEOUT_MS": "10000",
    "ROLLCALL_GROUP_CONSUMER_MIN_SESSION_TIMEOUT_MS": "10000",
    "ROLLCALL_GROUP_CONSUMER_MIN_HEARTBEAT_INTERVAL_MS": "500",
    "ROLLCALL_GROUP_CONSUMER_HEARTBEAT_INTERVAL_MS": "500",
}


def main(arguments: Sequence[str]) -> int:
    """Run, print each difference, and return by the exit status whether there was one."""
    parser = argparse.ArgumentParser(prog="python -m proof foresight", description=__doc__)
    parser.add_argument("--operations", type=int, default=200, help="of all groups together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", choices=list(SPEAKS), help="these sorts alone")
    parser.add_argument("--groups", type=int, default=GROUPS, help="of each sort, at once")
    options = parser.parse_args(arguments)
    with Installation(SETTINGS) as running:
        where = Where(running.kafka, running.draft, running.web, TOKEN)
        sorts = options.only or list(SPEAKS)
        outcomes = asyncio.run(run(where, sorts * options.groups, options.operations, options.seed))
    for line in report(outcomes):
        print(line)
    return 0 if all(outcome.is_right for outcome in outcomes) else 1


async def run(where: Where, sorts: Sequence[str], operations: int, seed: int) -> list[Outcome]:
    """So many operations, shared among groups of these sorts, which are there at the same time."""
    each, more = divmod(operations, len(sorts))
    groups = [_one(where, sort, each + (n < more), f"{seed}-{n}") for n, sort in enumerate(sorts)]
    return [outcome for found in await asyncio.gather(*groups) for outcome in found]


async def _one(where: Where, sort: str, operations: int, seed: str) -> list[Outcome]:
    rng = Random(f"{seed} {sort}")
    scene, found = Scene(where, sort, f"foreseen-{sort}-{seed}", rng), []
    try:
        await scene.begin(rng.randrange(2, 5))
        for _ in range(operations):
            found.append(await happen(scene, rng.choice(possible(scene))))
            print(found[-1], file=sys.stderr, flush=True)
    finally:
        await scene.end()
    return found


def report(outcomes: Sequence[Outcome]) -> list[str]:
    """Each wrong prediction, and how many were right."""
    wrong = [f"DIFFERS {outcome}" for outcome in outcomes if not outcome.is_right]
    said = Counter((one.accuracy, one.predicted == one.seen) for one in outcomes)
    return [
        *wrong,
        f"{len(outcomes)} operations: {len(outcomes) - len(wrong)} as predicted; exact"
        f" {said['exact', True]} of {said['exact', True] + said['exact', False]}; moves of"
        f" estimated ones met in {said['estimated', True]} of"
        f" {said['estimated', True] + said['estimated', False]}",
    ]
