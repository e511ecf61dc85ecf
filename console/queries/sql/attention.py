"""The SQL of what needs attention in the fleet (``console.queries.attention``): one statement,
whose parts are all limited, whatever the number of groups. 0 members: the group is stopped as a
whole. Notes about members that are gone stay until the clean-up, and are not counted.

Acknowledged findings (``known_...``, by rule) come first, in addition to the limit. ``only`` is a
group, or NULL for all; for a single group, acknowledged findings are computed here.
``journal_after`` NULL: computed here. (Passing it tells the planner how few rows of the journal are
read.)
"""

from typing import Final

NEVER: Final = 1_000_000_000_000
"""The threshold of a silenced rule: 31 years, or a number that nothing reaches."""


FIRST: Final = "own.threshold IS NULL DESC, own.is_prefix, length(own.name) DESC"
"""Which of several rows about a group counts: a silence, its own, the longest beginning."""


def applies(group_id: str) -> str:
    """Whether a row is in force, and about the group of this column."""
    return f"""(own.until IS NULL OR own.until > now())
 AND CASE WHEN own.is_prefix THEN starts_with({group_id}, own.name)
          ELSE own.name = {group_id} END"""


def threshold(rule: str, group_id: str, otherwise: str) -> str:
    """The threshold of a rule for the group of this column: ``NEVER`` where it is silenced, else
    the one of its own, else that of the longest beginning of its id, else the setting's."""
    return f"""coalesce((SELECT coalesce(own.threshold, {NEVER}) FROM rollcall_attention_rule AS own
 WHERE own.rule = '{rule}' AND {applies(group_id)} ORDER BY {FIRST} LIMIT 1), {otherwise})"""


def least(rule: str, otherwise: str) -> str:
    """The lowest threshold that any group has. It is computed once, and compared first: to look up
    that of each row's group costs as much as there are rows of rules."""
    return f"""least({otherwise},
 (SELECT min(threshold) FROM rollcall_attention_rule WHERE rule = '{rule}'))"""


def heard(rule: str, group_id: str = "group_id") -> str:
    """Whether a rule without a threshold is not silenced for the group of this column."""
    return f"{threshold(rule, group_id, '0')} < {NEVER}"


