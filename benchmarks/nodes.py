"""The same commits and heartbeats on one, two and three nodes, and what PostgreSQL says of itself.

An installation for each number of nodes, all on this machine; the load goes to one after the other,
round by round, a member's requests to the node that leads its group. What PostgreSQL counts and
waits for is read between two marks while it works: a backend tells it once a second. Nodes, load
and PostgreSQL share the processors, so requests a second say little of more of them; CPU for a
request, rows of a transaction and waits do.
"""

import asyncio
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import psycopg

from benchmarks import shapes
from benchmarks.closed_loop import Pair, Round, can_run, compile_c, connections, load
from benchmarks.commits import folder_on_disk
from benchmarks.machine import coordinators, databases, spending
from benchmarks.options import Options
from benchmarks.wire import Member, create_topic, form, led_by
from launcher.data_dir import DataDir
from launcher.installation import Installation

NODES = (1, 2, 3)
ROUNDS, SECONDS = 4, 6.0
MARGIN_S = 1.5
"""Between the load's beginning or end and a mark: longer than a backend keeps its counts."""

LOOK_S = 0.05
EVEN_S = 60.0


class Load(NamedTuple):
    """500 members in so many groups, and the frames that they send."""

    groups: int
    frames: Callable[[str, Sequence[Member]], Coroutine[Any, Any, list[Pair]]]


LOADS: Mapping[str, Load] = {
    "heartbeats": Load(50, shapes.heartbeats_of),
    "commits": Load(500, shapes.commits_of),
}

TIMING = "ALTER SYSTEM SET track_wal_io_timing = on"

SLOTS_OF_NODES = "SELECT count(*) FROM rollcall_slot WHERE node_id IS NOT NULL GROUP BY node_id"

COUNTED = """
SELECT d.xact_commit, t.n_tup_ins + t.n_tup_upd, w.wal_records, w.wal_bytes, io.fsyncs, io.fsync_ms
FROM pg_stat_database d, pg_stat_wal w, pg_stat_user_tables t, (
    SELECT sum(fsyncs) AS fsyncs, sum(fsync_time) AS fsync_ms FROM pg_stat_io WHERE object = 'wal'
) AS io
WHERE d.datname = current_database() AND t.relname = 'rollcall_offset'
"""

ACTIVE = """
SELECT coalesce(wait_event_type || ' ' || wait_event, 'CPU'), count(*) FROM pg_stat_activity
WHERE state = 'active' AND backend_type = 'client backend' AND pid <> pg_backend_pid() GROUP BY 1
"""


class Counted(NamedTuple):
    """What PostgreSQL has counted, or between two marks; ``rows`` of offsets."""

    transactions: float
    rows: float
    wal_records: float
    wal_bytes: float
    syncs: float
    sync_ms: float


@dataclass(frozen=True, slots=True)
class Measured:
    """One round; CPU of ``load`` is the nodes'. ``counted`` within ``counted_s``; ``active``: what
    backends did, in so many ``looks``."""

    load: Round
    database_s: float
    counted: Counted
    counted_s: float
    active: Counter[str]
    looks: int


