"""Health for load balancers and supervisors: ``/livez`` and ``/readyz``.

``/livez`` touches nothing outside the process: a database that is away is no reason to
restart it. ``/readyz`` asks everything that a request needs. Neither wants credentials,
so neither tells more than names and "ok".
"""

from collections.abc import Callable
from http import HTTPStatus

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe


@never_cache
@require_safe
def livez(request: HttpRequest) -> HttpResponse:
    """Whether this process answers."""
    return plain("ok\n", HTTPStatus.OK)


@never_cache
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """Whether this process can do its work: 200, or 503. ``?verbose`` tells each check."""
    results = {name: passes(check) for name, check in CHECKS.items()}
    ready = all(results.values())
    lines = ["ok" if ready else "not ready"]
    if "verbose" in request.GET or not ready:
        lines = [*(f"[+]{n} ok" if ok else f"[-]{n} failed" for n, ok in results.items()), *lines]
    status = HTTPStatus.OK if ready else HTTPStatus.SERVICE_UNAVAILABLE
    return plain("\n".join(lines) + "\n", status)


def database_answers() -> bool:
    """Whether a query comes back."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        return bool(cursor.fetchone() == (1,))


def migrations_are_applied() -> bool:
    """Whether the tables are those of this version of the code."""
    executor = MigrationExecutor(connection)
    return not executor.migration_plan(executor.loader.graph.leaf_nodes())


CHECKS: dict[str, Callable[[], bool]] = {
    "db": database_answers,
    "migrations": migrations_are_applied,
}


def passes(check: Callable[[], bool]) -> bool:
    """A check that cannot ask has failed."""
    try:
        return check()
    except DatabaseError:
        return False


def plain(text: str, status: HTTPStatus) -> HttpResponse:
    """A few words for programs and people alike."""
    return HttpResponse(text, status=status, content_type="text/plain; charset=utf-8")
