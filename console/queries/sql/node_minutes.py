"""The SQL of charts of what nodes did; ``console.queries.node_minutes`` executes it."""

READ = """
SELECT node_id, date_bin(%(step)s, at, 'epoch'::timestamptz), sum(heartbeats) / sum(seconds),
       sum(commits) / sum(seconds), max(lag_ms), max(slots)
FROM rollcall_node_minute WHERE at >= %(since)s AND seconds > 0
GROUP BY 1, 2 ORDER BY 1, 2
"""
