"""The pipeline's runs, for screens and REST."""

from typing import Final

from django.db import connection

from groups.models import ReportRun

REBALANCES: Final = "rebalances"
"""The kind of run with the cost of rebalances."""

HELD: Final = """
SELECT EXISTS (
    SELECT 1 FROM pg_locks
    WHERE locktype = 'advisory' AND classid = 0 AND objid = %s AND objsubid = 1
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
)
"""

LOCK: Final = 0x526C61
"""The advisory lock of ``pipeline.results.runs``: no analysis runs unless a session holds it."""


def going_on(kind: str = REBALANCES) -> ReportRun | None:
    """The running run of this kind, if there is one; one that died without a record is none."""
    runs = ReportRun.objects.filter(kind=kind, state=ReportRun.State.RUNNING)
    run = runs.order_by("-id").first()
    return run if run is not None and _is_held() else None


def _is_held() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(HELD, [LOCK])
        (held,) = cursor.fetchone()
    return bool(held)


def last(kind: str = REBALANCES) -> ReportRun | None:
    """The last run of this kind, whatever became of it."""
    return ReportRun.objects.filter(kind=kind).order_by("-id").first()


def newest(kind: str = REBALANCES) -> ReportRun | None:
    """The newest successful run of this kind."""
    succeeded = ReportRun.objects.filter(kind=kind, state=ReportRun.State.SUCCEEDED)
    return succeeded.order_by("-id").first()
