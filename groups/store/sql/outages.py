"""The SQL of outages (``groups.coordinator.outages``)."""

LAST_LIFE = """
SELECT n.beat_at, clock_timestamp(), owned.slots
FROM rollcall_node n,
     LATERAL (SELECT count(*) AS slots FROM rollcall_slot s WHERE s.node_id = n.node_id) AS owned
WHERE n.node_id = %(node_id)s AND owned.slots > 0
"""
"""The last beat of this node's earlier process, if that did not give its slots away."""
