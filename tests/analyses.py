"""An analysis at work and its reports, as the web sees them."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import psycopg
from django.db import connection

from pipeline.results.runs import alone


@contextmanager
def analysing() -> Iterator[None]:
    """A session that holds the lock of analyses, as the pipeline takes it."""
    known = connection.get_connection_params()
    names = ("host", "port", "dbname", "user", "password")
    told = {name: known[name] for name in names if known.get(name)}
    with alone(psycopg.conninfo.make_conninfo(**told)):
        yield


@cache
def described() -> list[dict[str, Any]]:
    """What a run says of its reports. Imports Spark, which takes a moment, and starts nothing."""
    from pipeline.results import rows
    from pipeline.steps.table import ANSWERS, REPORTS

    return [rows.described(report) for report in (*REPORTS.values(), *ANSWERS)]
