"""What a user of each stock client waits for, beside an Apache Kafka.

    python -m benchmarks libraries [--only CLIENT] [--only CLIENT ...] [--rounds N]

Every library at its own defaults (heartbeats every 3 s, its own session) goes through the same
story, on Rollcall and on Kafka, which both serve: joining, commits, leaving, a pause of the
process, growth. The two stories run side by side, one some seconds behind the other so that neither
starts its processes while the other does; who is first alternates. A library takes five minutes.
New partitions are for the consumer protocol alone: in the classic one a client looks for them every
five minutes.
"""

import asyncio
import math
import os
import random
import signal
import statistics
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from benchmarks import kafka, shapes, start
from benchmarks.commits import folder_on_disk
from benchmarks.options import Options
from benchmarks.wire import Peer, create_topic
from launcher import ports
from launcher.installation import Installation
from rollcall.wire.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from tests.clients.conftest import Worker
from tests.clients.programs import WORKERS

ROUNDS = 3
PARTITIONS = 6
GROWN = 8
HEARTBEAT_MS = 3_000

SESSIONS_MS: Mapping[str, int] = {"aiokafka": 10_000, "sarama": 10_000, "kafkajs": 30_000}
"""The libraries' own; that of all others is ``SESSION_MS``."""

SESSION_MS = 45_000

COMMITS = 24
PAUSE_S = (0.1, 0.5)
"""Between two commits: all together last for two or three heartbeats."""

REST_S = 13.0
"""Until a member is settled: the coordinator knows its pace, and holds its heartbeats."""

INTERVAL_S = 5.0
"""The longest interval of heartbeats: a join and a leave come at any time of it. With few rounds
the figures of members that are not held are chance, on either side."""

BEHIND_S = 4.0
"""So long the second story starts after the first."""

PATIENCE_S = 150.0
LOOK_AGAIN_S = 0.005
LATE_S, LATE_RATIO = 0.05, 1.1
"""What is later than Kafka by more than both is marked."""

Figures = dict[str, list[float]]
"""Seconds, by what was waited for."""


