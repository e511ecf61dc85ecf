"""The journal as server-sent events, from the web's own application over real rows."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import Any
from urllib.parse import quote

import pytest
from asgiref.testing import ApplicationCommunicator
from channels.db import database_sync_to_async
from django.conf import settings
from django.contrib.auth.models import Group as Role
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import connections as django_connections

from console.api.events import follower, streams
from console.api.events.follower import FOLLOWER
from console.api.events.streams import PLACES
from console.journal_subjects import EVERY_KIND
from console.people import api_tokens, staff_roles
from console.queries import journal_rows
from console.queries.journal_position import Position
from groups.core.journal import EntryKind
from groups.postgres.connections import Connection
from tests.live.conftest import PATIENCE_S, LogIn
from web.concurrency import Concurrency

PATH = "/api/v1/journal/events"

WRITE = (
    "INSERT INTO rollcall_journal (at, group_id, revision, node_id, kind, trigger, reason,"
    ' generation_before, generation_after, waited_for, joined, "left", details)'
    " VALUES (now(), %s, 1, 0, %s, '', '', 0, 1, '{}', '[]', '[]', '{}') RETURNING id"
)

Event = dict[str, str]


class Reader:
    """A client of events."""

    def __init__(self, query: str = "", **headers: str) -> None:
        from coordinator_site.asgi import application

        raw_headers = [
            (name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()
        ]
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "GET",
            "path": PATH,
            "raw_path": PATH.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "scheme": "http",
            "server": ("localhost", 8000),
            "client": ("127.0.0.1", 1),
            "headers": [(b"host", b"localhost:8000"), *raw_headers],
        }
        communicator: Any = ApplicationCommunicator  # asgiref's has no types
        self._told = communicator(application, scope)
        self._text = ""
        self.status = 0
        self.last_id = ""

    async def open(self) -> int:
        """Ask; the status of the answer."""
        await self._told.send_input({"type": "http.request"})
        start = await self._told.receive_output(PATIENCE_S)
        self.status = start["status"]
        return self.status

    async def body(self) -> Any:
        """Of an answer that has an end."""
        return json.loads((await self._told.receive_output(PATIENCE_S))["body"])

    async def event(self) -> Event:
        """The next one that has data; comments are passed over."""
        while True:
            while "\n\n" not in self._text:
                part = await self._told.receive_output(PATIENCE_S)
                self._text += part.get("body", b"").decode()
            block, _, self._text = self._text.partition("\n\n")
            found = dict(line.split(": ", 1) for line in block.splitlines() if line[0] != ":")
            self.last_id = found.get("id", self.last_id)
            if "data" in found:
                return found

    async def seqs(self, count: int) -> list[int]:
        """The numbers of the next entries."""
        return [json.loads((await self.event())["data"])["seq"] for _ in range(count)]

    async def close(self) -> None:
        """Go away."""
        await self._told.send_input({"type": "http.disconnect"})
        with suppress(asyncio.CancelledError):
            await self._told.wait(PATIENCE_S)


Opened = Callable[..., Awaitable[Reader]]


@pytest.fixture
async def cookie(log_in: LogIn) -> str:
    """A Viewer's."""
    return await log_in(staff_roles.VIEWER)


@pytest.fixture
async def reader(cookie: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Opened]:
    """Opens streams; the server looks more often than it would."""
    monkeypatch.setattr(follower, "LOOK_S", 0.02)
    monkeypatch.setattr(follower, "RIGHTS_S", 0.05)
    opened: list[Reader] = []

    async def made(query: str = "", **headers: str) -> Reader:
        one = Reader(query, **({"cookie": cookie} | headers))
        opened.append(one)
        await one.open()
        return one

    yield made
    for one in opened:
        await one.close()
    assert not FOLLOWER.streams
    async with asyncio.timeout(PATIENCE_S):
        while PLACES.taken:  # given back in a thread
            await asyncio.sleep(0.001)


