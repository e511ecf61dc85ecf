"""``manage.py ensure_admin``: create the first user of the admin, once."""

import os
import secrets
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand

from console.people import first_password
from groups.postgres import setup_lock

USER_VARIABLE = "ROLLCALL_ADMIN_USER"
PASSWORD_VARIABLE = "ROLLCALL_ADMIN_PASSWORD"
TERMINAL_VARIABLE = "ROLLCALL_TERMINAL"
"""Set by the launcher if the output of its programs goes to a terminal."""

DEFAULT_USER, FILE = "admin", "first-admin-password"
PASSWORD_BYTES = 12


class Command(BaseCommand):
    """Create the user that the environment names, or one with a generated password.

    An existing user is never changed, nor is one added to an existing superuser unless the
    environment names it.
    """

    help = "Create the first admin user, unless one exists."
    requires_system_checks: list[str] = []

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Check, and create the user if necessary."""
        with setup_lock.held():
            self.ensure()

    def ensure(self) -> None:
        """Create the user, unless there is one."""
        users = get_user_model().objects
        named = os.environ.get(USER_VARIABLE)
        configured = os.environ.get(PASSWORD_VARIABLE)
        name = named or DEFAULT_USER
        there = users.filter(username=name).first()
        if there is not None:
            forget(there)
            return
        if users.filter(is_superuser=True).exists() and not (named and configured):
            return
        password = configured or secrets.token_urlsafe(PASSWORD_BYTES)
        user = users.create_superuser(name, password=password)
        if not configured:
            first_password.note(user)
            self.report(name, password)

    def report(self, name: str, password: str) -> None:
        """Show the password on a terminal; a log is stored and read by others, so there only its
        file is named."""
        if self.stdout.isatty() or os.environ.get(TERMINAL_VARIABLE):
            secret = f"password: {password} (shown only now)"
        else:
            secret = f"password in {kept(Path(settings.DATA_DIR), password)}"
        self.stdout.write(
            f"first admin user: {name}, {secret}; it must be changed at the first login"
        )


def forget(user: Any) -> None:
    """Delete the file if the password was changed since."""
    if not first_password.is_due(user):
        (Path(settings.DATA_DIR) / FILE).unlink(missing_ok=True)


def kept(folder: Path, password: str) -> Path:
    """The file that only its owner may read; an existing one is replaced."""
    path = folder / FILE
    folder.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with open(opened, "w") as file:
        file.write(f"{password}\n")
    return path
