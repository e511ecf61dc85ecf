"""A whole installation that can be hurt: PostgreSQL, proxies, three nodes, web, worker and beat.

It starts and stops them, says which process is which, and reads the rows. What is done to them is
``faults``.
"""

import asyncio
import shutil
import sys
import tempfile
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, LiteralString, Self
from urllib.parse import urlsplit

import psutil
import psycopg

from groups.coordinator import fail_points
from groups.core.slot import slot_of
from launcher.installation import CHECKOUT, START_S, Installation
from proof.chaos import fault_library
from proof.chaos.processes import Tree
from proof.chaos.proxy import Proxy
from proof.chaos.witness import Witness

SETTINGS: Mapping[str, str] = {
    # Sessions of seconds, as in the comparison with Kafka: what is too slow costs members.
    "ROLLCALL_GROUP_MIN_SESSION_TIMEOUT_MS": "1000",
    "ROLLCALL_GROUP_INITIAL_REBALANCE_DELAY_MS": "300",
    "ROLLCALL_GROUP_CONSUMER_MIN_SESSION_TIMEOUT_MS": "5000",
    "ROLLCALL_GROUP_CONSUMER_SESSION_TIMEOUT_MS": "8000",
    "ROLLCALL_GROUP_CONSUMER_MIN_HEARTBEAT_INTERVAL_MS": "500",
    "ROLLCALL_GROUP_CONSUMER_HEARTBEAT_INTERVAL_MS": "1000",
}

LINES_KEPT = 200_000
"""Of what the processes said: enough for an hour of chaos."""

OWNERS: LiteralString = "SELECT slot, node_id FROM rollcall_slot"
NODES: LiteralString = "SELECT node_id, host, port FROM rollcall_node ORDER BY node_id"


