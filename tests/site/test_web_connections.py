"""A server process that hangs costs the web one connection for so long, and none for ever."""

import os
import signal
from typing import Any

import psycopg
import pytest
from asgiref.sync import sync_to_async
from psycopg_pool import ConnectionPool

from console.live import routing
from coordinator_site import asgi
from groups.postgres import roles
from tests.site.conftest import MakePool
from web import web_connections
from web.outages import is_outage
from web.web_connections import PATIENCE_S, Connection, patient

pytestmark = pytest.mark.django_db


@pytest.fixture
def pool(make_pool: MakePool) -> ConnectionPool[Connection]:
    """Of one connection."""
    return make_pool(1)


def asks(pool: ConnectionPool[Connection], statement: str = "SELECT 7") -> Any:
    with pool.connection() as made:
        return made.execute(statement.encode()).fetchone()


def test_a_hung_backend_is_given_up_and_the_next_request_has_another(
    pool: ConnectionPool[Connection],
) -> None:
    with pool.connection() as hung:
        pid = hung.info.backend_pid
        os.kill(pid, signal.SIGSTOP)
        try:
            with (
                patient(0.2),
                pytest.raises(psycopg.OperationalError, match="does not answer") as told,
            ):
                hung.execute("SELECT 1")
        finally:
            os.kill(pid, signal.SIGCONT)
        assert hung.closed and is_outage(told.value)
    assert asks(pool) == (7,)


def test_a_hung_pooled_connection_is_not_handed_out(
    pool: ConnectionPool[Connection], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_connections, "LOOK_S", 0.2)
    (pid,) = asks(pool, "SELECT pg_backend_pid()")
    os.kill(pid, signal.SIGSTOP)
    try:
        assert asks(pool) == (7,)
    finally:
        os.kill(pid, signal.SIGCONT)


def test_any_error_of_postgresql_keeps_the_connection(
    pool: ConnectionPool[Connection],
) -> None:
    before = asks(pool, "SELECT pg_backend_pid()")
    for refused in ("SELECT 1 / 0", "SET statement_timeout = '20ms'; SELECT pg_sleep(60)"):
        with pytest.raises(psycopg.Error, match=r"division|statement timeout"):
            asks(pool, refused)
    assert asks(pool, "SELECT pg_backend_pid()") == before


def test_slow_statements_are_ended_by_postgresql_first() -> None:
    limit = roles.BY_NAME["rollcall_web"].settings["statement_timeout"]
    assert limit.endswith("s") and int(limit[:-1]) < PATIENCE_S


async def test_a_websocket_gives_up_a_statement_before_others_waited_long(
    pool: ConnectionPool[Connection], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They share a thread: one waited for a lock, and no other was accepted."""

    async def page(*_: object) -> None:
        await sync_to_async(asks)(pool, "SELECT pg_sleep(600)")

    monkeypatch.setattr(asgi, "LOOK_S", 0.2)
    monkeypatch.setattr(routing, "application", page)
    with patient(600), pytest.raises(psycopg.OperationalError, match="does not answer"):
        await asgi.websockets({}, None, None)
