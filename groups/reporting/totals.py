"""Counts stored state of each kind, and enforces its limits.

A request for something new is refused when its kind is full (POLICY_VIOLATION); existing state
continues as before, so heartbeats and commits are not counted. Topics and groups are counted in
memory; rows of other kinds by a query every few seconds, plus those that this node has admitted
since. Several nodes may therefore exceed a limit by what the others admit between two counts.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple, Self

import psycopg
from django.conf import settings
from psycopg_pool import PoolTimeout

from groups.catalogue.cache import Catalogue
from groups.core.errors import ErrorCode, Refuse
from groups.postgres.connections import Connection
from groups.reporting.offset_totals import OffsetTotals
from groups.runtime.runtime import CoordinatorRuntime
from groups.store.sql import totals as sql

logger = logging.getLogger(__name__)

LOOK_S = 10.0
"""The pause between two counts of rows: each takes PostgreSQL some tens of milliseconds when tables
are full."""

NEAR, NOT_NEAR = 0.8, 0.7
"""Share of the limit at which the journal reports a kind; it is reported again only after the lower
share was reached."""

MEBIBYTE = 1_048_576

TOPICS = "topics"
PARTITIONS = "partitions"
GROUPS = "groups"
TRANSACTIONAL_IDS = "transactional ids"
CONFIGS = "settings of groups"
HISTORY = "mebibytes of offset history"
FACTS = "mebibytes of facts"
OFFSETS = "committed offsets"
WAITING = "offsets that wait for the end of a transaction"


@dataclass(frozen=True, slots=True, kw_only=True)
class Maxima:
    """Django's settings, under the same names in lower case."""

    topics_max: int
    partitions_max: int
    groups_max: int
    transactional_ids_max: int
    group_configs_max: int
    offsets_history_max_mebibytes: int
    offsets_history_retention_hours: int
    facts_max_mebibytes: int
    offsets_max: int
    group_offsets_max: int
    transactional_offsets_max: int

    @classmethod
    def from_django(cls) -> Self:
        """Read them; a missing one is a programmer's mistake and raises."""
        return cls(**{f.name: getattr(settings, f.name.upper()) for f in fields(cls)})


class Figure(NamedTuple):
    """The number that exists, and its limit."""

    now: int
    most: int


@dataclass(slots=True)
class Counted:
    """Rows of one kind: the last count, and those admitted since."""

    most: int
    found: int = 0
    since: int = 0

    @property
    def figure(self) -> Figure:
        """The number that this node knows of."""
        return Figure(self.found + self.since, self.most)


