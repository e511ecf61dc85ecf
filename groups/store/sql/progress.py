"""The SQL of how far a group has come; ``groups.queries.progress`` executes it.

A group without a log has no lag: what can be told is when it last committed, how often, and which
partitions nobody has committed for long.
"""

TOTALS = """
SELECT count(*), max(committed_at),
       count(*) FILTER (WHERE committed_at < clock_timestamp() - %(stalled_ms)s * interval '1 ms')
FROM rollcall_offset WHERE group_id = %(group_id)s
"""

RATE = """
SELECT count(*), extract(epoch FROM clock_timestamp() - min(at)) FROM (
    SELECT at FROM rollcall_offset_history
    WHERE group_id = %(group_id)s AND at > clock_timestamp() - %(within_s)s * interval '1 s'
    ORDER BY at DESC LIMIT %(most)s
) AS lately
"""
"""Of the newest commits, at most so many: of a busy group the time that they took is short."""

OF_PARTITION = """
SELECT at, committed_offset, member_id, client_id, client_host, metadata, principal FROM (
    SELECT * FROM rollcall_offset_history
    WHERE group_id = %(group_id)s ORDER BY at DESC LIMIT %(looked_at)s
) AS lately WHERE topic = %(topic)s AND partition = %(partition)s ORDER BY at DESC LIMIT %(most)s
"""
"""The history has an index by group and time, and none by partition: each commit would pay for it.
So only the group's newest commits are looked at."""
