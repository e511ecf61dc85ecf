"""The SQL of totals; ``groups.reporting.totals`` executes it, and for operators
``console.operations.topic_changes``."""

from groups.core.journal import EntryKind, Trigger

FEW_ROWS = 100_000
"""Up to this number, rows are counted exactly, in some milliseconds."""


def _about(table: str) -> str:
    """The number of rows: exact while there are few, PostgreSQL's estimate otherwise. Statistics of
    commits are lost in a crash, those of the last ANALYZE are older: the larger number is used."""
    return f"""(
    SELECT CASE WHEN few.found < {FEW_ROWS} THEN few.found
                ELSE greatest(few.found, reltuples::bigint, pg_stat_get_live_tuples(oid)) END
    FROM pg_class, (SELECT count(*) AS found FROM (
        SELECT FROM {table} LIMIT {FEW_ROWS}) AS part) AS few
    WHERE oid = '{table}'::regclass)"""


COUNT = f"""
SELECT (SELECT count(*) FROM rollcall_producer),
       (SELECT count(*) FROM rollcall_group_config),
       (SELECT coalesce(sum(pg_total_relation_size(inhrelid)), 0)::bigint FROM pg_inherits
        WHERE inhparent = 'rollcall_offset_history'::regclass),
       rollcall_facts_bytes(),
       {_about("rollcall_offset")},
       {_about("rollcall_pending_offset")}
"""

COUNT_OF_GROUP = """
SELECT (SELECT count(*) FROM (
            SELECT FROM rollcall_offset WHERE group_id = %(group_id)s LIMIT %(most)s) AS part),
       (SELECT count(*) FROM (
            SELECT FROM rollcall_pending_offset WHERE group_id = %(group_id)s
            LIMIT %(most)s) AS part)
"""

THERE = """
SELECT o.topic, o.partition
FROM unnest(%(topics)s::text[], %(partitions)s::int[]) AS asked(topic, partition)
JOIN rollcall_offset o ON o.group_id = %(group_id)s AND o.topic = asked.topic
                      AND o.partition = asked.partition
"""
"""The partitions among these that the group has committed."""

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
"""A journal entry about the cluster itself, without a group. If several nodes notice the same, one
writes it."""
