"""What a batch records of its decisions, as SQL of the store's transactions: journal entries, and
facts (``groups.core.facts``, docs/facts.md). Pure.

Entries about committed offsets contain the previous values. They are written before the offsets, so
that they read these. Only requested changes have them: such an entry reads as many rows as it
lists. Of facts, lives end before others begin, and members own partitions after that: one member's
partitions are free before the next one has them.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from operator import attrgetter, itemgetter
from typing import Any, Final, NamedTuple, Protocol

from groups.core.explanation import WHY
from groups.core.facts import Began, Departure, Ended, Fact, Owned, Owns, Settled, settled
from groups.core.group import All, Decision, JournalEntry
from groups.core.journal import ENTRY_FIELDS
from groups.core.offset_rules import OFFSETS_LISTED_MAX
from groups.core.rounds import Round
from groups.postgres.array_literals import Statement, array, arrays, in_order, texts
from groups.store.sql import facts as sql
from groups.store.sql import group_rows


class Write(Protocol):
    """One group's part of a batch (``groups.store.apply.Write``)."""

    @property
    def group_id(self) -> str:
        """The group."""
        ...

    @property
    def revision(self) -> int:
        """The group's revision after this write."""
        ...

    @property
    def decision(self) -> Decision:
        """The decision, with its entries and facts."""
        ...


class Line(NamedTuple):
    """An entry, and the group and revision that it is about."""

    group_id: str
    revision: int
    entry: JournalEntry


ENTRY: Final = ("group_id", "revision", *ENTRY_FIELDS)

OBJECTS: Final = frozenset(["waited_for", "joined", "left", "details"])
"""Columns of JSON."""


class _Part(NamedTuple):
    """A group's facts."""

    group_id: str
    revision: int
    kind: str
    facts: Settled


ENDED: Final = ("group_id", "member_id", "departure", "generation", "silent_ms")
_OF_ROW: Final = (
    *("member_id", "instance_id", "client_id", "client_host"),
    *("session_timeout_ms", "rebalance_timeout_ms"),
)
_OF_CLIENT: Final = ("principal", "software_name", "software_version", "api_version")
_OF_FACT: Final = ("kind", "generation", "age_ms", "origin", "pattern", "rack_id")
"""Columns with the names of the fields of a life's row, client, and first fact."""

BEGAN: Final = (
    *("group_id", *_OF_ROW, *_OF_CLIENT, *_OF_FACT),
    *("revision", "subscription", "protocols", "departure", "silent_ms"),
)
OWNS: Final = ("group_id", "member_id", "generation", "lost_ms", "gains", "parts")
ROUND: Final = (
    "group_id",
    "generation",
    "kind",
    "outcome",
    "ms",
    "age_ms",
    "is_partial",
    "members",
    "moved",
    "stopped_ms",
    "silent_ms",
    "unowned_ms",
    "triggers",
    "cause_members",
    "cause_ids",
    "cause_at_ms",
    "cause_ms",
    "acts",
    "ends",
    "counts",
    "waiting",
    "waited_ms",
)

WAITED_MS_MIN: Final = 10
"""Shorter waits are not written: the SyncGroup of each member, a few milliseconds after the answer
to its JoinGroup, would double a row."""

WAITED_MS_MAX: Final = 2**31 - 1
"""25 days, in an integer of four bytes."""


PARTS_A_ROW: Final = 16
"""So many partitions of a member take as long as a row."""

BYTES_A_PART: Final = 4
"""Of an assignment."""

NAMES_MAX: Final = 1_000
"""Topics' names whose JSON is kept."""


def size_of(facts: Sequence[Fact]) -> int:
    """The approximate number of rows that these are, for the limit of a batch."""
    if not facts:
        return 0
    owned = [fact for fact in facts if isinstance(fact, Owns)]
    parts = sum(len(fact.assignment) for fact in owned) // BYTES_A_PART
    parts += sum(len(numbers) for fact in owned for numbers in fact.parts.values())
    rounds = sum(fact.size for fact in facts if isinstance(fact, Round))
    return len(facts) + (parts + rounds) // PARTS_A_ROW


