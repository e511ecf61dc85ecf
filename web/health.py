"""Health for load balancers and supervisors: ``/livez`` and ``/readyz``.

``/livez`` uses nothing outside the process: a database that is away is no reason to restart it.
``/readyz`` checks everything that a request needs, at most once a second. Both work without
credentials, so they return only names and "ok", and frequent requests do not cost more.
"""

import threading
import time
from collections.abc import Callable, Mapping
from functools import cache
from http import HTTPStatus

from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from console.queries.overview import task_runs
from groups.models import Slot
from web.web_connections import patient


@never_cache
@require_safe
def livez(request: HttpRequest) -> HttpResponse:
    """Whether this process responds."""
    return plain("ok\n", HTTPStatus.OK)


@never_cache
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """Whether this process can do its work: 200, or 503. ``?verbose`` lists each check."""
    results = LATEST.results()
    ready = all(ok for name, ok in results.items() if name in CHECKS)
    lines = ["ok" if ready else "not ready"]
    if "verbose" in request.GET or not ready:
        lines = [*(_line(name, ok) for name, ok in results.items()), *lines]
    status = HTTPStatus.OK if ready else HTTPStatus.SERVICE_UNAVAILABLE
    return plain("\n".join(lines) + "\n", status)


def _line(name: str, ok: bool) -> str:
    bad = f"[-]{name} failed" if name in CHECKS else f"[!]{name} degraded"
    return f"[+]{name} ok" if ok else bad


def database_answers() -> bool:
    """Whether a query succeeds."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        return bool(cursor.fetchone() == (1,))


def migrations_are_applied() -> bool:
    """Whether the tables are those of this version of the code."""
    return migrations() <= MigrationRecorder(connection).applied_migrations().keys()


@cache
def migrations() -> frozenset[tuple[str, str]]:
    """Every migration of this version of the code: files, which do not change while it runs."""
    return frozenset(MigrationLoader(None).graph.nodes)


CHECKS: dict[str, Callable[[], bool]] = {
    "db": database_answers,
    "migrations": migrations_are_applied,
}


def slots_are_owned() -> bool:
    """Whether each slot has an owner."""
    return not Slot.objects.filter(node_id=None).exists()


def work_is_done() -> bool:
    """Whether no periodic task failed or is late."""
    return not any(run.has_failed or run.is_late for run in task_runs(timezone.now()))


NOTES: dict[str, Callable[[], bool]] = {"slots": slots_are_owned, "periodic-work": work_is_done}
"""Problems elsewhere: reported, but no reason to stop sending requests to this process."""


KEPT_S = 1.0
"""How long a result is reused before the database is asked again."""


PATIENCE_S = 2.0
"""How long to wait for a hanging server process of PostgreSQL: clients usually have a limit of
seconds themselves."""


class Latest:
    """The latest results of the checks. Requests that arrive during a check wait for its result."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self._asking = threading.Lock()
        self._results: Mapping[str, bool] = {}
        self._until = float("-inf")

    def results(self) -> Mapping[str, bool]:
        """Whether each check passes, by its name."""
        with self._asking:
            if self.clock() >= self._until:
                self._results = _checked()
                self._until = self.clock() + KEPT_S
            return self._results

    def forget(self) -> None:
        """Make the next request run the checks."""
        self._until = float("-inf")


LATEST = Latest()
"""Of this process."""


def _checked() -> Mapping[str, bool]:
    """The result of each check. If the database does not answer, the others are not run."""
    results: dict[str, bool] = {}
    with patient(PATIENCE_S):
        for name, check in {**CHECKS, **NOTES}.items():
            results[name] = results.get("db", True) and passes(check)
    return results


def passes(check: Callable[[], bool]) -> bool:
    """A check that cannot query the database has failed."""
    try:
        return check()
    except DatabaseError:
        return False


def plain(text: str, status: HTTPStatus) -> HttpResponse:
    """A short text for people and programs."""
    return HttpResponse(text, status=status, content_type="text/plain; charset=utf-8")
