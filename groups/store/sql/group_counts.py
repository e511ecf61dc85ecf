"""The SQL of the counts of groups' work (``groups.coordinator.group_counts``)."""

PUT = """
INSERT INTO rollcall_group_counts AS c (group_id, topics, partitions, unowned)
SELECT group_id, new.topics, new.partitions, new.unowned
FROM unnest(%(group_id)s::text[], %(revision)s::bigint[], %(topics)s::int[],
            %(partitions)s::bigint[], %(unowned)s::bigint[])
     AS new(group_id, revision, topics, partitions, unowned)
JOIN rollcall_group g USING (group_id)
WHERE g.revision = new.revision
ORDER BY group_id
ON CONFLICT (group_id) DO UPDATE SET
    topics = excluded.topics, partitions = excluded.partitions, unowned = excluded.unowned
WHERE (c.topics, c.partitions, c.unowned)
      IS DISTINCT FROM (excluded.topics, excluded.partitions, excluded.unowned)
"""
"""Not of a group that has changed since, which its owner, perhaps another node, counts again.
Planned each time: a cached plan may be from when there was no group."""

FORGET = """
DELETE FROM rollcall_group_counts c
WHERE NOT EXISTS (SELECT FROM rollcall_group g WHERE g.group_id = c.group_id)
"""