@dataclass(slots=True)
class Story:
    """One library against one server. ``took``: what it waited for."""

    library: str
    bootstrap: str
    took: Figures = field(default_factory=lambda: defaultdict(list))
    name: str = field(default_factory=lambda: f"libraries-{uuid4().hex[:8]}")
    workers: list[Worker] = field(default_factory=list)
    offset: int = 0

    @property
    def session_ms(self) -> int:
        """The session timeout that its library has by default."""
        return SESSIONS_MS.get(self.library, SESSION_MS)

    def tell(self) -> None:
        """All of it."""
        asyncio.run(create_topic(self.bootstrap, self.name, PARTITIONS))
        try:
            self._life()
        finally:
            for worker in self.workers:
                if worker.process.poll() is None:
                    worker.kill()

    def _life(self) -> None:
        one = self._joins("the first owns all")
        self._commits(one, "just assigned")
        other = self._joins("a second joins at once")
        time.sleep(REST_S)
        self._commits(one, "settled")
        self._closes(other, "")
        self._stands_still(one)
        time.sleep(REST_S)
        late = self._joins("a second joins a settled one")
        time.sleep(REST_S)
        if self.library.endswith(("-848", "-pattern")):
            self._grows()
            time.sleep(REST_S)
        self._closes(late, ", settled")
        self._closes(one, ", the last")

    def _joins(self, what: str) -> Worker:
        """Start a worker; seconds from its first line of code until all have an even share."""
        time.sleep(random.uniform(0, INTERVAL_S))
        worker = Worker.of(self.library, self.bootstrap, self.name, self.session_ms)
        self.workers.append(worker)
        self._until(lambda: _has_reported(worker, "starts"), "it starts")
        self._waits(what, self._is_even)
        return worker

    def _is_even(self, partitions: int = PARTITIONS) -> bool:
        alive = [worker for worker in self.workers if worker.process.poll() is None]
        owned = [partition for worker in alive for partition in worker.owned]
        shares = {len(worker.owned) for worker in alive}
        return sorted(owned) == list(range(partitions)) and max(shares) - min(shares) <= 1

    def _commits(self, worker: Worker, when: str) -> None:
        """Commits, each with a read of what was committed; the worker itself takes the times."""
        for number in range(COMMITS):
            self.offset += 1
            stored = worker.commit(self.offset)
            if set(stored.values()) != {self.offset}:
                raise RuntimeError(f"{self.library} committed {self.offset} and read {stored}")
            said = _last(worker, "committed")
            self.took[f"a commit, {when}"].append(said["commit_s"])
            self.took[f"a read of it, {when}"].append(said["read_s"])
            if number == 0:
                both_s = said["commit_s"] + said["read_s"]
                self.took[f"the first commit and read, {when}"].append(both_s)
            time.sleep(random.uniform(*PAUSE_S))

    def _closes(self, worker: Worker, how: str) -> None:
        """The library's own close, and how soon the others have all."""
        time.sleep(random.uniform(0, INTERVAL_S))
        worker.process.send_signal(signal.SIGTERM)
        began = time.monotonic()
        self._until(lambda: _has_reported(worker, "closed"), "it has closed")
        self.took[f"close(){how}"].append(_last(worker, "closed")["close_s"])
        left = [each for each in self.workers if each is not worker]
        if not how.endswith("last"):
            self._until(lambda: sum(len(each.owned) for each in left) >= PARTITIONS, "all again")
            self.took[f"it closes, the other owns all{how}"].append(time.monotonic() - began)
        worker.process.wait(PATIENCE_S)
        self.workers.remove(worker)

    def _stands_still(self, worker: Worker) -> None:
        """The process is suspended for half a session, and resumes with a commit."""
        worker.process.send_signal(signal.SIGSTOP)
        time.sleep(self.session_ms / 2000)
        worker.process.send_signal(signal.SIGCONT)
        self.offset += 1
        self._waits(
            "a commit and read after half a session of SIGSTOP",
            lambda: (worker.attempt(self.offset) or {}).get("0") == self.offset,
        )

    def _grows(self) -> None:
        asyncio.run(_grow(self.bootstrap, self.name))
        self._waits("new partitions are owned", lambda: self._is_even(GROWN))

    def _waits(self, what: str, claim: Callable[[], bool]) -> None:
        began = time.monotonic()
        self._until(claim, what)
        self.took[what].append(time.monotonic() - began)

    def _until(self, claim: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + PATIENCE_S
        while not claim():
            if time.monotonic() > end:
                said = [(worker.events[-5:], worker.errors) for worker in self.workers]
                raise RuntimeError(f"{self.library} at {self.bootstrap}: {what}: never; {said}")
            time.sleep(LOOK_AGAIN_S)


def _has_reported(worker: Worker, event: str) -> bool:
    if worker.process.poll() not in (None, 0):
        raise RuntimeError(f"a worker ended with {worker.process.returncode}: {worker.errors}")
    return any(each["event"] == event for each in list(worker.events))


def _last(worker: Worker, event: str) -> dict[str, Any]:
    return next(each for each in reversed(worker.events) if each["event"] == event)


async def _grow(bootstrap: str, topic: str) -> None:
    peer = await Peer.connect(bootstrap)
    grown = CreatePartitionsTopic(name=topic, count=GROWN, assignments=None)
    answer = await peer.call(CreatePartitionsRequest(topics=[grown], timeout_ms=5_000), 3)
    peer.close()
    if answer.results[0].error_code:
        raise RuntimeError(f"{topic} did not grow: {answer}")


def side_by_side(first: Story, second: Story) -> None:
    """Both at once, the second a little later."""
    failed: list[BaseException] = []

    def tell(story: Story, after_s: float) -> None:
        time.sleep(after_s)
        try:
            story.tell()
        except BaseException as error:
            failed.append(error)

    threads = [
        threading.Thread(target=tell, args=(story, after_s))
        for story, after_s in ((first, 0.0), (second, BEHIND_S))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


@contextmanager
def both(program: str) -> Iterator[tuple[str, str]]:
    """Rollcall and Kafka, at their defaults."""
    with (
        folder_on_disk() as ours,
        folder_on_disk() as theirs,
        Installation(data_dir=Path(ours)) as running,
    ):
        [port] = ports.free(1)
        with start.kafka(program, port, Path(theirs)):
            addresses = running.kafka, f"127.0.0.1:{port}"
            for address in addresses:
                asyncio.run(shapes.serving(address))
            yield addresses


def measure(library: str, addresses: tuple[str, str], rounds: int) -> tuple[Figures, Figures]:
    """The figures of Rollcall, and of Kafka."""
    ours: Figures = defaultdict(list)
    theirs: Figures = defaultdict(list)
    for number in range(rounds):
        mine, other = Story(library, addresses[0], ours), Story(library, addresses[1], theirs)
        side_by_side(*((other, mine) if number % 2 else (mine, other)))
    return ours, theirs


def table(library: str, ours: Figures, theirs: Figures) -> Iterator[str]:
    """A line for each figure: medians, their ratio, the longest."""
    yield f"{library:50} {'Rollcall':>9} {'Kafka':>9} {'ratio':>6}    longest"
    for what, seconds in ours.items():
        mine, other = statistics.median(seconds), statistics.median(theirs[what])
        ratio = mine / other if other else math.inf
        is_later = mine - other > LATE_S and ratio > LATE_RATIO
        yield (
            f"  {what:48} {mine:9.3f} {other:9.3f} {ratio:6.2f}"
            f"    {max(seconds):.3f} {max(theirs[what]):.3f}{'  LATER' if is_later else ''}"
        )


def libraries(only: Sequence[str]) -> list[str]:
    """Those of the table of workers that can share a group with one like itself, and that build in
    a minute."""
    usual = [
        name
        for name, program in WORKERS.items()
        if program.language != "rust" and not name.endswith("-static")
    ]
    unknown = set(only) - WORKERS.keys()
    if unknown:
        raise SystemExit(f"no client is called {', '.join(unknown)}; there are {', '.join(usual)}")
    return [*only] or usual


def main(options: Options) -> bool:
    """Print a table for each library; what is wrong raises."""
    if not (options.kafka or kafka.can_run()):
        print("not run: it needs Java with Maven, or --kafka PROGRAM")
        return True
    named = libraries(options.only)
    os.environ["HEARTBEAT_MS"] = str(HEARTBEAT_MS)
    with kafka.serving_program(options.kafka) as program, both(program) as addresses:
        for library in named:
            for line in table(library, *measure(library, addresses, options.rounds or ROUNDS)):
                print(line, flush=True)
    return True
