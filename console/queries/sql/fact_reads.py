"""The SQL by which the facts are read; ``console.queries.facts`` executes it.

What has ended is looked for in the partitions of the time since then, since a row is added when it
ends; in each of them an index leads to what had begun by then.
"""

from console.queries.sql.packed_facts import packed_of_group
from groups.store.sql.facts import LIFE, ROUND

OVER = f"{LIFE}, left_generation, left_at, departure, heard_at"
OPEN = f"{LIFE}, NULL, NULL, NULL, NULL"

LIVES = f"""(
    SELECT {OVER} FROM rollcall_life
    WHERE group_id = %(group_id)s AND at >= %(first)s AND left_at > %(first)s
      AND joined_at <= %(last)s
    UNION ALL
    {packed_of_group("rollcall_life", OVER, "left_at > %(first)s AND joined_at <= %(last)s")}
    UNION ALL
    SELECT {OPEN} FROM rollcall_life_open
    WHERE group_id = %(group_id)s AND joined_at <= %(last)s)"""

INTERVAL = """life, topic, topic_id, partitions, from_generation, from_at, until_generation,
        until_at"""

OWNED = f"""(
    SELECT {INTERVAL} FROM rollcall_ownership
    WHERE group_id = %(group_id)s AND at >= %(first)s AND until_at > %(first)s
      AND from_at <= %(last)s
    UNION ALL
    {
    packed_of_group("rollcall_ownership", INTERVAL, "until_at > %(first)s AND from_at <= %(last)s")
}
    UNION ALL
    SELECT o.life, topic, topic_id, partitions, from_generation, from_at, NULL, NULL
    FROM rollcall_life_open AS l JOIN rollcall_ownership_open AS o USING (life)
    WHERE l.group_id = %(group_id)s AND from_at <= %(last)s)"""

OF_GROUP = f"""
SELECT life, member_id, instance_id, client_id, client_host, principal, rack_id, software_name,
       software_version, kind, session_timeout_ms, rebalance_timeout_ms, subscription, pattern,
       protocols, joined_generation, joined_at, origin, left_generation, left_at, departure,
       heard_at
FROM {LIVES} AS lives ORDER BY joined_at, life LIMIT %(most)s
"""

OWNERS = f"""
SELECT topic, partitions::text, from_generation, from_at, until_generation, until_at, life
FROM {OWNED} AS owned
WHERE (%(topic)s::text IS NULL OR topic = %(topic)s)
  AND (%(partition)s::int IS NULL OR partitions @> %(partition)s::int)
ORDER BY from_at, topic, life, partitions LIMIT %(most)s
"""

ASSIGNED = f"""
WITH owned AS MATERIALIZED (
    SELECT * FROM {OWNED} AS owned
    WHERE (%(topic)s::text IS NULL OR topic = %(topic)s)
      AND (%(after_topic)s::text IS NULL OR topic >= %(after_topic)s)
), pieces AS (
    SELECT topic, upper(r) - 1 AS last,
           CASE WHEN topic = %(after_topic)s THEN greatest(lower(r), %(after)s::bigint + 1)
                ELSE lower(r) END AS first
    FROM (SELECT topic, range_agg(partitions) AS every FROM owned GROUP BY topic) AS topics
    CROSS JOIN LATERAL unnest(every) AS r
), page AS (
    SELECT topic, int4range(min(n)::int, max(n)::int, '[]') AS numbers FROM (
        SELECT topic, n FROM pieces
        CROSS JOIN LATERAL generate_series(first, least(last, first + %(most)s - 1)) AS n
        ORDER BY topic, n LIMIT %(most)s
    ) AS following GROUP BY topic
)
SELECT DISTINCT ON (topic, partition)
       topic, partition, from_generation, from_at, until_generation, until_at, life
FROM page JOIN owned USING (topic)
CROSS JOIN LATERAL unnest(partitions * int4multirange(numbers)) AS r
CROSS JOIN LATERAL generate_series(lower(r), upper(r) - 1) AS partition
WHERE partitions && numbers
ORDER BY topic, partition, from_at DESC LIMIT %(most)s
"""
"""Partitions one by one, after one of them; of two owners the later one. First which partitions the
page has, then who owned these: a page of 50,000 is not made of all of them."""

NAMES = f"""
SELECT life, member_id, instance_id, client_id, client_host FROM {LIVES} AS lives
WHERE life = ANY(%(lives)s)
"""
"""By life: a statement of its own. PostgreSQL does not know how many rows a new day has, and in a
join would look for each owner among all lives."""

OF_TIME = "ended_at >= %(first)s AND started_at <= %(last)s"

ENDED = f"""(
    SELECT id, {ROUND} FROM rollcall_round
    WHERE group_id = %(group_id)s AND at >= %(first)s AND {OF_TIME}
    UNION ALL
    {packed_of_group("rollcall_round", f"id, {ROUND}", OF_TIME)})"""

ROUNDS = f"""
SELECT id, generation, kind, outcome, started_at, ended_at, is_partial, members, moved, stopped_ms,
       silent_ms, unowned_ms, triggers, cause_members, cause_ids, cause_at_ms, cause_ms,
       acts, ends, counts, lives, waited_ms
FROM {ENDED} AS ended WHERE id > %(after)s ORDER BY id LIMIT %(most)s
"""
"""In the order in which they ended: a group's rows are written one after another."""

IS_KNOWN = """
SELECT EXISTS (SELECT FROM rollcall_group WHERE group_id = %(group_id)s)
    OR EXISTS (SELECT FROM rollcall_life WHERE group_id = %(group_id)s AND left_at IS NOT NULL)
    OR EXISTS (SELECT FROM rollcall_facts_packed WHERE of_group = %(group_id)s)
"""

HOUR = """hour, topic, partitions, commits, first_offsets, last_offsets, pauses_ms, end_offsets,
        lives"""

IN_HOURS = "hour > %(first)s - interval '1 hour' AND hour <= %(last)s"

PROGRESS = f"""
SELECT hour, topic, each.*
FROM (
    SELECT {HOUR} FROM rollcall_progress
    WHERE group_id = %(group_id)s AND at >= %(first)s AND {IN_HOURS}
    UNION ALL
    {packed_of_group("rollcall_progress", HOUR, IN_HOURS)}
) AS hours CROSS JOIN LATERAL unnest(
    partitions, commits, first_offsets, last_offsets, pauses_ms, end_offsets, lives) AS each(
    partition, commits, first_offset, last_offset, pause_ms, end_offset, life)
WHERE (%(topic)s::text IS NULL OR topic = %(topic)s)
  AND (%(partition)s::int IS NULL OR partition = %(partition)s)
ORDER BY hour, topic, partition LIMIT %(most)s
"""
