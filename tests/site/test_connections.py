"""The web's connections to PostgreSQL: never more than its pool, under any requests."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
import pytest

from benchmarks.wire import form_groups
from console.api.asking import WAITING_MAX
from coordinator_site import database
from launcher.installation import Installation
from tests.installations import TOKEN
from tests.site.requests import get, post

POOL = 16
REQUESTS = 100
LOOK_AGAIN_S = 0.02
SERVED = 4
"""Requests beside those that wait."""

OF_THE_WEB = """
SELECT count(*), count(*) FILTER (WHERE state <> 'idle') FROM pg_stat_activity
WHERE application_name = 'rollcall web'
"""

PATHS = {
    "/readyz": {},
    "/admin/login/": {},
    "/api/v1/nodes": {"Authorization": f"Bearer {TOKEN}"},
}

QUICK = "/api/v1/nodes"
"""Stands for all in ``make test``."""


@asynccontextmanager
async def installed(installation: Installation) -> AsyncIterator[psycopg.AsyncConnection[Any]]:
    """A connection of an observer."""
    url = (installation.data_dir / "database-url").read_text().strip()
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as made:
        yield made


@pytest.fixture
async def sql(installation: Installation) -> AsyncIterator[psycopg.AsyncConnection[Any]]:
    """A connection of an observer to the installation of all tests."""
    async with installed(installation) as made:
        yield made


async def counted(sql: psycopg.AsyncConnection[Any]) -> tuple[int, int]:
    """Connections of the web now: all of them, and those in use."""
    row = await (await sql.execute(OF_THE_WEB)).fetchone()
    assert row is not None
    return int(row[0]), int(row[1])


@asynccontextmanager
async def watched(sql: psycopg.AsyncConnection[Any], most: list[int]) -> AsyncIterator[None]:
    """Notes how many connections there are, again and again. Not all the time: that would take a
    processor from the crowd. A connection too many would be there for as long as its request."""

    async def watch() -> None:
        while True:
            most.append((await counted(sql))[0])
            await asyncio.sleep(LOOK_AGAIN_S)

    watching = asyncio.create_task(watch())
    yield
    watching.cancel()
    await asyncio.wait([watching])


@pytest.mark.xdist_group("crowds")
@pytest.mark.parametrize(
    "path", [pytest.param(p, marks=() if p == QUICK else pytest.mark.long) for p in PATHS]
)
async def test_many_requests_take_no_more_connections_than_the_pool_has(
    path: str, installation: Installation, sql: psycopg.AsyncConnection[Any]
) -> None:
    most: list[int] = []
    async with watched(sql, most):
        asked = [get(installation.web, path, **PATHS[path]) for _ in range(REQUESTS)]
        answers = await asyncio.gather(*asked)

    assert max(most) <= POOL
    assert {status for status, _ in answers} <= {200, 503}
    assert all("retry-after" in headers for status, headers in answers if status == 503)
    while (await counted(sql))[1]:  # given back: none is in a transaction
        await asyncio.sleep(0.05)
    assert (await get(installation.web, path, **PATHS[path]))[0] == 200


LOGINS = """
SELECT DISTINCT usename FROM pg_stat_activity WHERE application_name LIKE 'rollcall %'
"""


async def test_every_kind_of_process_logs_in_as_its_role(
    installation: Installation, sql: psycopg.AsyncConnection[Any]
) -> None:
    assert (await get(installation.web, "/admin/login/"))[0] == 200
    logins = {login for (login,) in await (await sql.execute(LOGINS)).fetchall()}
    assert logins - {"rollcall_analysis"} == {"rollcall_node", "rollcall_web", "rollcall_worker"}


@pytest.mark.long
async def test_waiting_for_an_operation_holds_no_connection() -> None:
    """As many as may wait at once, as many as there are connections: in an installation of their
    own, since others' requests would not wait beside them."""
    token = {"Authorization": f"Bearer {TOKEN}"}
    with Installation({"ROLLCALL_API_TOKEN": TOKEN}) as installation:
        members = await form_groups(installation.kafka, "waited-for", WAITING_MAX, 1)
        waiting = [
            asyncio.create_task(
                post(
                    installation.web,
                    f"/api/v1/groups/{member.group_id}/rebalances",
                    b'{"reason": "nobody joins again"}',
                    Prefer="wait=60",
                    **token,
                )
            )
            for member in members
        ]
        async with installed(installation) as sql:
            while await requested(sql) < WAITING_MAX:
                await asyncio.sleep(LOOK_AGAIN_S)
        for _ in range(SERVED):
            assert (await get(installation.web, "/api/v1/nodes", **token))[0] == 200
        assert not any(each.done() for each in waiting)
        for each in waiting:
            each.cancel()
        await asyncio.wait(waiting)


async def requested(sql: psycopg.AsyncConnection[Any]) -> int:
    """How many operations there are."""
    row = await (await sql.execute("SELECT count(*) FROM rollcall_operation")).fetchone()
    assert row is not None
    return int(row[0])


def test_only_the_web_has_a_pool_and_no_connection_beside_it() -> None:
    entries = {}
    for role in ("rollcall_web", "rollcall_worker", ""):
        entries[role] = database.from_url("postgresql://u@h/d")
        database.take_role(entries[role], role, taken=True, connections=POOL)

    assert entries["rollcall_web"]["OPTIONS"]["pool"]["max_size"] == POOL
    assert entries["rollcall_web"]["CONN_MAX_AGE"] == 0
    assert [r for r, entry in entries.items() if "pool" in entry["OPTIONS"]] == ["rollcall_web"]


def test_only_the_web_has_a_shorter_limit_for_statements_that_read() -> None:
    limits = {}
    for role in ("rollcall_web", "rollcall_worker"):
        entry = database.from_url("postgresql://u@h/d")
        database.take_role(entry, role, taken=True, connections=POOL, read_timeout_ms=1_234)
        limits[role] = re.findall(r"statement_timeout=(\S+)", entry["OPTIONS"]["options"])
    assert limits == {"rollcall_web": ["1234ms"], "rollcall_worker": ["60s"]}


def test_the_migrator_encodes_values_like_all_others_with_its_own_options() -> None:
    """Else migrations make the tables where ``ALTER DATABASE ... SET search_path`` says, and the
    functions do not find them."""
    entry = database.from_url("postgresql://u@h/d?options=-c%20lock_timeout%3D5s")
    database.take_role(entry, "", taken=True, connections=POOL)
    options = entry["OPTIONS"]["options"]
    assert "-c search_path=public " in options and options.endswith(" -c lock_timeout=5s")
    assert "role=" not in options
