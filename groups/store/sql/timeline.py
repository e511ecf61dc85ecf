"""The SQL of a group's timeline; ``console.queries.timeline`` executes it.

Each statement reads rows by index, of the time that is asked for and at most so many of them: what
one of them would leave out is said on the page.
"""

from groups.store.sql.fact_reads import ENDED, LIVES, OWNED
from groups.store.sql.facts import ROUND

PAST = f"""
WITH lives AS MATERIALIZED (
    SELECT * FROM {LIVES} AS lives
    WHERE %(host)s::text IS NULL OR client_host = %(host)s
    ORDER BY joined_at DESC, life DESC LIMIT %(lives)s
), lanes AS (
    SELECT life, CASE WHEN %(host)s::text IS NULL AND (SELECT count(*) FROM lives) > %(members)s
                      THEN client_host ELSE life::text END AS key
    FROM lives
), owned AS MATERIALIZED (
    SELECT life, from_at, until_at,
           (SELECT sum(upper(r) - lower(r)) FROM unnest(partitions) AS r) AS size
    FROM {OWNED} AS owned LIMIT %(changes)s
), size AS (SELECT count(*)::int AS n FROM owned)
SELECT 'life' AS what, life::text AS key, NULL::int AS bin, NULL::int AS partitions,
       NULL::int AS rows_read, member_id, instance_id, client_id, client_host, software_name,
       software_version, joined_at, origin, left_at, departure, heard_at
FROM lives
UNION ALL
(SELECT 'change', key, bin, sum(change)::int,
        NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
 FROM (
    SELECT key, each.sign * size AS change,
           greatest(0, floor(extract(epoch FROM each.at - %(first)s) / %(step_s)s))::int AS bin
    FROM owned JOIN lanes USING (life)
    CROSS JOIN LATERAL (VALUES (from_at, 1), (until_at, -1)) AS each(at, sign)
    WHERE each.at <= %(last)s AND (SELECT n FROM size) < %(changes)s
 ) AS changed
 GROUP BY key, bin)
UNION ALL
(SELECT 'size', NULL, NULL, NULL, n,
        NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM size)
UNION ALL
(SELECT 'mark', NULL, NULL, NULL, NULL, text, NULL, actor, NULL, NULL, NULL, at, NULL, NULL, NULL,
        NULL
 FROM rollcall_mark
 WHERE group_id IN ('', %(group_id)s) AND at >= %(first)s AND at <= %(last)s
 ORDER BY at DESC LIMIT %(marks)s)
UNION ALL
(SELECT 'deploy', NULL, NULL, NULL, NULL, keys::text, NULL, figures::text, NULL, NULL, NULL, NULL,
        NULL, NULL, NULL, NULL
 FROM rollcall_report_row
 WHERE run_id = (SELECT max(id) FROM rollcall_report_run WHERE state = 'succeeded')
   AND report = 'deploys' AND period = 'all' AND keys ->> 'group_id' = %(group_id)s
   AND %(has_reports)s
 LIMIT %(marks)s)
"""
"""Rows of five sorts, since a page asks seldom: lives, the newest first; by how many partitions the
ownership of each lane (a life, or of many a host) changed in each part of the time (the first one
has what it owned before, too), none if there were too many; of how many rows that is made; marks;
deploys that the newest analysis has recognised."""

ROUNDS = f"""
(SELECT generation, outcome, started_at, ended_at, is_partial, members, moved, stopped_ms,
        silent_ms, unowned_ms, triggers, cause_members, cause_ids, cause_at_ms, cause_ms,
        acts, ends, counts,
        CASE WHEN so_far - cardinality(lives) < %(waits)s THEN lives END AS lives,
        CASE WHEN so_far - cardinality(lives) < %(waits)s THEN waited_ms END AS waited_ms
 FROM (
    SELECT *, sum(cardinality(lives)) OVER (ORDER BY ended_at DESC, id DESC) AS so_far FROM (
        SELECT * FROM {ENDED} AS ended ORDER BY ended_at DESC, id DESC LIMIT %(rounds)s
    ) AS newest
 ) AS r
 ORDER BY ended_at DESC, id DESC)
UNION ALL
(SELECT generation, outcome, started_at, ended_at, is_partial, members, moved, stopped_ms,
        silent_ms, unowned_ms, triggers, cause_members, cause_ids, cause_at_ms, cause_ms,
        acts, ends, counts, NULL, NULL
 FROM (
    (SELECT {ROUND} FROM rollcall_round WHERE group_id = %(group_id)s AND ended_at < %(first)s
     ORDER BY ended_at DESC LIMIT 1)
    UNION ALL
    (SELECT {ROUND} FROM (
        SELECT * FROM rollcall_facts_packed
        WHERE of_group = %(group_id)s AND table_name = 'rollcall_round' AND began < %(first)s
        ORDER BY began DESC LIMIT 1) AS p CROSS JOIN LATERAL unnest(p.round_rows) AS r
     WHERE ended_at < %(first)s)
 ) AS earlier
 ORDER BY ended_at DESC LIMIT 1)
"""
"""The newest ones first, with whom they waited for as far as so many waits are read; the last one
is that before the time."""
