"""The audit of the Kafka port: logins and changes over the wire, while the database is away too."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
import pytest

from groups.clients import wire_audit
from groups.clients.wire_audit import FAILURES_MAX, Login, WireAudit
from groups.core.authors import Author
from protocol.connection.listeners import Listener, Security
from tests import rows
from tests.in_process import Other
from tests.security.test_records import create
from tests.security.test_sasl import make_user, with_scram
from tests.server.serving import Serving, serving


@pytest.fixture
async def served(_prepared: None, other: Other) -> AsyncIterator[Serving]:
    """A server with a SASL listener and a user, Ann."""
    await other.execute("DELETE FROM rollcall_credential")
    await make_user(other, "ann")
    where = (Listener("SASL", "127.0.0.1", 0, Security.SASL_PLAINTEXT),)
    async with serving(where) as started:
        yield started


async def entries(other: Other, kind: str) -> list[Any]:
    return await rows.found(
        other,
        "SELECT who, address, client_id, target, outcome FROM rollcall_audit"
        " WHERE kind = %s ORDER BY id",
        kind,
    )


async def test_logins_and_writes_over_the_wire_are_recorded(served: Serving, other: Other) -> None:
    client, _ = await served.connect()
    await with_scram(client, "ann")
    stranger, _ = await served.connect()
    await with_scram(stranger, "ann", "a guess")
    await create(client)

    await served.node.audit._write()
    by = ("User:ann", "/127.0.0.1", "bench")
    assert sorted(await entries(other, "wire-login")) == [
        (*by, "SCRAM-SHA-256", "done"),
        (*by, "SCRAM-SHA-256", "failed"),
    ]
    assert await entries(other, "topic-created") == [(*by, "orders", "done")]
    assert {row[3] for row in await entries(other, "credential-made")} == {"ann"}
    details = await rows.found(other, "SELECT details::text FROM rollcall_audit")
    assert not any('stored_key":' in row[0] for row in details)


async def test_password_guesses_do_not_fill_the_disk(served: Serving, other: Other) -> None:
    for n in range(FAILURES_MAX * 3):
        by = Author("", "c", f"/192.0.2.{n % 6}", "User:eve")
        served.node.audit.add(Login(by, "PLAIN", "no"))
    served.node.audit.add(Login(Author("", "c", "/h", "User:ann"), "PLAIN"))
    await served.node.audit._write()
    found = await entries(other, "wire-login")
    assert len(found) == FAILURES_MAX + 2
    assert ("User:ann", "/h", "c", "PLAIN", "done") in found


async def test_records_of_logins_wait_while_the_database_is_down(
    served: Serving, other: Other
) -> None:
    """And none is written twice."""
    writer, real = served.node.audit, served.node.audit._connections

    def away() -> Any:
        raise psycopg.OperationalError("away")

    writer._connections = away
    writer.add(Login(Author("", "c", "/h", "User:ann"), "PLAIN"))
    await writer._write()
    assert await entries(other, "wire-login") == []
    writer._connections = real
    await writer._write()
    await writer._write()
    assert len(await entries(other, "wire-login")) == 1


async def test_a_node_that_stops_while_the_database_hangs_reports_lost_records(
    served: Serving, other: Other, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And records pending at the stop are written, once that works again."""
    monkeypatch.setattr(wire_audit, "LAST_S", 0.05)
    begun, hangs = asyncio.Event(), [True]

    @asynccontextmanager
    async def connections() -> AsyncIterator[Any]:
        if hangs[0]:
            begun.set()
            await asyncio.Event().wait()
        async with served.node.audit._connections() as connection:
            yield connection

    for goes_again in (False, True):
        hangs[0] = True
        writer = WireAudit(connections)
        writer.add(Login(Author("", "c", "/h", "User:ann"), "PLAIN"))
        task = asyncio.create_task(writer.run())
        await begun.wait()
        hangs[0] = not goes_again
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert ("1 logins are not in the audit" in caplog.text) is not goes_again
        assert len(await entries(other, "wire-login")) == goes_again
        begun.clear()
        caplog.clear()
