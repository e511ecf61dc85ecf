"""A large group for a browser to look at: its rows alone, in an installation whose nodes know
nothing of it. Pages read rows, so they show it as if it were at work."""

import struct
from collections.abc import Sequence

import psycopg

from groups.core.assignment import assignment_of
from groups.core.classic import packing
from groups.core.rows import slot_of
from tests.browser.conftest import World

GROUP = """
INSERT INTO rollcall_group (group_id, slot, kind, state, generation, protocol_type, protocol_name,
    leader, details, revision, state_since, created_at, updated_at)
VALUES (%s, %s, 'classic', 'Stable', 7, 'consumer', 'range', 'm-00000', '{"synced": true}', 7,
        now(), now(), now())
"""
TOPIC = """
INSERT INTO rollcall_topic (name, topic_id, partitions, end_offsets, racks, created_at)
VALUES (%s, gen_random_uuid(), %s, '{}', '[]', now())
"""
MEMBERS = """
COPY rollcall_member (group_id, member_id, client_id, client_host, session_timeout_ms,
    rebalance_timeout_ms, position, subscription, assignment, details, joined_at) FROM STDIN
"""
OFFSETS = """
INSERT INTO rollcall_offset (group_id, topic, partition, committed_offset, leader_epoch, metadata,
    committed_at)
SELECT %s, %s, n, n, -1, '', now() FROM generate_series(0, %s - 1) n
"""


def write(world: World, name: str, members: int, partitions: int) -> None:
    """A settled group, with a topic of its name; each member has as many partitions."""
    with psycopg.connect(world.url) as connection:
        connection.execute(GROUP, [name, slot_of(name)])
        connection.execute(TOPIC, [name, partitions])
        connection.execute(OFFSETS, [name, name, partitions])
        with connection.cursor().copy(MEMBERS) as copy:
            for number in range(members):
                copy.write_row(_member(name, number, members, partitions))


def _member(name: str, number: int, members: int, partitions: int) -> Sequence[object]:
    topic = struct.pack(f">h{len(name)}s", len(name), name.encode())
    subscription = struct.pack(">hI", 0, 1) + topic + struct.pack(">i", -1)
    share = [(name, n) for n in range(number, partitions, members)]
    packed = packing.pack((("range", subscription),))
    client, host = f"a-picker-with-a-long-name-{number:05}", f"/10.0.{number % 7}.1"
    timeouts = (3_600_000, 3_600_000)
    row = (name, f"m-{number:05}", client, host, *timeouts, number)
    return (*row, packed, assignment_of(share, 0), "{}", "2026-01-31 12:00:00+00")
