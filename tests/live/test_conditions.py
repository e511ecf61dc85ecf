"""``If-Match`` from two writers at once, over committed rows."""

import asyncio
from typing import Any
from uuid import uuid4

from channels.db import database_sync_to_async
from django.test import Client

from groups.catalogue import changes
from groups.models import Topic
from groups.postgres.connections import Connection
from tests.live.conftest import PATIENCE_S

WAITING = (
    "SELECT count(*) FROM pg_stat_activity"
    " WHERE datname = current_database() AND wait_event_type = 'Lock'"
)


async def test_of_two_changes_based_on_the_same_topic_version_one_succeeds(
    other: Connection, database_url: str, settings: Any
) -> None:
    settings.API_TOKEN = "the-token"
    name = f"orders-{uuid4()}"
    path = f"/api/v1/topics/{name}"
    client = Client(headers={"authorization": f"Bearer {settings.API_TOKEN}"})

    def make() -> str:
        changes.create(name, 2)
        return str(client.get(path).headers["ETag"])

    def place(rack: str) -> int:
        body = {"racks": [[rack]]}
        headers = {"if-match": seen}
        answer = client.put(f"{path}/racks", body, content_type="application/json", headers=headers)
        return int(answer.status_code)

    seen = await database_sync_to_async(make)()
    try:
        async with await Connection.connect(database_url) as gate:
            await gate.execute("SELECT FROM rollcall_topic WHERE name = %s FOR UPDATE", [name])
            put = database_sync_to_async(place, thread_sensitive=False)
            both = [asyncio.create_task(put(rack)) for rack in "ab"]
            async with asyncio.timeout(PATIENCE_S):
                while await _waiting(other) < 2:
                    await asyncio.sleep(0.005)
            await gate.commit()
            assert sorted(await asyncio.gather(*both)) == [200, 412]
    finally:
        await database_sync_to_async(Topic.objects.filter(name=name).delete)()


async def _waiting(other: Connection) -> int:
    row = await (await other.execute(WAITING)).fetchone()
    assert row is not None
    return int(row[0])
