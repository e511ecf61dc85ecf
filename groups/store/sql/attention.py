"""The SQL of what needs attention in the whole fleet (``groups.queries.attention``): one statement,
each part of it bounded however many groups there are. A group that is stopped as a whole has 0
members that are. Notes about members who are gone stay until the clean-up, and count for nothing.
"""

FOUND = """
(SELECT 'storm' AS rule, group_id, '' AS detail, count(*) AS n, max(at) AS at,
        count(*) OVER () AS total
 FROM rollcall_journal
 WHERE id > %(journal_after)s AND at >= now() - interval '1 hour' AND group_id <> ''
       AND kind = %(completed)s
 GROUP BY group_id HAVING count(*) >= %(storm)s ORDER BY n DESC, group_id LIMIT %(listed)s)
UNION ALL
(SELECT 'stopped', group_id, (array_agg(actor || ': ' || reason ORDER BY whole DESC, since))[1],
        CASE WHEN bool_or(whole) THEN 0 ELSE count(*) END,
        (array_agg(since ORDER BY whole DESC, since))[1] AS since, count(*) OVER ()
 FROM (SELECT *, scope = 'group' AS whole FROM rollcall_pause
       WHERE since < now() - %(stopped)s * interval '1 millisecond') AS long
 GROUP BY group_id ORDER BY since, group_id LIMIT %(listed)s)
UNION ALL
(SELECT 'frozen', group_id, '', 0, updated_at, count(*) OVER ()
 FROM rollcall_group_config
 WHERE name = 'rollcall.freeze' AND value = 'true'
       AND updated_at < now() - %(stopped)s * interval '1 millisecond'
 ORDER BY updated_at LIMIT %(listed)s)
UNION ALL
(SELECT 'silent', l.group_id, m.n::text, l.n, l.at, count(*) OVER ()
 FROM (SELECT group_id, count(*) AS n, min(heard_at) AS at
       FROM (SELECT group_id, heard_at FROM rollcall_liveness
             JOIN rollcall_member USING (group_id, member_id) WHERE deadline_at < now()
             ORDER BY deadline_at LIMIT %(silent_members)s) AS late
       GROUP BY group_id) AS l
 JOIN LATERAL (SELECT count(*) AS n FROM rollcall_member WHERE group_id = l.group_id) AS m
      ON m.n > 0 AND l.n * 100 >= m.n * %(silent)s
 ORDER BY l.n DESC, l.group_id LIMIT %(listed)s)
UNION ALL
(SELECT 'unowned', group_id, '', (details->>'still')::bigint, told_at, count(*) OVER ()
 FROM rollcall_waiting
 WHERE told_at > now() - interval '15 seconds' AND details->>'phase' = 'put-off'
       AND (details->>'still')::bigint > 0
 ORDER BY 4 DESC, group_id LIMIT %(listed)s)
UNION ALL
(SELECT 'limit', group_id, reason, 0, at, 1
 FROM rollcall_journal
 WHERE id > %(journal_after)s AND at >= now() - interval '24 hours' AND kind = %(limit_near)s
 ORDER BY id DESC LIMIT %(listed)s)
"""

NO_COMMITS = """
SELECT 'no-commit', o.group_id, '', 0, max(o.committed_at), count(*) OVER ()
FROM rollcall_offset o JOIN rollcall_group g USING (group_id)
WHERE g.state = 'Stable' GROUP BY o.group_id
HAVING max(o.committed_at) < now() - %(commit)s * interval '1 millisecond'
ORDER BY 5 LIMIT %(listed)s
"""
"""Reads every offset there is, so it is asked only where the threshold is set."""
