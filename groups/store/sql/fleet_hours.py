"""The SQL by which hours of the whole installation are summarised; ``groups.sweeps.fleet_hours``
executes it, and ``console.queries.sql.fleet_hours`` reads the rows."""

NEXT = """
SELECT hour FROM (
    SELECT greatest(coalesce(max(hour) + interval '1 hour', this - interval '1 hour'),
                    this - %(back)s) AS hour, this
    FROM (SELECT date_trunc('hour', clock_timestamp(), 'UTC') AS this) AS now
    LEFT JOIN rollcall_fleet_hour ON true GROUP BY this
) AS next
WHERE hour < this AND (
    clock_timestamp() >= hour + interval '1 hour' + %(late)s
    OR EXISTS (SELECT FROM rollcall_progress_done WHERE name = 'progress'
               AND rollcall_progress_done.hour > next.hour))
"""
"""The hour to summarise, if it is over and so are its summaries of progress, or they are late."""

SUMMARISE = """
WITH rounds AS MATERIALIZED (
    SELECT group_id, ended_at - started_at AS took, coalesce(triggers[1], '') AS trigger,
           stopped_ms + silent_ms + unowned_ms AS idle_ms
    FROM rollcall_round
    WHERE at >= %(hour)s AND at < %(hour)s + interval '2 hours'
      AND ended_at >= %(hour)s AND ended_at < %(hour)s + interval '1 hour'
), by_trigger AS (
    SELECT trigger, count(*)::int AS n FROM rounds GROUP BY trigger
), by_group AS (
    SELECT group_id, count(*)::int AS n, sum(idle_ms)::bigint AS idle_ms FROM rounds
    GROUP BY group_id ORDER BY sum(idle_ms) DESC, count(*) DESC, group_id LIMIT %(groups)s
)
INSERT INTO rollcall_fleet_hour (hour, members, commits, longest_ms, idle_ms, triggers, rebalances,
    group_ids, group_rebalances, group_idle_ms)
SELECT %(hour)s,
    (SELECT count(*) FROM rollcall_life_open WHERE joined_at < %(hour)s + interval '1 hour')
      + (SELECT count(*) FROM rollcall_life
         WHERE at >= %(hour)s + interval '1 hour' AND left_at >= %(hour)s + interval '1 hour'
           AND joined_at < %(hour)s + interval '1 hour'),
    (SELECT coalesce(sum(n), 0) FROM rollcall_progress CROSS JOIN LATERAL unnest(commits) AS n
     WHERE at >= %(hour)s AND hour = %(hour)s),
    (SELECT coalesce(max(extract(epoch FROM took) * 1000), 0)::bigint FROM rounds),
    (SELECT coalesce(sum(idle_ms), 0) FROM rounds),
    ARRAY(SELECT trigger FROM by_trigger ORDER BY trigger),
    ARRAY(SELECT n FROM by_trigger ORDER BY trigger),
    ARRAY(SELECT group_id FROM by_group ORDER BY idle_ms DESC, n DESC, group_id),
    ARRAY(SELECT n FROM by_group ORDER BY idle_ms DESC, n DESC, group_id),
    ARRAY(SELECT idle_ms FROM by_group ORDER BY idle_ms DESC, n DESC, group_id)
ON CONFLICT DO NOTHING
"""

DROP = "DELETE FROM rollcall_fleet_hour WHERE hour < clock_timestamp() - %(kept)s"
