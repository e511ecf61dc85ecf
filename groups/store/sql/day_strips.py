"""The SQL of the last day of groups, hour by hour (``console.queries.day_strips``)."""

ROUNDS_MAX = 1_000
"""The newest rebalances of a day that are read of each group: one of a storm has thousands."""

READ = f"""
SELECT group_id, floor(extract(epoch FROM newest.ended_at - %(since)s) / 3600)::int AS hour,
       count(*), sum(stopped_ms + silent_ms + unowned_ms)::bigint,
       sum(extract(epoch FROM ended_at - started_at) * 1000)::bigint,
       bool_or(triggers && %(crashes)s::text[])
FROM unnest(%(group_ids)s::text[]) AS asked(group_id)
CROSS JOIN LATERAL (
    SELECT ended_at, started_at, stopped_ms, silent_ms, unowned_ms, triggers FROM rollcall_round r
    WHERE r.group_id = asked.group_id AND at >= %(since)s AND ended_at >= %(since)s
    ORDER BY ended_at DESC LIMIT {ROUNDS_MAX}
) AS newest
GROUP BY group_id, hour ORDER BY group_id, hour
"""