@dataclass(slots=True)
class Totals:
    """The totals of an installation, as one node knows them. ``keeps_history``: whether commits are
    added to the history of offsets; a plain attribute, since every commit reads it."""

    maxima: Maxima
    catalogue: Catalogue
    coordinator: CoordinatorRuntime
    connections: Callable[[], AbstractAsyncContextManager[Connection]]
    node_id: int = 0
    rows: dict[str, Counted] = field(init=False)
    keeps_history: bool = field(init=False)
    offsets: OffsetTotals = field(init=False)
    _near: set[str] = field(init=False, default_factory=set)

    def __post_init__(self) -> None:
        """Pass the limits to the objects that enforce them."""
        maxima = self.maxima
        self.catalogue.topics_max = maxima.topics_max
        self.catalogue.partitions_max = maxima.partitions_max
        self.rows = {
            TRANSACTIONAL_IDS: Counted(maxima.transactional_ids_max),
            CONFIGS: Counted(maxima.group_configs_max),
            HISTORY: Counted(maxima.offsets_history_max_mebibytes),
            FACTS: Counted(maxima.facts_max_mebibytes),
            OFFSETS: Counted(maxima.offsets_max),
            WAITING: Counted(maxima.transactional_offsets_max),
        }
        self.offsets = OffsetTotals(self.coordinator, self.connections, maxima.group_offsets_max)
        self.keeps_history = maxima.offsets_history_retention_hours > 0

    @property
    def figures(self) -> Mapping[str, Figure]:
        """Of every kind. Groups: those of this node's slots, and its share of the limit."""
        catalogue, coordinator = self.catalogue, self.coordinator
        return {
            TOPICS: Figure(catalogue.topic_count, catalogue.topics_max),
            PARTITIONS: Figure(catalogue.partition_count, catalogue.partitions_max),
            GROUPS: Figure(len(coordinator.entries), coordinator.groups_share),
            **{kind: counted.figure for kind, counted in self.rows.items()},
        }

    def admit(self, kind: str, new: int = 1) -> None:
        """Count something that is about to be created. Refuses POLICY_VIOLATION."""
        counted = self.rows[kind]
        if counted.found + counted.since + new > counted.most:
            raise Refuse(ErrorCode.POLICY_VIOLATION, f"There are {counted.most} {kind} already.")
        counted.since += new

    def admit_transactional_id(self) -> None:
        """Count one more."""
        self.admit(TRANSACTIONAL_IDS)

    def admit_configs(self, new: int) -> None:
        """Count this many more rows."""
        self.admit(CONFIGS, new)

    async def run(self) -> None:
        """Count, and report kinds that are nearly full, until cancelled."""
        clock = asyncio.get_running_loop().time
        while True:
            until = clock() + LOOK_S
            await self._try(self.look)
            while (left := until - clock()) > 0:
                with suppress(TimeoutError):
                    async with asyncio.timeout(left):
                        await self.offsets.suspected.wait()
                    await self._try(self.offsets.count)

    async def _try(self, count: Callable[[], Awaitable[None]]) -> None:
        try:
            await count()
        except (psycopg.Error, PoolTimeout, OSError) as error:
            logger.info("totals wait for the database: %s", error)

    async def look(self) -> None:
        """Count rows once. Rows admitted while PostgreSQL counted stay counted."""
        before = {kind: counted.since for kind, counted in self.rows.items()}
        async with self.connections() as connection:
            row = await (await connection.execute(sql.COUNT)).fetchone()
            assert row is not None
            ids, configs, history_bytes, facts_bytes, offsets, waiting = row
            mebibytes = (history_bytes // MEBIBYTE, facts_bytes // MEBIBYTE)
            found = (ids, configs, *mebibytes, offsets, waiting)
            for (kind, counted), count in zip(self.rows.items(), found, strict=True):
                counted.found = count
                counted.since -= before[kind]
            history = self.rows[HISTORY]
            is_kept = self.maxima.offsets_history_retention_hours > 0
            self.keeps_history = is_kept and history.found < history.most
        is_full = {kind: counted.found >= counted.most for kind, counted in self.rows.items()}
        self.offsets.found(is_full=is_full[OFFSETS], is_waiting_full=is_full[WAITING])
        await self.offsets.count(again=True)
        async with self.connections() as connection:
            await self._note_near(connection)

    async def _note_near(self, connection: Connection) -> None:
        figures = {**self.figures, **dict(self._of_groups())}
        self._near &= figures.keys()
        for kind, (count, most) in figures.items():
            if not most or count < most * NOT_NEAR:  # 0: a node without slots
                self._near.discard(kind)
            elif count >= most * NEAR and kind not in self._near:
                self._near.add(kind)
                reason = f"there are {count} {kind}, and may be {most}"
                logger.warning("%s", reason)
                await connection.execute(sql.NOTE, self._note(kind, reason, count, most))

    def _of_groups(self) -> Iterator[tuple[str, Figure]]:
        """The groups with nearly as many offsets as a group may have."""
        most = self.offsets.group_max
        for group_id, counts in self.offsets.large.items():
            yield f"{OFFSETS} of {group_id!r}", Figure(counts.committed, most)
            yield f"{WAITING} of {group_id!r}", Figure(counts.waiting, most)

    def _note(self, kind: str, reason: str, count: int, most: int) -> Mapping[str, Any]:
        details = {"what": kind, "count": count, "most": most}
        values = {"what": kind, "reason": reason, "details": json.dumps(details)}
        return {"node_id": self.node_id, **values}
