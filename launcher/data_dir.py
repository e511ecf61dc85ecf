"""Where things lie in the data folder, and the lock that makes it one launcher's.

    DATA_DIR/lock                held while a launcher lives
    DATA_DIR/postgres/           the server's home: ``data``, and perhaps a copy of its programs
    DATA_DIR/postgres-password   readable by its owner only, as are the next two
    DATA_DIR/database-url        for manage.py while the launcher runs
    DATA_DIR/secret-key          Django's, see ``coordinator_site.secret_key``
    DATA_DIR/node-ids            of this host's nodes, see ``groups.cluster.node_leases``
    DATA_DIR/run/                what the processes say when they are ready

``postgres`` is a link to a folder elsewhere when root started us below a folder that is
closed to everyone else, since PostgreSQL does not run as root. Nothing here starts a server.
"""

import fcntl
import os
import secrets
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from launcher.errors import LaunchError
from launcher.identity import Identity, can_enter

PASSABLE = 0o711
"""Other users may pass through, but not list it: the server's user differs from ours if we are
root."""

SYSTEM_HOME = Path("/var/lib/rollcall")
LASTING_TEMPORARY = Path("/var/tmp")
"""Where root keeps a server's home instead: the second only if the first cannot be made."""


@dataclass(frozen=True, slots=True)
class DataDir:
    """The data folder and the names in it."""

    path: Path

    @property
    def server_home(self) -> Path:
        """The server's folder, or a link to it."""
        return self.path / "postgres"

    @property
    def password_file(self) -> Path:
        """The password of the embedded server's superuser."""
        return self.path / "postgres-password"

    @property
    def url_file(self) -> Path:
        """The URL of the database that the running launcher serves."""
        return self.path / "database-url"

    @property
    def node_ids(self) -> Path:
        """The ids of this host's nodes, which set-up writes."""
        return self.path / "node-ids"

    @property
    def run(self) -> Path:
        """Ready files."""
        return self.path / "run"

    def make(self) -> None:
        """Make the folder; ``LaunchError`` if that is not possible."""
        try:
            self.path.mkdir(parents=True, exist_ok=True, mode=PASSABLE)
            self.run.mkdir(exist_ok=True, mode=0o700)
        except OSError as failure:
            raise LaunchError(f"The data directory cannot be created: {failure}.") from failure


LOCK_WAIT_S, LOCK_AGAIN_S = 10.0, 0.1
"""How long a launcher waits for another one to stop, which takes at most ten seconds
(docs/architecture.md, *Contracts*): it may do that already, if only its ``make`` was killed."""


def lock(
    data_dir: DataDir, report: Callable[[str], None], pause: Callable[[float], None] = time.sleep
) -> IO[str]:
    """Lock the data folder until the returned file is closed or this process ends. ``pause`` waits
    for so many seconds, and may raise."""
    try:
        file = open(data_dir.path / "lock", "a+", encoding="ascii")  # noqa: SIM115
    except OSError as failure:
        raise LaunchError(f"The data directory cannot be locked: {failure}.") from failure
    try:
        _wait_for(file, data_dir, report, pause)
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
    except OSError as failure:
        with suppress(OSError):  # it tries to write once more
            file.close()
        raise LaunchError(f"The data directory cannot be written: {failure}.") from failure
    except BaseException:
        file.close()
        raise
    return file


def _wait_for(
    file: IO[str], data_dir: DataDir, report: Callable[[str], None], pause: Callable[[float], None]
) -> None:
    """Take the lock; ``LaunchError`` if another launcher still has it after a while."""
    until, has_said = time.monotonic() + LOCK_WAIT_S, False
    while not _is_taken(file):
        file.seek(0)
        other = f"another Rollcall (pid {file.read().strip() or 'unknown'})"
        if time.monotonic() >= until:
            raise LaunchError(
                f"A{other[1:]} uses the data directory {data_dir.path}. Stop it, or set"
                " another ROLLCALL_DATA_DIR."
            )
        if not has_said:
            report(f"waiting at most {LOCK_WAIT_S:.0f} s for {other} to stop")
            has_said = True
        pause(LOCK_AGAIN_S)


def _is_taken(file: IO[str]) -> bool:
    """Whether this process has the lock now."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def server_home(data_dir: DataDir, identity: Identity | None) -> Path:
    """The real folder of the server's home, made if necessary, which the user can enter."""
    place = data_dir.server_home
    if not place.exists() and not place.is_symlink():
        make_server_home(data_dir, identity)
    if not place.exists():
        raise LaunchError(
            f"{place} leads to {place.readlink()}, which does not exist. Restore that directory,"
            f" or remove {place} to begin with an empty database."
        )
    home = place.resolve()
    if identity is not None and not can_enter(identity, home):
        raise LaunchError(
            f"PostgreSQL refuses to run as root, and the user {identity.name} may not enter"
            f" {home}. Make its parent directories accessible (chmod o+x), or set"
            " ROLLCALL_DATA_DIR to a directory that everyone may enter."
        )
    return home


def make_server_home(data_dir: DataDir, identity: Identity | None) -> None:
    """Make the home in the data folder, or a link to one that the user can enter."""
    place = data_dir.server_home
    if identity is None or can_enter(identity, data_dir.path):
        place.mkdir(mode=PASSABLE)
        place.chmod(PASSABLE)
        return
    for base in (SYSTEM_HOME, LASTING_TEMPORARY):
        try:
            base.mkdir(parents=True, exist_ok=True, mode=PASSABLE)
            home = Path(tempfile.mkdtemp(prefix="rollcall-", dir=base))
        except OSError:
            continue
        home.chmod(PASSABLE)
        if can_enter(identity, home):
            place.symlink_to(home)
            return
        home.rmdir()
    raise LaunchError(
        f"The user {identity.name} may not enter {data_dir.path}. Set ROLLCALL_DATA_DIR to a"
        " directory that everyone may enter."
    )


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner may read; it appears completely or not at all.
    ``LaunchError`` if there is no room for it."""
    part = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    try:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as failure:
        part.unlink(missing_ok=True)
        raise LaunchError(f"{path} cannot be written: {failure.strerror}.") from failure
