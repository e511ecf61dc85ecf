"""``manage.py ensure_admin``: the first user of the admin, made once."""

import os
import secrets
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand

from groups.postgres import setup_lock

USER_VARIABLE = "ROLLCALL_ADMIN_USER"
PASSWORD_VARIABLE = "ROLLCALL_ADMIN_PASSWORD"
DEFAULT_USER = "admin"
PASSWORD_BYTES = 12


class Command(BaseCommand):
    """Make the user that the environment names, or one with a password that is shown once.

    A user that exists is never changed, nor is one made beside an existing superuser
    unless the environment names it.
    """

    help = "Create the first admin user, unless there is one."
    requires_system_checks: list[str] = []

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Look, and make the user if need be."""
        with setup_lock.held():
            self.ensure()

    def ensure(self) -> None:
        """Make the user, unless there is one."""
        users = get_user_model().objects
        named = os.environ.get(USER_VARIABLE)
        given = os.environ.get(PASSWORD_VARIABLE)
        name = named or DEFAULT_USER
        if users.filter(username=name).exists():
            return
        if users.filter(is_superuser=True).exists() and not (named and given):
            return
        users.create_superuser(name, password=given or self.generated(name))

    def generated(self, name: str) -> str:
        """A new password, shown here and nowhere else."""
        password = secrets.token_urlsafe(PASSWORD_BYTES)
        self.stdout.write(f"first admin user: {name}, password: {password} (shown only now)")
        return password
