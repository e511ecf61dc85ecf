"""The SQL of what a group's hours were like, of which thresholds are proposed
(``console.queries.attention_rules``): how many of its members were silent, how long it committed
nothing. Both are upper bounds, so a threshold above them is not reached by what was usual."""

SESSION = """(SELECT min(session_timeout_ms) FROM rollcall_life_open
 WHERE group_id = %(group_id)s)"""

SILENCES = f"""
SELECT hour, max(percent) AS percent FROM (
    SELECT hour, (SELECT ceil(100.0 * count(*) FILTER (WHERE ms >= {SESSION}) / count(*))::int
                  FROM unnest(longest_ms) AS ms) AS percent
    FROM (
        SELECT hour, longest_ms FROM rollcall_silence
        WHERE group_id = %(group_id)s AND at >= now() - %(period)s
        UNION ALL
        SELECT r.hour, r.longest_ms
        FROM rollcall_facts_packed AS p CROSS JOIN LATERAL unnest(p.silence_rows) AS r
        WHERE p.of_group = %(group_id)s AND p.table_name = 'rollcall_silence'
          AND p.last_at >= now() - %(period)s AND r.at >= now() - %(period)s
    ) AS rows
) AS shares WHERE percent IS NOT NULL AND {SESSION} IS NOT NULL GROUP BY hour
"""
"""The members that were silent for the shortest session of those of now, at any time of the hour,
in per cent of those that were looked at. Of a group without members it is not known."""

PAUSES = """
SELECT hour, ms + 1000 * greatest(0, extract(epoch FROM
       hour - lag(hour) OVER (ORDER BY hour) - interval '1 hour'))::bigint AS ms
FROM (
    SELECT hour, min(ms) AS ms FROM (
        SELECT hour, (SELECT min(ms) FROM unnest(pauses_ms) AS ms) AS ms
        FROM (
            SELECT hour, pauses_ms,
                   sum(pg_column_size(pauses_ms)) OVER (ORDER BY hour DESC, id) AS so_far
            FROM rollcall_progress WHERE group_id = %(group_id)s AND at >= now() - %(period)s
        ) AS newest WHERE so_far <= %(bytes)s
        UNION ALL
        SELECT h.hour, coalesce((h.pauses_ms).least,
                                (SELECT min(ms) FROM unnest((h.pauses_ms).wide) AS ms))
        FROM (
            SELECT hour_rows,
                   sum(pg_column_size(hour_rows)) OVER (ORDER BY last_at DESC, began) AS so_far
            FROM rollcall_facts_packed
            WHERE of_group = %(group_id)s AND table_name = 'rollcall_progress'
              AND last_at >= now() - %(period)s
        ) AS p CROSS JOIN LATERAL unnest(p.hour_rows) AS h
        WHERE so_far <= %(bytes)s AND h.at >= now() - %(period)s
    ) AS topics GROUP BY hour
) AS hours
"""
"""The longest time without a commit of the partition that had the shortest one, and the hours
without any that were before. Packed numbers have their least one beside them: none is unpacked."""
