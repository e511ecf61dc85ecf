"""A worker to be killed: ``-m tests.exactly_once.worker BOOTSTRAP DATABASE_URL UNITS``.

A static member of the group "exact", so that each one that follows takes the dead one's place
at once. It does the units of partition 0 of topic "t" in their order: a row in the ledger and
the offset behind it, in one transaction each. It says "working" once it has joined, and ends
when all units are done.
"""

import asyncio
import sys

import psycopg

from benchmarks.wire import Peer
from rollcall.wire.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from rollcall.wire.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment

GROUP, TOPIC, INSTANCE = "exact", "t", "the-worker"
SESSION_MS = 30_000


async def join(bootstrap: str) -> tuple[int, str]:
    """Generation and member id, in a generation that is stable."""
    peer = await Peer.connect(bootstrap)
    joined = await peer.call(
        JoinGroupRequest(
            group_id=GROUP,
            session_timeout_ms=SESSION_MS,
            rebalance_timeout_ms=SESSION_MS,
            member_id="",
            group_instance_id=INSTANCE,
            protocol_type="consumer",
            protocols=[JoinGroupRequestProtocol(name="range", metadata=b"")],
        ),
        5,
    )
    assert joined.error_code == 0, joined
    own = SyncGroupRequestAssignment(member_id=joined.member_id, assignment=b"")
    synced = await peer.call(
        SyncGroupRequest(
            group_id=GROUP,
            generation_id=joined.generation_id,
            member_id=joined.member_id,
            group_instance_id=INSTANCE,
            assignments=[own] if joined.leader == joined.member_id else [],
        ),
        3,
    )
    assert synced.error_code == 0, synced
    return joined.generation_id, joined.member_id


def work(database_url: str, generation: int, member_id: str, units: int) -> None:
    """One unit after the other, from where the last worker came to."""
    with psycopg.connect(database_url, options="-c role=rollcall_application") as connection:
        row = connection.execute(
            'SELECT "offset" FROM rollcall_committed_offsets(%s)', [GROUP]
        ).fetchone()
        connection.commit()
        print("working", flush=True)
        for unit in range(row[0] if row else 0, units):
            connection.execute("INSERT INTO ledger VALUES (%s)", [str(unit)])
            connection.execute(
                "SELECT rollcall_commit_offsets(%s, %s, %s, %s, %s, %s)",
                [GROUP, generation, member_id, [TOPIC], [0], [unit + 1]],
            )
            connection.commit()


if __name__ == "__main__":
    address, url, count = sys.argv[1:]
    work(url, *asyncio.run(join(address)), int(count))
