"""``If-Match`` from two writers at once, over committed rows."""

import asyncio
import json
from typing import Any
from uuid import uuid4

from channels.db import database_sync_to_async
from django.test import Client

from console.operations import topic_changes as changes
from groups.models import Topic, Webhook
from groups.postgres.connections import Connection
from tests.live.conftest import PATIENCE_S

WAITING = (
    "SELECT count(*) FROM pg_stat_activity"
    " WHERE datname = current_database() AND wait_event_type = 'Lock'"
)

SMALLER = """
INSERT INTO rollcall_topic (name, topic_id, partitions, end_offsets, racks, created_at)
VALUES (%s, gen_random_uuid(), 1, '{}', '[]', now()) ON CONFLICT DO NOTHING
"""
ROUNDS = 60


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


async def test_a_topic_that_others_delete_and_create_meanwhile_is_changed_or_refused(
    other: Connection, settings: Any
) -> None:
    """The response describes the topic that was changed, or says that there is none."""
    settings.API_TOKEN = "the-token"
    name = f"orders-{uuid4()}"
    path = f"/api/v1/topics/{name}"
    client = Client(headers={"authorization": f"Bearer {settings.API_TOKEN}"})

    def change() -> set[tuple[str, int]]:
        new, racks = {"name": name, "partitions": 3}, {"racks": [["a"]] * 3}
        told = {("create", client.post("/api/v1/topics", new, "application/json").status_code)}
        for partitions in (5, 5):
            grown = client.patch(path, {"partitions": partitions}, "application/json")
            told.add(("grow", grown.status_code))
            assert grown.status_code != 200 or grown.json()["partitions"] == partitions
        placed = client.put(f"{path}/racks", racks, "application/json")
        assert placed.status_code != 200 or placed.json()["racks"] == racks["racks"]
        return told | {("place", placed.status_code)}

    async def replace_it() -> None:
        while True:
            await other.execute("DELETE FROM rollcall_topic WHERE name = %s", [name])
            await other.execute(SMALLER, [name])

    replacing = asyncio.create_task(replace_it())
    try:
        told = [await database_sync_to_async(change)() for _ in range(ROUNDS)]
    finally:
        replacing.cancel()
        await asyncio.wait([replacing])
        await database_sync_to_async(Topic.objects.filter(name=name).delete)()
    assert set().union(*told) <= {
        *(("create", status) for status in (201, 409)),
        *((what, status) for what in ("grow", "place") for status in (200, 400, 404)),
    }


async def _waiting(other: Connection) -> int:
    row = await (await other.execute(WAITING)).fetchone()
    assert row is not None
    return int(row[0])


async def test_an_endpoint_that_is_deleted_meanwhile_stays_deleted(
    other: Connection, database_url: str, settings: Any
) -> None:
    """Each request finds it, and waits while another session deletes it."""
    settings.API_TOKEN = "the-token"
    client = Client(headers={"authorization": f"Bearer {settings.API_TOKEN}"})

    def ask(method: str, path: str, body: Any = None) -> Any:
        text = "" if body is None else json.dumps(body)
        return client.generic(method, f"/api/v1/webhooks{path}", text, "application/json")

    def make() -> tuple[int, int]:
        new = {"name": f"hook-{uuid4()}", "url": "https://hook.example/x"}
        webhook_id = ask("POST", "", new).json()["webhook"]["id"]
        return webhook_id, ask("POST", f"/{webhook_id}/tests").json()["id"]

    webhook_id, delivery_id = await database_sync_to_async(make)()
    requests = (
        ("PATCH", f"/{webhook_id}", {"group_prefix": "orders-"}),
        ("POST", f"/{webhook_id}/secrets"),
        ("POST", f"/{webhook_id}/tests"),
        ("POST", f"/{webhook_id}/deliveries/{delivery_id}/redeliveries"),
    )
    async with await Connection.connect(database_url) as gate:
        await gate.execute("DELETE FROM rollcall_webhook WHERE id = %s", [webhook_id])
        do = database_sync_to_async(ask, thread_sensitive=False)
        asked = [asyncio.create_task(do(*each)) for each in requests]
        async with asyncio.timeout(PATIENCE_S):
            while await _waiting(other) < len(asked):
                await asyncio.sleep(0.005)
    assert [answer.status_code for answer in await asyncio.gather(*asked)] == [404] * len(asked)
    assert not await database_sync_to_async(Webhook.objects.filter(pk=webhook_id).exists)()
