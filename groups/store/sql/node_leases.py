"""The SQL of node ids that belong to hosts; ``groups.cluster.node_leases`` executes it, the
clean-up ``SEE`` and ``FORGET``."""

from groups.store.sql import slots
from groups.store.sql.drains import IS_SEEN

LEASED = """
SELECT node_id, place, starts FROM rollcall_node_lease WHERE host = %(host)s ORDER BY place
"""

SERVED = f"""
SELECT objid::int FROM pg_locks
WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid = {slots.LOCK_CLASS}::oid
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
"""The node ids that processes hold."""

TAKEN = f"""
{SERVED}
UNION SELECT node_id FROM rollcall_node_lease
UNION SELECT node_id FROM rollcall_drain
UNION SELECT node_id FROM rollcall_node
WHERE beat_at > clock_timestamp() - interval '15 seconds'
"""
"""The node ids that no new host may have. A node that has just lost its connection holds no lock
and comes back; the drain of an id is about the node that had it."""

LEASE = """
INSERT INTO rollcall_node_lease (node_id, host, place, starts, hostname, seen_at)
VALUES (%(node_id)s, %(host)s, %(place)s, %(starts)s, %(hostname)s, clock_timestamp())
ON CONFLICT (host, place) DO UPDATE SET
    starts = excluded.starts, hostname = excluded.hostname, seen_at = excluded.seen_at
"""

SEE = f"UPDATE rollcall_node_lease d SET seen_at = clock_timestamp() WHERE {IS_SEEN}"

FORGET = """
DELETE FROM rollcall_node_lease WHERE node_id IN (
    SELECT node_id FROM rollcall_node_lease
    WHERE seen_at < clock_timestamp() - %(hours)s * interval '1 hour' LIMIT %(rows)s)
"""