async def wrote(other: Connection, *group_ids: str, kind: str = "stable") -> list[int]:
    """Entries, committed one by one; their numbers."""
    return [await number(other, group_id, kind) for group_id in group_ids]


async def number(other: Connection, group_id: str, kind: str = "stable") -> int:
    found = await (await other.execute(WRITE, [group_id, kind])).fetchone()
    assert found is not None
    return int(found[0])


async def test_entries_come_as_they_are_written(reader: Opened, other: Connection) -> None:
    await wrote(other, "before")
    one = await reader()
    written = await wrote(other, "a", "b")

    event = await one.event()

    assert one.status == 200 and "event" not in event
    body = json.loads(event["data"])
    assert (body["seq"], body["group_id"], body["kind"]) == (written[0], "a", "stable")
    assert body["sentence"] and await one.seqs(1) == [written[1]]


async def test_late_entries_are_sent_once_also_after_a_reconnect(
    reader: Opened, other: Connection, database_url: str
) -> None:
    first = (await wrote(other, "a"))[0]
    one = await reader(f"after={first - 1}")
    assert await one.seqs(1) == [first]
    async with await Connection.connect(database_url) as slow:
        late = [await number(slow, "late"), await number(slow, "late")]
        younger = await wrote(other, "b")
        assert await one.seqs(1) == younger
        await one.close()
        await slow.commit()

    again = await reader(last_event_id=one.last_id, query="after=0")
    assert await again.seqs(2) == late
    last = await wrote(other, "c")
    assert await again.seqs(1) == last


async def test_a_late_entry_is_sent_on_an_open_stream(
    reader: Opened, other: Connection, database_url: str
) -> None:
    one = await reader()
    async with await Connection.connect(database_url) as slow:
        late = await number(slow, "late")
        younger = await wrote(other, "b")
        assert await one.seqs(1) == younger
        await slow.commit()
    assert await one.seqs(1) == [late]


async def test_missed_entries_are_sent_page_by_page(
    reader: Opened, other: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_rows, "PAGE", 3)
    written = await wrote(other, *"abcdefgh")
    one = await reader(f"after={written[0]}")

    assert await one.seqs(7) == written[1:]
    assert one.last_id == str(written[-1])


NOBODY = streams.Holder(None, None, "", "")


async def test_a_reader_that_does_not_read_missed_entries_delays_nobody(
    reader: Opened, other: Connection
) -> None:
    written = await wrote(other, *"abc")
    stuck = [
        FOLLOWER.events(streams.Stream(Position(written[0] - 1), NOBODY, EVERY_KIND, "", ""))
        for _ in range(follower.CATCHING_UP_MAX)
    ]
    for each in stuck:
        assert "retry" in await anext(each)
        assert '"group_id": "c"' in await anext(each)  # and the reader stops reading

    one = await reader(f"after={written[0]}")
    assert await one.seqs(2) == written[1:]
    for each in stuck:
        await each.aclose()


async def test_reading_missed_entries_does_not_count_as_too_far_behind(
    reader: Opened, other: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_rows, "PAGE", 1)
    monkeypatch.setattr(streams, "BEHIND_MAX", 2)
    written = await wrote(other, "a", "b")
    behind = streams.Stream(Position(written[0] - 1), NOBODY, EVERY_KIND, "", "")
    stream = FOLLOWER.events(behind)
    await anext(stream)
    texts = [await anext(stream)]
    one = await reader()
    more: list[int] = []
    for group_id in "cdef":  # one by one: this reader must not be too far behind, either
        more += await wrote(other, group_id)
        assert await one.seqs(1) == more[-1:]  # the follower has sent it to all

    while behind.position.greatest < more[-1]:
        texts.append(await anext(stream))
    assert not behind.ended
    seqs = [json.loads(line[6:])["seq"] for line in "".join(texts).splitlines() if "data" in line]
    assert seqs == written + more
    await stream.aclose()


