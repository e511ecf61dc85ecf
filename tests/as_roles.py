"""What Django's connection does in tests, done as a role (``groups.postgres.roles``).

Tests write their rows as the owner of the tables, and requests of Django's test client are
answered in the same connection. So each takes the web's role for as long as it is answered, and
what PostgreSQL would refuse the web process fails here.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
from django.db import connection
from django.http import HttpRequest, HttpResponse

WHO = b"SELECT current_user"


@contextmanager
def role(name: str) -> Iterator[None]:
    """Nothing where there is no connection yet: a test without a database. Past Django, whose
    statements tests count."""
    raw: psycopg.Connection[tuple[str]] | None = connection.connection
    if raw is None:
        yield
        return
    before = raw.execute(WHO).fetchone()
    raw.execute(f"SET ROLE {name}".encode())
    try:
        yield
    finally:
        assert before is not None
        if connection.connection is raw and not raw.closed:
            raw.execute(f'SET ROLE "{before[0]}"'.encode())


class AsWeb:
    """Middleware, in front of all others."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """The answer, if the web may give it."""
        with role("rollcall_web"):
            return self.get_response(request)
