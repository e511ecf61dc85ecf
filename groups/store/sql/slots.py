"""The SQL of nodes and slots; ``groups.cluster.slot_keeper`` executes it."""

from groups.postgres.channels import notify

LOCK_CLASS = 0x526C63
"""First key of the advisory lock that a living node holds on its id ("Rlc")."""

LOCK_NODE = "SELECT pg_try_advisory_lock(%(class)s, %(node_id)s)"

NODE_IS_LOCKED = """
SELECT EXISTS (
    SELECT FROM pg_locks
    WHERE locktype = 'advisory' AND granted AND objsubid = 2
      AND classid = %(class)s::int::oid AND objid = %(node_id)s::int::oid
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
)
"""
"""Reads the lock instead of trying to take it: if two nodes tried at once, one would find the
other's lock."""

UNKNOWN_MS = 86_400_000
"""How far a slot's service time jumps if it is not known how long its last owner served (a node of
an older version, or a database that was restored): no note from before counts after that."""

ENDED = f"""
    served_ms = CASE WHEN s.shift_ms IS NULL THEN s.served_ms
                     WHEN gone.clock_ms IS NULL THEN s.served_ms + {UNKNOWN_MS}
                     ELSE greatest(s.served_ms, gone.clock_ms + s.shift_ms) END,
    ended_at = CASE WHEN s.shift_ms IS NULL THEN s.ended_at ELSE gone.beat_at END,
    is_noted = s.shift_ms IS NULL AND s.is_noted, shift_ms = NULL"""
"""The service of an owner that gave nothing back ended with its last beat (``gone``). Nothing
changes if it did not serve the slot yet."""

END_SERVICE = f"""
WITH gone AS (
    SELECT s.slot, n.clock_ms, n.beat_at FROM rollcall_slot s
    JOIN rollcall_node n ON n.incarnation = s.incarnation
    WHERE n.node_id = %(node_id)s AND n.incarnation <> %(incarnation)s
    ORDER BY s.slot FOR UPDATE OF s SKIP LOCKED
)
UPDATE rollcall_slot s SET {ENDED}
FROM gone WHERE s.slot = gone.slot
"""
"""Before a node takes over the row of an earlier process. A start must not wait for locks: of slots
that are skipped, it is unknown how long they were served."""

UNSTEADY = """unclean_ends = 1 + CASE
        WHEN rollcall_node.beat_at - rollcall_node.steady_since
             > %(calm_ms)s * interval '1 millisecond'
        THEN 0 ELSE rollcall_node.unclean_ends END,
    steady_since = clock_timestamp(), takes_slots = false"""
"""A process that stops hands its slots over and deletes its row. One that finds a row, or that has
lost its slots to others, counts this; after a calm time the count begins anew."""

REGISTER = f"""
INSERT INTO rollcall_node (
    node_id, incarnation, beat, host, port, draft_port, started_at, beat_at, lease_ms,
    takes_slots, schema, endpoints, clock_ms)
VALUES (%(node_id)s, %(incarnation)s, 1, %(host)s, %(port)s, %(draft_port)s, clock_timestamp(),
        clock_timestamp(), %(lease_ms)s,
        NOT EXISTS (SELECT FROM rollcall_drain d WHERE d.node_id = %(node_id)s),
        %(schema)s, %(endpoints)s::text[], %(clock_ms)s)
ON CONFLICT (node_id) DO UPDATE SET
    incarnation = excluded.incarnation, beat = rollcall_node.beat + 1, host = excluded.host,
    port = excluded.port, draft_port = excluded.draft_port,
    started_at = excluded.started_at, beat_at = excluded.beat_at, lease_ms = excluded.lease_ms,
    schema = excluded.schema, endpoints = excluded.endpoints, clock_ms = excluded.clock_ms,
    {UNSTEADY}
RETURNING beat, unclean_ends
"""

LOST_SLOTS = f"""
UPDATE rollcall_node SET {UNSTEADY}
WHERE incarnation = %(incarnation)s
RETURNING unclean_ends
"""

BEAT = """
UPDATE rollcall_node SET beat = beat + 1, beat_at = clock_timestamp(), clock_ms = %(clock_ms)s
WHERE node_id = %(node_id)s AND incarnation = %(incarnation)s
RETURNING beat, pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::bigint
"""

