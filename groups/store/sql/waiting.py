"""The SQL of what rebalancing groups wait for (``groups.reporting.waiting``)."""

ASYNCHRONOUS = "SET LOCAL synchronous_commit TO off"
"""Rows that a crash loses are written again within seconds."""

PUT = """
INSERT INTO rollcall_waiting AS w (group_id, node_id, revision, details, waits, told_at)
SELECT group_id, %(node_id)s, revision, details::jsonb, waits::jsonb, clock_timestamp()
FROM unnest(%(group_id)s::text[], %(revision)s::bigint[], %(details)s::text[], %(waits)s::text[])
     AS new(group_id, revision, details, waits)
ON CONFLICT (group_id) DO UPDATE SET
    node_id = excluded.node_id, revision = excluded.revision, details = excluded.details,
    waits = excluded.waits, told_at = excluded.told_at
"""

OF_SLOTS = """
SELECT w.group_id, w.waits FROM rollcall_waiting w JOIN rollcall_group g USING (group_id)
WHERE g.slot = ANY(%(slots)s::smallint[])
"""

SETTLED = "DELETE FROM rollcall_waiting WHERE group_id = ANY(%(group_ids)s::text[])"

FORGET_OLD = "DELETE FROM rollcall_waiting WHERE told_at < clock_timestamp() - interval '1 hour'"
"""Old rows of groups whose owner is gone: they are not shown any more, and none takes them over."""
