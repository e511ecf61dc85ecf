"""A whole installation for faults: PostgreSQL, proxies, three nodes, web, worker and beat.

It starts and stops them, finds their processes, and reads the rows. ``faults`` has the faults.
"""

import asyncio
import shutil
import tempfile
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, LiteralString, Self

import psutil
import psycopg

from groups.core.rows import slot_of
from groups.runtime import fail_points
from launcher.installation import Installation
from proof.chaos import fault_library
from proof.chaos.processes import Tree
from proof.chaos.proxy import Proxy
from proof.chaos.server import Server
from proof.chaos.witness import Witness

SETTINGS: Mapping[str, str] = {
    # Sessions of seconds, as in the comparison with Kafka: if Rollcall is too slow, members are
    # removed.
    "ROLLCALL_GROUP_MIN_SESSION_TIMEOUT_MS": "1000",
    "ROLLCALL_GROUP_INITIAL_REBALANCE_DELAY_MS": "300",
    "ROLLCALL_GROUP_CONSUMER_MIN_SESSION_TIMEOUT_MS": "5000",
    "ROLLCALL_GROUP_CONSUMER_SESSION_TIMEOUT_MS": "8000",
    "ROLLCALL_GROUP_CONSUMER_MIN_HEARTBEAT_INTERVAL_MS": "500",
    "ROLLCALL_GROUP_CONSUMER_HEARTBEAT_INTERVAL_MS": "1000",
    # Most runs wait until every node has its share again.
    "ROLLCALL_NODE_RESTART_BACKOFF_MS": "1000",
    "ROLLCALL_NODE_RESTART_BACKOFF_MAX_MS": "2000",
}

LINES_KEPT = 200_000
"""Lines of the processes' output: enough for an hour of chaos."""

OWNERS: LiteralString = "SELECT slot, node_id FROM rollcall_slot"
NODES: LiteralString = "SELECT node_id, host, port FROM rollcall_node ORDER BY node_id"
DRAFTS: LiteralString = "SELECT host, draft_port FROM rollcall_node ORDER BY node_id"


