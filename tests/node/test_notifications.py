"""NOTIFY is anybody's: what is sent, or not, changes nothing but how soon a change is seen."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from random import Random
from typing import Any

import psycopg
import pytest

from groups.catalogue.cache import Catalogue
from groups.clients import scram_credentials
from groups.clients.acls import Acls
from groups.core.acls.bindings import Binding
from groups.core.rows import slot_of
from groups.operations.requests import BELL as OPERATIONS_BELL
from groups.postgres import channels, connections, doorbell
from groups.postgres.channels import Collected, Rung
from groups.postgres.doorbell import Doorbell
from groups.postgres.table_changes import Look, TableChanges
from groups.store.sql import acls, configs, liveness, quotas, slots
from groups.store.sql import connections as connections_sql
from tests.node.running import Running, running
from tests.node.test_verbs import ask, reached

Other = connections.Connection


async def until(claim: Callable[[], Awaitable[object]]) -> None:
    """Look again until it is so; pytest's own time limit ends what never comes."""
    while not await claim():
        await asyncio.sleep(0.02)


async def value(other: Other, query: str) -> Any:
    """The single value that a query returns."""
    row = await (await other.execute(query.encode())).fetchone()
    return None if row is None else row[0]


# -- what is kept


def test_payloads_are_kept_once_in_the_order_of_their_last_notification() -> None:
    collected = Collected()
    for payload in ("a", "b", "a"):
        collected.add(payload)
    assert collected.take() == ("b", "a")
    assert collected.take() == ()


