"""The SQL of drained nodes, which the clean-up executes; draining and its withdrawal are functions
of the database (``console.operations.sql``)."""

from groups.core.journal import EntryKind, Trigger
from groups.store.sql import slots


def noted(kind: str, trigger: str) -> str:
    """The journal entry of each row of ``done``, which has node_id, reason and author."""
    return f"""noted AS (
    INSERT INTO rollcall_journal (
        at, group_id, revision, node_id, kind, trigger, reason, generation_before,
        generation_after, waited_for, joined, "left", details)
    SELECT clock_timestamp(), '', 0, node_id, '{kind}', '{trigger}', reason, 0, 0,
           '{{}}', '[]', '[]', jsonb_build_object('author', author, 'node', node_id)
    FROM done)
SELECT {slots.RINGS} FROM done
"""


IS_SEEN = """EXISTS (SELECT FROM rollcall_node n WHERE n.node_id = d.node_id
              AND n.beat_at > clock_timestamp() - interval '15 seconds')
   OR NOT EXISTS (SELECT FROM rollcall_sweep s
                  WHERE s.name = %(name)s
                    AND s.started_at > clock_timestamp() - least(%(hours)s, 24) * interval '1 hour')
"""
"""Nodes that are present. If nobody checked for a while, no node was seen either: then each
absence starts again, so that a cluster that was stopped for weeks starts in its former state."""

SEE = f"UPDATE rollcall_drain d SET seen_at = clock_timestamp() WHERE {IS_SEEN}"

FORGET = f"""
WITH done AS (
    DELETE FROM rollcall_drain WHERE node_id IN (
        SELECT node_id FROM rollcall_drain
        WHERE seen_at < clock_timestamp() - %(hours)s * interval '1 hour' LIMIT %(rows)s)
    RETURNING node_id, 'the node has been away for ' || %(hours)s || ' hours' AS reason,
              jsonb_build_object('program', 'the clean-up') AS author),
{noted(EntryKind.NODE_UNDRAINED, Trigger.RETENTION)}"""
