"""Leader election: a topic with one partition; who owns it leads, and the others wait.

python examples/leader_election.py 127.0.0.1:9092
"""

import asyncio
import sys

from rollcall.client import Work, worker


@worker("leadership", group="nightly-report")
async def lead(work: Work) -> None:
    """Runs in one process at a time; cancelled before another one leads."""
    print("leading under token", work.token.epoch, flush=True)
    await asyncio.Event().wait()  # the leader's work, which gives its token to what it writes to


if __name__ == "__main__":
    lead.main(bootstrap=sys.argv[1])