class World:
    """``async with World(3) as world``. ``through`` leads members by the proxies of the nodes."""

    def __init__(self, nodes: int, settings: Mapping[str, str] | None = None) -> None:
        self.nodes = nodes
        self.folder = Path(tempfile.mkdtemp(prefix="rollcall-chaos-"))
        self.folder.chmod(0o711)
        self.points = self.folder / "points"
        self.points.mkdir()
        self.settings = {**SETTINGS, **(settings or {})}
        self.url = ""
        self.ports: dict[int, int] = {}
        self.proxies: dict[int, Proxy] = {}
        self.database_proxy: Proxy | None = None
        self.installation: Installation | None = None
        made = fault_library.library(self.folder)
        self.clock = fault_library.Trouble(self.folder / "nodes-trouble", made)
        self.server = fault_library.Trouble(self.folder / "server-trouble", made)
        self.witness = Witness(self.connect, self.server.jumps_s)
        self._database: asyncio.subprocess.Process | None = None

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
        self.url = await self._serve_database()
        parts = urlsplit(self.url)
        assert parts.port is not None
        self.database_proxy = Proxy(parts.port, frames=False)
        await self.database_proxy.start()
        by_proxy = self.url.replace(f":{parts.port}/", f":{self.database_proxy.port}/")
        own = self.folder / "data"
        own.mkdir()
        self.installation = Installation(
            {
                **self.settings,
                **self.clock.environ,
                "ROLLCALL_NODES": str(self.nodes),
                "ROLLCALL_DATABASE_URL": by_proxy,
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

    async def _serve_database(self) -> str:
        log = (self.folder / "database.log").open("wb")
        self._database = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "proof.chaos.database",
            str(self.folder / "database"),
            *(f"{name}={value}" for name, value in self.server.environ.items()),
            cwd=CHECKOUT,
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
        )
        log.close()
        assert self._database.stdout is not None
        async with asyncio.timeout(START_S):
            line = (await self._database.stdout.readline()).decode()
        if not line.startswith("database "):
            raise RuntimeError("PostgreSQL did not start: " + self.database_log())
        return line.split()[1]

    async def _stop(self) -> None:
        for process in self.processes.all():  # whoever was left standing could not end
            if process.is_running():
                process.resume()
        if self.installation is not None:
            await asyncio.to_thread(self.installation.stop)
        for proxy in (*self.proxies.values(), self.database_proxy):
            if proxy is not None:
                await proxy.stop()
        if self._database is not None and self._database.returncode is None:
            self._database.terminate()
            await self._database.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    # -- who is who

    @property
    def processes(self) -> Tree:
        """All processes of this world."""
        roots = [self._database.pid] if self._database is not None else []
        if self.installation is not None and self.installation.process is not None:
            roots.append(self.installation.process.pid)
        return Tree(roots)

    def node(self, node_id: int) -> psutil.Process | None:
        """The process of a node."""
        return self.processes.one("runcoordinator", f"--node-id={node_id}")

    def celery(self, name: str) -> psutil.Process | None:
        """The process of ``worker`` or ``beat``."""
        return self.processes.one("celery", f" {name} ")

    def postmaster(self) -> psutil.Process | None:
        """PostgreSQL's first process."""
        return self.processes.one("bin/postgres -D")

    def supervisor(self) -> psutil.Process | None:
        """Whoever starts PostgreSQL again when it dies."""
        return None if self._database is None else psutil.Process(self._database.pid)

    def database_log(self) -> str:
        """What PostgreSQL said."""
        return (self.folder / "database.log").read_text(errors="replace")

    def log(self) -> list[str]:
        """What all processes said; nodes first, since the server has a log of its own."""
        said = [] if self.installation is None else list(self.installation.log)
        return [*said, *self.database_log().splitlines(keepends=True)]

    @property
    def bootstraps(self) -> list[str]:
        """HOST:PORT of every node, as they advertise themselves."""
        return [f"127.0.0.1:{port}" for port in self.ports.values()]

    @property
    def through(self) -> dict[int, int]:
        """A node's port to its proxy's."""
        return {self.ports[node_id]: proxy.port for node_id, proxy in self.proxies.items()}

    def arm(self, node_id: int, point: str, act: str) -> Path:
        """Let a node do something to itself at a fail point; the file is gone once it did."""
        file = fail_points.file_of(self.points, node_id, point)
        file.write_text(act)
        return file

    # -- the rows

    async def connect(self) -> "psycopg.AsyncConnection[Any]":
        """A connection past the proxy."""
        return await psycopg.AsyncConnection.connect(self.url, autocommit=True, connect_timeout=3)

    async def rows(self, query: LiteralString, *values: Any) -> list[tuple[Any, ...]]:
        """What a query finds, on a connection of its own."""
        async with await self.connect() as connection:
            cursor = await connection.execute(query, values)
            return await cursor.fetchall() if cursor.description else []

    async def rows_patiently(self, query: LiteralString, limit_s: float) -> list[tuple[Any, ...]]:
        """The same, as soon as the database answers."""
        async with asyncio.timeout(limit_s):
            while True:
                try:
                    return await self.rows(query)
                except (psycopg.Error, OSError):
                    await asyncio.sleep(0.1)

    async def whole(self, limit_s: float) -> None:
        """Wait until every node lives and owns its share, so that nothing moves by itself."""
        async with asyncio.timeout(limit_s):
            while not await self._is_whole():
                await asyncio.sleep(0.1)

    async def _is_whole(self) -> bool:
        try:
            owners = list((await self.owners()).values())
        except (psycopg.Error, OSError):
            return False
        shares = [owners.count(node_id) for node_id in self.ports]
        alive = all(self.node(node_id) is not None for node_id in self.ports)
        return alive and sum(shares) == len(owners) and max(shares) - min(shares) <= 1

    async def owners(self) -> dict[int, int | None]:
        """Each slot's node."""
        return dict(await self.rows(OWNERS))

    async def owner_of(self, group_id: str) -> int | None:
        """The node that owns a group's slot."""
        return (await self.owners())[slot_of(group_id)]
