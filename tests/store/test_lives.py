"""Random lives of groups of every kind, written by the store as they were decided: after each batch
the tables hold what the decisions said, and nothing else.

``Expected`` says it once more in plain Python, without SQL.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby, zip_longest
from typing import Any

import psycopg
import pytest

from groups.core.errors import ErrorCode
from groups.core.events import OffsetWrite
from groups.core.explanation import WHY
from groups.core.facts import Began
from groups.core.group import All, Decision, JournalEntry
from groups.core.journal import ENTRY_FIELDS, EntryKind
from groups.core.replies import Operated
from groups.core.rounds import Round
from groups.core.rows import Durable
from groups.postgres.connections import Connection
from groups.store import apply, load
from groups.store.apply import Write
from groups.store.records import WAITED_MS_MIN
from groups.store.sql.history import COMMITS
from proof.fact_tables import NOT_A_ROUND_EACH, NOT_OPENED_ONCE, NOT_OWNED_ONCE, OWNED_BY_TWO
from tests.factories import batch
from tests.walks.ledger import Ledger
from tests.walks.life import PEOPLE, Life, read_back

Key = tuple[str, str, int]

READ: Mapping[str, str] = {
    "offsets": """
        SELECT group_id, topic, partition, committed_offset, leader_epoch, metadata,
               CASE WHEN date_part('year', committed_at) = 1970
                    THEN round(date_part('epoch', committed_at) * 1000)::int END,
               round(date_part('epoch', expires_at - committed_at) * 1000)::int
        FROM rollcall_offset ORDER BY 1, 2, 3""",
    "waiting": """
        SELECT producer_id, group_id, topic, partition, committed_offset, metadata, superseded
        FROM rollcall_pending_offset ORDER BY 2, 3, 4, 1""",
    "history": f"""
        SELECT group_id, topic, partition, committed_offset,
               member_id, client_id, client_host, principal
        FROM {COMMITS} WHERE NOT is_gone ORDER BY at, 1, 2, 3""",
    "gone": f"SELECT group_id, topic, partition FROM {COMMITS} WHERE is_gone ORDER BY 1, 2, 3",
    "operations": """
        SELECT id, state, outcome, detail, generation, finished_at IS NOT NULL
        FROM rollcall_operation WHERE state <> 'pending' ORDER BY 1""",
    "open": "SELECT group_id, member_id, kind, origin FROM rollcall_life_open ORDER BY 1, 2",
    "owned": """
        SELECT l.group_id, member_id, topic, p FROM rollcall_life_open l
        JOIN rollcall_ownership_open o USING (life)
        CROSS JOIN LATERAL unnest(o.partitions) r
        CROSS JOIN LATERAL generate_series(lower(r), upper(r) - 1) p
        ORDER BY 1, 2, 3, 4""",
    "rounds": """
        SELECT group_id, generation, kind, outcome, is_partial, members, moved, stopped_ms,
               silent_ms, unowned_ms, triggers, cause_members, cause_ids, cause_at_ms, cause_ms,
               acts, ends, counts, waited_ms, (
                   SELECT coalesce(array_agg(o.member_id ORDER BY n), '{}')
                   FROM unnest(lives) WITH ORDINALITY AS w(life, n) LEFT JOIN (
                       SELECT DISTINCT life, member_id FROM rollcall_life) AS o USING (life))
        FROM rollcall_round ORDER BY id""",
    "journal": f"""
        SELECT group_id, revision, {", ".join(f'"{name}"' for name in ENTRY_FIELDS)}
        FROM rollcall_journal ORDER BY id""",
}
MAKE = (
    """INSERT INTO rollcall_producer (transactional_id, slot, producer_id, epoch, timeout_ms, state,
           last_epoch, previous_id, started_at, updated_at)
       SELECT 'tx-' || id, 0, id, 0, 60000, 'Ongoing', -1, -1, now(), now()
       FROM unnest('{7,8}'::int[]) id""",
    """INSERT INTO rollcall_txn_group SELECT transactional_id, g FROM rollcall_producer,
           unnest(%s::text[]) g""",
    """INSERT INTO rollcall_operation (id, group_id, slot, verb, member_id, reason, actor, state,
           detail, created_at)
       SELECT id, 'g', 0, 'force-rebalance', '', '', '', 'pending', '', now()
       FROM generate_series(1, 9999) id""",
)


@dataclass
class Expected:
    """What the tables hold, by what was decided."""

    groups: dict[str, Durable] = field(default_factory=dict)
    offsets: dict[Key, OffsetWrite] = field(default_factory=dict)
    waiting: dict[tuple[Key, int], tuple[OffsetWrite, bool]] = field(default_factory=dict)
    history: list[tuple[Any, ...]] = field(default_factory=list)
    gone: list[Key] = field(default_factory=list)
    operations: dict[int, Operated] = field(default_factory=dict)
    journal: list[tuple[Any, ...]] = field(default_factory=list)
    rounds: list[tuple[Any, ...]] = field(default_factory=list)
    ever: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    ledgers: dict[str, Ledger] = field(default_factory=lambda: defaultdict(Ledger))

    def batch(self, writes: list[Write]) -> None:
        """These commit together: first all entries that tell of no offsets, then the others."""
        ordered = sorted(writes, key=lambda write: write.group_id)
        entries = [(write, entry) for write in ordered for entry in write.decision.journal]
        self._journal([(w, entry) for w, entry in entries if entry.offsets is None])
        self._journal([(w, entry) for w, entry in entries if entry.offsets is not None])
        for write in ordered:
            self._write(write.group_id, write)

    def _journal(self, entries: list[tuple[Write, JournalEntry]]) -> None:
        for write, entry in entries:
            row = {name: getattr(entry, name) for name in ENTRY_FIELDS}
            if entry.offsets is not None:
                told = self._before(write.group_id, entry)
                if entry.kind is EntryKind.OFFSETS_DELETED and not told:
                    continue
                count = sum(map(len, told.values()))
                row["details"] = {"offsets": count, **entry.details, "before": told}
            if entry.why is not None:
                row["details"] = {**row["details"], WHY: entry.why.encoded()}
            plain = json.loads(json.dumps(row, default=dict))
            self.journal.append((write.group_id, write.revision, *plain.values()))

    def _before(self, group_id: str, entry: JournalEntry) -> dict[str, dict[str, int]]:
        told: dict[str, dict[str, int]] = {}
        for (group, topic, partition), offset in sorted(self.offsets.items()):
            is_meant = entry.offsets is All.OFFSETS or (topic, partition) in (entry.offsets or ())
            if group == group_id and is_meant:
                told.setdefault(topic, {})[str(partition)] = offset.offset
        return told

    def _write(self, group_id: str, write: Write) -> None:
        decision = write.decision
        self.ledgers[group_id].take(decision)
        began = {fact.row.member_id for fact in decision.facts if isinstance(fact, Began)}
        self.ever[group_id] |= began
        kind = decision.group.durable.group.kind
        ended = [fact for fact in decision.facts if isinstance(fact, Round)]
        self.rounds += [
            (group_id, one.generation, kind, *self._round(group_id, one))
            for one in sorted(ended, key=lambda one: one.generation)
        ]
        for done in decision.operations:
            self.operations[done.operation_id] = done
        if decision.deleted:
            self._forget(group_id)
            return
        if write.changes_membership:
            after = decision.group.durable
            self.groups[group_id] = Durable(after.group, after.members, write.revision)
        self._offsets(group_id, decision)

    def _round(self, group_id: str, ended: Round) -> Iterator[Any]:
        """A rebalance as its row has it; a client that never joined has no life."""
        yield from (ended.outcome, ended.is_partial, ended.members, ended.moved, *ended.idle[:3])
        names = ((cause.named or ((None,),))[0][0] for cause in ended.causes)
        yield [cause.trigger for cause in ended.causes]
        yield [cause.members for cause in ended.causes]
        yield list(names)
        yield [cause.at_ms for cause in ended.causes]
        yield [cause.ms for cause in ended.causes]
        waits = [one for one in ended.awaited() if one.ms >= WAITED_MS_MIN]
        runs = [(key, len([*some])) for key, some in groupby(waits, lambda w: (w.act, w.end))]
        yield [act for (act, _), _ in runs]
        yield [end for (_, end), _ in runs]
        yield [count for _, count in runs]
        yield [one.ms for one in waits]
        lived = self.ever[group_id]
        yield [one.member_id if one.member_id in lived else None for one in waits]

    def _note_gone(self, group_id: str, keys: Collection[Key]) -> None:
        """Offsets without a recorded commit need no end."""
        if any(row[0] == group_id for row in self.history):
            self.gone += [key for key in keys if key in self.offsets]

    def _forget(self, group_id: str) -> None:
        self._note_gone(group_id, [key for key in self.offsets if key[0] == group_id])
        self.groups.pop(group_id, None)
        self.offsets = {key: each for key, each in self.offsets.items() if key[0] != group_id}
        self.waiting = {at: each for at, each in self.waiting.items() if at[0][0] != group_id}

    def _offsets(self, group_id: str, decision: Decision) -> None:
        last = {(group_id, one.topic, one.partition): one for one in decision.offsets}
        gone = {(group_id, *at) for at in decision.offset_deletes}
        self._note_gone(group_id, gone)
        self.waiting = {
            (key, producer): (one, was or key in last)
            for (key, producer), (one, was) in self.waiting.items()
            if key not in gone
        }
        for put in decision.pending:
            key = (group_id, put.write.topic, put.write.partition)
            if put.producer_epoch == 0:  # the only one that the producers' rows know
                self.waiting[key, put.producer_id] = (put.write, put.is_superseded)
        kept = {key: one for key, one in sorted(last.items()) if key not in gone}
        self.offsets = {key: one for key, one in (self.offsets | kept).items() if key not in gone}
        self.history += [
            (*key, one.offset, *one.author) for key, one in kept.items() if one.author is not None
        ]

    # -- as the queries read it

    def rows(self) -> dict[str, list[Any]]:
        offsets = [
            (*key, o.offset, o.leader_epoch, o.metadata, o.commit_timestamp_ms, o.retention_ms)
            for key, o in sorted(self.offsets.items())
        ]
        waiting = [
            (producer, *key, one.offset, one.metadata, was)
            for (key, producer), (one, was) in sorted(self.waiting.items(), key=lambda at: at[0])
        ]
        operations = [(id_, *state_of(done)) for id_, done in sorted(self.operations.items())]
        return {
            "offsets": offsets, "waiting": waiting, "history": self.history,
            "gone": sorted(self.gone),
            "operations": operations, "journal": self.journal, "rounds": self.rounds,
            "open": [
                (group_id, member_id, began.kind, began.origin)
                for group_id, ledger in sorted(self.ledgers.items())
                for member_id, began in sorted(ledger.lives.items())
            ],
            "owned": [
                (group_id, member_id, *part)
                for group_id, ledger in sorted(self.ledgers.items())
                for member_id, parts in sorted(ledger.owned.items())
                for part in sorted(parts)
            ],
        }  # fmt: skip


def state_of(done: Operated) -> tuple[Any, ...]:
    """State, outcome, detail, generation, and whether it is over."""
    if done.error is not ErrorCode.NONE:
        state, outcome = "failed", None
    elif done.ended:
        state, outcome = "succeeded", "changed" if done.changed else "unchanged"
    else:
        state, outcome = "running", None
    return state, outcome, done.detail, done.generation, state != "running"


async def rows(connection: Connection, name: str) -> list[Any]:
    cursor = await connection.execute(READ[name].encode())
    return list(await cursor.fetchall())


@pytest.mark.parametrize("seed", range(2))
async def test_the_tables_hold_what_was_decided(
    connection: Connection, database_url: str, seed: int
) -> None:
    lives = [
        Life(kind, 1_000 + seed, group_id=f"g{at}", requests=at * 1_000).live()
        for at, kind in enumerate(PEOPLE)
    ]
    ids = [life.group_id for life in lives]
    async with await psycopg.AsyncConnection.connect(database_url, autocommit=True) as owner:
        for text in MAKE:
            await owner.execute(text.encode(), (ids,) if "%s" in text else None)
    expected = Expected()
    for together in zip_longest(*(life.written for life in lives)):
        pairs = [each for each in together if each is not None]
        found = [Write(before, made, has_pending=True) for before, made in pairs]
        writes = [write for write in found if write.is_needed]
        await apply.apply(connection, batch(*reversed(writes)))
        expected.batch(writes)
        loaded = await load.groups_by_id(connection, ids)
        assert {id_: read_back(each) for id_, each in loaded.items()} == {
            id_: read_back(each) for id_, each in expected.groups.items()
        }
        for name in ("offsets", "waiting", "open", "owned"):
            assert await rows(connection, name) == expected.rows()[name], name
    for name in READ:
        assert await rows(connection, name) == expected.rows()[name], name
    for wrong in (NOT_OPENED_ONCE, NOT_OWNED_ONCE, OWNED_BY_TWO, NOT_A_ROUND_EACH):
        cursor = await connection.execute(wrong.encode())
        assert await cursor.fetchall() == []
    assert await load.groups_of_slots(connection, range(64)) == loaded
