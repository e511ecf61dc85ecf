"""The SQL of a group's timeline; ``console.queries.timeline`` executes it.

Each statement reads rows by index, of the time that is asked for and at most so many of them: what
one of them would leave out is said on the page.
"""

from console.queries.sql.fact_reads import ENDED, OWNED
from groups.store.sql.facts import ROUND

LIFE = """life, member_id, instance_id, client_id, client_host, software_name, software_version,
        joined_at"""

OF_HOST = "(%(host)s::text IS NULL OR client_host = %(host)s)"

LIVES = f"""
    SELECT {LIFE}, NULL::timestamptz AS left_at, NULL AS departure, NULL::timestamptz AS heard_at
    FROM rollcall_life_open
    WHERE group_id = %(group_id)s AND joined_at <= %(last)s AND {OF_HOST}
    UNION ALL
    (SELECT {LIFE}, left_at, departure, heard_at FROM rollcall_life
     WHERE group_id = %(group_id)s AND at >= %(first)s AND left_at > %(first)s
       AND joined_at <= %(last)s AND {OF_HOST} ORDER BY left_at DESC LIMIT %(lives)s)
    UNION ALL
    SELECT {LIFE}, left_at, departure, heard_at FROM (
        SELECT * FROM rollcall_facts_packed
        WHERE of_group = %(group_id)s AND table_name = 'rollcall_life' AND last_at >= %(first)s
          AND began <= %(last)s ORDER BY last_at DESC
    ) AS p CROSS JOIN LATERAL unnest(p.life_rows) AS r
    WHERE left_at > %(first)s AND joined_at <= %(last)s AND {OF_HOST}
    LIMIT %(lives)s
"""
"""Those that are there, then those that ended last: the rest of the time is not unpacked for more
than are read."""