def statements(writes: Sequence[Write], node_id: int) -> Iterator[Statement]:
    """The statements for all entries of the batch, and for all facts."""
    yield from of_the_journal(writes, node_id)
    yield from of_the_facts(writes)


def of_the_journal(writes: Sequence[Write], node_id: int) -> Iterator[Statement]:
    """The statements for all entries of the batch; entries about offsets come last."""
    entries = [(write, entry) for write in writes for entry in write.decision.journal]
    plain = [_line(write, entry) for write, entry in entries if entry.offsets is None]
    if plain:
        yield lines(plain, node_id)
    telling = [(write, entry) for write, entry in entries if entry.offsets is not None]
    if telling:
        values = {**_of_offsets(telling), "node_id": node_id, "most": OFFSETS_LISTED_MAX}
        yield group_rows.ADD_JOURNAL_OF_OFFSETS, values


def lines(entries: Sequence[Line], node_id: int) -> Statement:
    """The statement for entries that are not about offsets."""
    rows = [_entry_row(line) for line in entries]
    return group_rows.ADD_JOURNAL, {**arrays(ENTRY, rows), "node_id": node_id}


def _of_offsets(entries: Sequence[tuple[Write, JournalEntry]]) -> Mapping[str, Any]:
    """The columns of the entries, with numbers, and of the partitions of each."""
    rows = [
        (*_entry_row(_line(write, entry)), number, entry.offsets is All.OFFSETS)
        for number, (write, entry) in enumerate(entries)
    ]
    partitions = [
        (number, *partition)
        for number, (_, entry) in enumerate(entries)
        if not isinstance(entry.offsets, All)
        for partition in entry.offsets or ()
    ]
    parts = ("part_of", "topic", "partition")
    return {
        **arrays((*ENTRY, "number", "has_all"), rows),
        **(arrays(parts, partitions) if partitions else dict.fromkeys(parts, "{}")),
    }


def _line(write: Write, entry: JournalEntry) -> Line:
    return Line(write.group_id, write.revision, entry)


def _entry_row(line: Line) -> tuple[Any, ...]:
    entry = line.entry
    values = ((name, getattr(entry, name)) for name in ENTRY_FIELDS)
    if entry.why is not None:
        explained = {**entry.details, WHY: entry.why.encoded()}
        values = ((name, explained if name == "details" else value) for name, value in values)
    columns = (json.dumps(_plain(v)) if name in OBJECTS else v for name, v in values)
    return (line.group_id, line.revision, *columns)


def _plain(value: Mapping[str, Any] | Sequence[str]) -> Any:
    return dict(value) if isinstance(value, Mapping) else value


def of_the_facts(writes: Sequence[Write]) -> Iterator[Statement]:
    """The statements for all facts of the batch."""
    parts = [
        _Part(write.group_id, write.revision, _kind(write), settled(write.decision.facts))
        for write in writes
        if write.decision.facts
    ]
    if not parts:
        return
    yield from _in_columns(sql.END_LIVES, ENDED, chain.from_iterable(map(_ended, parts)))
    yield from _in_columns(sql.BEGIN_LIVES, BEGAN, chain.from_iterable(map(_began, parts)))
    yield from _in_columns(sql.PASS_LIVES, BEGAN, chain.from_iterable(map(_passed, parts)))
    yield from _in_columns(sql.OWN, OWNS, chain.from_iterable(map(_owns, parts)))
    yield from _in_columns(sql.END_ROUNDS, ROUND, chain.from_iterable(map(_rounds, parts)))


def _kind(write: Write) -> str:
    return write.decision.group.durable.group.kind


def _in_columns(
    text: str, names: Sequence[str], rows: Iterable[Sequence[Any]]
) -> Iterator[Statement]:
    found = in_order([*rows], key=itemgetter(0, 1))
    if found:
        yield text, {name: _storable(value) for name, value in arrays(names, found).items()}


def _storable(column: Any) -> Any:
    """The column as PostgreSQL can store it: a client's text may have a zero, which its row has
    not, if it never had one."""
    return column.replace("\0", "\ufffd")


