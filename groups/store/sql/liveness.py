"""The SQL of members' last heartbeats, and of the session sweep's questions and responses.

A node executes the first half (``groups.coordinator.liveness``,
``groups.coordinator.probe_responder``), Celery's worker the second (``groups.sweeps.session``).
"""

LOOK_BELL = "rollcall_look"
"""An observer of a group asks its owner to write the members' last heartbeats; payload: the group
id."""

WATCH_BELL = "rollcall_watch"
"""The sweep asks a slot's owner for an echo; payload: a JSON object of the slot and some of its
groups."""

NOTE = """
INSERT INTO rollcall_liveness AS l (group_id, member_id, heard_at, deadline_at)
SELECT group_id, member_id, clock_timestamp() - age_ms * interval '1 millisecond',
       clock_timestamp() + (timeout_ms - age_ms) * interval '1 millisecond'
FROM unnest(%(group_id)s::text[], %(member_id)s::text[], %(age_ms)s::bigint[],
            %(timeout_ms)s::bigint[]) AS new(group_id, member_id, age_ms, timeout_ms)
ON CONFLICT (group_id, member_id) DO UPDATE SET
    heard_at = excluded.heard_at, deadline_at = excluded.deadline_at
"""

ECHO = """
UPDATE rollcall_watch SET echo = probe, echoed_at = clock_timestamp()
WHERE slot = ANY(%(slots)s::smallint[]) AND echo < probe
"""

OVERDUE = """
SELECT g.slot, array_agg(DISTINCT g.group_id) FROM (
    SELECT group_id, member_id FROM rollcall_liveness
    WHERE deadline_at < clock_timestamp() ORDER BY deadline_at LIMIT %(members)s
) l
JOIN rollcall_member USING (group_id, member_id)
JOIN rollcall_group g USING (group_id)
GROUP BY g.slot ORDER BY g.slot
"""

PROBE = """
UPDATE rollcall_watch SET probe = probe + 1, probed_at = clock_timestamp()
WHERE slot = ANY(%(slots)s::smallint[]) AND echo = probe
"""

OPEN_QUESTIONS = """
SELECT s.slot, s.epoch, w.probe FROM rollcall_watch w JOIN rollcall_slot s USING (slot)
WHERE w.echo < w.probe AND s.node_id IS NOT NULL ORDER BY s.slot
"""

LONGEST_LEASE_MS = "SELECT coalesce(max(lease_ms), 0) FROM rollcall_node"

RELEASE = """
WITH silent AS (
    SELECT s.slot, s.node_id, s.epoch FROM rollcall_slot s
    JOIN unnest(%(slots)s::smallint[], %(epochs)s::bigint[]) AS seen(slot, epoch)
      ON s.slot = seen.slot AND s.epoch = seen.epoch
    JOIN rollcall_watch w ON w.slot = s.slot AND w.echo < w.probe
    ORDER BY s.slot FOR UPDATE OF s
), released AS (
    UPDATE rollcall_slot s SET node_id = NULL, incarnation = NULL, epoch = s.epoch + 1
    FROM silent WHERE s.slot = silent.slot
    RETURNING s.slot, silent.node_id
), settled AS (
    UPDATE rollcall_watch w SET echo = w.probe FROM released WHERE w.slot = released.slot
)
SELECT slot, node_id FROM released ORDER BY slot
"""
"""In slot order, as the guard and the claims lock them."""

FORGET_STRANGERS = """
DELETE FROM rollcall_liveness l WHERE deadline_at < clock_timestamp() AND NOT EXISTS (
    SELECT FROM rollcall_member m WHERE m.group_id = l.group_id AND m.member_id = l.member_id)
"""