async def test_entries_are_filtered(reader: Opened, other: Connection) -> None:
    odd = "a\n\nid: 1\ndata: x\u2028ü"
    one = await reader(f"group_id={quote(odd)}&kind=stable")
    await wrote(other, "b", odd, kind="emptied")
    wanted = await wrote(other, odd)

    assert await one.seqs(1) == wanted


HIDDEN = {
    *(EntryKind.ACL_CREATED, EntryKind.ACL_DELETED, EntryKind.QUOTA_SET, EntryKind.QUOTA_REMOVED),
    *(EntryKind.CREDENTIAL_SET, EntryKind.CREDENTIAL_DELETED),
}
"""Of a Viewer and an Operator."""

LATER = "kind-of-a-later-version"


@pytest.mark.parametrize("who", staff_roles.ROLES)
async def test_a_stream_has_only_kinds_that_its_user_may_read(
    who: str, reader: Opened, log_in: LogIn, other: Connection
) -> None:
    """As they are written, and missed ones; ``tests/security/test_journal_rights.py`` has the other
    ways to read the journal."""
    cookie = await log_in(who)
    (first,) = await wrote(other, "before")
    streams_of = [await reader(f"after={first}", cookie=cookie), await reader(cookie=cookie)]
    kinds = {seq: kind for kind in (*EntryKind, LATER) for seq in await wrote(other, "", kind=kind)}
    (last,) = await wrote(other, "after")
    missed = await reader(f"after={first}", cookie=cookie)
    allowed = set(kinds)
    if who != staff_roles.ADMINISTRATOR:
        allowed = {seq for seq, kind in kinds.items() if kind not in {*HIDDEN, LATER}}
    for one in (*streams_of, missed):
        assert await one.seqs(len(allowed) + 1) == [*sorted(allowed), last]


async def test_a_kind_that_may_not_be_read_is_refused(reader: Opened) -> None:
    assert [(await reader(f"kind={kind}")).status for kind in sorted(HIDDEN)] == [403] * 6


async def test_a_stream_has_no_kind_whose_right_was_taken_away(
    reader: Opened, log_in: LogIn, other: Connection
) -> None:
    cookie = await log_in(staff_roles.ADMINISTRATOR)
    one = await reader(cookie=cookie)
    seen = await wrote(other, "", kind=EntryKind.ACL_CREATED)
    assert await one.seqs(1) == seen

    def demote() -> None:
        session = Session.objects.get(pk=cookie.partition("=")[2]).get_decoded()
        viewer = Role.objects.get(name=staff_roles.VIEWER)
        User.objects.get(pk=session["_auth_user_id"]).groups.set([viewer])

    await database_sync_to_async(demote)()
    (stream,) = FOLLOWER.streams
    async with asyncio.timeout(PATIENCE_S):
        while EntryKind.ACL_CREATED in stream.kinds:
            await asyncio.sleep(0.001)
    await wrote(other, "", kind=EntryKind.ACL_DELETED)
    following = await wrote(other, "a")
    assert await one.seqs(1) == following


async def test_invalid_and_future_positions_are_refused(reader: Opened, other: Connection) -> None:
    seq = (await wrote(other, "a"))[0]
    for text, status in (("x", 400), ("5~7", 400), (str(seq + 1_000), 409)):
        refused = await reader(f"after={text}")
        assert (refused.status, (await refused.body())["status"]) == (status, status)


async def test_a_journal_restored_to_an_earlier_state_ends_the_streams(
    reader: Opened, other: Connection
) -> None:
    written = await wrote(other, "a", "b")
    one = await reader(f"after={written[0]}")
    assert await one.seqs(1) == written[1:]
    await other.execute("DELETE FROM rollcall_journal WHERE id = %s", [written[1]])

    end = await one.event()

    assert end["event"] == "end" and json.loads(end["data"])["code"] == streams.WENT_BACK


