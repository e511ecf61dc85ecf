"""``python -m benchmarks [NAME ...] [--rounds N] [--seconds S] [--against HOST:PORT]
[--kafka PROGRAM] [--than FOLDER] [--only CLIENT ...] [--every SECONDS] [--members N]``

All of them but those of ``NAMED_ONLY``, or those named. The exit status says whether every answer
was right and nothing was lost; a slow machine is no error.
"""

import argparse
import sys

from benchmarks import (
    analyses,
    beside,
    commits,
    consumers,
    crowds,
    fact_costs,
    fact_sizes,
    growth,
    heartbeats,
    idle,
    libraries,
    lists,
    nodes,
    pages,
    paired,
    past,
    returning,
    scrapes,
    settling,
    stack_ceiling,
    start,
    takeover,
    what_if,
)
from benchmarks.options import Options

BENCHMARKS = {
    "heartbeats": heartbeats,
    "commits": commits,
    "ceiling": stack_ceiling,
    "nodes": nodes,
    "idle": idle,
    "consumers": consumers,
    "settling": settling,
    "crowds": crowds,
    "growth": growth,
    "lists": lists,
    "pages": pages,
    "past": past,
    "returning": returning,
    "takeover": takeover,
    "start": start,
    "scrapes": scrapes,
    "paired": paired,
    "beside": beside,
    "libraries": libraries,
    "analyses": analyses,
    "what-if": what_if,
    "fact-costs": fact_costs,
    "fact-sizes": fact_sizes,
}

NAMED_ONLY = frozenset({"libraries"})
"""Take an hour for all clients: run when they are named."""


def main() -> int:
    """Run them one after the other."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
    parser.add_argument("--rounds", type=int, help="how often to repeat")
    parser.add_argument("--seconds", type=float, help="how long to measure each time")
    parser.add_argument("--against", metavar="HOST:PORT", help="an Apache Kafka to compare with")
    parser.add_argument(
        "--kafka",
        metavar="PROGRAM",
        help="serves an Apache Kafka in the foreground on the port that is its argument, with its"
        " data in the folder KAFKA_DATA",
    )
    parser.add_argument("--than", metavar="FOLDER", help="another checkout (paired)")
    parser.add_argument(
        "--only",
        metavar="NAME",
        action="append",
        default=[],
        help="this client (libraries), this part of the table (beside)",
    )
    parser.add_argument(
        "--every", type=float, metavar="SECONDS", help="from one change to the next (settling)"
    )
    parser.add_argument("--members", type=int, help="of the group (settling)")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"no benchmark is called {unknown[0]}; there are: {', '.join(BENCHMARKS)}")
    right = True
    for name in arguments.names or (each for each in BENCHMARKS if each not in NAMED_ONLY):
        benchmark = BENCHMARKS[name]
        print(f"-- {name}: {(benchmark.__doc__ or '').splitlines()[0]}", flush=True)
        right &= benchmark.main(
            Options(
                *(
                    arguments.rounds,
                    arguments.seconds,
                    arguments.against,
                    arguments.kafka,
                    arguments.than,
                    arguments.only,
                    arguments.every,
                    arguments.members,
                )
            )
        )
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
