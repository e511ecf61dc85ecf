"""What Prometheus costs a node with 5,000 members: one scrape, and heartbeats beside scrapes.

CPU is that of the node's process, all threads. A scrape is measured by many at once, less what the
node spends without them. Heartbeats are a closed loop on a connection for each member; bursts with
a scrape each second, which is fifteen times as often as usual, alternate with bursts without.
"""

import asyncio
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Final

from benchmarks import heartbeats
from benchmarks.closed_loop import Round, can_run, compile_c
from benchmarks.machine import coordinators, spending
from benchmarks.options import Options
from benchmarks.wire import form_groups
from launcher import ports
from launcher.installation import Installation

GROUPS, GROUP_SIZE = 100, 50
ROUNDS: Final = 7
SECONDS: Final = 3.0
SCRAPES: Final = 300
WAIT_S: Final = 1.0

INTERVAL_S: Final = 15
"""Between two scrapes, usually."""

SHARE_GOAL: Final = 0.005
"""Of a core, for a scrape each ``INTERVAL_S``."""

DEARER_GOAL: Final = 1.02

PORT: Final = "ROLLCALL_METRICS_PORT"
ACCEPT: Final = "application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.5"
MEMBERS: Final = b"rollcall_groups_loaded"


@dataclass(frozen=True, slots=True)
class Result:
    """``scrape_s``: CPU of one, by round. ``ratios``: CPU of a heartbeat beside scrapes, by that of
    one without. ``size``: bytes of a scrape."""

    scrape_s: list[float]
    ratios: list[float]
    size: int
    wrong: int

    @property
    def share(self) -> float:
        """Of a core, for a scrape each ``INTERVAL_S``."""
        return statistics.median(self.scrape_s) / INTERVAL_S


def scrape(port: int) -> int:
    """Ask as Prometheus does; how many bytes came."""
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", "/metrics", headers={"Accept": ACCEPT})
        answer = connection.getresponse()
        body = answer.read()
    finally:
        connection.close()
    if answer.status != 200 or MEMBERS not in body:
        raise RuntimeError(f"a scrape was answered with {answer.status}")
    return len(body)


@contextmanager
def scraping(port: int) -> Iterator[None]:
    """A scrape now, and one each second."""
    ended = threading.Event()

    def again() -> None:
        scrape(port)
        while not ended.wait(WAIT_S):
            scrape(port)

    thread = threading.Thread(target=again)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def scrape_cost(nodes: list[int], port: int, count: int) -> float:
    """CPU seconds of one of so many, less what passes by itself in the same time."""
    with spending(lambda: nodes) as busy:
        for _ in range(count):
            scrape(port)
    with spending(lambda: nodes) as idle:
        time.sleep(busy.wall_s)
    return (busy.cpu_s - idle.cpu_s) / count


def measure(
    running: Installation,
    port: int,
    rounds: int = ROUNDS,
    seconds: float = SECONDS,
    groups: int = GROUPS,
    size: int = GROUP_SIZE,
    scrapes: int = SCRAPES,
) -> Result:
    """So many rounds of each; the members' sessions last over a round of scrapes."""
    members = asyncio.run(form_groups(running.kafka, "scrapes", groups, size))
    fed, kafka = heartbeats.frames(members), int(running.kafka.rpartition(":")[2])
    nodes = coordinators(running.pids())
    costs: list[float] = []
    ratios: list[float] = []
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        program = compile_c("load", Path(folder))

        def without() -> Round:
            return heartbeats.load(program, kafka, seconds, fed, lambda: nodes)

        def beside() -> Round:
            with scraping(port):
                return without()

        for turn in range(rounds):
            costs.append(scrape_cost(nodes, port, scrapes))
            order: list[Callable[[], Round]] = [without, beside]
            done = {each: each() for each in (order if turn % 2 else order[::-1])}
            ratios.append(done[without].per_cpu_second / done[beside].per_cpu_second)
            wrong += sum(each.wrong for each in done.values())
    return Result(costs, ratios, scrape(port), wrong)


def main(options: Options) -> bool:
    """Print the figures; whether every reply was right."""
    if not can_run():
        print("not run: its load needs Linux and a C compiler (cc)")
        return True
    (port,) = ports.free(1)
    with Installation({PORT: str(port)}) as running:
        figures = measure(running, port, options.rounds or ROUNDS, options.seconds or SECONDS)
    costs, ratios = sorted(figures.scrape_s), sorted(figures.ratios)
    print(
        f"a scrape {statistics.median(costs) * 1000:.2f} ms of CPU ({costs[0] * 1000:.2f} to"
        f" {costs[-1] * 1000:.2f}), {figures.size / 1000:.0f} KB; {figures.share:.3%} of a core"
        f" each {INTERVAL_S} s, goal {SHARE_GOAL:.1%}"
    )
    print(
        f"a heartbeat beside a scrape a second: {statistics.median(ratios):.3f}"
        f" ({ratios[0]:.3f} to {ratios[-1]:.3f}) of one without, goal {DEARER_GOAL}"
    )
    return not figures.wrong
