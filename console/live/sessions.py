"""Open websockets with their users, and whether their sessions are still valid.

A session ends with a logout, in any process, and rights may be removed: this process is not
notified. So while there are sockets, it checks periodically, with a few queries for all of them.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from channels.db import database_sync_to_async
from django.contrib.auth import get_user_model
from django.contrib.sessions.models import Session
from django.db import DatabaseError
from django.utils import timezone

from console.people import rights

logger = logging.getLogger(__name__)

LOOK_S = 2.0
"""A websocket outlives its session by at most this time and the duration of a check."""

SOCKETS_A_USER_MAX = 20
"""Websockets of one user in one process: each is an open page. Further pages poll."""

NOT_LOGGED_IN = 4401
NOT_ALLOWED = 4403


class TooMany(Exception):
    """The user has the maximum number of websockets."""


@dataclass(frozen=True, slots=True, eq=False)
class Holder:
    """One websocket: its session, and its user when it was opened. ``path`` is the one in the table
    of rights; ``end`` closes it with a code."""

    session_key: str
    user_id: int
    auth_hash: str
    path: str
    end: Callable[[int], None]


class Sessions:
    """The websockets of this process; they are checked while there are any."""

    def __init__(self) -> None:
        self._holders: set[Holder] = set()
        self._looking: asyncio.Task[None] | None = None

    def enter(self, holder: Holder) -> None:
        """Add one, until ``leave``. Raises ``TooMany``."""
        if Counter(h.user_id for h in self._holders)[holder.user_id] >= SOCKETS_A_USER_MAX:
            raise TooMany
        self._holders.add(holder)
        if self._looking is None:
            self._looking = asyncio.create_task(self._look())

    async def leave(self, holder: Holder) -> None:
        """Remove one; after the last one the checks are stopped."""
        self._holders.discard(holder)
        if not self._holders and self._looking is not None:
            looking, self._looking = self._looking, None
            looking.cancel()
            await asyncio.wait([looking])

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            try:
                refusals = await refused(tuple(self._holders))
            except DatabaseError as error:
                logger.warning("sessions of websockets could not be checked: %s", error)
                continue
            for holder, code in refusals.items():
                holder.end(code)


@database_sync_to_async  # type: ignore[untyped-decorator]
def refused(holders: Collection[Holder]) -> Mapping[Holder, int]:
    """Those without the right any more, each with its close code."""
    sessions, people = _sessions_and_users(holders)
    codes = {holder: _refusal(holder, sessions, people) for holder in holders}
    return {holder: code for holder, code in codes.items() if code is not None}


def _sessions_and_users(holders: Collection[Holder]) -> tuple[set[str], Mapping[int, Any]]:
    """The valid sessions, and the active users."""
    keys = {holder.session_key for holder in holders}
    ids = {holder.user_id for holder in holders}
    sessions = Session.objects.filter(session_key__in=keys, expire_date__gt=timezone.now())
    people = get_user_model().objects.filter(is_active=True).in_bulk(ids)
    return set(sessions.values_list("session_key", flat=True)), people


def _refusal(holder: Holder, sessions: set[str], people: Mapping[int, Any]) -> int | None:
    user = people.get(holder.user_id)
    if holder.session_key not in sessions or user is None:
        return NOT_LOGGED_IN
    if user.get_session_auth_hash() != holder.auth_hash:  # a new password ends every session
        return NOT_LOGGED_IN
    return None if rights.may(user, rights.SOCKETS[holder.path]) else NOT_ALLOWED


SESSIONS = Sessions()
"""The websockets of this process."""