LANES = f"""
WITH lives AS MATERIALIZED (
    {LIVES}
), number AS MATERIALIZED (
    SELECT count(*)::int AS lives, min(joined_at) AS first_at,
           %(host)s::text IS NULL AND count(*) > %(members)s AS by_host FROM lives
), keyed AS MATERIALIZED (
    SELECT each.*, CASE WHEN by_host THEN client_host ELSE life::text END AS key,
           coalesce(waited.ms, 0) AS ms
    FROM lives AS each CROSS JOIN number
    LEFT JOIN unnest(%(waited)s::bigint[], %(waited_ms)s::bigint[]) AS waited(life, ms)
        USING (life)
), ranked AS MATERIALIZED (
    SELECT key, row_number() OVER (ORDER BY
        count(*) FILTER (WHERE departure = ANY(%(lost)s)) DESC, sum(ms) DESC, count(left_at) DESC,
        min(client_host || client_id || member_id) COLLATE "C", key) AS place
    FROM keyed GROUP BY key
), placed AS MATERIALIZED (
    SELECT keyed.*, least(place, %(lanes)s + 1)::int AS place FROM keyed JOIN ranked USING (key)
), lanes AS (
    SELECT place, min(key) AS key, min(client_host) AS host, min(instance_id) AS instance_id,
           min(client_id) AS client_id, min(member_id) AS member_id,
           min(software_name) AS software_name, min(software_version) AS software_version,
           count(DISTINCT member_id)::int AS members, count(*)::int AS lives,
           count(left_at)::int AS gone,
           (count(*) FILTER (WHERE departure = ANY(%(lost)s)))::int AS lost, sum(ms)::bigint AS ms,
           array_agg(member_id) FILTER (WHERE NOT (SELECT by_host FROM number)) AS member_ids,
           array_agg(life) FILTER (WHERE life = ANY(%(longest)s)) AS awaited
    FROM placed GROUP BY place
), spans AS (
    SELECT place, array_agg(lower(r) ORDER BY r) AS begins, array_agg(upper(r) ORDER BY r) AS ends
    FROM (SELECT place, range_agg(tstzrange(joined_at, left_at, '[]')) AS spans
          FROM placed GROUP BY place) AS together
    CROSS JOIN LATERAL unnest(spans) AS r GROUP BY place
), parted AS (
    SELECT place, array_agg(left_at ORDER BY nth) AS left_at,
           array_agg(departure ORDER BY nth) AS departures,
           array_agg(member_id ORDER BY nth) AS left_ids,
           array_agg(heard_at ORDER BY nth) AS heard_at
    FROM (SELECT *, row_number() OVER (PARTITION BY place
              ORDER BY left_at DESC, departure DESC, member_id DESC) AS nth
          FROM placed WHERE left_at IS NOT NULL) AS newest
    WHERE nth <= %(departures)s GROUP BY place
), owned AS MATERIALIZED (
    SELECT life, from_at, until_at,
           (SELECT sum(upper(r) - lower(r)) FROM unnest(partitions) AS r) AS size
    FROM {OWNED} AS owned LIMIT %(changes)s
), size AS (
    SELECT count(*)::int AS owned FROM owned
), steps AS (
    SELECT place, array_agg(bin ORDER BY bin) AS bins, array_agg(change ORDER BY bin) AS changes
    FROM (
        SELECT place, bin, sum(change)::int AS change FROM (
            SELECT place, each.sign * size AS change,
                   greatest(0, floor(
                       date_part('epoch', each.at - %(first)s) / %(step_s)s::float8))::int AS bin
            FROM owned JOIN placed USING (life)
            CROSS JOIN LATERAL (VALUES (from_at, 1), (until_at, -1)) AS each(at, sign)
            WHERE each.at <= %(last)s AND (SELECT owned FROM size) < %(changes)s
        ) AS changed GROUP BY place, bin
    ) AS summed GROUP BY place
), named AS MATERIALIZED (
    SELECT member_id, coalesce(nullif(instance_id, ''), client_id) AS name FROM lives
), names AS MATERIALIZED (
    SELECT name, min(member_id) <> max(member_id) AS are_alike FROM named GROUP BY name
), marks AS (
    SELECT at, text, actor FROM rollcall_mark
    WHERE group_id IN ('', %(group_id)s) AND at >= %(first)s AND at <= %(last)s
    ORDER BY at DESC LIMIT %(marks)s
), deploys AS (
    SELECT keys, figures FROM rollcall_report_run_row
    WHERE run_id = (SELECT max(id) FROM rollcall_report_run WHERE state = 'succeeded')
      AND report = 'deploys' AND period = 'all' AND keys ->> 'group_id' = %(group_id)s
      AND %(has_reports)s
    LIMIT %(marks)s
), mentioned AS MATERIALIZED (
    SELECT member_id, min(name) AS name FROM named WHERE member_id = ANY(%(mentioned)s)
    GROUP BY member_id
)
SELECT number.lives, by_host, first_at, (SELECT owned FROM size),
       (SELECT count(*)::int FROM ranked), lanes.*, coalesce(are_alike, false), begins, ends,
       left_at, departures, left_ids, heard_at, bins, changes,
       CASE WHEN coalesce(place, 1) = 1 THEN jsonb_build_object(
           'marks', (SELECT jsonb_agg(jsonb_build_array(at, text, actor)) FROM marks),
           'deploys', (SELECT jsonb_agg(jsonb_build_array(keys::text, figures::text)) FROM deploys),
           'names', (SELECT jsonb_object_agg(member_id, name) FROM mentioned),
           'alike', (SELECT jsonb_agg(name) FROM names JOIN mentioned USING (name)
                     WHERE are_alike),
           'slowest', (SELECT jsonb_build_array(life, member_id,
                                                coalesce(nullif(instance_id, ''), client_id))
                       FROM keyed WHERE ms > 0 ORDER BY ms DESC, life LIMIT 1)) END
FROM number LEFT JOIN lanes ON true LEFT JOIN names ON name = client_id
LEFT JOIN spans USING (place) LEFT JOIN parted USING (place) LEFT JOIN steps USING (place)
ORDER BY place
"""
"""A row for each lane: a life, or of many all of a host; those first whose members were lost, then
those that were waited for longest, then those that left; the last one has all that there is no room
for. With each: when at least one was there, the newest departures,
and by how many partitions the ownership changed in each part of the time (the first one has what it
owned before, too), none if too many moved. The first row has what is said of all: names of the
members ``mentioned``, which of these several members have, whom rebalances waited for longest,
marks, and deploys that the newest analysis has recognised. Without lives it is the only one,
without a lane."""

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