FOUND = f"""
(SELECT 'storm' AS rule, group_id, '' AS detail, count(*) AS n, max(at) AS at,
        count(*) OVER () AS total
 FROM rollcall_journal
 WHERE id > coalesce(%(journal_after)s, (SELECT max(id) FROM rollcall_journal) - %(read)s)
       AND at >= now() - interval '1 hour' AND group_id <> ''
       AND kind = %(completed)s AND (%(only)s::text IS NULL OR group_id = %(only)s)
 GROUP BY group_id HAVING count(*) >= {least("storm", "%(storm)s")}
        AND count(*) >= {threshold("storm", "rollcall_journal.group_id", "%(storm)s")}
 ORDER BY group_id = ANY(%(known_storm)s::text[]) DESC, n DESC, group_id
 LIMIT %(listed)s + cardinality(%(known_storm)s::text[]))
UNION ALL
(SELECT 'stopped', group_id, (array_agg(actor || ': ' || reason ORDER BY whole DESC, since))[1],
        CASE WHEN bool_or(whole) THEN 0 ELSE count(*) END,
        (array_agg(since ORDER BY whole DESC, since))[1] AS since, count(*) OVER ()
 FROM (SELECT *, scope = 'group' AS whole FROM rollcall_pause
       WHERE since < now() - interval '1 millisecond' *
             {threshold("stopped", "rollcall_pause.group_id", "%(stopped)s")}
             AND (%(only)s::text IS NULL OR group_id = %(only)s)) AS long
 GROUP BY group_id ORDER BY group_id = ANY(%(known_stopped)s::text[]) DESC, since, group_id
 LIMIT %(listed)s + cardinality(%(known_stopped)s::text[]))
UNION ALL
(SELECT 'frozen', group_id, '', 0, updated_at, count(*) OVER ()
 FROM rollcall_group_config
 WHERE name = 'rollcall.freeze' AND value = 'true'
       AND updated_at < now() - interval '1 millisecond' *
           {threshold("frozen", "rollcall_group_config.group_id", "%(stopped)s")}
       AND (%(only)s::text IS NULL OR group_id = %(only)s)
 ORDER BY group_id = ANY(%(known_frozen)s::text[]) DESC, updated_at
 LIMIT %(listed)s + cardinality(%(known_frozen)s::text[]))
UNION ALL
(SELECT 'silent', l.group_id, m.n::text, l.n, l.at, count(*) OVER ()
 FROM (SELECT group_id, count(*) AS n, min(heard_at) AS at
       FROM (SELECT group_id, heard_at FROM rollcall_liveness
             JOIN rollcall_member USING (group_id, member_id) WHERE deadline_at < now()
             AND (%(only)s::text IS NULL OR group_id = %(only)s)
             ORDER BY deadline_at LIMIT %(silent_members)s) AS late
       GROUP BY group_id) AS l
 JOIN LATERAL (SELECT count(*) AS n FROM rollcall_member WHERE group_id = l.group_id) AS m
      ON m.n > 0 AND l.n * 100 >= m.n * {threshold("silent", "l.group_id", "%(silent)s")}
 ORDER BY l.group_id = ANY(%(known_silent)s::text[]) DESC, l.n DESC, l.group_id
 LIMIT %(listed)s + cardinality(%(known_silent)s::text[]))
UNION ALL
(SELECT 'unowned', group_id,
        CASE WHEN EXISTS (SELECT FROM rollcall_group_config AS own
                          WHERE own.group_id = waiting.group_id AND name = 'rollcall.freeze'
                                AND value = 'true') THEN 'frozen' ELSE '' END,
        (details->>'still')::bigint,
        told_at - coalesce((details->>'since_ms')::bigint, 0) * interval '1 millisecond',
        count(*) OVER ()
 FROM rollcall_waiting AS waiting
 WHERE told_at > now() - interval '15 seconds' AND details->>'phase' = 'put-off'
       AND (details->>'still')::bigint > 0 AND {heard("unowned", "waiting.group_id")}
       AND (%(only)s::text IS NULL OR group_id = %(only)s)
 ORDER BY group_id = ANY(%(known_unowned)s::text[]) DESC, 4 DESC, group_id
 LIMIT %(listed)s + cardinality(%(known_unowned)s::text[]))
UNION ALL
(SELECT 'shared-instance', group_id, (array_agg(details::text ORDER BY id DESC))[1],
        count(DISTINCT details->>'instance'), max(at) AS at, count(*) OVER ()
 FROM rollcall_journal
 WHERE id > coalesce(%(journal_after)s, (SELECT max(id) FROM rollcall_journal) - %(read)s)
       AND at >= now() - %(claims)s * interval '1 millisecond' AND kind = %(instance_taken)s
       AND {heard("shared-instance", "rollcall_journal.group_id")}
       AND (%(only)s::text IS NULL OR group_id = %(only)s)
 GROUP BY group_id ORDER BY group_id = ANY(%(known_shared_instance)s::text[]) DESC, 5 DESC, group_id
 LIMIT %(listed)s + cardinality(%(known_shared_instance)s::text[]))
UNION ALL
(SELECT 'limit', group_id, reason, id, at, 1
 FROM rollcall_journal
 WHERE id > coalesce(%(journal_after)s, (SELECT max(id) FROM rollcall_journal) - %(read)s)
       AND at >= now() - interval '24 hours' AND kind = %(limit_near)s
       AND (%(only)s::text IS NULL OR group_id = %(only)s)
 ORDER BY id::text = ANY(%(known_limit)s::text[]) DESC, id DESC
 LIMIT %(listed)s + cardinality(%(known_limit)s::text[]))
UNION ALL
(SELECT 'drain', node_id::text,
        CASE WHEN owned.n = 0 THEN ''
             WHEN here.node_id IS NULL THEN 'away'
             WHEN others.n = 0 THEN 'no taker'
             ELSE 'slow' END || '|' || actor || ': ' || reason,
        owned.n, since, count(*) OVER ()
 FROM rollcall_drain
 LEFT JOIN (SELECT node_id FROM rollcall_node
            WHERE beat_at >= now() - interval '15 seconds') AS here USING (node_id)
 CROSS JOIN (SELECT count(*) AS n FROM rollcall_node AS node
             WHERE takes_slots AND beat_at >= now() - interval '15 seconds'
                   AND node.node_id NOT IN (SELECT node_id FROM rollcall_drain)) AS others
 CROSS JOIN LATERAL (SELECT count(*) AS n FROM rollcall_slot AS slot
                     WHERE slot.node_id = rollcall_drain.node_id
                           AND since < now() - interval '2 minutes') AS owned
 WHERE %(only)s::text IS NULL
       AND (owned.n > 0 OR since < now() - %(drained)s * interval '1 millisecond')
 ORDER BY node_id::text = ANY(%(known_drain)s::text[]) DESC, since, node_id
 LIMIT %(listed)s + cardinality(%(known_drain)s::text[]))
UNION ALL
(SELECT 'horizon', '', '', count(*), min(at), 1
 FROM rollcall_journal
 WHERE %(only)s::text IS NULL
       AND id > coalesce(%(journal_after)s, (SELECT max(id) FROM rollcall_journal) - %(read)s)
       AND era = rollcall_current_era()
       AND xid >= pg_snapshot_xmin(pg_current_snapshot())::text::bigint
       AND xid IS DISTINCT FROM pg_current_xact_id_if_assigned()::text::bigint
 HAVING min(at) < now() - interval '10 minutes')
UNION ALL
(SELECT 'notify-queue', '', '', (pg_notification_queue_usage() * 100)::bigint, now(), 1
 WHERE %(only)s::text IS NULL AND pg_notification_queue_usage() * 100 >= %(notify_queue)s)
UNION ALL
(SELECT 'unsettled-after', %(only)s::text, '',
        {threshold("unsettled", "%(only)s::text", "%(unsettled)s")}, now(), 0
 WHERE %(only)s::text IS NOT NULL)
UNION ALL
(SELECT 'own-commit', '', '', count(*), now(), 0 FROM rollcall_attention_rule
 WHERE rule = 'no-commit' AND threshold IS NOT NULL HAVING count(*) > 0)
UNION ALL
(SELECT 'acknowledged', subject, to_jsonb(noted)::text, 0, at, 0
 FROM rollcall_acknowledgement AS noted
 WHERE subject = %(only)s AND (until IS NULL OR until > now()))
"""

