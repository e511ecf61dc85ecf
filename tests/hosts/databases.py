"""A primary and its synchronous standby, each at an address of its own and as durable as an
installation's. The standby takes over when the primary is killed, and the lost one is made anew."""

import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import psycopg

from launcher import cluster as clusters
from launcher import stale_processes
from launcher.cluster import PostgresCluster
from launcher.identity import CLEAN_ENVIRONMENT
from launcher.postgres import SETTINGS
from proof.chaos import replica
from tests.hosts.network import DATABASES, PREFIX
from tests.launcher.waiting import until

PORT = 5432
HBA = "".join(f"host {what} all {PREFIX}0/24 scram-sha-256\n" for what in ("all", "replication"))
IN_SYNC = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"


class Server:
    """One server; ``start`` waits until it accepts connections."""

    def __init__(self, folder: Path, address: str) -> None:
        self.folder, self.address = folder, address
        self._cluster: PostgresCluster | None = None

    def start(self) -> None:
        """Make it, unless its data are there, and serve."""
        self._cluster = cluster = clusters.prepare(self.folder)
        hba = cluster.data / "pg_hba.conf"
        if HBA not in hba.read_text():
            hba.write_text(hba.read_text() + HBA)
        settings = {**SETTINGS, "listen_addresses": self.address, "port": str(PORT)}
        who = cluster.identity
        with (self.folder / "log.txt").open("ab") as log:
            subprocess.Popen(
                clusters.server_command(cluster, settings),
                env=CLEAN_ENVIRONMENT,
                user=who.uid if who else None,
                group=who.gid if who else None,
                extra_groups=[] if who else None,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        until(self._accepts, f"the server at {self.address} accepts connections")

    def _accepts(self) -> bool:
        try:
            self.ask("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True

    @property
    def url(self) -> str:
        """As its superuser."""
        assert self._cluster is not None
        name = clusters.SUPERUSER
        at = f"{name}:{self._cluster.password}@{self.address}:{PORT}"
        return f"postgresql://{at}/{clusters.DATABASE}"

    def ask(self, *statements: str) -> list[tuple[Any, ...]]:
        """The rows of the last one."""
        with psycopg.connect(self.url, autocommit=True, connect_timeout=2) as connection:
            for statement in statements:
                found = connection.execute(statement.encode())
            return found.fetchall() if found.description else []

    def kill(self) -> None:
        """All its processes at once, as when its machine is lost."""
        assert self._cluster is not None
        for process in stale_processes.find(self._cluster.data):
            os.kill(process, signal.SIGKILL)
        until(lambda: not stale_processes.find(self._cluster.data), "it is gone")  # type: ignore[union-attr]
        self._cluster.lock.close()


class Pair:
    """``primary`` and ``standby`` change places."""

    def __init__(self, folder: Path) -> None:
        self.primary, self.standby = (
            Server(folder / f"postgres-{address}", address) for address in DATABASES
        )
        self.primary.start()
        self.follow()

    @property
    def url(self) -> str:
        """Both: which one is the primary is for the client to find out."""
        one, other = DATABASES
        return self.primary.url.replace(
            f"@{self.primary.address}:{PORT}", f"@{one}:{PORT},{other}:{PORT}"
        )

    def follow(self) -> None:
        """Make the standby of the primary's data, and let commits wait for it."""
        shutil.rmtree(self.standby.folder, ignore_errors=True)
        replica.copy(self.primary.url, self.standby.folder)
        self.standby.start()
        named = "ALTER SYSTEM SET synchronous_standby_names = '*'"
        self.primary.ask(named, "SELECT pg_reload_conf()")
        until(lambda: self.primary.ask(IN_SYNC), "the standby is in sync")

    def promote(self) -> None:
        """Kill the primary, and make the standby one."""
        self.primary.kill()
        self.primary, self.standby = self.standby, self.primary
        self.primary.ask("SELECT pg_promote()")

    def stop(self) -> None:
        """End both."""
        for server in (self.primary, self.standby):
            server.kill()
