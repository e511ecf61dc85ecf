"""Whether PostgreSQL is still in the history that this node has seen, or time has gone back.

A standby that is promoted goes on in a timeline of its own, a dump is restored into another system,
and a restored copy of the files stands at an earlier place in the log: each may lack the last of
what was acknowledged. The row of ``rollcall_timeline`` says which history the rows belong to; a
node adds what it has seen itself since it started (``Memory``). Judgement and one read; who acts on
it is ``groups.cluster.lease``.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

import psycopg

from groups.postgres import timeline_sql as sql


class Server(NamedTuple):
    """The server that a connection leads to. ``flushed``: how far its log is on disk."""

    system_identifier: int
    timeline: int
    started_at: datetime
    flushed: int

    @property
    def history(self) -> tuple[int, int]:
        """What stays over a restart and a crash, and over nothing else."""
        return self.system_identifier, self.timeline

    @property
    def cluster_id(self) -> str:
        """What clients are told: whoever shares the database is one cluster."""
        return cluster_id(self.system_identifier)


def cluster_id(system_identifier: int) -> str:
    """The name of the cluster whose rows a server holds."""
    return f"rollcall-{system_identifier}"


class Row(NamedTuple):
    """The history that the rows belong to, and when epochs were raised in it last."""

    system_identifier: int
    timeline: int
    jump: UUID
    jumped_on: datetime | None
    generations_after: int

    @property
    def history(self) -> tuple[int, int]:
        """The same two as of a server."""
        return self.system_identifier, self.timeline


class Found(NamedTuple):
    """What one look found. ``beat``: of the node's own row, None where there is none."""

    server: Server
    row: Row
    beat: int | None


class Seen(NamedTuple):
    """A revision of a group that this node has seen committed, and its slot's epoch then.

    ``may_be_gone``: a batch is under way, or its outcome is not known, which may delete the group.
    For a slot without groups the id is "" and the revision 0.
    """

    slot: int
    epoch: int
    group_id: str
    revision: int
    may_be_gone: bool


@dataclass(slots=True)
class Memory:
    """What a node has seen: the server at its last beat, that beat, and every jump.

    ``is_doubted`` is set when a connection waits for the lease to look at the server again.
    """

    node_id: int
    server: Server
    beat: int
    row: Row
    jumps: set[UUID] = field(default_factory=set)
    is_doubted: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        """The present jump is one of them."""
        self.jumps.add(self.row.jump)

    def has_beaten(self, beat: int, flushed: int) -> None:
        """A beat is written, and so is all that was acknowledged before it."""
        self.beat = beat
        self.server = self.server._replace(flushed=flushed)

    def is_lived_in(self, found: Found) -> bool:
        """Whether this is the history, and the start of the server, that the node goes by."""
        is_same_start = found.server.started_at == self.server.started_at
        return is_same_start and found.row.jump == self.row.jump and not has_gone_back(found, self)


class WentBack(Exception):
    """Time has gone back: every epoch must be raised before anything else is done."""

    def __init__(self, found: Found, memory: Memory | None) -> None:
        self.found = found
        self.generations_after = memory.row.generations_after if memory is not None else 0
        super().__init__(sentence(found, memory))


class Unconfirmed(psycopg.OperationalError):
    """This connection leads to a history that the node has not begun to live in."""


MEMORIES: Final[list[Memory]] = []
"""Of the nodes that run in this process: one, but for tests."""


async def read(connection: psycopg.AsyncConnection[Any], node_id: int) -> Found:
    """Ask the server which it is."""
    cursor = await connection.execute(sql.READ.encode(), {"node_id": node_id})
    row = await cursor.fetchone()
    assert row is not None, "rollcall_timeline always has its row"
    return Found(Server(*row[:4]), Row(*row[4:9]), row[9])


async def check(connection: psycopg.AsyncConnection[Any]) -> None:
    """Raise ``Unconfirmed`` where what this process remembers may be more than the rows hold."""
    for memory in MEMORIES:
        seen = replace(memory)  # it may beat while the server answers
        found = await read(connection, memory.node_id)
        if not seen.is_lived_in(found):
            memory.is_doubted.set()
            raise Unconfirmed("PostgreSQL is in another history; the lease looks at it first")


async def is_lost(connection: psycopg.AsyncConnection[Any], seen: Sequence[Seen]) -> bool:
    """Whether any of this is missing. After a restart nothing is, with ``synchronous_commit``."""
    names = ("slots", "epochs", "group_ids", "revisions", "may_be_gone")
    columns = zip(*seen, strict=True)
    values = {name: list(column) for name, column in zip(names, columns, strict=True)}
    return await (await connection.execute(sql.LOST.encode(), values)).fetchone() is not None


def has_gone_back(found: Found, memory: Memory | None) -> bool:
    """Whether something may be missing that was acknowledged, and no epoch was raised since."""
    server, row, beat = found
    if server.history != row.history:
        return True
    if memory is None or _is_seen_to(found, memory):
        return False
    is_behind = server.flushed < memory.server.flushed or beat is None or beat < memory.beat
    return is_behind or server.history != memory.server.history


def _is_seen_to(found: Found, memory: Memory) -> bool:
    """Whether epochs were raised after all that is remembered: by another node, or an operator."""
    server, row, _ = found
    if row.jump in memory.jumps:
        return False
    is_later = (
        server.system_identifier != memory.server.system_identifier
        or server.timeline > memory.server.timeline
    )
    return is_later or row.jumped_on == server.started_at


def sentence(found: Found, memory: Memory | None) -> str:
    """What happened, as an operator reads it in the journal and in the log."""
    server, row, _ = found
    seen = row if memory is None else memory.server
    if server.system_identifier != seen.system_identifier:
        what = (
            f"it is system {server.system_identifier}, and was {seen.system_identifier}:"
            " a dump was restored, or PostgreSQL was upgraded"
        )
    elif server.timeline != seen.timeline:
        what = (
            f"it is on timeline {server.timeline}, and was on {seen.timeline}:"
            " a standby was promoted, or a backup restored"
        )
    else:
        what = f"it was restored from an earlier copy of timeline {server.timeline}"
    until = "" if memory is None else f", and was seen at {lsn(memory.server.flushed)}"
    return (
        f"Time may have gone back in PostgreSQL: {what}. Its log stands at"
        f" {lsn(server.flushed)}{until}. What was acknowledged last may be missing: offsets,"
        " members, operations. All generations and epochs were raised, so that none is given out"
        " twice; every member joins again"
    )


def lsn(position: int) -> str:
    """A position in the log as PostgreSQL writes it."""
    return f"{position >> 32:X}/{position & 0xFFFFFFFF:X}"
