"""Checks whether PostgreSQL is still in the history that this node has seen, or time has gone back.

A promoted standby continues in a new timeline, a dump is restored into another system or another
database, and a restored copy of the files is at an earlier position of the log: each may lack the
last acknowledged commits. The row of ``rollcall_timeline`` contains the history of the rows; a node
adds what it has seen since it started (``Memory``). This module only reads and decides;
``groups.cluster.lease`` acts on it.
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
    """The server of a connection. ``flushed``: how far its log is on disk; ``database``: the
    number of its database."""

    system_identifier: int
    timeline: int
    started_at: datetime
    flushed: int
    database: int

    @property
    def history(self) -> tuple[int, int, int]:
        """Values that survive a restart and a crash, but nothing else."""
        return self.system_identifier, self.database, self.timeline

    @property
    def cluster_id(self) -> str:
        """The cluster id that clients see: all nodes with this database are one cluster."""
        return cluster_id(self.system_identifier)


def cluster_id(system_identifier: int) -> str:
    """The id of the cluster on this server."""
    return f"rollcall-{system_identifier}"


class Row(NamedTuple):
    """The history of the rows, and when epochs were last raised in it."""

    system_identifier: int
    timeline: int
    jump: UUID
    jumped_on: datetime | None
    generations_after: int
    database: int

    @property
    def history(self) -> tuple[int, int, int]:
        """The same values as ``Server.history``."""
        return self.system_identifier, self.database, self.timeline


class ReadResult(NamedTuple):
    """The result of one read. ``beat``: of the node's own row, None if there is none."""

    server: Server
    row: Row
    beat: int | None


class SeenRevision(NamedTuple):
    """A group's revision that this node has seen committed, and its slot's epoch then.

    ``may_be_gone``: a batch that is running, or has an unknown outcome, may delete the group. For a
    slot without groups the id is "" and the revision 0.
    """

    slot: int
    epoch: int
    group_id: str
    revision: int
    may_be_gone: bool


@dataclass(slots=True)
class Memory:
    """What a node has seen: the server at its last beat, that beat, and every jump.

    ``is_doubted`` is set when a connection waits until the lease has checked the server again.
    """

    node_id: int
    server: Server
    beat: int
    row: Row
    jumps: set[UUID] = field(default_factory=set)
    is_doubted: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        """Add the current jump."""
        self.jumps.add(self.row.jump)

    def has_beaten(self, beat: int, flushed: int) -> None:
        """A beat is written, and so is everything that was acknowledged before it."""
        self.beat = beat
        self.server = self.server._replace(flushed=flushed)

    def is_lived_in(self, found: ReadResult) -> bool:
        """Whether this is the history, and the start of the server, on which the node works."""
        is_same_start = found.server.started_at == self.server.started_at
        return is_same_start and found.row.jump == self.row.jump and not has_gone_back(found, self)


class WentBack(Exception):
    """Time has gone back: every epoch must be raised before anything else is done."""

    def __init__(self, found: ReadResult, memory: Memory | None) -> None:
        self.found = found
        self.generations_after = memory.row.generations_after if memory is not None else 0
        super().__init__(sentence(found, memory))


class Unconfirmed(psycopg.OperationalError):
    """The server of this connection has a history that the node has not confirmed yet."""


MEMORIES: Final[list[Memory]] = []
"""The memories of the nodes in this process: one, except in tests."""


async def read(connection: psycopg.AsyncConnection[Any], node_id: int) -> ReadResult:
    """Read the server's identity and history."""
    cursor = await connection.execute(sql.READ.encode(), {"node_id": node_id})
    row = await cursor.fetchone()
    assert row is not None, "rollcall_timeline always has its row"
    return ReadResult(Server(*row[:5]), Row(*row[5:11]), row[11])


async def check(connection: psycopg.AsyncConnection[Any]) -> None:
    """Raise ``Unconfirmed`` if the rows may lack something that this process has seen."""
    for memory in MEMORIES:
        seen = replace(memory)  # a beat may be written while the server answers
        found = await read(connection, memory.node_id)
        if not seen.is_lived_in(found):
            memory.is_doubted.set()
            raise Unconfirmed("PostgreSQL is in another history; the lease looks at it first")


async def is_lost(connection: psycopg.AsyncConnection[Any], seen: Sequence[SeenRevision]) -> bool:
    """Whether any of this is missing. With ``synchronous_commit`` nothing is after a restart."""
    names = ("slots", "epochs", "group_ids", "revisions", "may_be_gone")
    columns = zip(*seen, strict=True)
    values = {name: list(column) for name, column in zip(names, columns, strict=True)}
    return await (await connection.execute(sql.LOST.encode(), values)).fetchone() is not None


def has_gone_back(found: ReadResult, memory: Memory | None) -> bool:
    """Whether acknowledged changes may be missing, and epochs were not raised since."""
    server, row, beat = found
    if server.history != row.history:
        return True
    if memory is None or _is_seen_to(found, memory):
        return False
    if beat is None:
        # Where the server was not restarted, the row was deleted: the node seemed to have left.
        beat = memory.beat if server.started_at == memory.server.started_at else 0
    is_behind = server.flushed < memory.server.flushed or beat < memory.beat
    return is_behind or server.history != memory.server.history


def _is_seen_to(found: ReadResult, memory: Memory) -> bool:
    """Whether epochs were raised after everything in memory: by another node, or an operator."""
    server, row, _ = found
    if row.jump in memory.jumps:
        return False
    *elsewhere, timeline = server.history
    *seen, seen_timeline = memory.server.history
    is_later = elsewhere != seen or timeline > seen_timeline
    return is_later or row.jumped_on == server.started_at


def sentence(found: ReadResult, memory: Memory | None) -> str:
    """A sentence for operators, in the journal and in the log."""
    server, row, _ = found
    seen = row if memory is None else memory.server
    if server.system_identifier != seen.system_identifier:
        what = (
            f"it is system {server.system_identifier}, and was {seen.system_identifier}:"
            " a dump was restored, or PostgreSQL was upgraded"
        )
    elif server.database != seen.database:
        what = (
            f"it is database {server.database} of its server, and was {seen.database}:"
            " a dump was restored"
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
    """A position in the log in PostgreSQL's format."""
    return f"{position >> 32:X}/{position & 0xFFFFFFFF:X}"
