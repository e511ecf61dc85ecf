"""Certificates of a test's own, beside the server of this process, and an administrator."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth import get_user_model

from benchmarks.wire import create_topic
from groups.postgres.connections import Connection
from tests.in_process import other
from tests.security.auditing import PASSWORD
from tests.security.certificates import Certificates
from tests.security.door import Door
from tests.server.conftest import _prepared
from tests.server.serving import Serving, serving

__all__ = ["_prepared", "other"]


@pytest.fixture
def certificates(tmp_path: Path) -> Certificates:
    """An authority, and a server's certificate of it."""
    return Certificates.make(tmp_path)


@pytest.fixture
async def door(
    _prepared: None, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Door]:
    """A server with an authorizer. Nobody may do anything yet but one who is not Ann."""
    settings.AUTHORIZER = "on"
    settings.SUPER_USERS = "User:ANONYMOUS"
    settings.FETCH_HOLD_MIN_MS = settings.FETCH_HOLD_MAX_MS = 1
    async with serving() as served:
        await _keep_rules(served, monkeypatch)
        ids = dict[str, UUID]()
        for name in ("anna", "ben"):
            await create_topic(served.address, f"{name}-topic", 3)
            entry = served.node.catalogue.get(f"{name}-topic")
            assert entry is not None
            ids[name] = entry.topic_id
        yield Door(served, ids)


async def _keep_rules(served: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the database are read after each connection for notifications: they would replace
    those that a test puts into the memory."""

    async def read(_connection: Connection) -> None:
        return None

    rules = served.node.acls
    assert rules is not None
    monkeypatch.setattr(rules, "load", read)
    async with rules._reading:
        return


@pytest.fixture
def root(db: None) -> Any:
    """An administrator."""
    return get_user_model().objects.create_superuser("root", password=PASSWORD)
