"""An analysis at work, as the web sees it."""

from collections.abc import Iterator
from contextlib import contextmanager

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
