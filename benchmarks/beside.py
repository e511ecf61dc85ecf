"""The whole table beside an Apache Kafka, in one run: requests, rebalances, memory, starts.

Both serve at the same time, at default settings, and get the same load in turn, round by round; a
figure is the median of the rounds' own ratios. Rollcall's CPU is the node's and PostgreSQL's, and
its commits are on disk before the reply, where Kafka's are not. A Kafka is started by ``--kafka
PROGRAM``, else fetched from Maven where Java is installed. ``--rounds`` and ``--seconds`` are those
of the requests; of what is measured otherwise, changes of groups are three each (six in a deploy),
and starts once. ``--only PART`` measures a part of the table, two minutes or so for each; what else
is known of the others stands beside it. The table is kept, drawn, and compared with the last one
(``benchmarks.table``).
"""

import asyncio
import statistics
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from os import cpu_count, getloadavg
from pathlib import Path

from benchmarks import kafka, settling, start, table
from benchmarks.closed_loop import Round, can_run, compile_c, connections, load
from benchmarks.commits import folder_on_disk
from benchmarks.machine import coordinators, databases
from benchmarks.options import Options
from benchmarks.shapes import OTHER_EVERY, SHAPES, Shape, serving
from benchmarks.table import Line, Table
from launcher import ports
from launcher.installation import Installation

ROUNDS, SECONDS = 5, 4.0
QUIET = settling.Plan()
"""Three changes of each kind. Members that are not held learn of one with their next heartbeat, by
chance soon or
late: a single change tells little."""

GOALS = {
    "heartbeats": 1.9,
    "consumer heartbeats": 1.7,
    "commits, 1 group": 1.3,
    "commits, 500 groups": 1.3,
    "commits, consumer protocol": 1.3,
}
USUAL_GOAL = 1.0
"""Of Kafka's requests for each CPU-second, and of its commits a second."""

SETTLING_GOALS = {
    ("classic", 0): (0.1, 0.15, 0.15),
    ("classic", 1): (0.1, 0.2, 0.2),
    ("consumer", 0): (0.1, 0.1, 0.1),
}
"""Of Kafka's seconds: all start, one joins, one leaves; by protocol, and whether members count
their interval from the answer."""

DEPLOY = settling.Plan(settling.DEPLOY_ROUNDS, 4.0, settling.DEPLOY_SPREAD_S)
DEPLOY_GOALS = {
    ("classic", 0): (0.1, 0.15, 0.15),
    ("classic", 1): (0.1, 0.2, 0.2),
    ("consumer", 0): (0.1, 0.1, 0.2),
    ("consumer", 1): (0.1, 0.1, 0.2),
}
"""The same where changes follow each other as in a rolling deploy."""


@dataclass(slots=True)
class Server:
    """One of the two. ``pids``: of whom the CPU counts."""

    address: str
    pids: Callable[[], Sequence[int]]
    rounds: list[Round] = field(default_factory=list)


class WrongReplies(Exception):
    """Somebody answered otherwise than at first: there is nothing to compare."""