@pytest.mark.parametrize("gone", ["session", "role", "person", "password"])
async def test_a_stream_ends_with_its_session_and_its_rights(
    gone: str, reader: Opened, cookie: str
) -> None:
    one = await reader()
    assert one.status == 200
    key = cookie.partition("=")[2]

    def end() -> None:
        user = User.objects.get(pk=Session.objects.get(pk=key).get_decoded()["_auth_user_id"])
        if gone == "session":
            Session.objects.filter(pk=key).delete()
        elif gone == "role":
            user.groups.clear()
        elif gone == "password":
            user.set_password("another one")
            user.save()
        else:
            User.objects.filter(pk=user.pk).update(is_active=False)

    await database_sync_to_async(end)()

    ended = await one.event()
    assert ended["event"] == "end" and json.loads(ended["data"])["code"] == streams.FORBIDDEN


async def test_a_stream_ends_with_its_token(reader: Opened, cookie: str) -> None:
    key = cookie.partition("=")[2]

    def issue() -> Any:
        user = User.objects.get(pk=Session.objects.get(pk=key).get_decoded()["_auth_user_id"])
        return api_tokens.issue(user, user.username, scopes=["read"])

    token, secret = await database_sync_to_async(issue)()
    one = await reader(cookie="", authorization=f"Bearer {secret}")
    assert one.status == 200

    await database_sync_to_async(token.delete)()

    assert json.loads((await one.event())["data"])["code"] == streams.FORBIDDEN


async def test_streams_per_user_are_limited_and_anonymous_users_get_none(
    reader: Opened, settings: Any
) -> None:
    settings.WEB_EVENT_STREAMS_PER_USER_MAX = 2
    one, two, three = [await reader() for _ in range(3)]
    assert (one.status, two.status, three.status) == (200, 200, 429)
    assert (await three.body())["code"] == "too_many_streams"
    assert (await reader(cookie="")).status == 401
    await one.close()
    async with asyncio.timeout(PATIENCE_S):
        while PLACES.taken > 1:
            await asyncio.sleep(0.001)
    assert (await reader()).status == 200


async def test_a_reader_too_far_behind_is_disconnected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "BEHIND_MAX", 2)
    holder = streams.Holder(None, None, "", "")
    one = streams.Stream(Position(), holder, EVERY_KIND, "", "")
    one.listen(True)
    entries = [journal_rows.JournalRow(seq, "g", "stable") for seq in (1, 2, 3)]

    one.put(entries, dict.fromkeys((1, 2, 3), "{}"))

    assert one.ended == streams.SLOW and one.taken() == ""


async def test_streams_take_no_places_from_other_requests() -> None:
    begun, end = asyncio.Event(), asyncio.Event()

    async def endless(_scope: Any, _receive: Any, send: Any) -> None:
        headers = [(b"Content-Type", b"text/event-stream")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        begun.set()
        await end.wait()

    limited, heard = Concurrency(endless, 1), []

    async def hear(message: Any) -> None:
        heard.append(message["status"])

    async def nothing() -> Any:
        return {"type": "http.disconnect"}

    both = [asyncio.create_task(limited({}, nothing, hear)) for _ in range(3)]
    await begun.wait()
    async with asyncio.timeout(PATIENCE_S):
        while len(heard) < 3:
            await asyncio.sleep(0)
    end.set()
    await asyncio.gather(*both)
    assert heard == [200, 200, 200]


async def test_a_waiting_stream_holds_no_connection(
    reader: Opened, other: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follower, "LOOK_S", 1_000)
    one = await reader()
    await FOLLOWER._knows.wait()

    def held() -> int:
        return sum(each.connection is not None for each in django_connections.all())

    assert one.status == 200 and settings.MIDDLEWARE
    assert await database_sync_to_async(held, thread_sensitive=False)() == 0
