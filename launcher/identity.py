"""Which user PostgreSQL runs as, and what that user can access.

PostgreSQL refuses to run as root. What a user can access is tested by trying it as that user, which
covers modes, ACLs and mounts.
"""

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from launcher.errors import LaunchError

PREFERRED = ("postgres", "nobody")
CLEAN_ENVIRONMENT = {"LC_ALL": "C", "PATH": "/usr/bin:/bin"}
"""No PG* variable and no locale of our own user reaches the server."""

REGULAR_UID_MIN = 500
"""The first uid of regular users: 500 on macOS, 1000 on Linux."""


@dataclass(frozen=True, slots=True)
class Identity:
    """A user other than root."""

    uid: int
    gid: int
    name: str

    def leash_argument(self) -> str:
        """The user as ``parent_watch.py`` wants it."""
        return f"{self.uid}:{self.gid}"


def choose(data: Path) -> Identity | None:
    """The user to become, or None to stay the current one (not root).

    A cluster that exists keeps its owner; else the first of ``PREFERRED`` that exists here, else
    the first regular user.
    """
    if os.geteuid() != 0:
        return None
    if data.exists() and data.stat().st_uid != 0:
        return of_uid(data.stat().st_uid, data.stat().st_gid)
    users = {user.pw_name: user for user in pwd.getpwall() if user.pw_uid != 0}
    named = [users[name] for name in PREFERRED if name in users]
    regular = sorted(
        (user for user in users.values() if user.pw_uid >= REGULAR_UID_MIN),
        key=lambda user: user.pw_uid,
    )
    candidates = [*named, *regular]
    if not candidates:
        raise LaunchError("PostgreSQL refuses to run as root, and this machine has no other user.")
    return Identity(candidates[0].pw_uid, candidates[0].pw_gid, candidates[0].pw_name)


def of_uid(uid: int, gid: int) -> Identity:
    """The owner of a cluster, even if that user has no name on this machine."""
    try:
        user = pwd.getpwuid(uid)
    except KeyError:
        return Identity(uid, gid, f"uid {uid}")
    return Identity(uid, user.pw_gid, user.pw_name)


def can_enter(identity: Identity | None, folder: Path) -> bool:
    """Whether the user can enter the folder, through all its parents."""
    return succeeds(identity, ["/bin/sh", "-c", 'cd -- "$1"', "sh", str(folder)])


def can_run(identity: Identity | None, program: Path) -> bool:
    """Whether the user can run the program, including its libraries."""
    return succeeds(identity, [str(program), "--version"])


def succeeds(identity: Identity | None, command: list[str]) -> bool:
    """Whether the command ends with status 0 when that user runs it."""
    try:
        return run_as(identity, command).returncode == 0
    except OSError:
        return False


def run_as(
    identity: Identity | None, command: list[str], input_text: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end as that user, with a clean environment and that input.

    In its own session: Ctrl-C reaches the launcher only, which then cleans up.
    """
    become: dict[str, Any] = {}
    if identity is not None:
        become = {"user": identity.uid, "group": identity.gid, "extra_groups": []}
    return subprocess.run(
        command,
        cwd="/",
        env=CLEAN_ENVIRONMENT,
        input=input_text,
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,
        **become,
    )
