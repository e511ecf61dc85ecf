"""The embedded server's cluster: made once, checked at each start, described for running.

Everything up to the server's start. ``postgres.py`` starts and watches it.
"""

import os
import re
import secrets
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from launcher import binaries, ports, stale_processes
from launcher import data_dir as places
from launcher.errors import LaunchError
from launcher.identity import Identity, choose, run_as

SUPERUSER = "rollcall"
DATABASE = "rollcall"
PASSWORD_BYTES = 24

QUICK = ("--set=scram_iterations=1",)
"""initdb for a cluster of tests, which is not attacked and gets many connections: the other 4,095
hashes are most of what a connection costs its client."""

SYNCFS_SINCE = (5, 8)
"""The Linux whose syncfs(2) reports what could not be written, as fsync(2) does. One call for a
file system takes a fraction of the time of one for each of a thousand files."""

UNSYNCED = "unsynced"
"""The file beside a cluster that was served without ``fsync``: even after a clean shutdown parts of
it may be in the system's memory alone, which a server with ``fsync`` does not expect."""


@dataclass(frozen=True, slots=True)
class PostgresCluster:
    """A cluster that is ready to be served, and whose lock this process holds."""

    data_dir: places.DataDir
    data: Path
    programs: binaries.Programs
    identity: Identity | None
    port: int
    password: str
    lock: IO[str]

    def url(self, database: str = DATABASE) -> str:
        """The URL with which the server's superuser connects."""
        return f"postgresql://{SUPERUSER}:{self.password}@{ports.LOOPBACK}:{self.port}/{database}"


def prepare(
    path: Path,
    report: Callable[[str], None] = lambda text: None,
    pause: Callable[[float], None] = time.sleep,
    *,
    throwaway: bool = False,
) -> PostgresCluster:
    """Lock the data folder; make the cluster, or check the one that is there.

    ``pause`` waits for another launcher to stop, and may raise; ``throwaway`` skips waiting for the
    disk, for tests. Raises ``LaunchError``.
    """
    data_dir = places.DataDir(path)
    data_dir.make()
    lock = places.lock(data_dir, report, pause)
    try:
        identity = choose(data_dir.server_home / "data")
        home = places.server_home(data_dir, identity)
        programs = binaries.locate(home, identity)
        data = home / "data"
        if data.exists():
            check(data, identity)
            stale_processes.end_all(data, report)
        else:
            create(data_dir, data, programs, identity, throwaway=throwaway)
        if throwaway:
            places.write_private(home / UNSYNCED, "")
        elif (home / UNSYNCED).exists():
            report("the data were served without fsync: waiting for the disk")
            sync(data, programs, identity)
            (home / UNSYNCED).unlink()
        port = choose_port(home)
        return PostgresCluster(data_dir, data, programs, identity, port, password(data_dir), lock)
    except BaseException:
        lock.close()
        raise


def check(data: Path, identity: Identity | None) -> None:
    """Reject a cluster of another major version, or of another user."""
    owner = identity.uid if identity else os.geteuid()
    if data.stat().st_uid != owner:
        raise LaunchError(
            f"{data} belongs to uid {data.stat().st_uid}, and Rollcall runs as uid {owner}."
            " Start it as the user who started it first."
        )
    try:
        version = (data / "PG_VERSION").read_text().strip()
    except OSError as failure:
        raise LaunchError(f"{data} is not a PostgreSQL data directory: {failure}.") from failure
    if version != str(binaries.MAJOR):
        raise LaunchError(
            f"{data} was created by PostgreSQL {version}; this Rollcall includes PostgreSQL"
            f" {binaries.MAJOR}, which cannot read it. Dump it with the Rollcall that created it"
            " and"
            " restore it into a new ROLLCALL_DATA_DIR."
        )


