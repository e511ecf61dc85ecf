"""The hub of a web process: the watchers of each group, and one listening connection for all.

It forwards notifications and has no data of groups. Everything here runs on the loop that serves
websockets.
"""

import asyncio
import json
import logging
from collections.abc import Callable
from typing import Any

import psycopg

from console.live.mailbox import LOOK, Mailbox
from groups.core.rows import slot_of
from groups.operations.requests import BELL as OPERATIONS_BELL
from groups.postgres import connections
from groups.postgres.channels import Rung
from groups.postgres.doorbell import Doorbell
from groups.reporting.observers import BELL as GROUPS_BELL
from groups.store.sql.pauses import BELL as PAUSES_BELL

logger = logging.getLogger(__name__)

RECONNECT_S_MAX = 8.0
"""Pages poll while there is no connection, so it need not be restored at once."""

WATCHERS_MAX = 1_000
"""Websockets of one web process: each is an open page. Further pages poll."""


async def connect() -> psycopg.AsyncConnection[Any]:
    """The listening connection of a web process, with the web's role."""
    conninfo = connections.conninfo("rollcall_web", application_name="rollcall web doorbell")
    return await psycopg.AsyncConnection.connect(conninfo, autocommit=True)


REVISION_MAX = 2**63 - 1
"""The maximum of the column."""


class Full(Exception):
    """The process has its maximum of websockets."""


class Hub:
    """Mailboxes by group; the doorbell runs only while there are any."""

    def __init__(self) -> None:
        self._watchers: dict[str, set[Mailbox]] = {}
        self._listening: asyncio.Task[None] | None = None

    @property
    def watcher_count(self) -> int:
        """How many mailboxes there are."""
        return sum(map(len, self._watchers.values()))

    @property
    def is_listening(self) -> bool:
        """Whether the doorbell runs."""
        return self._listening is not None

    def join(self, group_id: str) -> Mailbox:
        """A mailbox for notifications of the group, until ``leave``. Raises ``Full``.

        The first one starts the doorbell, which sends ``LOOK`` when it listens.
        """
        if self.watcher_count >= WATCHERS_MAX:
            raise Full
        mailbox = Mailbox()
        self._watchers.setdefault(group_id, set()).add(mailbox)
        if self._listening is None:
            listeners = {
                GROUPS_BELL: self.groups_rang,
                OPERATIONS_BELL: self.operations_rang,
                PAUSES_BELL: self.pauses_rang,
            }
            doorbell = Doorbell(listeners, connect, RECONNECT_S_MAX, by_clock=None)
            self._listening = asyncio.create_task(doorbell.run())
        return mailbox

    async def leave(self, group_id: str, mailbox: Mailbox) -> None:
        """Remove the mailbox; after the last one the doorbell is stopped."""
        watching = self._watchers.get(group_id, set())
        watching.discard(mailbox)
        if not watching:
            self._watchers.pop(group_id, None)
        if not self._watchers and self._listening is not None:
            listening, self._listening = self._listening, None
            listening.cancel()
            await asyncio.wait([listening])

    async def groups_rang(self, rung: Rung) -> None:
        """``rollcall_groups``: group ids and their revisions as JSON; empty: too many to list."""
        said = [revisions(payload) for payload in rung or ("",)]
        for changed in said:
            for group_id, revision in changed.items():
                for mailbox in self._watchers.get(group_id, ()):
                    mailbox.put(revision)
        if not all(said):
            self._look(lambda _group_id: True)

    async def operations_rang(self, rung: Rung) -> None:
        """``rollcall_operations``: the slots of operations."""
        if rung is not None:  # all channels are told that anything may have changed; one is enough
            self._look(lambda group_id: str(slot_of(group_id)) in rung)

    async def pauses_rang(self, rung: Rung) -> None:
        """``rollcall_pauses``: groups with a pause, a resume or an acknowledgement."""
        if rung is not None:
            self._look(lambda watched: watched in rung)

    def _look(self, concerned: Callable[[str], bool]) -> None:
        for group_id, watching in self._watchers.items():
            if concerned(group_id):
                for mailbox in watching:
                    mailbox.put(LOOK)


def revisions(payload: str | None) -> dict[str, int]:
    """The revisions in a payload, by group id; none if it is invalid, since anyone with access to
    the database can notify."""
    try:
        by_group = json.loads(payload or "{}")
    except (ValueError, RecursionError):
        return {}
    if not isinstance(by_group, dict) or not all(map(_is_revision, by_group.values())):
        return {}
    return by_group


def _is_revision(value: object) -> bool:
    return type(value) is int and 0 <= value <= REVISION_MAX


HUB = Hub()
"""The hub of this process."""
