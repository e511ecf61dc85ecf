"""PostgreSQL's queue of notifications is full, by somebody who listens and reads nothing: what
notifies is written all the same."""

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest

from groups.clients.quotas import Quotas
from groups.clients.scram_credentials import Change, of_password
from groups.core.acls.bindings import Binding
from groups.core.configs.entries import Change as ConfigChange
from groups.core.configs.entries import ConfigOperation
from groups.core.quotas.entities import USER
from groups.core.replies import Joined
from groups.postgres import channels, connections
from launcher import ports
from launcher.cluster import DATABASE, SUPERUSER
from tests.node import servers
from tests.node.running import running

ROOT = Path(__file__).parents[2]
PAGES = "64"
"""The least that PostgreSQL takes: half a megabyte."""

RAW = re.compile(r"pg_notify\(|[\"']NOTIFY [{a-z]")
AUTHOR = {"principal": "User:root"}

pytestmark = pytest.mark.xdist_group("full queue")


def test_no_statement_notifies_without_asking_for_room() -> None:
    """Migrations and dumps are what older versions executed, or are made of the statements."""
    found = {
        str(path.relative_to(ROOT))
        for folder in (
            "groups",
            "console",
            "protocol",
            "web",
            "coordinator_site",
            "launcher",
            "pipeline",
        )
        for path in (ROOT / folder).rglob("*.py")
        if "migrations" not in path.parts and RAW.search(path.read_text())
    }
    assert found == {str(Path(channels.__file__).relative_to(ROOT))}


@pytest.fixture(scope="module")
def server() -> Iterator[servers.Server]:
    """With a small queue."""
    patch = pytest.MonkeyPatch()
    patch.setitem(servers.SETTINGS, "max_notify_queue_pages", PAGES)
    with patch.context(), servers.folder() as path, servers.migrated(path) as made:
        yield made
    patch.undo()


@pytest.fixture
def full(
    server: servers.Server, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[psycopg.Connection[Any]]:
    """Nodes' database is that server's; its queue is full."""
    settings.GROUP_INITIAL_REBALANCE_DELAY_MS = settings.GROUP_QUIET_WINDOW_MS = 0
    settings.AUTHORIZER, settings.SUPER_USERS = "on", "User:root"
    entry = {"HOST": ports.LOOPBACK, "PORT": server.cluster.port, "NAME": DATABASE}
    login = {"USER": SUPERUSER, "PASSWORD": server.cluster.password}
    for name, value in {**entry, **login}.items():
        monkeypatch.setitem(settings.DATABASES["default"], name, value)
    with psycopg.connect(server.url) as stranger, _autocommit(server) as other:
        stranger.execute("LISTEN anything")
        stranger.commit()
        stranger.execute("SELECT 1")  # its transaction is open: it reads nothing
        for size in (7000, 500, 0):
            with suppress(psycopg.errors.ProgramLimitExceeded):
                while True:
                    other.execute("SELECT pg_notify('anything', repeat('x', %s))", [size])
        yield other


def _autocommit(server: servers.Server) -> psycopg.Connection[Any]:
    return psycopg.connect(server.url, autocommit=True)


@pytest.fixture
async def there(full: psycopg.Connection[Any]) -> AsyncIterator[connections.Connection]:
    async with await connections.connect("other", options="") as made:
        yield made


@pytest.mark.long
async def test_a_node_starts_serves_and_changes_everything(
    there: connections.Connection,
) -> None:
    """It claims its slots and gives them back; ACLs, users, quotas, topics and settings are
    written, and a group is formed."""
    async with running() as one:
        node = one.node
        assert isinstance(await one.settled("g"), Joined)
        await node.catalogue.create("t", 1)
        await node.catalogue.grow("t", 2)
        await node.catalogue.delete("t")
        assert node.acls is not None
        words = ("TOPIC", "t", "LITERAL", "User:a", "*", "READ", "ALLOW")
        await node.acls.create([Binding.of_words(*words)], AUTHOR)
        assert node.acls.index.bindings
        password = of_password("SCRAM-SHA-256", "p", 4096)
        await node.credentials.change({"ann": [Change("SCRAM-SHA-256", password)]}, AUTHOR, 1)
        assert node.credentials.get("ann", "SCRAM-SHA-256")
        quotas: Quotas = node.quotas
        await quotas.alter({((USER, "ann"),): {"request_percentage": 5.0}}, AUTHOR)
        assert quotas.of_clients
        change = ConfigChange("rollcall.max.members", ConfigOperation.SET, "7")
        assert await node.configs.alter({"g": [change]}, AUTHOR) == {}
        with pytest.raises(psycopg.errors.ProgramLimitExceeded):
            await there.execute("NOTIFY anything")
    free = await there.execute("SELECT count(*) FROM rollcall_slot WHERE node_id IS NOT NULL")
    assert await free.fetchone() == (0,)
