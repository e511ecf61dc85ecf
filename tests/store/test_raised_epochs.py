"""Epochs of every kind of group are raised together, once, as far as their numbers go."""

from dataclasses import replace
from random import Random
from uuid import UUID

import psycopg
import pytest

from groups.core import events
from groups.core.commanded.group import CommandedGroup
from groups.core.consumer.group import ConsumerGroup
from groups.core.conversion.step import decide
from groups.core.errors import ErrorCode
from groups.core.group import Group, Rules
from groups.core.replies import Acknowledged
from groups.core.rows import SLOTS, Durable
from groups.postgres import timeline_sql
from groups.postgres.connections import Connection
from groups.postgres.errors import Fenced
from groups.store import apply, load
from groups.store.apply import Write
from tests import rows
from tests.core.commanded.test_takeover import REGISTRATION
from tests.core.consumer.talk import Client, Talk
from tests.factories import batch, birth, change, decision, member, written

JUMP = 1_000_000
GENERATION_MAX = 2**31 - 1
PRESENT = "SELECT jump, generations_after FROM rollcall_timeline"


async def present(connection: Connection) -> tuple[UUID, int]:
    """The last jump, and what new groups count from."""
    row = await (await connection.execute(PRESENT)).fetchone()
    assert row is not None
    return row[0], row[1]


async def raise_epochs(connection: Connection, jump: UUID | None = None, seen: int = 0) -> bool:
    """Whether it was done, as a node requests it."""
    values = {
        "jump": jump or (await present(connection))[0],
        "generations_after": seen,
        "node_id": 7,
        "reason": "a test",
    }
    row = await (await connection.execute(timeline_sql.RAISE_EPOCHS.encode(), values)).fetchone()
    assert row is not None
    return bool(row[0])


async def loaded(connection: Connection, group_id: str) -> Durable:
    """The group as its rows say now."""
    return (await load.groups_by_id(connection, [group_id]))[group_id]


async def kept(connection: Connection, group: Group, absent: Group) -> None:
    """The group as its owner writes it."""
    after = replace(decision(absent.durable), group=group)
    await apply.apply(connection, batch(Write(absent.durable, after)))


async def test_numbers_rise_and_the_owner_is_fenced(connection: Connection) -> None:
    born = birth("g", member("m-1"))
    await apply.apply(connection, batch(born))
    before, _ = await present(connection)

    assert await raise_epochs(connection)

    after = await loaded(connection, "g")
    assert (after.group.generation, after.revision) == (JUMP + 1, JUMP + 1)
    assert after.members == written(born).members
    with pytest.raises(Fenced):
        await apply.apply(connection, batch(change(written(born), generation=2)))
    jump, generations_after = await present(connection)
    assert jump != before and generations_after == JUMP


async def test_a_second_raise_changes_nothing(connection: Connection, other: Connection) -> None:
    """Two nodes see it at once."""
    jump, _ = await present(connection)
    assert await raise_epochs(connection, jump)
    assert not await raise_epochs(other, jump)
    assert (await present(connection))[1] == JUMP


async def test_a_backup_restored_again_gets_other_numbers(
    connection: Connection,
) -> None:
    """A node remembers how high they were when it was restored the last time."""
    await apply.apply(connection, batch(birth("g")))
    await raise_epochs(connection, seen=3 * JUMP)
    assert (await present(connection))[1] == 4 * JUMP
    assert (await loaded(connection, "g")).group.generation == 4 * JUMP + 1


