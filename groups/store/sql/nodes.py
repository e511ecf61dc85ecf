"""The SQL that removes the rows of nodes that have left, which the clean-up executes
(``console.operations.sql`` has it for operators), and of nodes' settings."""

from groups.core.journal import EntryKind, Trigger
from groups.store.sql import slots
from groups.store.sql.drains import noted

SILENT_S = 15
"""A node beats about every second: one with an older beat does not serve."""

HAS_LEFT = f"""beat_at < clock_timestamp() - interval '{SILENT_S} seconds'
      AND NOT EXISTS (SELECT FROM rollcall_slot s WHERE s.node_id = n.node_id)
      AND NOT EXISTS (
          SELECT FROM pg_locks
          WHERE locktype = 'advisory' AND granted AND objsubid = 2
            AND classid = {slots.LOCK_CLASS}::oid AND objid = n.node_id::oid
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))"""
"""It does not beat, owns no slots, and no process holds its id: one that is only suspended
does. (Beats are compared with the server's clock, which may jump; the lock does not.)"""

FORGET_OLD = f"""
WITH done AS (
    DELETE FROM rollcall_node WHERE node_id IN (
        SELECT node_id FROM rollcall_node n
        WHERE beat_at < clock_timestamp() - %(hours)s * interval '1 hour' AND {HAS_LEFT}
        LIMIT %(rows)s)
    RETURNING node_id, 'it was silent for ' || %(hours)s || ' hours' AS reason,
              jsonb_build_object('program', 'the clean-up') AS author),
{noted(EntryKind.NODE_FORGOTTEN, Trigger.RETENTION)}"""

NOTE_SETTINGS = f"""
WITH had AS (
    SELECT settings FROM rollcall_node_settings WHERE node_id = %(node_id)s
), changed AS (
    INSERT INTO rollcall_node_settings AS s (node_id, settings, since)
    VALUES (%(node_id)s, %(settings)s::jsonb, clock_timestamp())
    ON CONFLICT (node_id) DO UPDATE SET settings = excluded.settings, since = excluded.since
    WHERE s.settings <> excluded.settings
    RETURNING s.node_id, s.settings AS after, coalesce((SELECT settings FROM had), '{{}}') AS before
)
INSERT INTO rollcall_journal (
    at, group_id, revision, node_id, kind, trigger, reason, generation_before, generation_after,
    waited_for, joined, "left", details)
SELECT clock_timestamp(), '', 0, node_id, '{EntryKind.NODE_CONFIGURED}', '', '', 0, 0,
       '{{}}', '[]', '[]', jsonb_build_object(
           'node', node_id,
           'before', (SELECT coalesce(jsonb_object_agg(b.key, b.value), '{{}}')
                      FROM jsonb_each(before) AS b WHERE after -> b.key IS DISTINCT FROM b.value),
           'after', (SELECT coalesce(jsonb_object_agg(a.key, a.value), '{{}}')
                     FROM jsonb_each(after) AS a WHERE before -> a.key IS DISTINCT FROM a.value))
FROM changed
"""
"""The settings of a node that has just started, in the journal if they are others than before."""
