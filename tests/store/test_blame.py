"""Whose rows PostgreSQL refuses: it is asked, and nothing is written."""

from random import Random
from string import ascii_letters

import pytest

from groups.postgres import errors
from groups.postgres.connections import Connection
from groups.store import apply, blame
from tests import rows
from tests.factories import batch, birth, member

TOO_LONG = "".join(Random(1).choices(ascii_letters, k=6_000))
"""An instance id that the index over instance ids cannot hold, whatever it is compressed to."""


async def test_members_whose_rows_are_refused_are_identified(connection: Connection) -> None:
    await apply.apply(connection, batch(birth("other", member("x"))))
    before = await rows.everything(connection)
    bad = [member(f"bad-{n}", instance_id=f"{n}{TOO_LONG}", position=n) for n in (1, 4)]
    good = [member(f"good-{n}", position=n) for n in (0, 2, 3)]

    refused = await blame.refused_members(connection, birth("g", *good, *bad))

    assert set(refused) == {"bad-1", "bad-4"}
    assert await rows.everything(connection) == before


async def test_a_row_that_cannot_even_be_sent_is_told(connection: Connection) -> None:
    """UTF-8 has no half of a pair: the driver refuses it, and PostgreSQL never sees it."""
    bad, good = member("bad", client_id="\ud83d"), member("good", position=1)
    assert await blame.refused_members(connection, birth("g", bad, good)) == ("bad",)


async def test_nobody_is_blamed_where_every_row_would_be_accepted(connection: Connection) -> None:
    assert await blame.refused_members(connection, birth("g", member("m"))) == ()


async def test_nobody_is_blamed_for_a_broken_connection(connection: Connection) -> None:
    await connection.close()
    with pytest.raises(errors.StoreError):
        await blame.refused_members(connection, birth("g", member("m")))
