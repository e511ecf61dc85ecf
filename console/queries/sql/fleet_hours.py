"""The SQL that reads the hours of the whole installation (``groups.store.sql.fleet_hours`` writes
them), and makes those of one group, which are not stored."""

from console.queries.sql.fact_reads import ENDED

READ = """
SELECT hour, members, commits, longest_ms, idle_ms, triggers, rebalances, group_ids,
       group_rebalances, group_idle_ms
FROM rollcall_fleet_hour WHERE hour >= %(since)s AND hour < %(until)s ORDER BY hour
"""

OF_GROUP = f"""
SELECT hour, (array_agg(members ORDER BY last_at DESC))[1], max(longest_ms), sum(idle_ms)::bigint,
       array_agg(trigger), array_agg(n)
FROM (
    SELECT date_trunc('hour', ended_at, 'UTC') AS hour, coalesce(triggers[1], '') AS trigger,
           count(*)::int AS n, sum(stopped_ms + silent_ms + unowned_ms) AS idle_ms,
           max(extract(epoch FROM ended_at - started_at) * 1000)::bigint AS longest_ms,
           (array_agg(members ORDER BY ended_at DESC))[1] AS members, max(ended_at) AS last_at
    FROM (SELECT * FROM {ENDED} AS ended ORDER BY ended_at DESC LIMIT %(rounds)s) AS newest
    GROUP BY 1, 2
) AS causes GROUP BY hour ORDER BY hour
"""
