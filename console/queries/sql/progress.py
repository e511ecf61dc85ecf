"""The SQL of a group's progress; ``console.queries.progress`` executes it.

Without end offsets there is no lag; what is known is when a group last committed, how often, and
which partitions have had no commit for long.
"""

from console.queries.sql.packed_facts import packed_of_group
from groups.store.sql.history import COMMITS

LAGS = """
WITH hours AS (
    SELECT hour, topic, each.partition, greatest(0, end_offset::numeric - last_offset) AS lag
    FROM rollcall_progress CROSS JOIN LATERAL unnest(partitions, last_offsets, end_offsets)
         AS each(partition, last_offset, end_offset)
    WHERE group_id = %(group_id)s AND at >= now() - %(drained_within)s
      AND hour >= now() - %(drained_within)s
      AND end_offset IS NOT NULL
)
SELECT now.hour + interval '1 hour', sum(was.lag), sum(now.lag)
FROM hours AS now JOIN hours AS was
     ON (was.topic, was.partition) = (now.topic, now.partition)
    AND was.hour = now.hour - interval '1 hour'
WHERE now.hour = (SELECT max(hour) FROM hours)
GROUP BY now.hour
"""
"""The lag at the end of the newest hour and at that of the hour before, of the partitions with
commits in both; clients commit whatever offsets they like, so the sum may be no bigint."""

TOTALS = f"""
SELECT offsets.*, commits.*, lags.* FROM (
    SELECT count(*), max(committed_at),
           count(*) FILTER (
               WHERE committed_at < clock_timestamp() - %(stalled_ms)s * interval '1 ms')
    FROM rollcall_offset WHERE group_id = %(group_id)s
) AS offsets, (
    SELECT count(*), coalesce(sum(partitions), 0)::bigint,
           extract(epoch FROM clock_timestamp() - min(at))
    FROM (
        SELECT at, 1 + coalesce(cardinality(more_partitions), 0) AS partitions
        FROM rollcall_offset_history
        WHERE group_id = %(group_id)s AND at > clock_timestamp() - %(within_s)s * interval '1 s'
          AND is_gone IS NULL
        ORDER BY at DESC LIMIT %(most)s
    ) AS lately
) AS commits LEFT JOIN ({LAGS}) AS lags ON true
"""
"""Of commits only the newest, up to a maximum: in a busy group they cover a short time."""

OF_PARTITION = f"""
SELECT at, committed_offset, member_id, client_id, client_host, metadata, principal FROM (
    SELECT * FROM {COMMITS}
    WHERE group_id = %(group_id)s ORDER BY at DESC LIMIT %(looked_at)s
) AS lately WHERE topic = %(topic)s AND partition = %(partition)s AND NOT is_gone
ORDER BY at DESC LIMIT %(most)s
"""
"""The history has an index by group and time, but none by partition, which each commit would pay
for. So only the group's newest commits are searched."""

HOUR = "topic, hour, partitions, commits"
IN_HOURS = "hour >= %(first)s AND topic = ANY(%(topics)s::text[])"
OF_ALL = "hour >= %(first)s AND hour < %(last)s"

RATES = f"""
SELECT topic, each.partition, hour, each.commits::bigint
FROM unnest(%(topics)s::text[], %(lows)s::int[], %(highs)s::int[]) AS asked(topic, low, high)
JOIN (
    SELECT {HOUR} FROM rollcall_progress
    WHERE group_id = %(group_id)s AND at >= %(first)s AND {IN_HOURS}
    UNION ALL
    {packed_of_group("rollcall_progress", HOUR, IN_HOURS)}
) AS hours USING (topic)
CROSS JOIN LATERAL (SELECT width_bucket(low - 1, partitions) AS before) AS place
CROSS JOIN LATERAL unnest(partitions[before + 1 : before + 1 + high - low],
                          commits[before + 1 : before + 1 + high - low])
    AS each(partition, commits)
WHERE each.partition <= high
UNION ALL
SELECT NULL, NULL, hour, coalesce(sum(each.commits), 0)::bigint
FROM rollcall_fleet_hour LEFT JOIN (
    SELECT hour, commits FROM rollcall_progress
    WHERE group_id = %(group_id)s AND at >= %(first)s AND {OF_ALL}
    UNION ALL
    {packed_of_group("rollcall_progress", "hour, commits", OF_ALL)}
) AS hours USING (hour) LEFT JOIN LATERAL unnest(hours.commits) AS each(commits) ON true
WHERE {OF_ALL} GROUP BY hour
"""
"""Commits of these ranges of partitions in each hour that is over. An hour's partitions are in
order: their place is found by bisection, and the others are not looked at. And those of the whole
group: an hour of the installation says that progress was summarised, and without a row of its own
the group has not committed in it."""
