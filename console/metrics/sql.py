"""The SQL of metrics that come from rows (``console.metrics.state``). The number of groups and
partitions with a series of their own is limited."""

TIMEOUT = "SET LOCAL statement_timeout TO '5s'"
"""Prometheus times out after ten seconds by default, and asks again soon."""

COUNTS = """
SELECT kind, state, count(*), extract(epoch FROM now() - min(state_since))::float8
FROM rollcall_group GROUP BY kind, state ORDER BY kind, state
"""

SINGLE = """
SELECT (SELECT count(*) FROM rollcall_pause WHERE scope = 'group'),
       (SELECT count(*) FROM rollcall_pause WHERE scope <> 'group'),
       (SELECT count(*) FROM rollcall_group_config
        WHERE name = 'rollcall.freeze' AND value = 'true'),
       (SELECT count(*) FROM rollcall_operation WHERE state = 'pending'),
       (SELECT count(*) FROM rollcall_topic),
       (SELECT coalesce(sum(partitions), 0) FROM rollcall_topic),
       (SELECT count(*) FROM rollcall_webhook WHERE enabled AND failing_since IS NOT NULL),
       (SELECT count(*) FROM rollcall_webhook WHERE disabled_because <> ''),
       (SELECT count(*) FROM rollcall_webhook_delivery d JOIN rollcall_webhook w
            ON w.id = d.webhook_id WHERE d.state = 'pending' AND w.enabled)
"""

BEATS = """
SELECT node_id, extract(epoch FROM now() - beat_at)::float8 FROM rollcall_node ORDER BY node_id
"""

WAITING = """
SELECT group_id, coalesce((details->>'awaited_count')::bigint, 0),
       coalesce((details->>'ready')::bigint, 0),
       coalesce((details->>'newcomers_count')::bigint, 0),
       coalesce((details->>'still')::bigint, 0)
FROM rollcall_waiting WHERE told_at > now() - interval '15 seconds' ORDER BY group_id
"""
"""Groups that are not settled; their owners update this every five seconds."""

GROUPS = """
SELECT g.group_id, g.kind, g.state, g.generation,
       extract(epoch FROM now() - g.state_since)::float8,
       (SELECT count(*) FROM rollcall_member m WHERE m.group_id = g.group_id)
FROM (SELECT * FROM rollcall_group ORDER BY group_id LIMIT %(most)s) AS g ORDER BY g.group_id
"""

TOPICS = """
SELECT name, partitions, end_offsets FROM rollcall_topic ORDER BY name LIMIT %(most)s
"""

OFFSETS = """
SELECT o.group_id, o.topic, o.partition, o.committed_offset, t.end_offsets[o.partition + 1]
FROM (SELECT group_id, topic, partition, committed_offset FROM rollcall_offset
      ORDER BY group_id, topic, partition LIMIT %(most)s) AS o
LEFT JOIN rollcall_topic t ON t.name = o.topic
ORDER BY o.group_id, o.topic, o.partition
"""
"""An unknown end offset is NULL: arrays are as long as the last known one."""
