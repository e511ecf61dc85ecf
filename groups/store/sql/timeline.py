"""The SQL of a group's timeline; ``console.queries.timeline`` executes it.

Every statement reads one group's rows by index, of the time that is asked for and at most so many
of them: what one of them would leave out is said on the page.
"""

from groups.store.sql.fact_reads import LIVES, OWNED

LIVES_OF = f"""
SELECT life, member_id, instance_id, client_id, client_host, software_name, software_version,
       joined_at, origin, left_at, departure, heard_at
FROM {LIVES} AS lives
WHERE %(host)s::text IS NULL OR client_host = %(host)s
ORDER BY joined_at, life LIMIT %(most)s
"""

CHANGES = f"""
SELECT life, bin, sum(change)::int, count(*)::int FROM (
    SELECT life,
           greatest(0, floor(extract(epoch FROM each.at - %(first)s) / %(step_s)s))::int AS bin,
           each.sign * size AS change
    FROM (
        SELECT life, from_at, until_at,
               (SELECT sum(upper(r) - lower(r)) FROM unnest(partitions) AS r) AS size
        FROM {OWNED} AS owned
        LIMIT %(most)s
    ) AS sized
    CROSS JOIN LATERAL (VALUES (from_at, 1), (until_at, -1)) AS each(at, sign)
    WHERE each.at <= %(last)s
) AS changed
GROUP BY life, bin
"""
"""By how many partitions each life's ownership changed in each part of the time; the first one has
what it owned before, too. How many rows it is made of, besides."""

ROUND = """generation, kind, outcome, started_at, ended_at, members, moved, stopped_ms, silent_ms,
       unowned_ms, triggers, cause_members, cause_ids, cause_at_ms, cause_ms, is_partial"""

ROUNDS = f"""
(SELECT {ROUND} FROM rollcall_round
 WHERE group_id = %(group_id)s AND at >= %(first)s AND ended_at >= %(first)s
   AND started_at <= %(last)s
 ORDER BY ended_at DESC LIMIT %(most)s)
UNION ALL
(SELECT {ROUND} FROM rollcall_round
 WHERE group_id = %(group_id)s AND ended_at < %(first)s
 ORDER BY ended_at DESC LIMIT 1)
"""
"""The newest ones first; the last one is that before the time."""

WAITS = """
WITH rounds AS MATERIALIZED (
    SELECT id, generation, started_at, acts, ends, counts, lives, waited_ms FROM (
        SELECT *, sum(cardinality(r.lives)) OVER (ORDER BY ended_at DESC, id DESC) AS so_far
        FROM rollcall_round AS r
        WHERE group_id = %(group_id)s AND at >= %(first)s AND ended_at >= %(first)s
          AND started_at <= %(last)s AND cardinality(r.lives) > 0
    ) AS r WHERE so_far - cardinality(lives) < %(most)s
), starts AS MATERIALIZED (
    SELECT id, array_agg(start ORDER BY run) AS starts FROM (
        SELECT id, run, sum(n) OVER (PARTITION BY id ORDER BY run) - n + 1 AS start
        FROM rounds CROSS JOIN LATERAL unnest(counts) WITH ORDINALITY AS c(n, run)
    ) AS runs GROUP BY id
), waits AS MATERIALIZED (
    SELECT w.life, generation, started_at, w.ms, acts[run.run] AS act, ends[run.run] AS end
    FROM rounds JOIN starts USING (id)
    CROSS JOIN LATERAL unnest(lives, waited_ms) WITH ORDINALITY AS w(life, ms, nth)
    CROSS JOIN LATERAL (SELECT width_bucket(w.nth, starts) AS run) AS run
    WHERE w.life IS NOT NULL
)
(SELECT life, NULL::int, NULL::timestamptz, sum(ms)::bigint, NULL::text, NULL::text,
        count(DISTINCT generation)::int
 FROM waits GROUP BY life ORDER BY sum(ms) DESC, life LIMIT %(lives)s)
UNION ALL
(SELECT life, generation, started_at, ms, act, "end", 1
 FROM waits ORDER BY ms DESC, life LIMIT %(segments)s)
"""
"""The lives that were waited for longest, each with its sum and in how many rebalances; then the
longest single waits."""
