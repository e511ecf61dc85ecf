"""The SQL of totals; ``groups.coordinator.totals`` executes it, and ``groups.catalogue.changes``
for operators."""

from groups.core.journal import EntryKind, Trigger

COUNT = """
SELECT (SELECT count(*) FROM rollcall_producer),
       (SELECT count(*) FROM rollcall_group_config),
       (SELECT coalesce(sum(pg_total_relation_size(inhrelid)), 0)::bigint FROM pg_inherits
        WHERE inhparent = 'rollcall_offset_history'::regclass)
"""

TOPICS = "SELECT count(*), coalesce(sum(partitions), 0) FROM rollcall_topic"

NOTE = f"""
INSERT INTO rollcall_journal (
    at, group_id, revision, node_id, kind, trigger, reason, generation_before, generation_after,
    waited_for, joined, "left", details)
SELECT clock_timestamp(), '', 0, %(node_id)s, '{EntryKind.LIMIT_NEAR}',
       '{Trigger.TOTAL}', %(reason)s, 0, 0, '{{}}', '[]', '[]', %(details)s::jsonb
WHERE NOT EXISTS (
    SELECT FROM rollcall_journal
    WHERE group_id = '' AND kind = '{EntryKind.LIMIT_NEAR}' AND details ->> 'what' = %(what)s
      AND at > clock_timestamp() - interval '1 hour')
"""
"""An entry about the cluster itself: it has no group. Of several nodes that see it one says so."""
