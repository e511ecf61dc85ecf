"""What one assignment costs, over the grid of Kafka's own benchmark of its assignors.

Members, partitions and topics as there; all members subscribe alike, or in five buckets of topics;
everything again (full), or one member more than before (incremental). CPU time of the bare pure
function: nothing of the node is measured. The small grid takes seconds, the whole one
(``--rounds`` above 1) some minutes. A star marks what would be a stall on an event loop.
"""

import gc
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from time import process_time

from benchmarks.options import Options
from groups.core.assignors.registry import table
from groups.core.assignors.types import NOTHING, Assignor, Parts, Racks, Subscriber

BUCKETS = 5
RACKS = 3

STALL_MS = 50
"""What an event loop may stand still; larger assignments are computed elsewhere."""

REPEATED = 3
"""The best of so many runs counts."""


@dataclass(frozen=True, slots=True)
class Case:
    """One point of the grid."""

    members: int
    partitions_per_member: int
    topics: int
    is_alike: bool

    @property
    def partitions(self) -> int:
        """Of all topics together, as near as equal topics come to it."""
        return self.members * self.partitions_per_member // self.topics * self.topics


SMALL = tuple(
    Case(members, per_member, topics, is_alike)
    for members, per_member, topics in ((100, 10, 100), (1_000, 10, 100), (1_000, 50, 1_000))
    for is_alike in (True, False)
)

WHOLE = tuple(
    Case(members, per_member, topics, is_alike)
    for members in (100, 500, 1_000, 5_000, 10_000)
    for per_member in (5, 10, 50)
    for topics in (100, 500, 1_000)
    for is_alike in (True, False)
    if members * per_member >= topics
)


def counts_of(case: Case) -> dict[str, int]:
    """Topics of equal size."""
    return {f"{topic:032x}": case.partitions // case.topics for topic in range(case.topics)}


def racks_of(counts: Mapping[str, int]) -> Racks:
    """Each partition near to two racks of three, as replicas would be."""
    pairs = [frozenset({f"r{i}", f"r{(i + 1) % RACKS}"}) for i in range(RACKS)]
    return {t: tuple(pairs[p % RACKS] for p in range(count)) for t, count in counts.items()}


def subscribers(case: Case, counts: Mapping[str, int], extra: int = 0) -> list[Subscriber]:
    """Members that hold nothing."""
    topics = list(counts)
    buckets = (
        [frozenset(topics)]
        if case.is_alike
        else [frozenset(topics[b::BUCKETS]) for b in range(BUCKETS)]
    )
    return [
        Subscriber(f"m{i:05}", None, buckets[i % len(buckets)], NOTHING, f"r{i % RACKS}")
        for i in range(case.members + extra)
    ]


def settled(members: Sequence[Subscriber], shares: Mapping[str, Parts]) -> list[Subscriber]:
    """The same members with what they were given."""
    return [replace(m, held=shares.get(m.member_id, NOTHING)) for m in members]


def is_right(counts: Mapping[str, int], shares: Mapping[str, Parts]) -> bool:
    """Whether every partition was given exactly once."""
    given = Counter(topic for share in shares.values() for topic, _ in share)
    return given == Counter(counts) and len(set().union(*shares.values())) == given.total()


def timed(work: Callable[[], Mapping[str, Parts]]) -> tuple[float, Mapping[str, Parts]]:
    """CPU milliseconds, and the answer."""
    gc.collect()
    began = process_time()
    shares = work()
    return (process_time() - began) * 1_000, shares


def measure(assign: Assignor, case: Case, rounds: int = 1) -> Iterator[tuple[str, float, bool]]:
    """The kind of run, its best time, and whether the answer was right."""
    counts = counts_of(case)
    racks = racks_of(counts)
    empty = subscribers(case, counts)
    full = assign(empty, counts, racks)
    grown = settled(subscribers(case, counts, extra=1), full)
    for kind, members in (("full", empty), ("incremental", grown)):
        runs = [timed(lambda m=members: assign(m, counts, racks)) for _ in range(rounds)]  # type: ignore[misc]
        yield kind, min(ms for ms, _ in runs), is_right(counts, runs[0][1])


def main(options: Options) -> bool:
    """Print milliseconds by assignor, and the price of nearness."""
    names = "".join(f"{name:>14}" for name in table())
    print(
        f"{'members':>8}{'partitions':>11}{'topics':>7}  {'topics':10}{'run':12}{names}  near/plain"
    )
    right = True
    for case in WHOLE if (options.rounds or 1) > 1 else SMALL:
        rows: dict[str, list[float]] = {}
        for assign in table().values():
            for kind, ms, ok in measure(assign, case, REPEATED):
                rows.setdefault(kind, []).append(ms)
                right &= ok
        for kind, times in rows.items():
            show(case, kind, dict(zip(table(), times, strict=True)))
    return right


def show(case: Case, kind: str, ms: Mapping[str, float]) -> None:
    """One line; what would be a stall on the event loop is marked."""
    alike = "alike" if case.is_alike else f"{BUCKETS} buckets"
    times = "".join(f"{each:13.1f}{'*' if each > STALL_MS else ' '}" for each in ms.values())
    ratio = ms["uniform-rack"] / max(ms["uniform"], 0.001)
    size = f"{case.members:8}{case.partitions:11}{case.topics:7}"
    print(f"{size}  {alike:10}{kind:12}{times}{ratio:8.2f}", flush=True)
