"""What must hold of a record and of the rows at the end: one small check per invariant.

Each check is a generator of violations, in words; a run without any has passed. Pure: no clock, no
connection. The numbers I1 to I7 are those of docs/chaos.md.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from proof.chaos.record import Partition, Record


class Entry(NamedTuple):
    """One entry of the journal, in its order."""

    group_id: str
    revision: int
    kind: str
    generation_after: int | None


@dataclass(frozen=True, slots=True)
class Rows:
    """What the database holds at the end. ``settled``: every group is Stable, all is served."""

    journal: Sequence[Entry] = ()
    offsets: Mapping[Partition, int] = field(default_factory=dict)
    settled: bool = True


def one_owner(record: Record, _rows: Rows) -> Iterator[str]:
    """I1: in one generation a partition is told to one member only."""
    owners: dict[tuple[str, int, int], str] = {}
    for told in record.owned:
        for partition in told.partitions:
            key = (told.group_id, told.generation, partition)
            first = owners.setdefault(key, told.member_id)
            if first != told.member_id:
                yield f"{key} belongs to {first} and to {told.member_id}"


def one_membership(record: Record, _rows: Rows) -> Iterator[str]:
    """I2: a generation has one membership, whoever asks and however often."""
    seen: dict[tuple[str, int], frozenset[str]] = {}
    for told in record.memberships:
        key = (told.group_id, told.generation)
        if seen.setdefault(key, told.members) != told.members:
            yield f"generation {key} had members {seen[key]} and {told.members}"


def generations_rise(_record: Record, rows: Rows) -> Iterator[str]:
    """I2, I3: in the order of the journal a group's revision never falls, and each rebalance that
    completes has a generation above all before it."""
    revisions: dict[str, int] = {}
    generations: dict[str, int] = {}
    for entry in rows.journal:
        if entry.revision < revisions.get(entry.group_id, 0):
            yield f"a revision fell below {revisions[entry.group_id]} in {entry}"
        revisions[entry.group_id] = entry.revision
        if entry.kind == COMPLETED:
            if (entry.generation_after or 0) <= generations.get(entry.group_id, 0):
                yield f"generation {generations[entry.group_id]} was there before {entry}"
            generations[entry.group_id] = entry.generation_after or 0


COMPLETED = "rebalance-completed"


def nothing_acknowledged_is_lost(record: Record, rows: Rows) -> Iterator[str]:
    """I5: what was acknowledged is stored in the end, or something sent later is. Offsets only
    rise, so what stands may be above, but below it only an offset of unknown outcome may be."""
    unsure = _unsure(record)
    for at, best in _acknowledged(record).items():
        stored = rows.offsets.get(at, -1)
        if stored < best and stored not in unsure[at]:
            yield f"{at} has {stored}, and {best} was acknowledged"


def reads_are_current(record: Record, _rows: Rows) -> Iterator[str]:
    """I5: an offset that is read is no older than what was acknowledged before it was asked for."""
    unsure = _unsure(record)
    commits: defaultdict[Partition, list[tuple[float, int]]] = defaultdict(list)
    for commit in record.commits:
        if commit.error == 0:
            commits[commit.at].append((commit.told, commit.offset))
    for fetch in record.fetches:
        known = [offset for told, offset in commits[fetch.at] if told < fetch.asked]
        best = max(known, default=-1)
        if fetch.offset < best and fetch.offset not in unsure[fetch.at]:
            yield f"{fetch.at} read {fetch.offset} after {best} was acknowledged"


def nobody_who_beats_is_evicted(record: Record, _rows: Rows) -> Iterator[str]:
    """I6: who never let its session pass without trying is not removed."""
    for gone in record.evictions:
        if gone.silent_s < gone.session_s * PATIENCE:
            yield (
                f"{gone.member_id} of {gone.group_id} was evicted, as {gone.api} heard; it had"
                " never been silent for"
                f" more than {gone.silent_s:.1f} s of its {gone.session_s:.1f} s"
            )


PATIENCE = 0.9
"""A member measures at its own end; what it sent may have arrived a little later."""


def answers_make_sense(record: Record, _rows: Rows) -> Iterator[str]:
    """I4: nobody got an answer that no coordinator gives."""
    yield from record.defects


def everybody_is_served(_record: Record, rows: Rows) -> Iterator[str]:
    """I7: when the faults are over, every group comes to rest."""
    if not rows.settled:
        yield "groups did not come to rest"


Check = Callable[[Record, Rows], Iterator[str]]

CHECKS: Sequence[Check] = (
    one_owner,
    one_membership,
    generations_rise,
    nothing_acknowledged_is_lost,
    reads_are_current,
    nobody_who_beats_is_evicted,
    answers_make_sense,
    everybody_is_served,
)


def violations(record: Record, rows: Rows) -> list[str]:
    """Everything that does not hold, with the check's name."""
    return [f"{check.__name__}: {said}" for check in CHECKS for said in check(record, rows)]


def _acknowledged(record: Record) -> dict[Partition, int]:
    best: dict[Partition, int] = {}
    for commit in record.commits:
        if commit.error == 0:
            best[commit.at] = max(best.get(commit.at, -1), commit.offset)
    return best


def _unsure(record: Record) -> defaultdict[Partition, set[int]]:
    """Offsets whose answer never came, or came as "not now": they may take effect, even late."""
    found: defaultdict[Partition, set[int]] = defaultdict(set)
    for commit in record.commits:
        if commit.error is None or commit.error in IN_DOUBT:
            found[commit.at].add(commit.offset)
    return found


IN_DOUBT = frozenset({15})
"""COORDINATOR_NOT_AVAILABLE is what a node says of a write whose outcome it does not know."""
