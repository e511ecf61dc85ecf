-- What Spark must say, in plain SQL and by another way: for each completion, look its start and
-- its "stable" up among the entries around it.
CREATE TEMP VIEW told AS
WITH around AS (
    SELECT c.*,
           coalesce((SELECT max(e.id) FROM rollcall_journal e
                     WHERE e.group_id = c.group_id AND e.id < c.id
                       AND e.kind IN ('rebalance-completed', 'rebalance-abandoned', 'emptied',
                                      'group-deleted')), 0) AS since,
           coalesce((SELECT min(e.id) FROM rollcall_journal e
                     WHERE e.group_id = c.group_id AND e.id > c.id
                       AND e.kind IN ('rebalance-completed', 'emptied', 'group-deleted')),
                    9223372036854775807) AS until
    FROM rollcall_journal c
    WHERE c.kind = 'rebalance-completed'
), joined AS (
    SELECT a.*, s.at AS start_at, s.trigger AS start_trigger, s.reason AS start_reason,
           s.client_reason AS start_client_reason,
           t.at AS stable_at, t.duration_ms AS sync_ms, (t.details ->> 'moved')::bigint AS given,
           w.member_id AS slowest_member, w.ms AS slowest_ms,
           coalesce(a.duration_ms,
                    greatest(0, floor(extract(epoch FROM a.at) * 1000)::bigint
                                - floor(extract(epoch FROM s.at) * 1000)::bigint), 0) AS took_ms
    FROM around a
    LEFT JOIN LATERAL (
        SELECT * FROM rollcall_journal j
        WHERE j.group_id = a.group_id AND j.kind = 'rebalance-started'
          AND j.id > a.since AND j.id < a.id ORDER BY j.id LIMIT 1
    ) s ON true
    LEFT JOIN LATERAL (
        SELECT * FROM (
            SELECT * FROM rollcall_journal j
            WHERE j.group_id = a.group_id AND j.kind = 'stable'
              AND j.id > a.id AND j.id < a.until ORDER BY j.id LIMIT 1
        ) first WHERE first.generation_after = a.generation_after
    ) t ON true
    LEFT JOIN LATERAL (
        SELECT key AS member_id, value::bigint AS ms FROM jsonb_each_text(a.waited_for)
        WHERE value::bigint > 0 ORDER BY value::bigint DESC, key COLLATE "C" LIMIT 1
    ) w ON true
)
SELECT id AS journal_id, group_id,
       CASE WHEN details ? 'moved' THEN 'consumer'
            WHEN details ? 'waited_for_count' OR stable_at IS NOT NULL THEN 'classic'
       END AS kind,
       coalesce(nullif(trigger, ''), nullif(start_trigger, ''), 'unknown') AS trigger,
       coalesce(nullif(reason, ''), nullif(start_reason, ''), '') AS reason,
       coalesce(nullif(client_reason, ''), nullif(start_client_reason, ''), '') AS client_reason,
       member_id, client_id, generation_before, generation_after,
       coalesce(start_at, date_trunc('milliseconds', at) - took_ms * interval '1 ms')
           AS started_at,
       at AS completed_at, stable_at, took_ms AS duration_ms, sync_ms,
       coalesce((details ->> 'unowned_longest_ms')::bigint, took_ms + coalesce(sync_ms, 0))
           AS without_owner_ms,
       (details ->> 'unowned_longest_ms')::bigint AS without_owner_known_ms,
       slowest_member, slowest_ms,
       (details ->> 'members')::int AS members,
       coalesce((details ->> 'moved')::bigint, given, 0) AS partitions_moved
FROM joined;

CREATE TEMP VIEW cost AS
SELECT group_id, trigger, count(*) AS rebalances, sum(duration_ms)::bigint AS duration_ms,
       max(duration_ms) AS longest_ms,
       percentile_disc(0.5) WITHIN GROUP (ORDER BY duration_ms) AS p50_ms,
       percentile_disc(0.95) WITHIN GROUP (ORDER BY duration_ms) AS p95_ms,
       percentile_disc(0.99) WITHIN GROUP (ORDER BY duration_ms) AS p99_ms,
       coalesce(sum(slowest_ms), 0)::bigint AS waited_ms,
       (array_agg(slowest_member ORDER BY slowest_ms DESC NULLS LAST, slowest_member COLLATE "C"))[1]
           AS slowest_member,
       sum(partitions_moved)::bigint AS partitions_moved,
       sum(without_owner_ms)::bigint AS without_owner_ms,
       coalesce(sum(without_owner_known_ms), 0)::bigint AS without_owner_known_ms,
       count(*) FILTER (WHERE without_owner_known_ms IS NULL) AS unknown_rebalances,
       (array_agg(journal_id ORDER BY without_owner_ms DESC, journal_id))[1] AS worst_journal_id
FROM told GROUP BY group_id, trigger;
