"""The SQL of a group as it was; ``console.queries.moments`` executes it."""

from groups.store.sql.history import COMMITS
from groups.store.sql.packed_facts import packed

OFFSETS_AT = f"""
SELECT topic, partition, committed_offset, at FROM (
    SELECT DISTINCT ON (topic, partition) topic, partition, committed_offset, at, is_gone FROM (
        SELECT topic, partition, committed_offset, committed_at AS at, false AS is_gone
        FROM rollcall_offset WHERE group_id = %(group_id)s AND committed_at <= %(at)s
        UNION ALL
        (SELECT topic, partition, committed_offset, at, is_gone FROM {COMMITS}
         WHERE group_id = %(group_id)s AND at > %(at)s - %(within)s AND at <= %(at)s
         ORDER BY at DESC LIMIT %(most)s)
        UNION ALL
        SELECT topic, each.partition, each.last_offset, hour + interval '1 hour', false
        FROM (
            SELECT hour, topic, partitions, last_offsets FROM rollcall_progress
            WHERE group_id = %(group_id)s AND at > %(at)s - %(hours)s
            UNION ALL
            SELECT hour, topic, partitions, last_offsets FROM {packed("rollcall_progress")}
            WHERE p.of_group = %(group_id)s AND p.table_name = 'rollcall_progress'
              AND p.last_at > %(at)s - %(hours)s AND p.began <= %(at)s
        ) AS hours CROSS JOIN LATERAL unnest(partitions, last_offsets)
             AS each(partition, last_offset)
        WHERE hour > %(at)s - %(hours)s AND hour <= %(at)s - interval '1 hour'
    ) AS known
    ORDER BY topic, partition, at DESC
) AS latest WHERE NOT is_gone ORDER BY topic, partition
"""
"""What has not changed since, what was committed shortly before, and what the hours before that
tell, whichever is the latest of a partition. The whole history of commits is not read for it."""
