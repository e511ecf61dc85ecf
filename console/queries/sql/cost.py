"""The cost of rebalances from the newest entries of the journal, in one statement.

It computes what the pipeline computes (``pipeline.steps.rebalances``, ``pipeline.steps.cost``); a
test compares the two. Entries are read backwards by their numbers, at most ``entries``; what began
before them is looked up by the index of its group.
"""

TIMEOUT = "SET LOCAL statement_timeout TO '5s'"
"""Longer than people wait for a page."""

_NUMBER = "CASE jsonb_typeof(details -> '{0}') WHEN 'number' THEN (details -> '{0}')::bigint END"

_READ = f"""
read AS MATERIALIZED (
    SELECT id, at, group_id, kind, trigger, generation_after, duration_ms,
           CASE jsonb_typeof(waited_for) WHEN 'object' THEN waited_for ELSE '{{}}' END
               AS waited_for,
           CASE jsonb_typeof(details #> '{{why,causes}}') WHEN 'array'
                THEN details #> '{{why,causes}}' ELSE '[]' END AS causes,
           {_NUMBER.format("moved")} AS moved, {_NUMBER.format("unowned_longest_ms")} AS known_ms
    FROM rollcall_journal WHERE id >= %(first)s ORDER BY id DESC LIMIT %(entries)s
)"""

_COMPLETED = """
followed AS (
    SELECT *, lead(kind) OVER later AS next_kind, lead(duration_ms) OVER later AS next_ms,
           lead(generation_after) OVER later AS next_generation,
           lead(moved) OVER later AS next_moved
    FROM read
    WHERE kind IN (%(rebalance_completed)s, %(stable)s, %(emptied)s, %(group_deleted)s)
      AND group_id <> ''
    WINDOW later AS (PARTITION BY group_id ORDER BY id)
), completed AS (
    SELECT *, CASE WHEN is_assigned THEN next_ms ELSE 0 END AS sync_ms,
           coalesce(moved, CASE WHEN is_assigned THEN next_moved END, 0) AS partitions_moved
    FROM (
        SELECT *, coalesce(next_kind = %(stable)s AND next_generation = generation_after, false)
               AS is_assigned
        FROM followed
        WHERE kind = %(rebalance_completed)s AND (%(since)s::timestamptz IS NULL OR at >= %(since)s)
    ) AS each
)"""

_BEGUN = """
begun AS (
    SELECT c.*, coalesce(nullif(c.trigger, ''), nullif(s.trigger, ''), 'unknown') AS cause,
           coalesce(c.duration_ms, greatest(0, floor(extract(epoch FROM c.at) * 1000)::bigint
                    - floor(extract(epoch FROM s.at) * 1000)::bigint), 0) AS took_ms
    FROM completed c LEFT JOIN LATERAL (
        SELECT j.at, j.trigger FROM rollcall_journal j
        WHERE (c.trigger = '' OR c.duration_ms IS NULL)
          AND j.group_id = c.group_id AND j.kind = %(rebalance_started)s AND j.id < c.id
          AND j.id > coalesce((
              SELECT e.id FROM rollcall_journal e
              WHERE e.group_id = c.group_id AND e.id < c.id
                AND e.kind IN (%(rebalance_completed)s, %(rebalance_abandoned)s, %(emptied)s,
                               %(group_deleted)s)
              ORDER BY e.id DESC LIMIT 1), 0)
        ORDER BY j.id LIMIT 1
    ) s ON true
), told AS (
    SELECT b.*, coalesce(known_ms, took_ms + coalesce(sync_ms, 0)) AS without_ms,
           w.member_id AS slowest_member, w.ms AS slowest_ms
    FROM begun b LEFT JOIN LATERAL (
        SELECT key AS member_id, value::bigint AS ms FROM jsonb_each(b.waited_for)
        WHERE jsonb_typeof(value) = 'number' AND value::bigint > 0
        ORDER BY value::bigint DESC, key COLLATE "C" LIMIT 1
    ) w ON true
)"""

_DIVIDED = """
causes AS (
    SELECT id, c ->> 'trigger' AS trigger, min(n) AS n,
           coalesce(sum((c ->> 'ms')::bigint), 0)::bigint AS ms
    FROM told, jsonb_array_elements(causes) WITH ORDINALITY AS one(c, n) GROUP BY 1, 2
    UNION ALL SELECT id, cause, 1, took_ms FROM told WHERE causes = '[]'
), shares AS (
    SELECT id, trigger, ms, greatest(sum(ms) OVER of_one, 1) AS total,
           row_number() OVER (PARTITION BY id ORDER BY n) = 1 AS is_first
    FROM causes WINDOW of_one AS (PARTITION BY id)
), floored AS (
    SELECT t.*, s.trigger AS charged, s.ms, s.is_first,
           div(t.without_ms * s.ms::numeric, s.total)::bigint AS part,
           div(t.known_ms * s.ms::numeric, s.total)::bigint AS known_part
    FROM shares s JOIN told t USING (id)
), divided AS (
    SELECT id, at, group_id, charged AS trigger, ms,
           CASE WHEN is_first THEN slowest_ms END AS slowest_ms,
           CASE WHEN is_first THEN slowest_member END AS slowest_member,
           CASE WHEN is_first THEN partitions_moved ELSE 0 END AS moved,
           CASE WHEN is_first THEN (without_ms - sum(part) OVER of_one + part)::bigint ELSE part END
               AS without_ms,
           CASE WHEN is_first THEN (known_ms - sum(known_part) OVER of_one + known_part)::bigint
                ELSE known_part END AS known_ms
    FROM floored WINDOW of_one AS (PARTITION BY id)
)"""

COST = f"""
WITH {_READ}, {_COMPLETED}, {_BEGUN}, {_DIVIDED}
SELECT group_id, trigger, %(before)s::timestamptz IS NOT NULL AND at < %(before)s AS is_before,
       count(*) AS rebalances, sum(ms)::bigint AS duration_ms, max(ms) AS longest_ms,
       percentile_disc(0.5) WITHIN GROUP (ORDER BY ms) AS p50_ms,
       percentile_disc(0.95) WITHIN GROUP (ORDER BY ms) AS p95_ms,
       percentile_disc(0.99) WITHIN GROUP (ORDER BY ms) AS p99_ms,
       coalesce(sum(slowest_ms), 0)::bigint AS waited_ms,
       (array_agg(slowest_member
                  ORDER BY slowest_ms DESC NULLS LAST, slowest_member COLLATE "C"))[1]
           AS slowest_member,
       sum(moved)::bigint AS partitions_moved, sum(without_ms)::bigint AS without_owner_ms,
       coalesce(sum(known_ms), 0)::bigint AS without_owner_known_ms,
       count(*) FILTER (WHERE known_ms IS NULL) AS unknown_rebalances,
       (array_agg(id ORDER BY without_ms DESC, id))[1] AS worst_journal_id
FROM divided GROUP BY 1, 2, 3
"""
"""By group and cause, of those completed from ``since`` on (null: all); ``is_before``: those that
were completed before that time."""

READ = """
SELECT count(*), min(at) FROM (
    SELECT at FROM rollcall_journal WHERE id >= %(first)s ORDER BY id DESC LIMIT %(entries)s
) AS read
"""
"""How many entries that reads, and the time of the first of them."""