def create(
    data_dir: places.DataDir,
    data: Path,
    programs: binaries.Programs,
    identity: Identity | None,
    *,
    throwaway: bool,
) -> None:
    """Make a new cluster; it appears completely or not at all."""
    secret = secrets.token_urlsafe(PASSWORD_BYTES)
    part = data.with_name("data.part")
    shutil.rmtree(part, ignore_errors=True)  # an earlier start was interrupted
    secret_file = data.with_name("initial-password")
    try:
        part.mkdir(mode=0o700)
        places.write_private(secret_file, secret)
        if identity is not None:
            os.chown(part, identity.uid, identity.gid)
            os.chown(secret_file, identity.uid, identity.gid)
        run_initdb(part, programs, identity, secret_file, throwaway=throwaway)
        create_database(part, programs, identity)
        if not throwaway:
            sync(part, programs, identity)
        secret_file.unlink()
        places.write_private(data_dir.password_file, secret)
        part.rename(data)
    except BaseException:  # the disk may be full: what cannot be used takes no room
        secret_file.unlink(missing_ok=True)
        shutil.rmtree(part, ignore_errors=True)
        raise


def run_initdb(
    part: Path,
    programs: binaries.Programs,
    identity: Identity | None,
    secret_file: Path,
    *,
    throwaway: bool,
) -> None:
    """initdb: SCRAM only, UTF-8, and a sort order that does not depend on a system library. It does
    not wait for the disk."""
    done = run_as(
        identity,
        [
            str(programs.initdb),
            f"--pgdata={part}",
            f"--username={SUPERUSER}",
            f"--pwfile={secret_file}",
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            "--locale=C",
            "--locale-provider=builtin",
            "--builtin-locale=C.UTF-8",
            "--data-checksums",
            "--no-instructions",
            "--no-sync",
            *(QUICK if throwaway else ()),
        ],
    )
    if done.returncode != 0:
        raise LaunchError(f"PostgreSQL's initdb failed: {done.stderr.strip()}")


def sync(data: Path, programs: binaries.Programs, identity: Identity | None) -> None:
    """Wait until the disk has all of a cluster that does not run."""
    method = f"--sync-method={sync_method(os.uname())}"
    done = run_as(identity, [str(programs.initdb), f"--pgdata={data}", "--sync-only", method])
    if done.returncode != 0:
        raise LaunchError(f"PostgreSQL's initdb could not sync {data}: {done.stderr.strip()}")


def sync_method(system: os.uname_result) -> str:
    """How ``initdb`` waits for the disk on this system."""
    release = tuple(int(number) for number in re.findall(r"\d+", system.release)[:2])
    return "syncfs" if system.sysname == "Linux" and release >= SYNCFS_SINCE else "fsync"


def create_database(part: Path, programs: binaries.Programs, identity: Identity | None) -> None:
    """Make our database in the new cluster, before the server starts; it does not wait for the
    disk."""
    done = run_as(
        identity,
        [str(programs.postgres), "--single", "-F", "-D", str(part), "postgres"],
        f"CREATE DATABASE {DATABASE}\n",
    )
    if done.returncode != 0 or "ERROR" in done.stderr:
        raise LaunchError(f"The database could not be created: {done.stderr.strip()}")


def password(data_dir: places.DataDir) -> str:
    """The superuser's password, kept since the cluster was made."""
    try:
        return data_dir.password_file.read_text().strip()
    except OSError as failure:
        raise LaunchError(f"The database's password cannot be read: {failure}.") from failure


def choose_port(home: Path) -> int:
    """The port of the last time if it is free, else a new one, which is stored."""
    kept = home / "port"
    try:
        port = int(kept.read_text())
    except (OSError, ValueError):
        port = 0
    if not port or not ports.is_free(port):
        (port,) = ports.free(1)
        places.write_private(kept, f"{port}\n")
    return port


def server_command(cluster: PostgresCluster, settings: dict[str, str]) -> list[str]:
    """The server's command line; settings there win over its files."""
    options = [f"--{name.replace('_', '-')}={value}" for name, value in settings.items()]
    return [str(cluster.programs.postgres), "-D", str(cluster.data), *options]
