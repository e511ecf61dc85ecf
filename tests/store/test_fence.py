"""What was sent and never answered: after the fence it can commit no more, or is reported if it
still may."""

import psycopg
import pytest

from groups.core.rows import Durable, slot_of
from groups.postgres import errors
from groups.postgres.connections import Connection
from groups.postgres.errors import Conflict
from groups.store import apply, load
from tests import rows
from tests.factories import batch, birth, change, commit, member, offset, written

EPOCHS = {slot_of("g"): 1}


@pytest.fixture
async def group(connection: Connection) -> Durable:
    """A group as its owner remembers it, with offset 5."""
    born = birth("g", member("m-1"))
    await apply.apply(connection, batch(born))
    await apply.apply(connection, batch(commit(written(born), offset(5))))
    return written(born)


@pytest.mark.parametrize("what", ["an offset", "a change of members"])
async def test_a_batch_after_the_fence_is_refused(
    connection: Connection, other: Connection, group: Durable, what: str
) -> None:
    """A commit has no revision of its own: the fence raises the group's, which its guard reads."""
    late = commit(group, offset(100)) if what == "an offset" else change(group, generation=2)
    await connection.execute("BEGIN")  # all else is on its way
    assert await load.fence(other, EPOCHS, ["g"]) == set()
    found = (await load.groups_by_id(other, ["g"]))["g"]
    await apply.apply(other, batch(commit(found, offset(110))))

    with pytest.raises(Conflict):
        await _go_on(connection, late)

    assert (await rows.offsets(other))["g", "t", 0] == 110
    assert (await rows.groups(other))["g"] == ("Stable", 1, 2)


async def test_a_batch_past_its_guard_is_reported(
    connection: Connection, other: Connection, group: Durable
) -> None:
    """It holds the group's row until it has ended, one way or the other."""
    async with connection.transaction():
        for text, parameters in apply.statements(batch(commit(group, offset(100)))):
            await connection.execute(text.encode(), parameters)
        assert await load.fence(other, EPOCHS, ["g"]) == {"g"}

    assert await load.fence(other, EPOCHS, ["g"]) == set()
    assert (await rows.offsets(other))["g", "t", 0] == 100


async def test_only_the_owner_can_fence(other: Connection, group: Durable) -> None:
    """Another owner's group is left alone, and a group without a row has no owner."""
    assert await load.fence(other, {slot_of("g"): 7}, ["g"]) == set()
    assert await load.fence(other, EPOCHS, ["nobody"]) == set()
    assert (await rows.groups(other))["g"] == ("Stable", 1, 1)


async def _go_on(connection: Connection, write: apply.Write) -> None:
    try:
        for text, parameters in apply.statements(batch(write)):
            await connection.execute(text.encode(), parameters)
        await connection.execute("COMMIT")
    except psycopg.Error as error:
        await connection.execute("ROLLBACK")
        raise errors.translate(error, connection) from error