@pytest.mark.parametrize(
    ("count", "chars"),
    [(channels.PAYLOADS_MAX + 1, 8), (10_000, 8), (10, channels.PAYLOAD_CHARS_MAX // 10 + 1)],
)
def test_too_many_payloads_are_everything(count: int, chars: int) -> None:
    collected = Collected()
    for number in range(count):
        collected.add(f"{number:0{chars}}")
    assert collected.take() is None
    assert collected.take() == ()


def test_as_many_as_fit_are_kept() -> None:
    collected = Collected()
    payloads = tuple(f"{number:08}" for number in range(channels.PAYLOADS_MAX))
    for payload in payloads:
        collected.add(payload)
    assert collected.take() == payloads


# -- the doorbell


class Heard:
    """A listener that keeps what it is told."""

    def __init__(self) -> None:
        self.rung: list[Rung] = []

    async def __call__(self, rung: Rung) -> None:
        self.rung.append(rung)


@asynccontextmanager
async def ringing(made: Doorbell) -> AsyncIterator[None]:
    """A doorbell that runs meanwhile."""
    task = asyncio.create_task(made.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


LISTENING = """
SELECT pid FROM pg_stat_activity
WHERE datname = current_database() AND application_name = 'rollcall node doorbell'
"""


async def test_a_channel_that_always_rings_is_looked_at_by_the_clock_too(other: Other) -> None:
    heard = Heard()
    async with ringing(Doorbell({"bell": heard})):
        while heard.rung.count(None) < 4:
            calls = len(heard.rung)
            await other.execute("SELECT pg_notify('bell', %s)", [str(calls)])
            await until(lambda: asyncio.sleep(0, len(heard.rung) > calls))  # noqa: B023 -- at once
    assert any(heard.rung), "and what rang was told"


async def test_each_channel_is_called_on_its_own(other: Other) -> None:
    """One that waits keeps no other."""
    heard, never = Heard(), asyncio.Event()

    async def waits(_rung: Rung) -> None:
        await never.wait()

    async with ringing(Doorbell({"stuck": waits, "bell": heard}, by_clock=None)):
        await until(lambda: asyncio.sleep(0, heard.rung))
        await other.execute("NOTIFY stuck; NOTIFY bell, 'heard'")
        await until(lambda: asyncio.sleep(0, ("heard",) in heard.rung))


async def test_it_has_heard_once_every_listener_has_looked_since_it_listens(other: Other) -> None:
    """At the start nothing is looked at twice, which would keep what rings then for a second."""
    heard, goes_on = Heard(), asyncio.Event()

    async def waits(_rung: Rung) -> None:
        await goes_on.wait()

    bell = Doorbell({"slow": waits, "bell": heard})
    async with ringing(bell):
        await until(lambda: asyncio.sleep(0, heard.rung))
        assert await value(other, LISTENING), "and it listens by then"
        assert not bell.heard.is_set()
        goes_on.set()
        await bell.heard.wait()
        while ("now",) not in heard.rung:
            await other.execute("NOTIFY bell, 'now'")
            await asyncio.sleep(0.01)


async def test_a_flood_is_not_listened_to(other: Other) -> None:
    """The connection ends, so that PostgreSQL keeps nothing for it; meanwhile the clock has
    everything looked at; then somebody listens again, and hears."""
    heard = Heard()
    async with ringing(Doorbell({"bell": heard}, by_clock=None)):
        await until(lambda: asyncio.sleep(0, heard.rung))
        before = await value(other, LISTENING)
        flood = "SELECT pg_notify('bell', g::text || %(text)s) FROM generate_series(1, 50000) AS g"
        while await value(other, LISTENING) == before:
            await other.execute(flood, {"text": "x" * 60})
        told = len(heard.rung)
        await until(lambda: asyncio.sleep(0, None in heard.rung[told:]))
        await until(lambda: value(other, "SELECT pg_notification_queue_usage() < 0.0001"))
        while ("heard",) not in heard.rung:
            await other.execute("NOTIFY bell, 'heard'")
    assert sum(len(rung or ()) for rung in heard.rung) < 3 * doorbell.RINGS_MAX


# -- a node that hears nothing


async def never() -> psycopg.AsyncConnection[Any]:
    raise OSError("nobody listens")


@pytest.fixture
async def secured(_prepared: None, settings: Any) -> AsyncIterator[Running]:
    """A node with an authorizer."""
    settings.AUTHORIZER, settings.SUPER_USERS = "on", "User:root"
    async with running() as started:
        yield started


@pytest.fixture
async def deaf(
    _prepared: None, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Running]:
    """The same, whose connection for notifications is never made."""
    settings.AUTHORIZER, settings.SUPER_USERS = "on", "User:root"
    monkeypatch.setattr(doorbell, "_as_node", never)
    monkeypatch.setattr(doorbell, "LOOK_AGAIN_S", 0.2)
    monkeypatch.setattr(Doorbell.__init__, "__defaults__", (never, 0.5, 0.2))
    async with running() as started:
        yield started


WRITTEN: dict[str, tuple[str, str, Callable[[Running], object]]] = {
    Catalogue.BELL: (
        "rollcall_topic",
        "INSERT INTO rollcall_topic (name, topic_id, partitions, end_offsets, created_at)"
        " VALUES ('t', gen_random_uuid(), 3, '{}', now())",
        lambda node: node.node.catalogue.get("t"),
    ),
    acls.BELL: (
        "rollcall_acl",
        "INSERT INTO rollcall_acl VALUES"
        " (DEFAULT, 'TOPIC', 't', 'LITERAL', 'User:a', '*', 'READ', 'ALLOW', now())",
        lambda node: node.node.acls and node.node.acls.index.bindings,
    ),
    scram_credentials.BELL: (
        "rollcall_credential",
        "INSERT INTO rollcall_credential (name, mechanism, salt, iterations, stored_key,"
        " server_key, updated_at, user_since)"
        " VALUES ('ann', 'SCRAM-SHA-256', 'salt', 4096, 'key', 'key', now(), now())",
        lambda node: node.node.credentials.get("ann", "SCRAM-SHA-256"),
    ),
    quotas.BELL: (
        "rollcall_quota",
        "INSERT INTO rollcall_quota (entity_type, user_name, client_id, ip, key, value, updated_at)"
        " VALUES ('user', 'ann', '', '', 'request_percentage', 5, now())",
        lambda node: node.node.quotas.of_clients,
    ),
    configs.BELL: (
        "rollcall_group_config",
        "INSERT INTO rollcall_group_config (group_id, name, slot, value, updated_at)"
        f" VALUES ('g', 'rollcall.max.members', {slot_of('g')}, '7', now())",
        lambda node: node.node.coordinator.own.of_slots([slot_of("g")]),
    ),
}


async def _row(bell: str, node: Running, other: Other) -> None:
    table, insert, held = WRITTEN[bell]
    await other.execute(insert.encode())
    await until(lambda: asyncio.sleep(0, held(node)))
    await other.execute(f"DELETE FROM {table}".encode())
    await until(lambda: asyncio.sleep(0, not held(node)))


async def _credential(node: Running, other: Other) -> None:
    gone = list[str]()
    node.node.credentials.deleted = gone.extend
    await _row(scram_credentials.BELL, node, other)
    assert gone == ["ann"]


async def _operation(node: Running, other: Other) -> None:
    joined = await node.settled("g")
    evicted = await ask(other, "g", "evict", joined.member_id)
    state, *_ = await reached(other, evicted, "succeeded", "failed")
    assert state == "succeeded"


async def _echo(_node: Running, other: Other) -> None:
    await other.execute("UPDATE rollcall_watch SET probe = probe + 1 WHERE slot = 5")
    await until(lambda: value(other, "SELECT echo = probe FROM rollcall_watch WHERE slot = 5"))


async def _asks_nothing(_node: Running, _other: Other) -> None:
    """It asks for something at once, and whoever wants it asks again."""


SEEN: dict[str, Callable[[Running, Other], Awaitable[None]]] = {
    **{bell: partial(_row, bell) for bell in WRITTEN},
    scram_credentials.BELL: _credential,
    OPERATIONS_BELL: _operation,
    liveness.WATCH_BELL: _echo,
    slots.BELL: _asks_nothing,  # test_slots.py: the keeper looks four times a second
    liveness.LOOK_BELL: _asks_nothing,
    connections_sql.BELL: _asks_nothing,
}


async def test_a_node_that_hears_no_notification_sees_every_change(
    deaf: Running, other: Other
) -> None:
    """Each channel of the node has a row of ``SEEN``: a new one cannot be forgotten."""
    assert deaf.node.doorbell.listeners.keys() == SEEN.keys()
    for changed_and_seen in SEEN.values():
        await changed_and_seen(deaf, other)


# -- what a table's transactions tell


OPERATIONS = (
    "INSERT INTO rollcall_topic (name, topic_id, partitions, end_offsets, created_at)"
    " VALUES (%(name)s, gen_random_uuid(), 1, '{}', now()) ON CONFLICT DO NOTHING",
    "UPDATE rollcall_topic SET partitions = partitions + 1 WHERE name = %(name)s",
    "DELETE FROM rollcall_topic WHERE name = %(name)s",
    "DELETE FROM rollcall_topic WHERE name > %(name)s",
    "VACUUM (FREEZE, TRUNCATE false) rollcall_topic",  # else it waits 5 s for what others lock
)


@pytest.mark.parametrize("seed", range(4))
async def test_a_copy_is_what_the_rows_are_whatever_was_written(one: Running, seed: int) -> None:
    """Several sessions, with transactions that overlap and are rolled back. The copy is compared
    after each look with one that was read as a whole."""
    rng = Random(seed)
    catalogue = one.node.catalogue
    one.node.doorbell.listeners[Catalogue.BELL] = Heard()  # nobody else looks
    short = "-c lock_timeout=10ms"
    writers = [await connections.connect("other", options=short) for _ in range(3)]
    for writer in writers:
        writer.patience_s = None
    for _ in range(60):
        writer = rng.choice(writers)
        is_open = writer.info.transaction_status == psycopg.pq.TransactionStatus.INTRANS
        act = rng.random()
        if is_open and act < 0.4:
            await writer.execute("COMMIT" if act < 0.3 else "ROLLBACK")
        elif not is_open and act < 0.3:
            await writer.execute("BEGIN; SELECT pg_current_xact_id()")
        else:
            statement = rng.choice(OPERATIONS[: 4 if is_open else 5])
            try:
                await writer.execute(statement, {"name": rng.choice("abcdef")})
            except psycopg.errors.LockNotAvailable:
                if is_open:
                    await writer.execute("ROLLBACK")
        await catalogue.rung(None)
        whole = Catalogue(one.node.readers)
        await whole.refresh(None)
        assert catalogue.all() == whole.all()
        assert catalogue.partition_count == whole.partition_count
    for writer in writers:
        await writer.close()


@pytest.mark.parametrize("bell", WRITTEN)
async def test_a_row_that_comes_and_goes_around_a_look_is_not_kept(
    secured: Running, other: Other, bell: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was written after the look and before what is read, and deleted before the next look, for
    which the table is as it was: a deleted user would have been able to log in for ever."""
    table, insert, held = WRITTEN[bell]
    read = secured.node.doorbell.listeners[bell]
    secured.node.doorbell.listeners[bell] = Heard()  # nobody else looks
    look, looks = TableChanges.look, 0

    async def look_and_write(changes: TableChanges, connection: Other) -> Look:
        nonlocal looks
        found, looks = await look(changes, connection), looks + 1
        if looks == 2:  # the first says that there is news
            await other.execute(insert.encode())
        return found

    await other.execute(insert.encode())
    await read(None)
    assert held(secured)
    await other.execute(f"DELETE FROM {table}".encode())
    monkeypatch.setattr(TableChanges, "look", look_and_write)
    await read(None)
    await other.execute(f"DELETE FROM {table}".encode())
    await read(None)

    assert looks == 3
    assert not held(secured)


async def test_nothing_is_read_while_nothing_changes(other: Other) -> None:
    """Also where a stranger's open transaction, or a vacuum, might make all rows look new."""
    await other.execute(OPERATIONS[0], {"name": "a"})
    changes = TableChanges("rollcall_topic", "name")
    changes.seen, rows = await changes.written(other)
    assert rows == [("a",)]

    async with await connections.connect("other", options="") as stranger:
        await stranger.execute("BEGIN; SELECT pg_current_xact_id()")
        await other.execute("VACUUM (FREEZE) rollcall_topic")
        assert not changes.is_news(await changes.look(other))

        await other.execute(OPERATIONS[0], {"name": "b"})
        assert changes.is_news(await changes.look(other))
        changes.seen, rows = await changes.written(other)
        assert ("b",) in rows
        assert not changes.is_news(await changes.look(other))


async def test_an_empty_table_is_seen_too(other: Other) -> None:
    changes = TableChanges("rollcall_topic", "name")
    changes.seen, rows = await changes.written(other)
    assert (changes.seen.rows, rows) == (0, [])


# -- what is notified


async def test_rules_are_not_read_again_by_a_stranger(one: Running, other: Other) -> None:
    """Who only notifies makes nobody read anything."""
    rules = Acls(one.node._reader, 1, most=10)
    async with one.node._reader() as connection:
        await rules.load(connection)
    await rules.rung(None)
    assert rules.version == 0
    words = ("TOPIC", "t", "LITERAL", "User:a", "*", "READ", "ALLOW")
    await rules.create([Binding.of_words(*words)], {"principal": "User:root"})
    assert rules.version == 1
    await other.execute("SELECT pg_notify(%s, '')", [acls.BELL])
    await rules.rung(("",))
    assert rules.version == 1


def test_a_question_is_read_with_its_neighbours_unreadable() -> None:
    from groups.reporting.probe_responder import _question

    assert _question("{") is None
    assert _question(json.dumps({"slot": 3, "groups": ["g"]})) == (3, ["g"])
