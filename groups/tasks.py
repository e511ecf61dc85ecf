"""Celery's tasks: they call ``groups.sweeps.session`` and others, and nothing else.

Each is recorded with its last run (``Sweep``), which the admin shows with its schedule.
"""

import functools
import logging
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from celery import shared_task
from django.conf import settings
from django.db import DatabaseError, close_old_connections, connection

from groups.periodic import AnalysisSettings, PeriodicSettings
from groups.store.sql import sweeps as sql
from groups.sweeps import fleet_hours
from groups.sweeps.ends import end_what_is_over
from groups.sweeps.hours import ProgressHours
from groups.sweeps.session import CLEAN_UP, RetentionSweep, SessionSweep, clean_up

logger = logging.getLogger(__name__)

MS_PER_S = 1_000

_session_sweep = functools.cache(lambda: SessionSweep(PeriodicSettings.from_django().node_lease_ms))
_retention_sweep = functools.cache(RetentionSweep)
_progress_hours = functools.cache(ProgressHours)


def recorded(name: str, work: Callable[[], str]) -> None:
    """Do the work and record how it went. Raises what the work raises."""
    # Between tasks the connection is not checked, and a restart of the database may have ended it.
    # A caller's own transaction is not affected.
    if not connection.in_atomic_block:
        close_old_connections()
    begun = time.monotonic()
    try:
        outcome = work()
    except Exception as error:
        _record(name, begun, f"{type(error).__name__}: {error}", failed=True)
        raise
    _record(name, begun, outcome, failed=False)


def _record(name: str, begun: float, outcome: str, *, failed: bool) -> None:
    values: dict[str, Any] = {
        "name": name,
        "took_ms": round((time.monotonic() - begun) * MS_PER_S),
        "outcome": outcome,
        "failed": failed,
    }
    try:
        with connection.cursor() as cursor:
            cursor.execute(sql.RECORD, values)
    except DatabaseError as error:
        logger.warning("%s could not be recorded: %s", name, error)


@shared_task
def session_sweep() -> None:
    """Ask the owners of overdue members for an echo."""
    recorded("session sweep", _session_sweep().run)


@shared_task
def offset_retention() -> None:
    """Ask owners to forget offsets whose time is over."""
    recorded("offset retention", _retention_sweep().run)


@shared_task
def cleaning() -> None:
    """Remove what nobody needs any more."""
    recorded(CLEAN_UP, clean_up)


@shared_task
def ends() -> None:
    """End freezes whose time is up, and acknowledgements of what is over."""
    recorded("ends", end_what_is_over)


@shared_task
def hours() -> None:
    """Summarise the hours that are over: of the offset history, then of the installation."""
    recorded("hours", _hours)


def _hours() -> str:
    return f"{_progress_hours().run()}; {fleet_hours.run()}"


_analyses: list[subprocess.Popen[bytes]] = []
"""Pipelines that this worker started and that may still run."""


@shared_task
def analyse(requested_by: str = "") -> None:
    """Start the pipeline in a process of its own; it records its run itself.

    It ends with this worker, whose pipe its standard input is.
    """
    _analyses[:] = [process for process in _analyses if process.poll() is None]
    longest = str(AnalysisSettings.from_django().analysis_max_minutes)
    limits = ("--until-eof", "--max-minutes", longest)
    argv = [sys.executable, "-m", "pipeline", "run", *limits, "--requested-by", requested_by]
    own = settings.ANALYSIS_DATABASE_URL
    environ = {**os.environ, **({"ROLLCALL_DATABASE_URL": own} if own else {})}
    environ.pop("ROLLCALL_ANALYSIS_DATABASE_URL", None)
    process = subprocess.Popen(argv, stdin=subprocess.PIPE, cwd=settings.BASE_DIR, env=environ)
    _analyses.append(process)