FOUND_WITH_COUNTS = f"""
SELECT rule, group_id, detail, n, at, total, partitions, unowned
FROM (SELECT *, row_number() OVER () AS place FROM ({FOUND}) AS each) AS found
LEFT JOIN rollcall_group_counts USING (group_id)
ORDER BY place
"""
"""With the group's partitions, as its owner counted them."""

NO_COMMITS = f"""
SELECT 'no-commit', o.group_id, '', 0, max(o.committed_at), count(*) OVER ()
FROM (SELECT group_id, {threshold("no-commit", "rollcall_group.group_id", "%(commit)s")} AS after
      FROM rollcall_group
      WHERE state = 'Stable' AND (%(only)s::text IS NULL OR group_id = %(only)s)) AS g
JOIN rollcall_offset o USING (group_id)
WHERE after < {NEVER}
GROUP BY o.group_id, after
HAVING max(o.committed_at) < now() - after * interval '1 millisecond'
ORDER BY o.group_id = ANY(%(known_no_commit)s::text[]) DESC, 5
LIMIT %(listed)s + cardinality(%(known_no_commit)s::text[])
"""
"""It reads all offsets of groups with a threshold, so it is executed only if one is set
(``own-commit``: some groups have their own)."""

LATE = f"""(rollcall_group.state_since < %s - interval '1 millisecond' *
{least("unsettled", "%s")} AND rollcall_group.state_since < %s - interval '1 millisecond' *
{threshold("unsettled", "rollcall_group.group_id", "%s")})"""
"""Whether a group has been rebalancing for too long, at a time, with the setting's threshold."""

LONG = f"""(rollcall_journal.duration_ms >= {least("unsettled", "%s")}
 AND rollcall_journal.duration_ms >=
 {threshold("unsettled", "rollcall_journal.group_id", "%s")})"""
"""Whether the rebalance of an entry was one of these."""
