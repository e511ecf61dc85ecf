"""``python -m benchmarks.large_group URL NAME MEMBERS PARTITIONS CLIENT``: a large group for a
picture or a test, its rows alone, in an installation whose nodes know nothing of it.

Pages read rows, so they show it as if it were at work: thousands of clients would take minutes to
join on a small machine.
"""

import struct
import sys
from collections.abc import Sequence
from typing import Final

import psycopg

from groups.core.assignment import assignment_of
from groups.core.rows import slot_of
from groups.core.subscription import pack_protocols

GROUP: Final = """
INSERT INTO rollcall_group (group_id, slot, kind, state, generation, protocol_type, protocol_name,
    leader, details, revision, state_since, created_at, updated_at)
VALUES (%s, %s, 'classic', 'Stable', 7, 'consumer', 'range', 'm-00000', '{"synced": true}', 7,
        now(), now(), now())
"""
TOPIC: Final = """
INSERT INTO rollcall_topic (name, topic_id, partitions, end_offsets, racks, created_at)
VALUES (%s, gen_random_uuid(), %s, '{}', '[]', now())
"""
MEMBERS: Final = """
COPY rollcall_member (group_id, member_id, client_id, client_host, session_timeout_ms,
    rebalance_timeout_ms, position, subscription, assignment, details, joined_at) FROM STDIN
"""
OFFSETS: Final = """
INSERT INTO rollcall_offset (group_id, topic, partition, committed_offset, leader_epoch, metadata,
    committed_at)
SELECT %s, %s, n, n, -1, '', now() FROM generate_series(0, %s - 1) n
"""
HEARTBEATS: Final = """
INSERT INTO rollcall_liveness (group_id, member_id, heard_at, deadline_at)
SELECT group_id, member_id, now(), now() + interval '1 hour'
FROM rollcall_member WHERE group_id = %s
"""


def write(
    url: str, name: str, members: int, partitions: int, client: str = "a-picker-with-a-long-name"
) -> None:
    """A settled group, with a topic of its name; each member has as many partitions. ``client``:
    how the members' client ids begin."""
    with psycopg.connect(url) as connection:
        connection.execute(GROUP, [name, slot_of(name)])
        connection.execute(TOPIC, [name, partitions])
        connection.execute(OFFSETS, [name, name, partitions])
        with connection.cursor().copy(MEMBERS) as copy:
            for number in range(members):
                copy.write_row(_member(name, number, members, partitions, client))
        connection.execute(HEARTBEATS, [name])


def _member(name: str, number: int, members: int, partitions: int, client: str) -> Sequence[object]:
    topic = struct.pack(f">h{len(name)}s", len(name), name.encode())
    subscription = struct.pack(">hI", 0, 1) + topic + struct.pack(">i", -1)
    share = [(name, n) for n in range(number, partitions, members)]
    packed = pack_protocols((("range", subscription),))
    timeouts = (3_600_000, 3_600_000)
    fields = (f"{client}-{number:05}", f"/10.0.{number % 7}.1", *timeouts, number)
    row = (name, f"m-{number:05}", *fields)
    return (*row, packed, assignment_of(share, 0), "{}", "2026-01-31 12:00:00+00")


def main() -> None:
    """Write the group of the arguments."""
    url, name, members, partitions, client = sys.argv[1:]
    write(url, name, int(members), int(partitions), client)


if __name__ == "__main__":
    main()
