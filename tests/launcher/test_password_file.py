"""A password that changes while a node runs, as tokens of managed services do: libpq's own
password file, named by the URL, is read at each connection. docs/configuration.md has how it is
written; its block runs here, with a stand-in for the service's own program."""

import os
import subprocess
from contextlib import closing
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

import psycopg
import pytest

from launcher import postgres
from launcher.installation import CHECKOUT
from tests.docs.blocks import blocks
from tests.launcher.conftest import folder
from tests.launcher.waiting import until
from tests.upgrade.rolling import Cluster

__all__ = ["folder"]

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]

END = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE usename = current_user AND pid <> pg_backend_pid()
"""
BEAT = "SELECT coalesce(sum(beat), 0) FROM rollcall_node"


PAGE, BEGINS = "docs/configuration.md", "umask 077"
PLACE = "/run/rollcall-password"
STANDS_IN = {"aws": "cat {0}/token", "chown": "true"}
"""This machine has no such service, and its users are not the test's to make."""


class Keys:
    """The database's URL without its password, and the file that has it."""

    def __init__(self, folder: Path, url: str, server: psycopg.Connection) -> None:
        self._folder, self._given, self._server = folder, urlsplit(url), server
        self._file = folder / "pgpass"
        for name, does in STANDS_IN.items():
            (folder / name).write_text(f"#!/bin/sh\n{does.format(folder)}\n")
            (folder / name).chmod(0o755)
        self._write(self._given.password or "")

    @property
    def url(self) -> str:
        at = f"{self._given.username}@{self._given.hostname}:{self._given.port}"
        return SplitResult("postgresql", at, "/rollcall", f"passfile={self._file}", "").geturl()

    def change(self) -> None:
        """The old password is none any more, and whoever is connected has to connect again."""
        password = "a:token\\with/all?that=it&may:have"
        self._server.execute(f"ALTER ROLE {self._given.username} PASSWORD '{password}'".encode())
        self._write(password)
        self._server.execute(END)

    def _write(self, password: str) -> None:
        """By the page's block."""
        (self._folder / "token").write_text(password)
        (block,) = (each.text for each in blocks(PAGE) if each.text.startswith(BEGINS))
        path = {"PATH": f"{self._folder}:{os.environ['PATH']}"}
        here = block.replace(PLACE, str(self._folder))
        subprocess.run(["sh", "-euc", here], env=path, check=True)


def test_a_node_follows_a_password_that_changes(folder: Path) -> None:
    with (
        postgres.serve(folder / "server", throwaway=True) as url,
        closing(psycopg.connect(url, autocommit=True)) as server,
    ):
        keys = Keys(folder, url, server)
        cluster = Cluster(folder, keys.url)
        try:
            cluster.manage(CHECKOUT, "setup")
            cluster.start(0, CHECKOUT)
            keys.change()
            beat = cluster.value(BEAT)
            until(lambda: cluster.value(BEAT) > beat, "the node beats")
        finally:
            for begun in cluster.others:
                begun.kill()
                begun.wait()
