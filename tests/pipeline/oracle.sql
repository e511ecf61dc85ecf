-- The report once more, in plain SQL: for each completed rebalance its first start since the last
-- end, and the "stable" of its generation before the next end; then summed by group and trigger.
WITH ends AS (
    SELECT *, lag(id, 1, 0::bigint) OVER w AS since, lead(id) OVER w AS next_end
    FROM rollcall_journal
    WHERE kind IN ('rebalance-completed', 'emptied', 'group-deleted') AND group_id <> ''
    WINDOW w AS (PARTITION BY group_id ORDER BY id)
), told AS (
    SELECT e.group_id, e.id,
           coalesce(nullif(e.trigger, ''), nullif(s.trigger, ''), 'unknown') AS trigger,
           coalesce(e.duration_ms,
                    floor(extract(epoch FROM e.at) * 1000)::bigint
                    - floor(extract(epoch FROM s.at) * 1000)::bigint, 0) AS duration_ms,
           t.duration_ms AS sync_ms, w.who, w.ms,
           coalesce((e.details ->> 'moved')::bigint, (t.details ->> 'moved')::bigint, 0) AS moved
    FROM ends e
    LEFT JOIN LATERAL (
        SELECT * FROM rollcall_journal j
        WHERE j.group_id = e.group_id AND j.kind = 'rebalance-started'
          AND j.id > e.since AND j.id < e.id ORDER BY j.id LIMIT 1
    ) s ON true
    LEFT JOIN LATERAL (
        SELECT * FROM rollcall_journal j
        WHERE j.group_id = e.group_id AND j.kind = 'stable' AND j.id > e.id
          AND (e.next_end IS NULL OR j.id < e.next_end)
          AND j.generation_after = e.generation_after ORDER BY j.id LIMIT 1
    ) t ON true
    LEFT JOIN LATERAL (
        SELECT key AS who, value::bigint AS ms FROM jsonb_each_text(e.waited_for)
        WHERE value::bigint > 0 ORDER BY value::bigint DESC, key COLLATE "C" LIMIT 1
    ) w ON true
    WHERE e.kind = 'rebalance-completed'
)
SELECT group_id, trigger, count(*), sum(duration_ms)::bigint, max(duration_ms),
       coalesce(sum(ms), 0)::bigint,
       (array_agg(who ORDER BY ms DESC, who COLLATE "C") FILTER (WHERE who IS NOT NULL))[1],
       sum(moved)::bigint, sum(duration_ms + coalesce(sync_ms, 0))::bigint
FROM told GROUP BY group_id, trigger
