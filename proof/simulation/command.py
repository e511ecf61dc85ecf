"""``python -m proof simulate``: live many seeds, or one of them again.

Exit code 1 if an invariant did not hold; the last lines say how to reproduce it.
"""

import argparse
import json
import os
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from proof.simulation.run import Outcome

PRINTED_EVERY = 500
"""How many seeds there are between two lines of progress."""


def prepare() -> None:
    """The product reads Django's settings when it is imported; no database is opened."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "coordinator_site.settings")
    import django

    django.setup()


def live(seed: int) -> "Outcome":
    """Run one seed, in a worker."""
    from proof.simulation.run import simulate

    return simulate(seed)


def replay(seed: int, *, traces: bool, digest: bool) -> int:
    """Run one seed again, and print everything that was recorded if requested."""
    from proof.simulation.run import simulate

    outcome = simulate(seed, keeps_history=traces)
    if digest:
        print(outcome.digest)
        return 0
    for record in outcome.history:
        print(json.dumps(record))
    print(f"seed {seed}: {', '.join(outcome.faults) or 'no faults'}")
    for violation in outcome.violations:
        print(f"  {violation}")
    return 1 if outcome.violations else 0


def many(start: int, seeds: int, workers: int) -> int:
    """Run seeds from ``start`` on, and print a summary."""
    began = time.monotonic()
    records, simulated, events, bad = Counter[str](), 0.0, 0, []
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=prepare) as pool:
        for done, outcome in enumerate(pool.map(live, range(start, start + seeds), chunksize=4), 1):
            records += outcome.records
            simulated += outcome.simulated_s
            events += outcome.events
            if outcome.violations:
                bad.append(outcome.seed)
                print(f"seed {outcome.seed}: {outcome.violations[0]}", flush=True)
            if done % PRINTED_EVERY == 0 and done < seeds:
                print(f"{done} seeds, {len(bad)} with violations", flush=True)
    took = time.monotonic() - began
    struck = {name[7:]: n for name, n in sorted(records.items()) if name.startswith("struck ")}
    print(f"{seeds} seeds in {took:.0f} s: {seeds / took:.1f} seeds/s, {events / took:,.0f} "
          f"events/s, {simulated / took:,.0f} times real time")  # fmt: skip
    print(f"{sum(struck.values())} faults: {', '.join(f'{n} {f}' for f, n in struck.items())}")
    print(f"{records['ok']} requests succeeded, {records['fail']} were refused, "
          f"{records['info']} of unknown outcome")  # fmt: skip
    for seed in bad:
        print(f"again: python -m proof simulate --seed {seed} --trace")
    print(f"{len(bad)} seeds with violations")
    return 1 if bad else 0


def main(arguments: Sequence[str]) -> int:
    """Read the command line; returns 1 if an invariant did not hold."""
    parser = argparse.ArgumentParser(prog="python -m proof simulate")
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seed", type=int, help="this one only")
    parser.add_argument("--trace", action="store_true", help="print all that was recorded")
    parser.add_argument("--digest", action="store_true", help="print its hash only")
    given = parser.parse_args(arguments)
    prepare()
    if given.seed is None:
        return many(given.start, given.seeds, given.workers)
    return replay(given.seed, traces=given.trace, digest=given.digest)
