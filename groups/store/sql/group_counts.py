"""The SQL of the counts of groups' work (``groups.reporting.group_counts``)."""

from groups.core.journal import EntryKind

PUT = f"""
INSERT INTO rollcall_group_counts AS c
    (group_id, members, topics, partitions, unowned, last_rebalance)
SELECT group_id, new.members, new.topics, new.partitions, new.unowned, coalesce((
    SELECT j.id FROM rollcall_journal j
    WHERE j.group_id = g.group_id AND j.kind = '{EntryKind.REBALANCE_COMPLETED}'
    ORDER BY j.id DESC LIMIT 1), 0)
FROM unnest(%(group_id)s::text[], %(revision)s::bigint[], %(members)s::int[], %(topics)s::int[],
            %(partitions)s::bigint[], %(unowned)s::bigint[])
     AS new(group_id, revision, members, topics, partitions, unowned)
JOIN rollcall_group g USING (group_id)
WHERE g.revision = new.revision
ORDER BY group_id
ON CONFLICT (group_id) DO UPDATE SET
    members = excluded.members, topics = excluded.topics, partitions = excluded.partitions,
    unowned = excluded.unowned, last_rebalance = excluded.last_rebalance
WHERE (c.members, c.topics, c.partitions, c.unowned, c.last_rebalance)
      IS DISTINCT FROM (excluded.members, excluded.topics, excluded.partitions, excluded.unowned,
                        excluded.last_rebalance)
"""
"""Not of a group that has changed since, which its owner, perhaps another node, counts again.
Planned each time: a cached plan may be from when there was no group."""

FORGET = """
DELETE FROM rollcall_group_counts c
WHERE NOT EXISTS (SELECT FROM rollcall_group g WHERE g.group_id = c.group_id)
"""
