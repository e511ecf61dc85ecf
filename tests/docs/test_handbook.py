"""The handbook's own blocks, in their order: from a PostgreSQL to three hosts with TLS, accounts
and rights, through maintenance, a restored backup and a host that dies.

The three machines are addresses of this one; ``systemctl`` is a script that starts the unit's
program with the unit's settings. Everything else is what the page says.
"""

import os
import re
import shutil
import signal
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from launcher import ports, postgres
from launcher.installation import CHECKOUT
from tests.docs.test_pages import FENCED
from tests.launcher.conftest import folder
from tests.launcher.waiting import until
from tests.upgrade.dump import program

__all__ = ["folder"]

pytestmark = [pytest.mark.long, pytest.mark.timeout(420)]

PAGE = CHECKOUT / "docs" / "handbook.md"
HOSTS = {"10.0.0.1": "127.0.0.11", "10.0.0.2": "127.0.0.12", "10.0.0.3": "127.0.0.13"}
BLOCK_S = 180
JUMP = 1_000_000
"""By how much ``rollcall_raise_epochs`` raises every number (groups/schema.sql)."""

SYSTEMCTL = """\
#!/bin/sh
# The unit of deploy/systemd for one of several hosts on this machine; HOST_DIR is the host's.
start() {
    rm -f "$HOST_DIR/log"
    (
        set -a
        . "$HOST_DIR/etc/rollcall.env"
        ROLLCALL_WEB_PORT=$(cat "$HOST_DIR/web-port")
        ROLLCALL_DRAFT_PORT=0
        exec setsid ./rollcall-server > "$HOST_DIR/log" 2>&1
    ) &
    echo $! > "$HOST_DIR/pid"
    until grep -qs ^ready "$HOST_DIR/log"; do
        kill -0 "$(cat "$HOST_DIR/pid")" || exit 1
        sleep 0.1
    done
}
stop() {
    kill "-$1" "$(cat "$HOST_DIR/pid")"
    while kill -0 "$(cat "$HOST_DIR/pid")" 2> /dev/null; do sleep 0.1; done
}
case "$*" in
    "enable --now rollcall" | "start rollcall") start ;;
    "stop rollcall") stop TERM ;;
    "restart rollcall") stop TERM && start ;;
    "kill --signal=KILL rollcall") stop KILL && start ;;
    *) echo "systemctl $*: not in this script" >&2 && exit 2 ;;
esac
"""


CHOWN = """\
#!/bin/sh
# This machine's users are not the test's to make: which files have been given away is written down.
for path in "$@"; do
    find "$path" -type f -printf '%i\\n' >> "$HOST_DIR/given" 2> /dev/null || :
done
"""


class Machines:
    """A folder for each host, a database's server, and the shell in which blocks run."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder = folder
        self.server = urlsplit(url)
        self.kafka, self.metrics, *webs = ports.free(2 + len(HOSTS))
        self.opt, self.bin = folder / "opt", folder / "bin"
        for made in (self.opt, self.bin):
            made.mkdir()
        for entry in CHECKOUT.iterdir():
            (self.opt / entry.name).symlink_to(entry)
        (self.bin / "systemctl").write_text(SYSTEMCTL)
        (self.bin / "systemctl").chmod(0o755)
        (self.bin / "useradd").symlink_to(shutil.which("true") or "")
        (self.bin / "chown").write_text(CHOWN)
        (self.bin / "chown").chmod(0o755)
        (self.bin / "python").symlink_to(sys.executable)
        self.web = webs[0]
        self.worker: Worker | None = None
        for host, port in zip(HOSTS, webs, strict=True):
            (self.host(host) / "units").mkdir(parents=True)
            (self.host(host) / "web-port").write_text(str(port))

    def host(self, host: str) -> Path:
        """The folder of a machine of the page."""
        return self.folder / HOSTS[host]

    def run(self, block: str, host: str = "10.0.0.1") -> str:
        """What a block prints on a host; it must succeed."""
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", self.here(block, host)],
            cwd=self.opt,
            env=self.environ(host),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=BLOCK_S,
            check=False,
        )
        assert done.returncode == 0, "\n".join((block, done.stdout, done.stderr, self.log(host)))
        return done.stdout

    def log(self, host: str) -> str:
        """The end of what its server said."""
        path = self.host(host) / "log"
        return path.read_text()[-2000:] if path.exists() else ""

    def here(self, text: str, host: str) -> str:
        """A text of the page with the addresses and folders of this test."""
        for named, ours in {
            "10.0.0.9/rollcall": f"{self.server.hostname}:{self.server.port}/rollcall",
            "HOST=10.0.0.1": f"HOST={host}",
            "/etc/rollcall": f"{self.host(host)}/etc",
            "/etc/systemd/system": f"{self.host(host)}/units",
            "/var/lib/rollcall": f"{self.host(host)}/data",
            ":9092": f":{self.kafka}",
            "9492": str(self.metrics),
            ":8000": f":{self.web}",
            **HOSTS,
        }.items():
            text = text.replace(named, ours)
        return text

    def environ(self, host: str) -> dict[str, str]:
        """That of a login on the host, as administrator of the database."""
        programs = program("psql").removesuffix("/psql")
        return {
            "PATH": f"{self.bin}:{programs}:{os.environ['PATH']}",
            "HOME": str(self.folder),
            "HOST_DIR": str(self.host(host)),
            "PGHOST": self.server.hostname or "",
            "PGPORT": str(self.server.port or ""),
            "PGUSER": self.server.username or "",
            "PGPASSWORD": self.server.password or "",
            "ROLLCALL_DATABASE_MAY_BE_UNSAFE": "on",  # a server for tests has no fsync
            "ROLLCALL_URL": f"http://127.0.0.1:{self.web}",
            **({"ROLLCALL_TOKEN": token} if (token := self.token()) else {}),
        }

    def kept_from_the_service(self, host: str) -> list[str]:
        """Settings and secrets of a host that root has not given to the service's user."""
        given = self.host(host) / "given"
        inodes = given.read_text().split() if given.exists() else []
        return [
            path.name
            for path in (self.host(host) / "etc").glob("*")
            if str(path.stat().st_ino) not in inodes
        ]

    def token(self) -> str:
        """Once the page has made one."""
        path = self.opt / "token"
        return path.read_text().strip() if path.exists() else ""

    def end(self) -> None:
        """Whatever still runs."""
        if self.worker is not None:
            self.worker.end()
        for host in HOSTS:
            pid = self.host(host) / "pid"
            if pid.exists():
                subprocess.run(["kill", "-TERM", pid.read_text().strip()], check=False)