@contextmanager
def both(program: str) -> Iterator[tuple[Server, Server]]:
    """Rollcall and Kafka, serving."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(folder_on_disk()))
        ours = stack.enter_context(Installation(data_dir=folder))
        data = Path(stack.enter_context(folder_on_disk()))
        [port] = ports.free(1)
        _, pids = stack.enter_context(start.kafka(program, port, data))
        mine = Server(ours.kafka, lambda: [*coordinators(ours.pids()), *databases(ours.pids())])
        yield mine, Server(f"127.0.0.1:{port}", pids)


def requests(
    name: str, shape: Shape, servers: tuple[Server, Server], tool: Path, options: Options
) -> list[Line]:
    """One shape of load against both, in turn; the first round of each is not counted."""
    fed = [connections(asyncio.run(shape(server.address))) for server in servers]
    for server in servers:
        server.rounds.clear()
    for number in range(-1, options.rounds or ROUNDS):
        turns = list(zip(servers, fed, strict=True))
        for server, frames in turns if number % 2 else reversed(turns):
            port = int(server.address.rpartition(":")[2])
            done = load(tool, port, options.seconds or SECONDS, frames, server.pids, OTHER_EVERY)
            if done.wrong:
                raise WrongReplies(f"{name}: {done.wrong} wrong replies of {server.address}")
            if number >= 0:
                server.rounds.append(done)
    is_commit = name.startswith("commits")
    goal = GOALS.get(name, USUAL_GOAL)
    lines = [_line(f"{name}: per CPU-second", servers, lambda r: r.per_cpu_second, goal)]
    if is_commit:
        lines.append(_line(f"{name}: a second", servers, lambda r: r.per_second, USUAL_GOAL))
    return lines


def _line(
    name: str, servers: tuple[Server, Server], figure: Callable[[Round], float], goal: float
) -> Line:
    ours, theirs = ([figure(each) for each in server.rounds] for server in servers)
    ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
    return Line(name, statistics.median(ours), statistics.median(theirs), ratio, goal, more=True)


Both = tuple[Server, Server]


@dataclass(frozen=True, slots=True)
class Changes:
    """How members are made, and what happens to their group. ``goals``: all start, one joins, one
    leaves."""

    name: str
    protocol: str
    from_answer: int
    plan: settling.Plan
    goals: tuple[float, float, float]


PLANS = (("", QUIET, SETTLING_GOALS), ("deploy, ", DEPLOY, DEPLOY_GOALS))

CHANGES = {
    name: Changes(name, protocol, kind, plan, goals)
    for prefix, plan, all_goals in PLANS
    for (protocol, kind), goals in all_goals.items()
    for name in [f"{prefix}{protocol}, {settling.KINDS[kind]}"]
}
"""What happens to groups, by name."""


def rebalances(what: Changes, servers: Both) -> Iterator[Line]:
    """Seconds until a group of fifty has settled, from quiet or during a deploy."""
    addresses = [server.address for server in servers]
    made = settling.beside(addresses, what.protocol, bool(what.from_answer), what.plan)
    found = asyncio.run(made)
    for change, goal in zip(found[0], what.goals, strict=True):
        ours, theirs = (statistics.median(each[change]) for each in found)
        yield Line(f"{what.name}: {change}, seconds", ours, theirs, ours / theirs, goal, more=False)


def starts(program: str) -> Iterator[Line]:
    """Seconds until each serves, and memory with 500 members."""
    ours, theirs = start.ours(), start.theirs(program)
    for name, mine, other, goal in (
        ("a start, fresh: seconds", ours.fresh.ready_s, theirs.fresh.ready_s, 0.5),
        ("a start, again: seconds", ours.again.ready_s, theirs.again.ready_s, 0.5),
        ("memory with 500 members: MiB", ours.mib, theirs.mib, 0.6),
    ):
        yield Line(name, mine, other, mine / other, goal, more=False)


STARTS = "starts"
PARTS = (*SHAPES, *CHANGES, STARTS)


def served(part: str, tool: Path, options: Options) -> Callable[[Both], Iterable[Line]]:
    """How a part is measured while both serve."""
    if part in SHAPES:
        return lambda servers: requests(part, SHAPES[part], servers, tool, options)
    return partial(rebalances, CHANGES[part])


def measured(parts: Sequence[str], program: str, options: Options) -> Iterator[Line | WrongReplies]:
    """The lines of these parts, as they are known; or what was wrong with one."""
    with ExitStack() as stack:
        tool = compile_c("load", Path(stack.enter_context(tempfile.TemporaryDirectory())))
        if any(part != STARTS for part in parts):
            servers = stack.enter_context(both(program))
            for server in servers:
                asyncio.run(serving(server.address))
        for part in parts:
            if part == STARTS:
                continue
            try:
                yield from served(part, tool, options)(servers)
            except WrongReplies as error:
                yield error
    if STARTS in parts:
        yield from starts(program)


def main(options: Options) -> bool:
    """Print the table as it comes, and which lines are behind; whether every reply was right."""
    if not can_run() or not (options.kafka or kafka.can_run()):
        print("not run: it needs Linux, a C compiler (cc), and Java with Maven or --kafka PROGRAM")
        return True
    parts = options.only or PARTS
    if unknown := set(parts) - set(PARTS):
        print(f"not a part of the table: {sorted(unknown)}; there are: {'; '.join(PARTS)}")
        return False
    lines: list[Line] = []
    is_right = True
    print(f"{'':66} {'Rollcall':>10} {'Kafka':>10} {'ratio':>6}  goal", flush=True)
    try:
        with kafka.serving_program(options.kafka) as program:
            for made in measured(parts, program, options):
                if isinstance(made, WrongReplies):
                    is_right = False
                    print(made, flush=True)
                else:
                    lines.append(made)
                    print(made.line(), flush=True)
    finally:  # an error in the last part does not lose twenty minutes of the others
        if lines:
            finish(Table(_now(), kafka.VERSION, cpu_count() or 1, getloadavg()[0], lines))
    return is_right


def finish(made: Table) -> None:
    """Keep the table and draw it with what is known of other lines; say what misses its goal, and
    what fell behind the last one."""
    before = table.whole()
    print("ratios now, and in the last table that was kept:")
    print("\n".join(table.beside_earlier(made, before)))
    behind = [line.name for line in made.lines if line.is_behind]
    print(f"behind their goals: {'; '.join(behind) or 'none'}")
    print(f"fell behind the last table: {'; '.join(table.worse(made, before)) or 'none'}")
    print(f"kept: {table.keep(made)}")
    whole = table.whole()
    assert whole is not None
    table.PICTURE.write_text(table.drawn(whole))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").removesuffix("+00:00")
