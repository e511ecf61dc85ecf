"""The SQL of what each node did in each minute; ``groups.reporting.node_minutes`` executes it."""

NOTE = """
WITH old AS (DELETE FROM rollcall_node_minute WHERE at < now() - %(kept)s)
INSERT INTO rollcall_node_minute (at, node_id, seconds, heartbeats, commits, lag_ms, slots)
VALUES (now(), %(node_id)s, %(seconds)s, %(heartbeats)s, %(commits)s, %(lag_ms)s, %(slots)s)
"""
"""A minute, and the end of those that are too old: few rows, by the primary key."""
