"""Days of facts are dropped whole: when they are old, or too many; and a reader is told."""

from groups.postgres import connections
from tests.sweeps.conftest import Other, value

LIFE = """
INSERT INTO rollcall_life (at, era, xid, life, group_id, member_id, client_id, client_host,
    principal, software_name, software_version, kind, session_timeout_ms, rebalance_timeout_ms,
    pattern, protocols, revision, joined_generation, joined_at, origin)
SELECT {0}, 0, {1}, {1}, 'g', 'm', '', '', '', '', '', 'classic', 1, 1, '', '{{}}', 1, 1, {0},
       'joined'
"""
PARTITION = """
CREATE TABLE rollcall_life_{0} PARTITION OF rollcall_life
FOR VALUES FROM ('{1} 00:00+00') TO ('{2} 00:00+00')
"""
TURN = "SELECT rollcall_turn_facts({}, {})"
LIVES = "SELECT count(*) FROM rollcall_life"
OLD = f"{LIVES} WHERE at < '2002-01-01'"
FLOOR = "SELECT era || ' ' || xid FROM rollcall_facts_floor WHERE table_name = 'rollcall_life'"


async def old_days(other: Other) -> None:
    """Two days of long ago, of different sizes."""
    await other.execute(PARTITION.format("20010101", "2001-01-01", "2001-01-02").encode())
    await other.execute(PARTITION.format("20010102", "2001-01-02", "2001-01-03").encode())
    for day, xid in (("2001-01-01", 7), ("2001-01-01", 9), ("2001-01-02", 12)):
        await other.execute(LIFE.format(f"'{day} 12:00+00'::timestamptz", xid).encode())


async def test_old_days_are_dropped_and_a_reader_is_told(other: Other) -> None:
    await old_days(other)
    await other.execute(LIFE.format("clock_timestamp()", 20).encode())
    async with await connections.connect("reader", options="") as reader, reader.transaction():
        await reader.execute("SELECT FROM rollcall_life_20010102")
        assert await value(other, TURN.format(24, 10)) == 1, "a long COPY reads the other"
        assert await value(other, FLOOR) == "0 9"
    assert await value(other, TURN.format(24, 10)) == 1
    assert await value(other, FLOOR) == "0 12"
    assert await value(other, LIVES) == 1
    assert await value(other, TURN.format(24, 10)) == 0


async def test_the_oldest_days_are_dropped_while_there_are_too_many(other: Other) -> None:
    await old_days(other)
    ever = 1_000_000
    assert await value(other, TURN.format(ever, 10)) == 0
    assert await value(other, TURN.format(ever, 0)) == 2
    assert await value(other, FLOOR) == "0 12"


async def test_a_day_that_is_read_is_packed_the_next_time(other: Other) -> None:
    """A long COPY is not waited for, and loses nothing."""
    await old_days(other)
    over = "INSERT INTO rollcall_fleet_hour VALUES ('2001-01-01 23:00Z', 0, 0, 0, 0, {0})"
    await other.execute(over.format(", ".join(["'{}'"] * 5)).encode())
    pack = "SELECT rollcall_pack_facts('1 hour')"
    assert await value(other, pack) == "rollcall_facts_packed_20010101"
    async with await connections.connect("reader", options="") as reader, reader.transaction():
        await reader.execute("SELECT FROM rollcall_life_20010101")
        assert await value(other, pack) is None
    assert await value(other, OLD) == 3
    assert await value(other, pack) == "rollcall_life_20010101"
    assert await value(other, pack) is None, "the other day is not over"
    assert await value(other, OLD) == 1
    assert await value(other, FLOOR) == "0 9"
    await other.execute(b"DROP TABLE rollcall_life_20010102")
    await other.execute(b"DROP TABLE rollcall_facts_packed_20010101")
    await other.execute(b"DELETE FROM rollcall_fleet_hour")
    await other.execute(b"DELETE FROM rollcall_facts_floor")
