"""The SQL of a group as it was; ``console.queries.moments`` executes it.

The offsets of a moment are what has not changed since, what was committed shortly before, and what
the hours before that tell, whichever is the latest of a partition. The whole history of commits is
not read for it.
"""

from groups.store.sql.history import COMMITS

HOURS = "hour > %(at)s - %(hours)s AND hour <= %(at)s - interval '1 hour'"

NEXT = "OVER (PARTITION BY topic ORDER BY hour DESC)"

OFFSETS = f"""
SELECT topic, at, is_gone, partitions, offsets FROM (
    SELECT 0 AS place, topic, hour + interval '1 hour' AS at, false AS is_gone, partitions,
           last_offsets AS offsets
    FROM (
        SELECT hour, topic, partitions, last_offsets, lag(partitions) {NEXT} AS after
        FROM rollcall_progress
        WHERE group_id = %(group_id)s AND at > %(at)s - %(hours)s AND {HOURS}
    ) AS hours WHERE partitions IS DISTINCT FROM after
    UNION ALL
    SELECT 0, topic, hour + interval '1 hour', false,
           ARRAY(SELECT generate_series(lower(r), upper(r) - 1) FROM unnest(partitions) AS r),
           rollcall_unpacked_numbers(last_offsets)
    FROM (
        SELECT hour, topic, partitions, last_offsets, lag(partitions) {NEXT} AS after
        FROM rollcall_facts_packed AS p CROSS JOIN LATERAL unnest(p.hour_rows) AS h
        WHERE p.of_group = %(group_id)s AND p.table_name = 'rollcall_progress'
          AND p.last_at > %(at)s - %(hours)s AND p.began <= %(at)s AND {HOURS}
    ) AS packed WHERE partitions IS DISTINCT FROM after
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
"""What is further down counts: a commit is later than what the hours tell of its partition, and an
hour is not read whose partitions all have a later offset of the hour after it. As arrays: a row for
each partition of each hour, and to sort them, took a second for 50,000."""
