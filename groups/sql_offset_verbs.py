"""The SQL of verbs about offsets: what the rows hold; ``groups.offset_verbs`` executes it."""

AGES = """
SELECT topic, partition,
       greatest(0, extract(epoch FROM clock_timestamp() - committed_at) * 1000)::bigint,
       (extract(epoch FROM expires_at - clock_timestamp()) * 1000)::bigint
FROM rollcall_offset WHERE group_id = %(group_id)s ORDER BY topic, partition
"""

STATE_AGE = """
SELECT greatest(0, extract(epoch FROM clock_timestamp() - state_since) * 1000)::bigint
FROM rollcall_group WHERE group_id = %(group_id)s
"""

AS_OF = """
SELECT DISTINCT ON (topic, partition) topic, partition, committed_offset, leader_epoch, metadata
FROM rollcall_offset_history
WHERE group_id = %(group_id)s AND at <= %(to)s::timestamptz
ORDER BY topic, partition, at DESC
"""
