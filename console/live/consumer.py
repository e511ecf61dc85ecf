"""One websocket that watches one group: authorized, then notified of changes.

``{"group": id, "revision": n}``: the group has reached this revision; ``{"group": id, "look":
true}``: notifications may have been lost. Messages of clients are not read. ``console.live.hub``
decides who is notified.
"""

import asyncio
from typing import Any
from urllib.parse import parse_qs

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncJsonWebsocketConsumer

from console.live.hub import HUB, Full
from console.live.mailbox import LOOK, Mailbox, News
from console.live.sessions import NOT_ALLOWED, NOT_LOGGED_IN, SESSIONS, Holder, TooMany
from console.people import held_up, rights
from groups.models import Group

GROUP_ID_MISSING = 4400
NO_SUCH_PAGE = 4404
TOO_MANY = 4429
UNAVAILABLE = 4503
"""Close codes: 4000 plus the HTTP status with the same meaning; those for missing or lost rights
are in ``console.live.sessions``."""

PUSH_INTERVAL_S = 0.1
"""The pause between two messages to one socket, which are merged meanwhile; a socket whose client
reads nothing is closed by its pings long before these few bytes a second matter."""

GROUP_ID_LENGTH_MAX = 1_024

PATH = "ws/groups/"


class GroupConsumer(AsyncJsonWebsocketConsumer):  # type: ignore[misc]  # channels has no types
    """``/ws/groups/?group_id=...``, percent-encoded. Refusals are close codes after the handshake:
    browsers do not show a page why a handshake failed."""

    group_id = ""
    mailbox: Mailbox | None = None
    holder: Holder | None = None
    ending: asyncio.Task[None] | None = None
    pushing: asyncio.Task[None] | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve until the socket ends, and leave the hub in any case."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self.stop()

    async def connect(self) -> None:
        """Accept the client, or close with the reason."""
        await self.accept()
        refusal = await refused(self.scope["user"])
        if refusal is not None:
            await self.close(refusal)
            return
        group_id = group_id_of(self.scope["query_string"])
        if group_id is None:
            await self.close(GROUP_ID_MISSING)
            return
        self.group_id = group_id
        try:
            self.enter()
        except (Full, TooMany):
            await self.close(TOO_MANY)
            return
        assert self.mailbox is not None
        # The current revision, since the page may have been loaded earlier.
        self.mailbox.put_first(await revision_of(self.group_id))
        self.pushing = asyncio.create_task(self.push(self.mailbox))

    def enter(self) -> None:
        """Register the socket and its mailbox. Raises ``TooMany`` or ``Full``."""
        user, session = self.scope["user"], self.scope["session"]
        identity = (session.session_key, user.pk, user.get_session_auth_hash(), PATH)
        holder = Holder(*identity, self.end)
        SESSIONS.enter(holder)
        self.holder = holder
        self.mailbox = HUB.join(self.group_id)

    def end(self, code: int) -> None:
        """The right to watch has ended: send nothing more, and close."""
        if self.ending is None:
            if self.pushing is not None:
                self.pushing.cancel()
            self.ending = asyncio.create_task(self.close(code))

    async def push(self, mailbox: Mailbox) -> None:
        """Send notifications until cancelled."""
        while True:
            await self.send_json(message(self.group_id, await mailbox.take()))
            await asyncio.sleep(PUSH_INTERVAL_S)

    async def receive(self, **_: Any) -> None:
        """Messages of clients are ignored, valid or not."""

    async def stop(self) -> None:
        """Stop pushing and watching."""
        if self.pushing is not None:
            self.pushing.cancel()
        if self.mailbox is not None:
            mailbox, self.mailbox = self.mailbox, None
            await HUB.leave(self.group_id, mailbox)
        if self.holder is not None:
            holder, self.holder = self.holder, None
            await SESSIONS.leave(holder)


class NoSuchPage(AsyncJsonWebsocketConsumer):  # type: ignore[misc]  # channels has no types
    """Every other path."""

    async def connect(self) -> None:
        """Close with the code for it."""
        await self.accept()
        await self.close(NO_SUCH_PAGE)


def message(group_id: str, news: News) -> dict[str, Any]:
    """The message to the client."""
    if news is LOOK:
        return {"group": group_id, "look": True}
    return {"group": group_id, "revision": news}


def group_id_of(query_string: bytes) -> str | None:
    """The group in the URL, which may be ""; None if it is missing or invalid."""
    query = parse_qs(query_string.decode("ascii", "replace"), keep_blank_values=True)
    group_id = query.get("group_id", [None])[0]
    return None if group_id is None or len(group_id) > GROUP_ID_LENGTH_MAX else group_id


@database_sync_to_async  # type: ignore[untyped-decorator]
def refused(user: Any) -> int | None:
    """Why this user may not watch; None if it may."""
    if not user.is_authenticated:
        return NOT_LOGGED_IN
    if held_up.is_due(user):
        return NOT_ALLOWED
    return None if rights.may(user, rights.SOCKETS[PATH]) else NOT_ALLOWED


@database_sync_to_async  # type: ignore[untyped-decorator]
def revision_of(group_id: str) -> int:
    """The group's revision in its row; 0 if it does not exist."""
    revision = Group.objects.filter(group_id=group_id).values_list("revision", flat=True).first()
    return revision or 0
