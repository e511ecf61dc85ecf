"""PostgreSQL servers of a test's own: stopped, copied, restored and promoted as operators do it.

A server is a data folder and a process. ``Address`` is what Rollcall connects to: it leads to
whichever server an operator has put there, as a DNS name or a virtual address does.
"""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psycopg

from launcher import cluster, ports, postgres
from launcher.cluster import PostgresCluster
from launcher.identity import CLEAN_ENVIRONMENT
from tests.launcher.waiting import until

ROOT = Path(__file__).parents[2]
SETTINGS = {**postgres.SETTINGS, **postgres.THROWAWAY}
PROMOTED = "SELECT NOT pg_is_in_recovery()"


@dataclass
class Server:
    """One data folder, and its process while it runs."""

    cluster: PostgresCluster
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def url(self) -> str:
        """Where the server itself listens."""
        return self.cluster.url()

    def start(self) -> None:
        """Start it, and wait until it takes connections."""
        command = cluster.server_command(self.cluster, {"port": str(self.cluster.port), **SETTINGS})
        self.process = subprocess.Popen(
            command, env=CLEAN_ENVIRONMENT, cwd="/", stderr=subprocess.DEVNULL, **self._as_its_user
        )
        until(lambda: postgres.probe(self.cluster) is not None, "PostgreSQL takes connections")

    def stop(self, number: signal.Signals = signal.SIGINT) -> None:
        """Fast shutdown with a checkpoint; SIGQUIT: as after a crash, the next start recovers."""
        if self.process is not None:
            self.process.send_signal(number)
            self.process.wait()
            self.process = None

    def copy(self, to: Path) -> "Server":
        """A cold backup: the files of a server that does not run, ready to run beside it."""
        to.mkdir(mode=0o711)
        copied = to / "data"
        shutil.copytree(self.cluster.data, copied, symlinks=True)
        _give(copied, self.cluster)
        (port,) = ports.free(1)
        return Server(replace(self.cluster, data=copied, port=port))

    def standby(self, to: Path) -> "Server":
        """A server that follows this one, asynchronously, as soon as it is started."""
        to.mkdir(mode=0o711)
        _give(to, self.cluster)
        data = to / "data"
        source = f"host={ports.LOOPBACK} port={self.cluster.port} user={cluster.SUPERUSER}"
        program = str(self.cluster.programs.folder / "pg_basebackup")
        subprocess.run(
            [program, "-d", source, "-D", str(data), "-R", "-c", "fast", "-X", "stream"],
            env={**CLEAN_ENVIRONMENT, "PGPASSWORD": self.cluster.password},
            cwd="/",
            check=True,
            capture_output=True,
            **self._as_its_user,
        )
        (port,) = ports.free(1)
        return Server(replace(self.cluster, data=data, port=port))

    def promote(self) -> None:
        """Promote a standby, in a timeline of its own."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute("SELECT pg_promote()")

    def ask(self, query: str) -> Any:
        """The single value that a query returns."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            row = connection.execute(query.encode()).fetchone()
        assert row is not None
        return row[0]

    @property
    def _as_its_user(self) -> dict[str, Any]:
        identity = self.cluster.identity
        if identity is None:
            return {}
        return {"user": identity.uid, "group": identity.gid, "extra_groups": []}


@contextmanager
def folder() -> Iterator[Path]:
    """A folder that PostgreSQL's own user may pass through; pytest's are closed to others."""
    path = Path(tempfile.mkdtemp(prefix="rollcall-"))
    path.chmod(0o711)
    try:
        yield path
    finally:
        shutil.rmtree(path)


def _give(path: Path, prepared: PostgresCluster) -> None:
    identity = prepared.identity
    if identity is None:
        return
    for each in (path, *path.rglob("*")):
        os.chown(each, identity.uid, identity.gid, follow_symlinks=False)


@contextmanager
def migrated(path: Path) -> Iterator[Server]:
    """A server with Rollcall's tables, which runs; a template for those of the tests."""
    prepared = cluster.prepare(path, throwaway=True)
    server = Server(prepared)
    try:
        server.start()
        subprocess.run(
            [sys.executable, "manage.py", "migrate", "--verbosity=0"],
            cwd=ROOT,
            env={**os.environ, "ROLLCALL_DATABASE_URL": server.url},
            check=True,
        )
        yield server
    finally:
        server.stop()
        prepared.lock.close()


class Address:
    """A port of its own that leads to a server, or to nowhere."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.leads_to: int | None = None
        self._tasks: set[asyncio.Task[Any]] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, until either side ends it."""
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        opened = [writer]
        with suppress(OSError, asyncio.CancelledError):
            if self.leads_to is not None:
                there = await asyncio.open_connection(ports.LOOPBACK, self.leads_to)
                opened.append(there[1])
                await _either(_pump(reader, there[1]), _pump(there[0], writer))
        for each in opened:
            each.transport.abort()
        self._tasks.discard(task)

    async def end(self) -> None:
        """No connection is left."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65_536):
        writer.write(data)
        await writer.drain()


async def _either(*works: Coroutine[Any, Any, None]) -> None:
    tasks = [asyncio.create_task(work) for work in works]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def address() -> AsyncIterator[Address]:
    """An address that leads nowhere yet."""
    (port,) = ports.free(1)
    found = Address(port)
    async with await asyncio.start_server(found.serve, ports.LOOPBACK, port):
        yield found
        await found.end()
