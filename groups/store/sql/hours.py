"""The SQL by which hours are summarised: progress, by ``groups.sweeps.hours``, from the offset
history; silence, by the owner of the groups (``groups.reporting.liveness``).

The history is read group by group, so that an hour of any size takes little memory and no long
transaction.
"""

from groups.store.sql.facts import LIFE_OF, MOMENT
from groups.store.sql.history import COMMITS

BEGIN = """
INSERT INTO rollcall_progress_done (name, hour, group_id)
VALUES (%(name)s, date_trunc('hour', clock_timestamp(), 'UTC'), '') ON CONFLICT DO NOTHING
"""

NEXT = """
SELECT hour, group_id, hour + %(late_s)s * interval '1 s' + interval '1 hour' <= clock_timestamp()
FROM rollcall_progress_done WHERE name = %(name)s FOR UPDATE
"""
"""The hour to summarise, after which of its groups, and whether it is over."""

MOVE_ON = """
UPDATE rollcall_progress_done SET hour = %(hour)s, group_id = %(group_id)s WHERE name = %(name)s
"""

FIRST_AFTER = """
    SELECT h.group_id FROM rollcall_offset_history AS h
    WHERE h.at >= %(hour)s AND h.at < %(hour)s + interval '1 hour' AND h.group_id > {after}
    ORDER BY h.group_id LIMIT 1"""

GROUPS = f"""
WITH RECURSIVE found AS (
    ({FIRST_AFTER.format(after="%(after)s")})
    UNION ALL
    SELECT ({FIRST_AFTER.format(after="found.group_id")}) FROM found
    WHERE found.group_id IS NOT NULL
)
SELECT group_id FROM found WHERE group_id IS NOT NULL LIMIT %(groups)s
"""
"""Groups with commits in the hour, in order: a look into the index for each of them."""

SUMMARISE = f"""
WITH {MOMENT}, commits AS (
    SELECT group_id, topic, partition, at, committed_offset, member_id,
           row_number() OVER w AS n, lag(at) OVER w AS earlier, lead(at) OVER w AS later
    FROM {COMMITS}
    WHERE group_id = ANY(%(group_ids)s) AND at >= %(hour)s AND at < %(hour)s + interval '1 hour'
      AND NOT is_gone
    WINDOW w AS (PARTITION BY group_id, topic, partition ORDER BY at)
), by_partition AS (
    SELECT group_id, topic, partition, count(*) AS commits,
           max(committed_offset) FILTER (WHERE n = 1) AS first_offset,
           max(committed_offset) FILTER (WHERE later IS NULL) AS last_offset,
           max(member_id) FILTER (WHERE later IS NULL) AS member_id,
           greatest(max(at - coalesce(earlier, %(hour)s)),
                    %(hour)s + interval '1 hour' - max(at)) AS pause
    FROM commits GROUP BY group_id, topic, partition
), authors AS MATERIALIZED (
    SELECT asked.group_id, asked.member_id, {
    LIFE_OF.format(group="asked.group_id", member="asked.member_id", since="%(hour)s")
} AS life
    FROM (SELECT DISTINCT group_id, member_id FROM by_partition) AS asked
    LEFT JOIN rollcall_life_open AS o USING (group_id, member_id)
)
INSERT INTO rollcall_progress (
    at, era, xid, hour, group_id, topic, partitions, commits, first_offsets, last_offsets,
    pauses_ms, lives, end_offsets)
SELECT now, era, xid, %(hour)s, group_id, topic, array_agg(partition ORDER BY partition),
       array_agg(commits ORDER BY partition), array_agg(first_offset ORDER BY partition),
       array_agg(last_offset ORDER BY partition),
       array_agg((extract(epoch FROM pause) * 1000)::int ORDER BY partition),
       array_agg(life ORDER BY partition),
       array_agg(t.end_offsets[partition + 1] ORDER BY partition)
FROM by_partition JOIN authors USING (group_id, member_id) CROSS JOIN moment
LEFT JOIN rollcall_topic AS t ON t.name = topic
GROUP BY now, era, xid, group_id, topic
"""
"""The hour of these groups, a row for each topic. Ends are those of now."""

ADD_SILENCE = f"""
WITH {MOMENT}, asked AS MATERIALIZED (
    SELECT asked.*, now, era, xid, now - %(age_ms)s::bigint * interval '1 ms' AS began
    FROM unnest(%(group_id)s::text[], %(members)s::text[], %(longest_ms)s::text[],
                %(looks)s::text[]) AS asked(group_id, members, longest_ms, looks)
    CROSS JOIN moment
)
INSERT INTO rollcall_silence (at, era, xid, hour, group_id, lives, longest_ms, looks)
SELECT now, era, xid, date_trunc('hour', began + (now - began) / 2, 'UTC'), group_id,
       found.lives, longest_ms::int[], looks::smallint[]
FROM asked CROSS JOIN LATERAL (
    SELECT array_agg({
    LIFE_OF.format(group="asked.group_id", member="w.member_id", since="asked.began")
} ORDER BY w.n) AS lives
    FROM unnest(asked.members::text[]) WITH ORDINALITY AS w(member_id, n)
    LEFT JOIN rollcall_life_open AS o
      ON o.group_id = asked.group_id AND o.member_id = w.member_id
) AS found
"""
"""The hour in whose middle, or nearest to it, was looked at them."""
