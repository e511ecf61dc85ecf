"""The SQL of outages (``groups.reporting.outages``)."""

SINCE = "SELECT min(ended_at) FROM rollcall_slot WHERE slot = ANY(%(slots)s::smallint[])"
"""When the last owner of these slots, which were just claimed, beat last."""

TAKEN_OVER = """
WITH lost AS (
    SELECT slot, node_id,
           shift_ms IS NOT NULL AND incarnation IS DISTINCT FROM %(incarnation)s AS is_served
    FROM rollcall_slot WHERE ended_at = %(since)s OR incarnation = %(incarnation)s
)
SELECT clock_timestamp(), coalesce(bool_and(is_served), true), count(*),
       coalesce(array_agg(DISTINCT node_id ORDER BY node_id), '{}'),
       (SELECT count(*) FROM rollcall_group g WHERE g.slot = ANY(SELECT slot FROM lost))
FROM lost
"""
"""Whether all slots of a process that beat at ``since`` last are served again, how many they are,
by which nodes, and the number of their groups."""

TURN = "SELECT pg_advisory_xact_lock(hashtextextended('rollcall outages', 0))"
"""Nodes that took slots of the same process write one after the other."""

NOTED_MAX = 200
"""Entries without a group that are looked through for the same outage."""

NOTED = f"""
SELECT EXISTS (
    SELECT FROM (
        SELECT kind, node_id, details FROM rollcall_journal
        WHERE group_id = '' ORDER BY id DESC LIMIT {NOTED_MAX}
    ) AS newest
    WHERE kind = %(kind)s AND node_id = %(node_id)s AND details ->> 'since' = %(since)s
)
"""
"""Whether another node has noted it."""
