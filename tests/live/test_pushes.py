"""Pushes of a page's websocket: that its group changed, and nothing else."""

import asyncio

import pytest

from console.live.hub import HUB
from groups.core.rows import Durable, slot_of
from groups.operations.requests import BELL
from groups.postgres.connections import Connection
from groups.reporting import observers
from groups.runtime.entries import CHANGES_NAMED_MAX
from groups.store import apply
from groups.store.apply import Write
from tests.factories import batch, birth, change, death, ids_in_slot, member, written
from tests.live.conftest import Open

LISTENERS = """
SELECT pid FROM pg_stat_activity
WHERE application_name = 'rollcall web doorbell' AND datname = current_database()
"""


async def committed(owner: Connection, *writes: Write) -> None:
    """A batch, and the ring that follows it."""
    await apply.apply(owner, batch(*writes))
    await observers.ring(owner, {w.group_id: w.revision for w in writes if w.changes_membership})


async def born(owner: Connection, *group_ids: str) -> list[Durable]:
    """Groups of one member each, as their owner remembers them."""
    births = [birth(group_id, member()) for group_id in group_ids]
    await committed(owner, *births)
    return [written(each) for each in births]


async def changed(owner: Connection, before: Durable) -> Durable:
    """The group one durable change later."""
    write = change(before, generation=before.group.generation + 1)
    await committed(owner, write)
    return written(write)


async def until(owner: Connection, pids: int) -> list[int]:
    """Wait until so many connections listen for websockets."""
    while True:
        found = [row[0] for row in await (await owner.execute(LISTENERS)).fetchall()]
        if len(found) == pids:
            return found
        await asyncio.sleep(0.02)


async def test_a_page_is_told_when_its_group_changes(open_page: Open, other: Connection) -> None:
    (orders,) = await born(other, "orders")
    page = await open_page("orders")

    await changed(other, orders)

    assert await page.told() == {"group": "orders", "revision": 2}


async def test_a_page_is_told_nothing_of_other_groups(open_page: Open, other: Connection) -> None:
    orders, bills = await born(other, "orders", "bills")
    page = await open_page("orders")

    await changed(other, bills)
    await changed(other, orders)

    # In the order of their commits; so the other one's has passed by.
    assert await page.told() == {"group": "orders", "revision": 2}


async def test_the_first_message_is_the_current_revision(
    open_page: Open, other: Connection
) -> None:
    """A page was made at some revision, and its socket is open only later."""
    (orders,) = await born(other, "orders")
    await open_page("bills")
    await changed(other, orders)

    page = await open_page("orders")

    assert await page.told() == {"group": "orders", "revision": 2}


async def test_any_group_id_finds_its_page(open_page: Open, other: Connection) -> None:
    name = "a/b &c=ü%2F?"
    (strange,) = await born(other, name)
    page = await open_page(name)

    await changed(other, strange)

    assert await page.told() == {"group": name, "revision": 2}


async def test_a_deleted_group_is_reported_too(open_page: Open, other: Connection) -> None:
    (orders,) = await born(other, "orders")
    page = await open_page("orders")

    await committed(other, death(orders))

    assert await page.told() == {"group": "orders", "revision": 2}


async def test_a_long_batch_refreshes_every_page(open_page: Open, other: Connection) -> None:
    page = await open_page("orders")

    await born(other, *(f"g-{n}" for n in range(CHANGES_NAMED_MAX + 1)))

    assert await page.told() == {"group": "orders", "look": True}


@pytest.mark.parametrize("word", ["{", '"x"', "[1]", ""])
async def test_an_unreadable_notification_refreshes_every_page(
    open_page: Open, other: Connection, word: str
) -> None:
    (orders,) = await born(other, "orders")
    page = await open_page("orders")

    await other.execute("SELECT pg_notify(%s, %s)", [observers.BELL, word])

    assert await page.told() == {"group": "orders", "look": True}
    await changed(other, orders)
    assert await page.told() == {"group": "orders", "revision": 2}


async def test_an_operation_refreshes_the_pages_of_its_slot(
    open_page: Open, other: Connection
) -> None:
    asked, near = ids_in_slot(3, 2)
    (far,) = ids_in_slot(4, 1, "far")
    (known,) = await born(other, far)
    pages = [await open_page(group_id) for group_id in (asked, near, far)]
    for page in pages[1:]:
        assert "revision" in await page.told()

    await other.execute("SELECT pg_notify(%s, %s)", [BELL, str(slot_of(asked))])
    await changed(other, known)

    assert await pages[0].told() == {"group": asked, "look": True}
    assert await pages[1].told() == {"group": near, "look": True}
    assert await pages[2].told() == {"group": far, "revision": 2}


async def test_after_the_listening_connection_was_lost_every_page_refreshes(
    open_page: Open, other: Connection
) -> None:
    (orders,) = await born(other, "orders")
    pages = [await open_page("orders"), await open_page("bills")]
    assert "revision" in await pages[1].told()
    (lost,) = await until(other, 1)

    await other.execute("SELECT pg_terminate_backend(%s)", [lost])

    for page in pages:
        await page.until_refresh()
    await changed(other, orders)
    await pages[0].until_revision(2)


async def test_all_pages_share_one_listening_connection(open_page: Open, other: Connection) -> None:
    pages = [await open_page(name) for name in ("orders", "bills", "orders")]
    assert len(await until(other, 1)) == 1

    for page in pages[:2]:
        await page.close()
    assert (HUB.is_listening, HUB.watcher_count) == (True, 1)
    await pages[2].close()

    assert (HUB.is_listening, HUB.watcher_count) == (False, 0)
    await until(other, 0)


async def test_a_page_that_reads_nothing_delays_no_other_and_gets_the_last_message(
    open_page: Open, other: Connection
) -> None:
    (orders,) = await born(other, "orders")
    quick, slow = await open_page("orders"), await open_page("orders")

    for _ in range(200):
        orders = await changed(other, orders)

    await quick.until_revision(orders.revision)
    pushes = 1
    while (await slow.told()).get("revision") != orders.revision:
        pushes += 1
    assert pushes < orders.revision - 1  # what came in between was never kept


@pytest.mark.parametrize("word", ["{", '"x"', "[1]"])
async def test_messages_from_a_client_are_ignored(
    open_page: Open, other: Connection, word: str
) -> None:
    (orders,) = await born(other, "orders")
    page = await open_page("orders")

    await page.socket.send_to(text_data=word)
    await changed(other, orders)

    assert await page.told() == {"group": "orders", "revision": 2}
