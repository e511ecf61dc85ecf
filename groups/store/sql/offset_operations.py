"""The SQL of operators' verbs about offsets; ``groups.operations.rows_read`` executes
it."""

from groups.store.sql.history import COMMITS

IS_PENDING = "SELECT FROM rollcall_operation WHERE id = %(operation_id)s AND state = 'pending'"

AGES = """
WITH waiting AS (
    SELECT DISTINCT topic, partition FROM rollcall_pending_offset WHERE group_id = %(group_id)s
), kept AS (
    SELECT * FROM rollcall_offset WHERE group_id = %(group_id)s
)
SELECT topic, partition,
       coalesce(greatest(0, extract(epoch FROM clock_timestamp() - kept.committed_at) * 1000),
                0)::bigint,
       (extract(epoch FROM kept.expires_at - clock_timestamp()) * 1000)::bigint,
       waiting.topic IS NOT NULL
FROM kept FULL JOIN waiting USING (topic, partition) ORDER BY topic, partition
"""
"""A partition whose first offset is still pending is one of them."""

STATE_AGE = """
SELECT greatest(0, extract(epoch FROM clock_timestamp() - state_since) * 1000)::bigint
FROM rollcall_group WHERE group_id = %(group_id)s
"""

AS_OF = f"""
SELECT topic, partition, committed_offset, leader_epoch, metadata FROM (
    SELECT DISTINCT ON (topic, partition)
           topic, partition, committed_offset, leader_epoch, metadata, is_gone
    FROM {COMMITS}
    WHERE group_id = %(group_id)s AND at <= %(to)s::timestamptz
    ORDER BY topic, partition, at DESC
) AS latest WHERE NOT is_gone
"""

COMMITTED = """
SELECT topic, partition, committed_offset FROM rollcall_offset
WHERE group_id = %(group_id)s AND topic = ANY(%(topics)s::text[])
"""
