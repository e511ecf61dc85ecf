"""What tests of the whole site share with those of REST."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack

import pytest
from django.db import connection
from psycopg_pool import ConnectionPool

from tests.api.conftest import broker
from web.web_connections import Connection

__all__ = ["broker"]

MakePool = Callable[[int], ConnectionPool[Connection]]


@pytest.fixture
def make_pool() -> Iterator[MakePool]:
    """Makes pools of the web's connections as Django does, of at most so many; one at first."""
    with ExitStack() as stack:

        def make(most: int) -> ConnectionPool[Connection]:
            made: AbstractContextManager[ConnectionPool[Connection]] = ConnectionPool[Connection](
                kwargs={**connection.get_connection_params(), "autocommit": True},
                connection_class=Connection,
                min_size=1,
                max_size=most,
                check=ConnectionPool.check_connection,
            )
            return stack.enter_context(made)

        yield make
