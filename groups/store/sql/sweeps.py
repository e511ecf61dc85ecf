"""The SQL of periodic work except the session sweep's; ``groups.sweeps.session`` executes it."""

from groups.core.journal import Trigger
from groups.postgres.channels import notify

NOTE_SLOTS = """
INSERT INTO rollcall_journal (
    at, group_id, revision, node_id, kind, trigger, reason, generation_before, generation_after,
    waited_for, joined, "left", details)
VALUES (clock_timestamp(), '', 0, %(node_id)s, %(kind)s, %(trigger)s, %(reason)s, 0, 0,
        '{}', '[]', '[]', %(details)s::jsonb)
"""
"""A journal entry about the cluster itself, without a group."""

MAY_EXPIRE = """
WITH kept AS (SELECT clock_timestamp() - %(minutes)s * interval '1 minute' AS since),
page AS (
    SELECT group_id, slot, kind, state, protocol_type, state_since FROM rollcall_group
    WHERE group_id > %(after)s ORDER BY group_id LIMIT %(groups)s
)
SELECT g.group_id, g.state IN ('Empty', 'Stable')
  AND (
    g.state = 'Empty' AND (
        g.kind = 'classic' AND g.protocol_type <> '' AND g.state_since <= kept.since
        OR NOT EXISTS (SELECT FROM rollcall_offset o WHERE o.group_id = g.group_id)
    )
    OR EXISTS (
        SELECT FROM rollcall_offset o WHERE o.group_id = g.group_id
        AND CASE WHEN o.expires_at IS NULL THEN o.committed_at <= kept.since
                 ELSE o.expires_at <= clock_timestamp() END)
  )
  AND NOT EXISTS (SELECT FROM rollcall_pause p WHERE p.group_id = g.group_id)
  AND NOT EXISTS (
    SELECT FROM rollcall_operation p
    WHERE p.slot = g.slot AND p.group_id = g.group_id AND p.state = 'pending'
      AND p.verb = 'expire-offsets')
FROM page g, kept ORDER BY g.group_id
"""
"""The next groups, and which of them their owners should check: more than will expire, since only
the owner knows its members' subscriptions. Not groups with stopped work, which cannot commit."""

OLD_OPERATIONS = """
DELETE FROM rollcall_operation WHERE id IN (
    SELECT id FROM rollcall_operation
    WHERE finished_at < clock_timestamp()
          - CASE WHEN actor = %(retention)s THEN interval '1 hour'
                 ELSE %(hours)s * interval '1 hour' END
    ORDER BY finished_at LIMIT %(rows)s)
"""

OLD_JOURNAL = """
DELETE FROM rollcall_journal WHERE id IN (
    SELECT id FROM rollcall_journal ORDER BY id LIMIT %(rows)s)
AND at < clock_timestamp() - %(hours)s * interval '1 hour'
"""
"""The oldest rows only: ids rise with time, and an index on the time would cost every write."""

ORPHANED_CONFIGS = f"""
WITH gone AS (
    DELETE FROM rollcall_group_config WHERE (group_id, name) IN (
        SELECT c.group_id, c.name FROM rollcall_group_config c
        WHERE c.updated_at < clock_timestamp() - %(hours)s * interval '1 hour'
          AND NOT EXISTS (SELECT FROM rollcall_group g WHERE g.group_id = c.group_id)
          AND NOT EXISTS (SELECT FROM rollcall_journal j
                          WHERE j.group_id = c.group_id AND j.kind <> %(configured)s)
        LIMIT %(rows)s)
    RETURNING group_id, name, value
), noted AS (
    INSERT INTO rollcall_journal (
        at, group_id, revision, node_id, kind, trigger, reason, generation_before,
        generation_after, waited_for, joined, "left", details)
    SELECT clock_timestamp(), group_id, 0, -1, %(configured)s, '{Trigger.RETENTION}',
           'there is no such group', 0, 0, '{{}}', '[]', '[]', jsonb_build_object(
               'author', '{{"program": "the clean-up"}}'::jsonb,
               'before', jsonb_object_agg(name, value),
               'after', jsonb_object_agg(name, NULL))
    FROM gone GROUP BY group_id
)
SELECT {notify("%(bell)s", "group_id")} FROM gone
"""
"""Settings of groups without a row, of which the journal has no entry except their configuration.
Those of a deleted group stay as long as the journal mentions it."""

RECORD = """
INSERT INTO rollcall_sweep AS s (name, started_at, took_ms, outcome, failed, runs, failures)
VALUES (%(name)s, clock_timestamp() - %(took_ms)s * interval '1 millisecond', %(took_ms)s,
        %(outcome)s, %(failed)s, 1, %(failed)s::int)
ON CONFLICT (name) DO UPDATE SET
    started_at = excluded.started_at, took_ms = excluded.took_ms, outcome = excluded.outcome,
    failed = excluded.failed, runs = s.runs + 1, failures = s.failures + excluded.failures
"""
