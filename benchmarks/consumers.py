"""What an idle stock consumer costs its owner: CPU of the client, and fetches a second.

One client of each library, with its own defaults, on a topic of four partitions. Requests are
counted on the wire by a proxy between client and node.
"""

import asyncio
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from benchmarks.counting_proxy import CountingProxy
from benchmarks.machine import spending
from benchmarks.options import Options
from benchmarks.stock_consumer import LIBRARIES
from benchmarks.wire import create_topic
from launcher.installation import CHECKOUT, Installation

GOAL_SHARE = 0.03
"""Of one core, for the client."""

GOAL_FETCHES = 2.0
"""A second, for the whole client."""

FETCH = 1
TOPIC = "idle"
PARTITIONS = 4
SECONDS = 20.0

ASSIGNED_S_MAX = 60.0


@dataclass(frozen=True, slots=True)
class Result:
    """One client's share of a core, and what it asked, a second and by API key."""

    share: float
    asked: dict[int, float]

    @property
    def fetches(self) -> float:
        """Fetches a second."""
        return self.asked.get(FETCH, 0.0)


@asynccontextmanager
async def client(library: str, bootstrap: str) -> AsyncIterator[int]:
    """A consumer that has its partitions: its process id."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "benchmarks.stock_consumer", library, bootstrap, TOPIC),
        cwd=CHECKOUT,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        said = await asyncio.wait_for(process.stdout.readline(), ASSIGNED_S_MAX)
        if said != b"assigned\n":
            raise RuntimeError(f"{library} was not assigned anything: {said!r}")
        yield process.pid
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def watch(proxy: CountingProxy, library: str, seconds: float) -> Result:
    """One client through the proxy, for so long after its assignment."""
    async with client(library, f"127.0.0.1:{proxy.port}") as pid:
        before = Counter(proxy.counts)
        with spending(lambda: [pid]) as spent:
            await asyncio.sleep(seconds)
        asked = proxy.counts - before
    return Result(
        spent.cpu_s / spent.wall_s, {key: n / spent.wall_s for key, n in sorted(asked.items())}
    )


async def measure(seconds: float = SECONDS, rounds: int = 1) -> dict[str, list[Result]]:
    """Every library in turn, against an installation that sends its clients to the proxy."""
    results: dict[str, list[Result]] = {library: [] for library in LIBRARIES}
    async with CountingProxy() as proxy:
        with Installation({"ROLLCALL_ADVERTISED_PORT": str(proxy.port)}) as running:
            proxy.upstream = running.kafka
            await create_topic(running.kafka, TOPIC, PARTITIONS)
            for _ in range(rounds):
                for library, found in results.items():
                    found.append(await watch(proxy, library, seconds))
    return results


def main(options: Options) -> bool:
    """Print each client's figures; a client that fetched nothing has not been measured."""
    results = asyncio.run(measure(options.seconds or SECONDS, options.rounds or 1))
    for library, found in results.items():
        for result in found:
            others = sum(result.asked.values()) - result.fetches
            print(
                f"{library:16} {result.share:5.1%} of a core (goal < {GOAL_SHARE:.0%}),"
                f" {result.fetches:.2f} fetches a second (goal at most {GOAL_FETCHES:.0f}),"
                f" {others:.2f} other requests a second"
            )
    return all(result.fetches > 0 for found in results.values() for result in found)