class World:
    """``async with World(3) as world``. ``through`` sends members through the proxies of the
    nodes."""

    def __init__(self, nodes: int, settings: Mapping[str, str] | None = None) -> None:
        self.nodes = nodes
        self.folder = Path(tempfile.mkdtemp(prefix="rollcall-chaos-"))
        self.folder.chmod(0o711)
        self.points = self.folder / "points"
        self.points.mkdir()
        self.settings = {**SETTINGS, **(settings or {})}
        self.ports: dict[int, int] = {}
        self.proxies: dict[int, Proxy] = {}
        self.database_proxy: Proxy | None = None
        self.installation: Installation | None = None
        made = fault_library.library(self.folder)
        self.clock = fault_library.Trouble(self.folder / "nodes-trouble", made)
        self.server = fault_library.Trouble(self.folder / "server-trouble", made)
        self.witness = Witness(self.connect, self.server.jumps_s)
        self._postgres: Server | None = None
        self._served = 0

    # -- life

    async def __aenter__(self) -> Self:
        try:
            await self._start()
        except BaseException:
            await self._stop()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._stop()

    async def _start(self) -> None:
        self.postgres = await self.serve()
        self.database_proxy = Proxy(self.postgres.port, frames=False)
        await self.database_proxy.start()
        own = self.folder / "data"
        own.mkdir()
        self.installation = Installation(
            {
                **self.settings,
                **self.clock.environ,
                "ROLLCALL_NODES": str(self.nodes),
                "ROLLCALL_DATABASE_URL": self.postgres.through(self.database_proxy.port),
                fail_points.VARIABLE: str(self.points),
            },
            own,
        )
        self.installation.log = deque(maxlen=LINES_KEPT)
        await asyncio.to_thread(self.installation.start)
        await self.witness.attach()
        self.ports = {node_id: port for node_id, _host, port in await self.rows(NODES)}
        for node_id, port in self.ports.items():
            self.proxies[node_id] = Proxy(port, frames=True)
            await self.proxies[node_id].start()

    async def serve(self, follows: str = "") -> Server:
        """Start a PostgreSQL, or a replica of the one at a URL; the caller has to stop it."""
        self._served += 1
        folder = self.folder / f"database-{self._served}"
        return await Server.start(folder, self.server.environ, self.database_log_file, follows)

    async def _stop(self) -> None:
        for process in self.processes.all():  # a paused one could not end
            if process.is_running():
                process.resume()
        if self.installation is not None:
            await asyncio.to_thread(self.installation.stop)
        for proxy in (*self.proxies.values(), self.database_proxy):
            if proxy is not None:
                await proxy.stop()
        if self._postgres is not None:
            await self._postgres.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    # -- processes

    @property
    def processes(self) -> Tree:
        """All processes of this world."""
        roots = [self._postgres.process.pid] if self._postgres is not None else []
        if self.installation is not None and self.installation.process is not None:
            roots.append(self.installation.process.pid)
        return Tree(roots)

    def node(self, node_id: int) -> psutil.Process | None:
        """The process of a node."""
        return self.processes.one("runcoordinator", f"--node-id={node_id}")

    def worker(self) -> psutil.Process | None:
        """The process of the worker and its beat."""
        return self.processes.one("launcher.celery", " worker ")

    def postmaster(self) -> psutil.Process | None:
        """PostgreSQL's postmaster."""
        return self.processes.one("bin/postgres -D")

    def supervisor(self) -> psutil.Process | None:
        """The process that restarts PostgreSQL when it dies."""
        return None if self._postgres is None else psutil.Process(self._postgres.process.pid)

    @property
    def postgres(self) -> Server:
        """The PostgreSQL that the nodes use; a promotion replaces it."""
        assert self._postgres is not None
        return self._postgres

    @postgres.setter
    def postgres(self, server: Server) -> None:
        self._postgres = server

    @property
    def database_log_file(self) -> Path:
        """The log file of every PostgreSQL of this world."""
        return self.folder / "database.log"

    def database_log(self) -> str:
        """PostgreSQL's log."""
        return self.database_log_file.read_text(errors="replace")

    def log(self) -> list[str]:
        """The output of all processes, nodes first; the server has a separate log."""
        lines = [] if self.installation is None else list(self.installation.log)
        return [*lines, *self.database_log().splitlines(keepends=True)]

    @property
    def bootstraps(self) -> list[str]:
        """HOST:PORT of every node, as advertised."""
        return [f"127.0.0.1:{port}" for port in self.ports.values()]

    async def drafts(self) -> list[str]:
        """HOST:PORT of the draft's listener of every node."""
        return [f"{host}:{port}" for host, port in await self.rows(DRAFTS)]

    @property
    def nodes_by_address(self) -> dict[str, int]:
        """Each of these to its node's id."""
        return dict(zip(self.bootstraps, self.ports, strict=True))

    @property
    def through(self) -> dict[int, int]:
        """A node's port to its proxy's."""
        return {self.ports[node_id]: proxy.port for node_id, proxy in self.proxies.items()}

    def arm(self, node_id: int, point: str, act: str) -> Path:
        """Activate a fail point in a node; the file is deleted once the node has reached it."""
        file = fail_points.file_of(self.points, node_id, point)
        file.write_text(act)
        return file

    # -- the rows

    async def connect(self) -> "psycopg.AsyncConnection[Any]":
        """A connection that bypasses the proxy."""
        return await self.postgres.connect()

    async def rows(self, query: LiteralString, *values: Any) -> list[tuple[Any, ...]]:
        """The rows of a query, on a connection of its own."""
        async with await self.connect() as connection:
            cursor = await connection.execute(query, values)
            return await cursor.fetchall() if cursor.description else []

    async def rows_patiently(self, query: LiteralString, limit_s: float) -> list[tuple[Any, ...]]:
        """The same, with retries until the database answers."""
        async with asyncio.timeout(limit_s):
            while True:
                try:
                    return await self.rows(query)
                except (psycopg.Error, OSError):
                    await asyncio.sleep(0.1)

    async def whole(self, limit_s: float) -> None:
        """Wait until every node is alive and owns its share, so that no slot moves without a
        fault."""
        async with asyncio.timeout(limit_s):
            while not await self._is_whole():
                await asyncio.sleep(0.1)

    async def _is_whole(self) -> bool:
        try:
            owners = list((await self.owners()).values())
        except (psycopg.Error, OSError):
            return False
        shares = [owners.count(node_id) for node_id in self.ports]
        if sum(shares) != len(owners) or max(shares) - min(shares) > 1:
            return False
        return all(self.node(node_id) is not None for node_id in self.ports)

    async def owners(self) -> dict[int, int | None]:
        """Each slot's node."""
        return dict(await self.rows(OWNERS))

    async def owner_of(self, group_id: str) -> int | None:
        """The node that owns a group's slot."""
        return (await self.owners())[slot_of(group_id)]
