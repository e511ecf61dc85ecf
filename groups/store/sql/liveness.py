"""The SQL of members' last heartbeats, and of the session sweep's questions and responses.

A node executes the first half (``groups.reporting.liveness``,
``groups.reporting.probe_responder``), Celery's worker the second (``groups.sweeps.session``).
"""

from groups.store.sql.slots import ENDED

LOOK_BELL = "rollcall_look"
"""An observer of a group asks its owner to write the members' last heartbeats; payload: the group
id."""

WATCH_BELL = "rollcall_watch"
"""The sweep asks a slot's owner for an echo; payload: a JSON object of the slot and some of its
groups."""

NOTE = """
INSERT INTO rollcall_liveness AS l (group_id, member_id, heard_at, deadline_at, since_ms)
SELECT new.group_id, new.member_id,
       coalesce(known.heard_at, clock_timestamp() - age_ms * interval '1 millisecond'),
       clock_timestamp() + left_ms * interval '1 millisecond', new.since_ms
FROM unnest(%(group_id)s::text[], %(member_id)s::text[], %(age_ms)s::bigint[],
            %(left_ms)s::bigint[], %(since_ms)s::bigint[], %(is_known)s::boolean[])
     AS new(group_id, member_id, age_ms, left_ms, since_ms, is_known)
LEFT JOIN rollcall_liveness known
  ON new.is_known AND known.group_id = new.group_id AND known.member_id = new.member_id
ON CONFLICT (group_id, member_id) DO UPDATE SET
    heard_at = excluded.heard_at, deadline_at = excluded.deadline_at, since_ms = excluded.since_ms
"""
"""``is_known``: the row has when the member was heard, which no later note changes."""

SILENCES = """
SELECT l.group_id, l.member_id,
       (extract(epoch FROM clock_timestamp() - l.heard_at) * 1000)::bigint, l.since_ms
FROM rollcall_liveness l
JOIN rollcall_group g USING (group_id)
JOIN rollcall_member m USING (group_id, member_id)
WHERE g.slot = ANY(%(slots)s::smallint[])
  AND l.heard_at > m.joined_at - m.session_timeout_ms * interval '1 millisecond'
"""
"""Not of a member that was removed, and has joined again with the same id since."""

FORGET_SLOTS = """
DELETE FROM rollcall_liveness WHERE (group_id, member_id) IN (
    SELECT l.group_id, l.member_id FROM rollcall_liveness l JOIN rollcall_group g USING (group_id)
    WHERE g.slot = ANY(%(slots)s::smallint[]) FOR UPDATE OF l SKIP LOCKED)
"""
"""An owner that gives the slots away could not write when members were last heard: older notes are
not true any more. A note that is being written now is one of those that failed."""

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

RELEASE = f"""
WITH gone AS (
    SELECT s.slot, s.node_id, n.clock_ms, n.beat_at FROM rollcall_slot s
    JOIN unnest(%(slots)s::smallint[], %(epochs)s::bigint[]) AS seen(slot, epoch)
      ON s.slot = seen.slot AND s.epoch = seen.epoch
    JOIN rollcall_watch w ON w.slot = s.slot AND w.echo < w.probe
    LEFT JOIN rollcall_node n ON n.incarnation = s.incarnation
    WHERE n.incarnation IS NULL OR EXISTS (
        SELECT FROM rollcall_node other
        WHERE other.incarnation <> s.incarnation AND other.takes_slots
          AND other.beat_at > clock_timestamp() - 2 * other.lease_ms * interval '1 millisecond')
    ORDER BY s.slot FOR UPDATE OF s
), released AS (
    UPDATE rollcall_slot s SET node_id = NULL, incarnation = NULL, epoch = s.epoch + 1, {ENDED}
    FROM gone WHERE s.slot = gone.slot
    RETURNING s.slot, gone.node_id
), settled AS (
    UPDATE rollcall_watch w SET echo = w.probe FROM released WHERE w.slot = released.slot
)
SELECT slot, node_id FROM released ORDER BY slot
"""
"""In slot order, as the guard and the claims lock them. Not of the only node: it could only load
them again."""

FORGET_STRANGERS = """
DELETE FROM rollcall_liveness l WHERE deadline_at < clock_timestamp() AND NOT EXISTS (
    SELECT FROM rollcall_member m WHERE m.group_id = l.group_id AND m.member_id = l.member_id)
"""
