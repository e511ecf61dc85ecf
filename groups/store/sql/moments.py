"""The SQL of a group as it was; ``console.queries.moments`` executes it.

The offsets of a moment are what has not changed since, what was committed shortly before, and what
the hours before that tell, whichever is the latest of a partition. The whole history of commits is
not read for it.
"""

from groups.store.sql.history import COMMITS
from groups.store.sql.packed_facts import packed

OFFSETS = f"""
SELECT topic, at, is_gone, partitions, offsets FROM (
    SELECT 0 AS place, topic, hour + interval '1 hour' AS at, false AS is_gone, partitions,
           last_offsets AS offsets
    FROM (
        SELECT hour, topic, partitions, last_offsets FROM rollcall_progress
        WHERE group_id = %(group_id)s AND at > %(at)s - %(hours)s
        UNION ALL
        SELECT hour, topic, partitions, last_offsets FROM {packed("rollcall_progress")}
        WHERE p.of_group = %(group_id)s AND p.table_name = 'rollcall_progress'
          AND p.last_at > %(at)s - %(hours)s AND p.began <= %(at)s
    ) AS hours
    WHERE hour > %(at)s - %(hours)s AND hour <= %(at)s - interval '1 hour'
    UNION ALL
    SELECT 1, topic, at, is_gone, array_agg(partition), array_agg(committed_offset) FROM (
        (SELECT topic, at, is_gone, partition, committed_offset FROM {COMMITS}
         WHERE group_id = %(group_id)s AND at > %(at)s - %(within)s AND at <= %(at)s
         ORDER BY at DESC LIMIT %(most)s)
        UNION ALL
        SELECT topic, committed_at, false, partition, committed_offset FROM rollcall_offset
        WHERE group_id = %(group_id)s AND committed_at <= %(at)s
    ) AS committed GROUP BY topic, at, is_gone
) AS known ORDER BY place, at
"""
"""What is further down counts: a commit is later than what the hours tell of its partition. As
arrays: a row for each partition of each hour, and to sort them, took a second for 50,000."""