@pytest.mark.parametrize("left", [0, 1, 2, 3, JUMP, 2 * JUMP + 1])
async def test_generations_stay_within_32_bits(connection: Connection, left: int) -> None:
    """They rise by half of what is left, if that is less."""
    generation = GENERATION_MAX - left
    await apply.apply(connection, batch(birth("g", generation=generation)))
    await raise_epochs(connection)
    after = (await loaded(connection, "g")).group.generation
    assert after == generation + min(JUMP, left // 2)


async def test_members_of_a_consumer_group_are_fenced_in_every_epoch_they_may_use(
    connection: Connection,
) -> None:
    """The present one, the previous one, that of each partition; the group's own hold together."""
    talk = Talk({"t": 4})
    one, two = Client("one", ("t",)), Client("two", ("t",))
    absent = talk.group
    for client in (one, two, one, two, one):
        talk.beat(client)
    epochs = {m.epoch for m in talk.group.members.values()} | {
        m.previous_epoch for m in talk.group.members.values()
    }
    before = talk.group
    await kept(connection, before, absent)

    await raise_epochs(connection)

    talk.group = ConsumerGroup.merge(await loaded(connection, "g"), None, talk.rules, talk.now)
    talk.revision = talk.group.durable.revision
    talk.check()
    assert talk.group.durable.group.generation == before.durable.group.generation + JUMP
    for client in (one, two):
        for epoch in epochs - {0}:
            owned = {"id-t": [0]}
            reply = talk.beat(client, member_epoch=epoch, owned=owned)
            assert reply.error is ErrorCode.FENCED_MEMBER_EPOCH
            assert _committed(talk, client, epoch) is ErrorCode.STALE_MEMBER_EPOCH
    one.epoch = 0
    assert talk.beat(one).error is ErrorCode.NONE and one.epoch > JUMP


def _committed(talk: Talk, client: Client, epoch: int) -> ErrorCode:
    writes = tuple(events.OffsetWrite("t", p, 5, -1, "") for p in range(4))
    reply = talk.ask(
        events.OffsetCommit(
            generation_id=epoch,
            member_id=client.member_id,
            instance_id=None,
            offsets=writes,
            version=9,
        )
    )
    return reply.error


async def test_commands_of_the_lost_timeline_are_not_repeated(connection: Connection) -> None:
    """A consumer that has done command 50 of the lost future does the next one, too."""
    rules = Rules(group_initial_rebalance_delay_ms=0, group_quiet_window_ms=0)
    absent = CommandedGroup.absent("g", rules, 0)
    group = decide(absent, [REGISTRATION], 0, Random(1)).group
    for _ in range(3):
        group = decide(group, [events.Tick()], 0, Random(1)).group
    (sent,) = group.durable.members["a"].commands
    await kept(connection, group, absent)

    await raise_epochs(connection)

    after = await loaded(connection, "g")
    assert after.group.details["last_command"] == group.durable.group.details["last_command"] + JUMP
    merged = CommandedGroup.merge(after, None, rules, 0)
    done = events.AcknowledgeCommand(
        ticket=events.Ticket(1, 2), member_id="a", command_id=sent.command_id
    )
    decided = decide(merged, [done], 0, Random(1))
    (answer,) = decided.answers
    assert isinstance(answer.reply, Acknowledged)
    newest = decided.group.durable.members["a"].commands
    assert all(command.command_id > JUMP for command in newest) and newest


async def test_new_groups_begin_above_all_lost_numbers() -> None:
    """Of every kind; a group of that name may have been in the lost future."""
    talk = Talk({"t": 1}, generations_after=JUMP)
    one = Client("one", ("t",))
    talk.beat(one)
    assert one.epoch > JUMP
    talk = Talk({"t": 1}, generations_after=JUMP)
    talk.guard(frozen=True)
    one = Client("one", ("t",))
    talk.beat(one)
    assert one.epoch > JUMP


async def test_a_producer_gets_another_id_and_its_transaction_stays_pending(
    connection: Connection, other: Connection
) -> None:
    """Nobody knows the new id, so the old producer is refused; what waits is found by the next."""
    await connection.execute(
        "INSERT INTO rollcall_producer VALUES ('tx', 0, 5, 3, 1000, 'Ongoing', 2, -1, now(), now())"
    )
    await connection.execute(
        "INSERT INTO rollcall_pending_offset VALUES (5, 'g', 't', 0, 1, -1, '', now(), false)"
    )
    await raise_epochs(connection)
    cursor = await other.execute(
        "SELECT p.producer_id, epoch, last_epoch, state, w.topic FROM rollcall_producer p"
        " JOIN rollcall_pending_offset w USING (producer_id)"
    )
    ((producer_id, *rest),) = await cursor.fetchall()
    assert producer_id > JUMP and rest == [0, -1, "Ongoing", "t"]


async def test_journal_and_operation_ids_rise_too(connection: Connection) -> None:
    """The pipeline continues behind the entries that it has read, lost ones included."""
    await apply.apply(connection, batch(birth("g")))
    await raise_epochs(connection)
    cursor = await connection.execute("SELECT id, kind, node_id FROM rollcall_journal ORDER BY id")
    (first, *_), last = await cursor.fetchall()
    assert last[0] > first + JUMP and last[1:] == ("time-went-back", 7)


@pytest.mark.parametrize("role", ["rollcall_web", "rollcall_worker", "rollcall_application"])
async def test_only_a_node_may_raise_epochs(
    connection: Connection, other: Connection, role: str
) -> None:
    await other.execute(f"SET ROLE {role}")
    jump, _ = await present(connection)
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        await raise_epochs(other, jump)
    assert (await rows.groups(connection)) == {}


async def test_slots_are_free_under_higher_epochs(connection: Connection) -> None:
    await raise_epochs(connection)
    cursor = await connection.execute("SELECT node_id, epoch FROM rollcall_slot")
    assert await cursor.fetchall() == [(None, JUMP + 1)] * SLOTS
