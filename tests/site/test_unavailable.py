"""A request without a connection: the database is away, or the web has lent all of its own."""

from typing import Any

import pytest
from django.db.utils import OperationalError
from psycopg.errors import QueryCanceled
from psycopg_pool import ConnectionPool, PoolTimeout

from console.unavailable import AWAY, IN_USE, SLOW, sentence
from tests.site.conftest import MakePool
from web.web_connections import Connection

pytestmark = pytest.mark.django_db

SIZE = 2
AT_ONCE_S = 0.1


@pytest.fixture
def pool(make_pool: MakePool) -> ConnectionPool[Connection]:
    """Of few connections."""
    return make_pool(SIZE)


def refused(pool: ConnectionPool[Any]) -> OperationalError:
    """The error of a request that gets none, as Django raises it."""
    with pytest.raises(PoolTimeout) as told:
        pool.getconn(AT_ONCE_S)
    error = OperationalError(str(told.value))
    error.__cause__ = told.value
    return error


def test_an_exhausted_pool_is_unavailable(pool: ConnectionPool[Connection]) -> None:
    """It was said that the database is unavailable."""
    lent = [pool.getconn() for _ in range(SIZE)]
    error = refused(pool)
    assert sentence(error, pool) == IN_USE
    assert error.__cause__ is not None and sentence(error.__cause__, pool) == IN_USE
    assert sentence(OperationalError("the connection was closed"), pool) == AWAY
    pool.putconn(lent.pop())
    assert sentence(error, pool) == AWAY, "one is free meanwhile, so that was not it"
    for each in lent:
        pool.putconn(each)


def test_a_statement_timeout_is_neither_an_outage_nor_an_exhausted_pool(
    pool: ConnectionPool[Connection],
) -> None:
    """A page reported that the web process had failed when a table was locked."""
    with pool.connection() as made:
        made.execute("SET statement_timeout = 1")
        with pytest.raises(QueryCanceled) as told:
            made.execute("SELECT pg_sleep(60)")
    error = OperationalError(str(told.value))
    error.__cause__ = told.value
    assert sentence(error, pool) == SLOW


def test_a_database_that_is_down_is_unavailable(pool: ConnectionPool[Connection]) -> None:
    """Those that were lent are closed, and no other can be opened."""
    lent = [pool.getconn() for _ in range(SIZE)]
    for each in lent:
        each.close()
    assert sentence(refused(pool), pool) == AWAY
    for each in lent:
        pool.putconn(each)