class Fleet:
    """An installation of so many nodes, and what is sent to each by the name of a load."""

    def __init__(self, running: Installation, nodes: int) -> None:
        self.running = running
        self.nodes = nodes
        self.url = DataDir(running.data_dir).url_file.read_text().strip()
        self.fed: dict[str, dict[int, bytes]] = {}
        self.rounds: dict[str, list[Measured]] = {name: [] for name in LOADS}

    async def form(self, members: int) -> None:
        """Wait until every node has its share of the slots, and make the groups."""
        await asyncio.to_thread(self._evenly_led)
        await create_topic(self.running.kafka, shapes.TOPIC, shapes.PARTITIONS)
        for name, (groups, frames) in LOADS.items():
            groups = min(groups, members)
            ids = [f"{name}-{uuid4().hex[:8]}-{n}" for n in range(groups)]
            led = await led_by(self.running.kafka, ids)
            assert len(led) == self.nodes, f"{len(led)} of {self.nodes} nodes lead a group"
            self.fed[name] = {
                int(address.rpartition(":")[2]): connections(
                    await frames(address, await form(address, theirs, members // groups))
                )
                for address, theirs in led.items()
            }

    def _evenly_led(self) -> None:
        until = time.monotonic() + EVEN_S
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(TIMING)
            connection.execute("SELECT pg_reload_conf()")
            while True:
                slots = [count for (count,) in connection.execute(SLOTS_OF_NODES)]
                if len(slots) == self.nodes and max(slots) - min(slots) <= 1:
                    return
                if time.monotonic() > until:
                    raise RuntimeError(f"the nodes' slots were not spread evenly: {slots}")
                time.sleep(LOOK_S)

    def measure(self, name: str, tool: Path, seconds: float) -> Measured:
        """A round of one load, on all nodes at once."""
        pids, fed = self.running.pids, self.fed[name]
        with (
            ThreadPoolExecutor(len(fed)) as pool,
            spending(lambda: coordinators(pids())) as node,
            spending(lambda: databases(pids())) as database,
        ):
            sent = [
                pool.submit(load, tool, port, seconds, frames, list[int])
                for port, frames in fed.items()
            ]
            seen = self._watched(seconds)
            done = [each.result() for each in sent]
        whole = Round(sum(d.replies for d in done), sum(d.wrong for d in done), node.cpu_s, seconds)
        return Measured(whole, database.cpu_s, *seen)

    def _watched(self, seconds: float) -> tuple[Counted, float, Counter[str], int]:
        active, looks, margin = Counter[str](), 0, min(MARGIN_S, seconds / 4)
        with psycopg.connect(self.url, autocommit=True) as connection:
            time.sleep(margin)
            before, began = self._counted(connection), time.monotonic()
            while time.monotonic() < began + seconds - 2 * margin:
                active.update(dict(connection.execute(ACTIVE).fetchall()))
                looks += 1
                time.sleep(LOOK_S)
            after, ended = self._counted(connection), time.monotonic()
        counted = Counted(*(b - a for a, b in zip(before, after, strict=True)))
        return counted, ended - began, active, looks

    @staticmethod
    def _counted(connection: psycopg.Connection[Any]) -> Counted:
        row = connection.execute(COUNTED).fetchone()
        assert row is not None
        return Counted(*map(float, row))


@contextmanager
def fleets(numbers: Sequence[int], members: int) -> Iterator[list[Fleet]]:
    """An installation for each number of nodes, with its groups."""
    with ExitStack() as stack:
        made = []
        for nodes in numbers:
            folder = Path(stack.enter_context(folder_on_disk()))
            running = Installation({"ROLLCALL_NODES": str(nodes)}, data_dir=folder)
            made.append(Fleet(stack.enter_context(running), nodes))
            asyncio.run(made[-1].form(members))
        yield made


def measure(all_of_them: Sequence[Fleet], rounds: int, seconds: float) -> None:
    """Every load on every number of nodes, in turn; the first round of each is not counted."""
    with tempfile.TemporaryDirectory() as folder:
        tool = compile_c("load", Path(folder))
        for name in LOADS:
            for number in range(-1, rounds):
                for fleet in all_of_them:
                    done = fleet.measure(name, tool, seconds)
                    if number >= 0:
                        fleet.rounds[name].append(done)


def line(name: str, nodes: int, rounds: Sequence[Measured]) -> str:
    """Requests a second, and CPU for one."""
    rate = _median(rounds, lambda r: r.load.per_second)
    node_us = _median(rounds, lambda r: 1e6 / r.load.per_cpu_second)
    database_us = _median(rounds, lambda r: 1e6 * r.database_s / r.load.replies)
    return (
        f"{name}, {nodes} node{'s' * (nodes > 1)}: {rate:7,.0f} a second; CPU of nodes"
        f" {node_us:.1f} us, of PostgreSQL {database_us:.1f} us for one"
    )


def database_line(rounds: Sequence[Measured]) -> str:
    """What PostgreSQL says of a load that writes."""
    figure = partial(_median, rounds)
    looks = sum(r.looks for r in rounds)
    active = sum((r.active for r in rounds), Counter[str]())
    doing = ", ".join(f"{what} {count / looks:.2f}" for what, count in active.most_common(6))
    return (
        f"    {figure(lambda r: r.counted.transactions / r.counted_s):.0f} transactions a second of"
        f" {figure(lambda r: r.counted.rows / r.counted.transactions):.0f} offsets; WAL of an"
        f" offset {figure(lambda r: r.counted.wal_bytes / r.counted.rows):.0f} bytes in"
        f" {figure(lambda r: r.counted.wal_records / r.counted.rows):.1f} records;"
        f" {figure(lambda r: r.counted.syncs / r.counted_s):.0f} syncs a second of"
        f" {figure(lambda r: r.counted.sync_ms / max(r.counted.syncs, 1)):.2f} ms;"
        f" backends at work: {doing or 'none'}"
    )


def _median(rounds: Sequence[Measured], figure: Callable[[Measured], float]) -> float:
    return statistics.median(figure(each) for each in rounds)


def main(options: Options) -> bool:
    """Print the figures; whether every reply was right."""
    if not can_run():
        print("not run: its load needs Linux and a C compiler (cc)")
        return True
    with fleets(NODES, shapes.MEMBERS) as made:
        measure(made, options.rounds or ROUNDS, options.seconds or SECONDS)
    for name in LOADS:
        for fleet in made:
            print(line(name, fleet.nodes, fleet.rounds[name]))
            if name == "commits":
                print(database_line(fleet.rounds[name]))
    return not any(r.load.wrong for fleet in made for all_ in fleet.rounds.values() for r in all_)