NODES = """
SELECT node_id, incarnation, beat, host, port, draft_port, lease_ms, takes_slots, endpoints,
       drain.node_id IS NOT NULL AS is_drained
FROM rollcall_node LEFT JOIN rollcall_drain AS drain USING (node_id) ORDER BY node_id
"""

TAKE_SLOTS = """
UPDATE rollcall_node SET takes_slots = %(takes_slots)s WHERE incarnation = %(incarnation)s
"""
"""Whether other nodes should give this node slots: not for a while after it failed to load some,
and not while it is drained."""

SLOTS = "SELECT slot, node_id, incarnation, epoch FROM rollcall_slot ORDER BY slot"

CLAIM = f"""
WITH gone AS (
    SELECT s.slot, n.clock_ms, n.beat_at FROM rollcall_slot s
    JOIN unnest(%(slots)s::smallint[], %(epochs)s::bigint[]) AS seen(slot, epoch)
      ON s.slot = seen.slot
    LEFT JOIN rollcall_node n ON n.incarnation = s.incarnation
    WHERE s.epoch = seen.epoch ORDER BY s.slot FOR UPDATE OF s
)
UPDATE rollcall_slot s
SET node_id = %(node_id)s, incarnation = %(incarnation)s, epoch = s.epoch + 1, {ENDED}
FROM gone WHERE s.slot = gone.slot
RETURNING s.slot, s.epoch
"""
"""In slot order, as the guard locks them, to avoid deadlocks."""

RELEASE = """
WITH mine AS (
    SELECT slot FROM rollcall_slot
    WHERE incarnation = %(incarnation)s AND slot = ANY(%(slots)s::smallint[])
    ORDER BY slot FOR UPDATE
), given AS (
    SELECT mine.slot, served.served_ms, served.is_noted FROM mine
    LEFT JOIN unnest(%(served)s::smallint[], %(served_ms)s::bigint[], %(is_noted)s::boolean[])
      AS served(slot, served_ms, is_noted) USING (slot)
)
UPDATE rollcall_slot s
SET node_id = NULL, incarnation = NULL, epoch = s.epoch + 1,
    served_ms = greatest(s.served_ms, given.served_ms), shift_ms = NULL,
    ended_at = CASE WHEN given.served_ms IS NULL THEN s.ended_at ELSE clock_timestamp() END,
    is_noted = coalesce(given.is_noted, s.is_noted)
FROM given WHERE s.slot = given.slot
RETURNING s.slot
"""
"""``served_ms``: until when the slots were served, in their service time; other slots were not
served since they were claimed. It never goes back: a node that gives slots away right after it has
loaded them may not have listened since, and the interruption before would be forgotten."""

SERVICE = """
SELECT slot, served_ms, is_noted,
       (extract(epoch FROM clock_timestamp() - ended_at) * 1000)::bigint, interruptions
FROM rollcall_slot WHERE slot = ANY(%(slots)s::smallint[])
"""
"""How long the slots were served, whether all last heartbeats are in rows, how long ago that ended
(null: unknown), and earlier interruptions."""

SERVE = """
UPDATE rollcall_slot s SET shift_ms = new.shift_ms, interruptions = new.interruptions::jsonb
FROM unnest(%(slots)s::smallint[], %(epochs)s::bigint[], %(shift_ms)s::bigint[],
            %(interruptions)s::text[]) AS new(slot, epoch, shift_ms, interruptions)
WHERE s.slot = new.slot AND s.epoch = new.epoch
"""
"""The owner begins to serve these slots: service time is its clock and this shift."""

UNREGISTER = "DELETE FROM rollcall_node WHERE incarnation = %(incarnation)s"

BELL = "rollcall_slots"
"""The channel for free slots."""

RINGS = notify(f"'{BELL}'", "''")

RING = f"SELECT {RINGS}"

SERVER_UP_MS = """
SELECT (extract(epoch FROM clock_timestamp() - pg_postmaster_start_time()) * 1000)::bigint
"""

PENDING_OPERATIONS = """
SELECT id, group_id, verb, member_id, reason, actor, expected_generation, restore_to::text,
       offsets, until::text, traceparent
FROM rollcall_operation
WHERE state = 'pending' AND slot = ANY(%(slots)s::smallint[]) AND verb = ANY(%(verbs)s::text[])
ORDER BY id LIMIT 1000
"""
