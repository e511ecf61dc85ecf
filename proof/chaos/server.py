"""A PostgreSQL of a world: the process that serves and restarts it, and its address."""

import asyncio
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg

from launcher.installation import CHECKOUT, START_S


class Server:
    """``process`` is ``proof.chaos.database``; all its files are in ``folder``."""

    def __init__(self, folder: Path, process: asyncio.subprocess.Process, url: str) -> None:
        self.folder = folder
        self.process = process
        self.url = url

    @classmethod
    async def start(
        cls, folder: Path, environ: Mapping[str, str], log: Path, follows: str = ""
    ) -> "Server":
        """Start one, as a replica of the server at the URL ``follows`` if given, and wait until it
        accepts connections; RuntimeError if it does not. Its output is added to ``log``."""
        variables = [f"{name}={value}" for name, value in environ.items()]
        with log.open("ab") as log_file:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "proof.chaos.database", str(folder), *variables),
                *(("--follows", follows) if follows else ()),
                cwd=CHECKOUT,
                stdout=asyncio.subprocess.PIPE,
                stderr=log_file,
            )
        assert process.stdout is not None
        server = cls(folder, process, "")
        try:
            async with asyncio.timeout(START_S):
                line = (await process.stdout.readline()).decode()
            if not line.startswith("database "):
                raise RuntimeError(f"PostgreSQL did not start: {log}")
        except BaseException:
            await server.stop()
            raise
        server.url = line.split()[1]
        return server

    async def stop(self) -> None:
        """Stop it and the process that restarts it; delete its files."""
        if self.process.returncode is None:
            self.process.terminate()
            await self.process.wait()
        await asyncio.to_thread(shutil.rmtree, self.folder, ignore_errors=True)

    @property
    def port(self) -> int:
        """Where the server itself listens."""
        port = urlsplit(self.url).port
        assert port is not None
        return port

    def through(self, port: int) -> str:
        """Its URL with another port, that of a proxy."""
        return self.url.replace(f":{self.port}/", f":{port}/")

    async def connect(self) -> "psycopg.AsyncConnection[Any]":
        """A connection that bypasses every proxy."""
        return await psycopg.AsyncConnection.connect(self.url, autocommit=True, connect_timeout=3)

    async def connect_patiently(self) -> "psycopg.AsyncConnection[Any]":
        """The same, with retries until it accepts connections."""
        async with asyncio.timeout(START_S):
            while True:
                try:
                    return await self.connect()
                except psycopg.OperationalError:
                    await asyncio.sleep(0.1)
