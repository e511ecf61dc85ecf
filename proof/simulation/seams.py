"""Replaces the product's access to PostgreSQL by the model during a run.

The product's own modules are used as they are; only the functions that open connections, send a
batch and load groups are replaced. The running event loop identifies the calling process.
"""

import asyncio
import logging
from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import Any
from unittest.mock import patch

import psycopg

from groups.cluster import failure_detector
from groups.core.pauses import Pauses
from groups.postgres import connections, timeline
from groups.store import apply as store
from groups.store import blame, load
from groups.store.apply import Write
from proof.simulation.batches import apply, refused_members
from proof.simulation.connections import Connection
from proof.simulation.network import PORT, Network
from proof.simulation.notes import silences
from proof.simulation.postgres import Database
from proof.simulation.statements import MEANINGS, load_groups, load_slots
from proof.simulation.transaction_rows import groups_with_pending
from proof.simulation.world import SECOND, Loop, Process

QUIET = logging.CRITICAL + 1


def here() -> Process:
    """The process that is running."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, Loop)
    return loop.process


class Seams:
    """The replacement functions, over one database and one network."""

    def __init__(self, modelled: Database, network: Network) -> None:
        self.modelled = modelled
        self.network = network

    async def nobody_listens(self, host: str, port: int) -> bool:
        """A dead process has no listening port; a paused one has, and so has one that is cut
        off."""
        await _sleep(here(), self.network.delay())
        node = self.network.nodes.get(port - PORT)
        return node is None or not node.process.alive

    async def connect(self, name: str, settings_over: Any = None, **_: object) -> Connection:
        """A new connection, after a round trip; OperationalError if the server does not answer."""
        process, modelled = here(), self.modelled
        world = modelled.world
        if process.name in modelled.weather.cut:
            await _sleep(process, world.between(0.5, 3))
            raise psycopg.OperationalError("timeout expired")
        await _sleep(process, int(modelled.weather.latency * 2 * SECOND))
        if not modelled.is_up:
            raise psycopg.OperationalError("connection refused")
        over = settings_over or {}
        made = Connection(modelled, process, MEANINGS, connections._patience_s(over))
        made.is_for_long = "statement_timeout" in over
        return made

    async def kept(self, connection: Connection | None, name: str, **_: object) -> Connection:
        """The same connection while it is usable."""
        if connection is not None:
            if _is_usable(connection):
                return connection
            await connection.close()
        opened: Connection = await connections.connect(name)  # type: ignore[assignment]
        return opened

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Apply every replacement until the block ends. The product's log is off meanwhile."""
        before = logging.root.manager.disable
        logging.disable(QUIET)
        with (
            patch.object(connections, "connect", self.connect),
            patch.object(connections, "kept", self.kept),
            patch.object(connections, "is_usable", _is_usable),
            patch.object(timeline, "MEMORIES", []),
            patch.object(failure_detector, "nobody_listens", self.nobody_listens),
            patch.object(store, "apply", apply),
            patch.object(load, "groups_of_slots", _of_slots),
            patch.object(load, "groups_by_id", _by_id),
            patch.object(load, "silences_of_slots", _silences),
            patch.object(load, "groups_with_pending", _with_pending),
            patch.object(blame, "refused_members", _refused_members),
            patch.object(load, "configs_of_slots", _no_configs),
            patch.object(load, "pauses_of_slots", _no_pauses),
            patch.object(load, "pauses_by_id", _no_pauses),
        ):
            try:
                yield
            finally:
                logging.disable(before)


def _is_usable(connection: Connection) -> bool:
    return not (connection.closed or connection.broken) and connection.session.is_open


class Readers:
    """The part of a connection pool that readers need: one connection, opened when needed."""

    def __init__(self) -> None:
        self._kept: Any = None

    def connection(self) -> AbstractAsyncContextManager[Any]:
        """Lend a connection."""
        return _Loan(self)

    async def fresh(self) -> Any:
        """One connection for a single read: reads must not wait for each other."""
        return await connections.connect("reader")


class _Loan(AbstractAsyncContextManager[Any]):
    def __init__(self, readers: Readers) -> None:
        self.readers = readers
        self.connection: Any = None

    async def __aenter__(self) -> Any:
        self.connection = await self.readers.fresh()
        return self.connection

    async def __aexit__(self, *_: object) -> None:
        await self.connection.close()


async def _sleep(process: Process, micros: int) -> None:
    future = process.loop.create_future()
    process.world.after(micros, _resolve, future)
    await future


def _resolve(future: "asyncio.Future[None]") -> None:
    if not future.done():
        future.set_result(None)


async def _of_slots(connection: Any, slots: Sequence[int]) -> Any:
    return await connection.run(load_slots, list(slots))


async def _by_id(connection: Any, group_ids: Sequence[str]) -> Any:
    return await connection.run(load_groups, list(group_ids))


async def _with_pending(connection: Any, slots: Sequence[int]) -> set[str]:
    found: set[str] = await connection.run(groups_with_pending, list(slots))
    return found


async def _silences(connection: Any, slots: Sequence[int]) -> Any:
    return await connection.run(silences, list(slots))


async def _refused_members(connection: Any, write: Write) -> tuple[str, ...]:
    found: tuple[str, ...] = await connection.run(refused_members, write)
    return found


async def _no_configs(connection: Any, slots: Sequence[int]) -> dict[str, dict[str, str]]:
    return {}


async def _no_pauses(connection: Any, which: Sequence[Any]) -> dict[str, Pauses]:
    return {}
