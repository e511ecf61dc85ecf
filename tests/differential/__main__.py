"""Random scenarios on Rollcall and Apache Kafka at once.

    python -m tests.differential                         # seeds 1 to 20 of every kind
    python -m tests.differential --kinds mixed --seeds 100-160
    python -m tests.differential --record --seeds 1-60   # and write down what Kafka answered

Exit status 1 when the servers part in a way that ``accepted`` does not name; the shortest list of
steps that was found is printed.
"""

import argparse
import asyncio
import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from random import Random

from launcher.installation import Installation
from tests.differential import recorded
from tests.differential.accepted import judge_of
from tests.differential.kafka import OURS, SAME, VERSIONS, Kafka, Missing
from tests.differential.kinds import KINDS
from tests.differential.plays import Outcome, Step, chosen, perform

AT_ONCE = 8
"""Scenarios that are played at the same time."""


class Run:
    """One run: both addresses, and names that no other scenario has."""

    def __init__(self, theirs: str, ours: str, shrink_s: float) -> None:
        self.addresses = (theirs, ours)
        self.shrink_s = shrink_s
        self.names = 0

    async def one(self, kind: str, seed: int, steps: Sequence[Step] | None = None) -> Outcome:
        """A scenario, chosen by its seed or given."""
        self.names += 1
        play = KINDS[kind](f"-{os.getpid()}-{self.names}-")
        try:
            await play.open(*self.addresses)
            todo = chosen(play, Random(f"{kind} {seed}")) if steps is None else steps
            return await perform(play, todo, judge_of(kind))
        finally:
            await play.close()

    async def all_of(self, kind: str, seeds: range) -> list[Outcome]:
        """Scenarios by their seeds, several at once: most of their time is waiting."""
        room = asyncio.Semaphore(AT_ONCE)

        async def one(seed: int) -> Outcome:
            async with room:
                return await self.one(kind, seed)

        return await asyncio.gather(*map(one, seeds))

    async def shrunk(self, kind: str, seed: int, found: Outcome) -> Outcome:
        """The same ending with as few steps as can be found in time."""
        assert found.parted is not None
        steps = [*(step for step, _ in found.lines), found.parted[0]]
        size, end = max(1, len(steps) // 2), time.monotonic() + self.shrink_s
        while size and time.monotonic() < end:
            at = 0
            while at < len(steps) - 1 and time.monotonic() < end:
                fewer = steps[:at] + steps[min(at + size, len(steps) - 1) :]
                again = await self.one(kind, seed, fewer)
                if again.sign == found.sign:
                    steps, found = fewer, again
                else:
                    at += size
            size //= 2
        return found


def _tell(kind: str, seed: int, outcome: Outcome) -> None:
    print(f"{kind} {seed}: the servers part")
    for step, answer in outcome.lines:
        print(f"      {step} -> {answer}")
    assert outcome.parted is not None
    step, theirs, ours = outcome.parted
    print(f"  >>> {step}\n      Kafka    {theirs}\n      Rollcall {ours}", flush=True)


async def compare(run: Run, kinds: Sequence[str], seeds: range, *, record: bool) -> int:
    """Play them all; how many parted."""
    count: Counter[str] = Counter()
    for kind in kinds:
        kept: dict[int, recorded.Lines] = {}
        for seed, outcome in zip(seeds, await run.all_of(kind, seeds), strict=True):
            verdict = "parted" if outcome.parted else "accepted" if outcome.accepted else "equal"
            count[verdict] += 1
            count.update(f"({name})" for name in set(outcome.accepted))
            if outcome.parted:
                _tell(kind, seed, await run.shrunk(kind, seed, outcome))
            kept[seed] = outcome.lines
        if record:
            recorded.write(kind, kept)
        print(f"{kind} done", flush=True)
    print(", ".join(f"{n} {word}" for word, n in sorted(count.items(), reverse=True)))
    return count["parted"]


async def _main(given: argparse.Namespace) -> int:
    low, _, high = given.seeds.partition("-")
    settings = {
        f"ROLLCALL_{name.upper().replace('.', '_')}": value
        for name, value in {**SAME, **OURS}.items()
    }
    async with Kafka(given.kafka) as kafka:
        with Installation(settings) as rollcall:
            run = Run(kafka.address, rollcall.kafka, given.shrink)
            seeds = range(int(low), int(high or low) + 1)
            return await compare(run, given.kinds or list(KINDS), seeds, record=given.record)


def main() -> int:
    """The arguments of the command line."""
    parser = argparse.ArgumentParser(prog="tests.differential", description=__doc__)
    parser.add_argument("--seeds", default="1-20", help="A-B")
    parser.add_argument("--kafka", default=VERSIONS[0], choices=VERSIONS, help="its version")
    parser.add_argument("--kinds", nargs="*", choices=list(KINDS))
    parser.add_argument("--shrink", type=float, default=30, help="seconds, for each difference")
    parser.add_argument("--record", action="store_true", help="write what Kafka answered")
    try:
        return 1 if asyncio.run(_main(parser.parse_args())) else 0
    except Missing as missing:
        print(missing, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
