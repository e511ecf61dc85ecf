"""The installation: a launcher on each host, with TLS and client certificates, on one database."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import psutil
import trustme

from launcher.installation import CHECKOUT
from tests.hosts.databases import Pair
from tests.hosts.network import HOSTS, inside
from tests.launcher.waiting import until

PORT = 9092
READY = b"ready"
STOP_S = 15


class Host:
    """One host: its launcher, and the processes below it."""

    def __init__(self, name: str, folder: Path, environ: Mapping[str, str]) -> None:
        self.name, self.address = name, HOSTS[name]
        self.data, self.log = folder / name, folder / f"{name}.log"
        self._environ = {
            **environ,
            "ROLLCALL_DATA_DIR": str(self.data),
            "ROLLCALL_LISTENERS": f"SSL://{self.address}:{PORT}",
        }
        self._launcher: subprocess.Popen[bytes] | None = None

    def begin(self) -> None:
        """Begin to start it."""
        with self.log.open("wb") as log:
            self._launcher = subprocess.Popen(
                [*inside(self.name), sys.executable, "-m", "launcher"],
                cwd=CHECKOUT,
                env=self._environ,
                stdout=log,
                stderr=log,
            )

    def serves(self) -> None:
        """Wait until everything of it does."""
        until(self._is_ready, f"{self.name} is ready ({self.log})")

    def _is_ready(self) -> bool:
        assert self._launcher is not None and self._launcher.poll() is None, self.log
        return any(line.startswith(READY) for line in self.log.read_bytes().splitlines())

    def _processes(self) -> list[psutil.Process]:
        assert self._launcher is not None
        root = psutil.Process(self._launcher.pid)
        return [root, *root.children(recursive=True)]

    def node(self) -> psutil.Process:
        """Its node's process."""
        (found,) = (
            each
            for each in self._processes()
            if any(word.startswith("--node-id=") for word in each.cmdline())
        )
        return found

    def kill(self) -> None:
        """All its processes, as when the power fails."""
        assert self._launcher is not None
        for process in self._processes():
            process.send_signal(signal.SIGKILL)
        self._launcher.wait()

    def stop(self) -> None:
        """As an operator does."""
        if self._launcher is not None and self._launcher.poll() is None:
            self._launcher.terminate()
            try:
                self._launcher.wait(STOP_S)
            except subprocess.TimeoutExpired:
                self.kill()


class Site:
    """Three hosts; ``authority`` and ``client`` are files of PEM for clients."""

    def __init__(self, folder: Path, databases: Pair) -> None:
        self.databases = databases
        authority = trustme.CA()
        self.authority, self.client, server = (
            folder / f"{name}.pem" for name in ("ca", "client", "server")
        )
        authority.cert_pem.write_to_path(str(self.authority))
        for path, names in ((server, HOSTS.values()), (self.client, ["member@example.org"])):
            made = authority.issue_cert(*names)
            made.private_key_and_cert_chain_pem.write_to_path(str(path))
        environ = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "",
            "ROLLCALL_DATABASE_URL": databases.url,
            "ROLLCALL_PROCESSES": "node,worker,beat",
            "ROLLCALL_SSL_KEYSTORE_LOCATION": str(server),
            "ROLLCALL_SSL_TRUSTSTORE_LOCATION": str(self.authority),
            "ROLLCALL_SSL_CLIENT_AUTH": "required",
            "ROLLCALL_SECRET_KEY": "the same on every host, as docs/hosts.md says it must be",
        }
        self.hosts = {name: Host(name, folder, environ) for name in HOSTS}

    @property
    def bootstrap(self) -> str:
        """All nodes."""
        return ",".join(f"{host.address}:{PORT}" for host in self.hosts.values())

    @property
    def reached(self) -> Mapping[str, str]:
        """How a stock client reaches it."""
        return {
            "bootstrap.servers": self.bootstrap,
            "security.protocol": "SSL",
            "ssl.ca.location": str(self.authority),
            "ssl.certificate.location": str(self.client),
            "ssl.key.location": str(self.client),
        }

    def start(self) -> None:
        """Start the first, which makes the tables, and then the others."""
        first, *others = self.hosts.values()
        first.begin()
        first.serves()
        for host in others:
            host.begin()
        for host in others:
            host.serves()

    def stop(self) -> None:
        """Stop all."""
        for host in self.hosts.values():
            host.stop()

    def owner(self, group: str) -> Host:
        """The host whose node owns the group."""
        rows = self.databases.primary.ask(
            "SELECT host FROM rollcall_node JOIN rollcall_slot USING (node_id)"
            f" JOIN rollcall_group USING (slot) WHERE group_id = '{group}'"
        )
        return next(host for host in self.hosts.values() if host.address == rows[0][0])
