"""The SQL by which the facts of all groups are read: whose lives were on a host, and which groups
had a partition. No index leads to either, so what is read are the
days of the time that is asked for; a page goes on by key.
"""

from console.queries.sql.fact_reads import OPEN, OVER
from console.queries.sql.packed_facts import packed_between

LIVED = """(%(host)s::text IS NULL OR ltrim(client_host, '/') = %(host)s)
      AND (%(client_id)s::text IS NULL OR client_id = %(client_id)s)"""

WAS_OVER = f"left_at > %(first)s AND joined_at <= %(last)s AND {LIVED}"

LIVES = f"""
SELECT life, member_id, instance_id, client_id, client_host, principal, rack_id, software_name,
       software_version, kind, session_timeout_ms, rebalance_timeout_ms, subscription, pattern,
       protocols, joined_generation, joined_at, origin, left_generation, left_at, departure,
       heard_at, group_id
FROM (
    SELECT {OVER} FROM rollcall_life WHERE at >= %(first)s AND {WAS_OVER}
    UNION ALL
    {packed_between("rollcall_life", OVER, WAS_OVER)}
    UNION ALL
    SELECT {OPEN} FROM rollcall_life_open WHERE joined_at <= %(last)s AND {LIVED}
) AS lives
WHERE (joined_at, life) > (%(after_at)s, %(after)s) ORDER BY joined_at, life LIMIT %(most)s
"""

INTERVAL = """life, group_id, topic, partitions, from_generation, from_at, until_generation,
        until_at"""

OF_PARTITION = "topic = %(topic)s AND partitions @> %(partition)s::int"

HAD = f"until_at > %(first)s AND from_at <= %(last)s AND {OF_PARTITION}"

OWNERS = f"""
SELECT topic, partitions::text, from_generation, from_at, until_generation, until_at, life, group_id
FROM (
    SELECT {INTERVAL} FROM rollcall_ownership WHERE at >= %(first)s AND {HAD}
    UNION ALL
    {packed_between("rollcall_ownership", INTERVAL, HAD)}
    UNION ALL
    SELECT life, group_id, topic, partitions, from_generation, from_at, NULL, NULL
    FROM rollcall_ownership_open WHERE from_at <= %(last)s AND {OF_PARTITION}
) AS owned
WHERE (from_at, life) > (%(after_at)s, %(after)s) ORDER BY from_at, life LIMIT %(most)s
"""
"""A life has a partition once at a time, so the two are a key."""

NAMES = f"""
SELECT life, member_id, instance_id, client_id, client_host FROM (
    SELECT {OVER} FROM rollcall_life
    WHERE group_id = ANY(%(group_ids)s) AND left_at > %(first)s AND at >= %(first)s
    UNION ALL
    {packed_between("rollcall_life", OVER, "p.of_group = ANY(%(group_ids)s)")}
    UNION ALL
    SELECT {OPEN} FROM rollcall_life_open WHERE group_id = ANY(%(group_ids)s)
) AS lives WHERE life = ANY(%(lives)s)
"""
"""Members by their lives, of these groups."""

WITHIN = "hour + interval '1 hour' > %(first)s AND hour <= %(last)s"
PACKED_WITHIN = f"p.of_group = g.group_id AND {WITHIN}"

PROGRESS = f"""
SELECT g.group_id, made.commits, made.last_hour, last.committed_at
FROM rollcall_group AS g
CROSS JOIN LATERAL (
    SELECT max(committed_at) AS committed_at FROM rollcall_offset AS o WHERE o.group_id = g.group_id
) AS last
CROSS JOIN LATERAL (
    SELECT coalesce(sum(n), 0)::bigint AS commits, max(hour) AS last_hour
    FROM (
        SELECT hour, commits FROM rollcall_progress
        WHERE group_id = g.group_id AND at >= %(first)s AND {WITHIN}
        UNION ALL
        {packed_between("rollcall_progress", "hour, commits", PACKED_WITHIN)}
    ) AS hours CROSS JOIN LATERAL unnest(commits) AS n
) AS made
WHERE g.group_id > %(after)s AND last.committed_at IS NOT NULL
  AND NOT (%(idle)s AND made.last_hour IS NOT NULL)
ORDER BY g.group_id LIMIT %(most)s
"""
"""Group by group, so a page costs what its groups have, and those that it passes over."""
