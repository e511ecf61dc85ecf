"""A sharded poller of an outbox table: each row makes one invoice, whatever dies when.

A partition of the topic ``outbox`` is a shard of the table. The invoices of a batch and the offset
behind it are committed in one transaction, which PostgreSQL refuses if the shard is another
poller's meanwhile (docs/exactly-once.md). Make the tables with ``outbox.sql``, then:

    python examples/outbox_poller.py 127.0.0.1:9092 "$(cat .data/database-url)"
"""

import sys
from typing import Any

import psycopg

from rollcall.client import Work, worker

GROUP, TOPIC = "invoicing", "outbox"
BATCH = 100
IDLE_S = 0.2

MOVED = ("RK113", "RK022")
"""The group has another epoch or generation: the member learns it with its next heartbeat."""

MAKE = """
    INSERT INTO invoice (shard, number, payload)
    SELECT shard, number, payload FROM outbox
    WHERE shard = %s AND number >= %s ORDER BY number LIMIT %s
    RETURNING number
"""
COMMIT = "SELECT rollcall_commit_offsets(%s, %s, %s, ARRAY[%s], ARRAY[%s], ARRAY[%s::bigint])"


@worker(TOPIC, group=GROUP)
def poll(work: Work) -> None:
    """Invoices of one shard, in its order, until the shard is taken away."""
    offset = work.offset
    with psycopg.connect(sys.argv[2], options="-c role=rollcall_application") as database:
        while not work.is_over:
            try:
                done = batch(database, work, offset)
            except psycopg.Error as error:
                if error.sqlstate not in MOVED:
                    raise  # logged; begins again at the committed offset
                database.rollback()
                done = offset
            if done == offset:
                work.wait_over(IDLE_S)
            offset = done


def batch(database: psycopg.Connection[Any], work: Work, offset: int) -> int:
    """Make the next invoices and commit the offset with them; returns the offset."""
    epoch, member_id = work.member
    topic, shard = work.partition
    with database.transaction():
        made = database.execute(MAKE, [shard, offset, BATCH]).fetchall()
        if not made:
            return offset
        behind = max(number for (number,) in made) + 1
        database.execute(COMMIT, [GROUP, epoch, member_id, topic, shard, behind])
    return int(behind)


if __name__ == "__main__":
    poll.main(bootstrap=sys.argv[1])