def _ended(part: _Part) -> Iterator[tuple[Any, ...]]:
    """Lives that end; also one that is open under the id of a new member, which no step of this
    version has ended."""
    over = {fact.member_id for fact in part.facts.ended}
    stale = (
        Ended(member_id, Departure.UNKNOWN, began.generation)
        for member_id, began in part.facts.began.items()
        if member_id not in over
    )
    for fact in chain(part.facts.ended, stale):
        how = fact.departure.value
        yield part.group_id, fact.member_id, how, fact.generation, fact.silent_ms


def _began(part: _Part) -> Iterator[tuple[Any, ...]]:
    for fact in part.facts.began.values():
        yield (*_life(part, fact), None, None)


def _passed(part: _Part) -> Iterator[tuple[Any, ...]]:
    for began, ended in part.facts.flashes:
        yield (*_life(part, began), ended.departure.value, ended.silent_ms)


_row, _client, _fact = attrgetter(*_OF_ROW), attrgetter(*_OF_CLIENT), attrgetter(*_OF_FACT)


def _life(part: _Part, fact: Began) -> tuple[Any, ...]:
    return (
        part.group_id,
        *_row(fact.row),
        *_client(fact.client),
        *_fact(fact),
        part.revision,
        None if fact.topics is None else _list(fact.topics),
        _list(fact.protocols),
    )


def _list(names: Sequence[str | None]) -> str:
    return texts(names) if names else "{}"


def _owns(part: _Part) -> Iterator[tuple[Any, ...]]:
    for fact in part.facts.owns.values():
        yield (
            part.group_id,
            fact.member_id,
            fact.generation,
            fact.lost_ms,
            _flag(fact.gains),
            _json(ranges(fact.owned())),
        )


def _json(texts: Mapping[str, str]) -> str:
    """The object; the values need no escapes."""
    return "{" + ",".join([f'{_quoted(name)}:"{text}"' for name, text in texts.items()]) + "}"


@lru_cache(maxsize=NAMES_MAX)
def _quoted(name: str) -> str:
    return json.dumps(name)


def _rounds(part: _Part) -> Iterator[tuple[Any, ...]]:
    for ended in part.facts.rounds:
        yield (
            part.group_id,
            ended.generation,
            part.kind,
            ended.outcome.value,
            ended.ms,
            ended.age_ms,
            _flag(ended.is_partial),
            ended.members,
            ended.moved,
            *ended.idle[:3],
            *_causes(ended),
            *_waits(ended),
        )


def _causes(ended: Round) -> Iterator[str]:
    """Arrays of the causes: what, how many members, the first of them, when, and their shares."""
    causes = ended.causes
    yield _list([str(cause.trigger) for cause in causes])
    yield _numbers([cause.members for cause in causes])
    yield _list([cause.named[0][0] if cause.named else None for cause in causes])
    yield _numbers([cause.at_ms for cause in causes])
    yield _numbers([cause.ms for cause in causes])


def _waits(ended: Round) -> Iterator[str]:
    """Arrays of the waits, in runs of the same act and end."""
    waits = ended.awaited(WAITED_MS_MIN)
    runs = Counter((str(one.act), str(one.end)) for one in waits)
    yield _list([act for act, _ in runs])
    yield _list([end for _, end in runs])
    yield _numbers(list(runs.values()))
    yield _list([one.member_id for one in waits])
    yield _numbers([min(one.ms, WAITED_MS_MAX) for one in waits])


def _numbers(values: Sequence[int]) -> str:
    return str(array(values))


def _flag(value: object) -> str:
    return "t" if value else "f"


def ranges(parts: Owned) -> dict[str, str]:
    """The partitions by topic, as literals of ``int4multirange``."""
    return {topic: _multirange(found) for topic, found in parts.items()}


def _multirange(partitions: Sequence[int]) -> str:
    first, last = partitions[0], partitions[-1]
    if partitions == tuple(range(first, first + len(partitions))):  # as most are
        return f"{{[{first},{last}]}}"
    partitions = sorted(set(partitions))
    pieces: list[str] = []
    first = last = partitions[0]
    for partition in partitions[1:]:
        if partition != last + 1:
            pieces.append(f"[{first},{last}]")
            first = partition
        last = partition
    pieces.append(f"[{first},{last}]")
    return "{" + ",".join(pieces) + "}"
