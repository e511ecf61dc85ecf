"""How far groups' offsets are behind the end offsets in the catalogue. A client may commit any
number, and the difference of two of 64 bits is one of 65."""

SUMMARY = """
SELECT sum(lag) OVER (), topic, partition, lag
FROM (
    SELECT o.topic, o.partition, greatest(0, e.end_offset::numeric - o.committed_offset) AS lag
    FROM rollcall_offset o
    JOIN rollcall_topic t ON t.name = o.topic
    CROSS JOIN LATERAL (
        SELECT CASE WHEN o.partition < cardinality(t.end_offsets)
               THEN t.end_offsets[o.partition + 1] END AS end_offset
    ) e
    WHERE o.group_id = %(group_id)s AND e.end_offset IS NOT NULL
) known
ORDER BY lag DESC, topic, partition
LIMIT 1
"""