def of_its_administrator(url: str) -> str:
    """A server for tests comes with the role and the database that the page makes."""
    administrator = urlsplit(url)._replace(path="/postgres")
    with psycopg.connect(administrator.geturl(), autocommit=True) as server:
        server.execute("CREATE ROLE postgres SUPERUSER LOGIN PASSWORD 'theirs'")
    there = administrator._replace(
        netloc=f"postgres:theirs@{administrator.hostname}:{administrator.port}"
    ).geturl()
    with psycopg.connect(there, autocommit=True) as server:
        server.execute("DROP DATABASE rollcall WITH (FORCE)")
        server.execute("ALTER ROLE rollcall RENAME TO of_the_cluster")
    return there


@pytest.fixture
def machines(folder: Path) -> Iterator[Machines]:
    with postgres.serve(folder / "server", throwaway=True) as url:
        made = Machines(folder, of_its_administrator(url))
        try:
            yield made
        finally:
            made.end()


class Worker:
    """``worker.py`` of the page, and what it said last."""

    def __init__(self, machines: Machines, text: str) -> None:
        script = machines.opt / "worker.py"
        script.write_text(machines.here(text, "10.0.0.1"))
        self.said = machines.folder / "worker.log"
        with self.said.open("w") as out:
            self.process = subprocess.Popen(
                [sys.executable, script, "anna"], cwd=machines.opt, stdout=out, stderr=out
            )

    def works_on(self, partitions: list[int]) -> None:
        """Wait until it says so anew."""
        before = self.said.stat().st_size
        until(
            lambda: f"\n{partitions}\n" in self.said.read_text()[before:],
            self.said.read_text()[-900:],
        )

    def end(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def test_the_handbook_leads_to_three_hosts_that_survive_its_drills(machines: Machines) -> None:
    blocks = iter(re.findall(FENCED, PAGE.read_text()))
    worker, generation = None, 0
    for language, text in blocks:
        where = text.partition("\n")[0]
        if language == "python":
            script = text
        elif "of the workers" in where:
            worker = machines.worker = Worker(machines, script)
            worker.works_on([*range(6)])
            generation = of_group(machines)
        elif "on every host" in where:
            for host in HOSTS:
                machines.run(text, host)
                assert machines.kept_from_the_service(host) == []
        else:
            host = "10.0.0.2" if "node 1" in where else "10.0.0.1"
            machines.run(text, host)
        if worker is not None and "dropdb" not in text and "systemctl stop" not in text:
            worker.works_on([*range(6)])
            if "systemctl start" in text:
                until(partial(is_above, machines, generation + JUMP), "it joins above all numbers")
                generation = of_group(machines)
            assert of_group(machines) == generation, text
    assert worker is not None, "the page has a worker"


def test_the_certificates_are_taken_by_the_strictest_clients(tmp_path: Path) -> None:
    """Python checks as RFC 5280 has it by default, from 3.13 on."""
    make = next(text for _, text in re.findall(FENCED, PAGE.read_text()) if "openssl req" in text)
    run = ["bash", "-euo", "pipefail", "-c", make.replace("10.0.0.", "127.0.0.1")]
    subprocess.run(run, cwd=tmp_path, check=True, capture_output=True)
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.load_cert_chain(tmp_path / "authority" / "127.0.0.11.pem")
    client = ssl.create_default_context(cafile=tmp_path / "authority" / "ca.pem")
    client.verify_flags |= ssl.VERIFY_X509_STRICT
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    theirs = client.wrap_bio(to_client, to_server, server_hostname="127.0.0.11")
    ours = server.wrap_bio(to_server, to_client, server_side=True)
    for side in (theirs, ours, theirs, ours):
        with suppress(ssl.SSLWantReadError):
            side.do_handshake()
    assert theirs.version() is not None


def is_above(machines: Machines, generation: int) -> bool:
    """Whether the group has got further."""
    return of_group(machines) > generation


def of_group(machines: Machines) -> int:
    """The generation of the page's group."""
    url = machines.server._replace(path="/rollcall").geturl()
    with psycopg.connect(url) as database:
        (row,) = database.execute(
            "SELECT generation FROM rollcall_group WHERE group_id = 'packers'"
        )
    return int(row[0])
