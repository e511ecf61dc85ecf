"""The SQL of the last day of groups, hour by hour (``console.queries.day_strips``)."""

from console.queries.sql.packed_facts import packed

ROUNDS_MAX = 1_000
"""The newest rebalances of a day that are read of each group: one of a storm has thousands."""

ROUND = "started_at, ended_at, stopped_ms, silent_ms, unowned_ms, triggers"

READ = f"""
SELECT group_id, floor(extract(epoch FROM newest.ended_at - %(since)s) / 3600)::int AS hour,
       count(*), sum(stopped_ms + silent_ms + unowned_ms)::bigint,
       sum(extract(epoch FROM ended_at - started_at) * 1000)::bigint,
       bool_or(triggers && %(crashes)s::text[])
FROM unnest(%(group_ids)s::text[]) AS asked(group_id)
CROSS JOIN LATERAL (
    SELECT * FROM (
        SELECT {ROUND} FROM rollcall_round AS each
        WHERE each.group_id = asked.group_id AND at >= %(since)s AND ended_at >= %(since)s
        UNION ALL
        SELECT {ROUND} FROM {packed("rollcall_round")}
        WHERE p.of_group = asked.group_id AND p.table_name = 'rollcall_round'
          AND p.last_at >= %(since)s AND r.ended_at >= %(since)s
    ) AS ended
    ORDER BY ended_at DESC LIMIT {ROUNDS_MAX}
) AS newest
GROUP BY group_id, hour ORDER BY group_id, hour
"""
