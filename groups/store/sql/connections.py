"""The SQL of the connections that nodes note when somebody asks (``groups.coordinator``'s
``client_connections``, ``groups.queries.client_connections``)."""

BELL = "rollcall_connections"
"""Rung by who wants to see the connections; what it says does not matter."""

FORGET = """
DELETE FROM rollcall_connection c
WHERE c.node_id = %(node_id)s
   OR NOT EXISTS (SELECT FROM rollcall_node n WHERE n.node_id = c.node_id)
"""
"""What this node noted before, and what nodes left that are gone."""

FORGET_GONE = """
DELETE FROM rollcall_connections_noted c
WHERE NOT EXISTS (SELECT FROM rollcall_node n WHERE n.node_id = c.node_id)
"""

NOTE = """
INSERT INTO rollcall_connection (node_id, number, listener, address, principal, client_id,
                                 software, software_version, groups, connected_at)
SELECT %(node_id)s, (row->>0)::bigint, row->>1, row->>2, row->>3, row->>4, row->>5, row->>6, row->7,
       clock_timestamp() - ((row->>8)::bigint + %(ago_ms)s) * interval '1 millisecond'
FROM jsonb_array_elements(%(rows)s::jsonb) AS row
"""
"""``rows`` is one JSON text, which costs the node a fifth of an array for each column. The last
part of a row is the connection's age when they were counted, ``ago_ms`` before this statement."""

NOTED = """
INSERT INTO rollcall_connections_noted AS n (node_id, noted_at, connections)
VALUES (%(node_id)s, clock_timestamp() - %(ago_ms)s * interval '1 millisecond', %(connections)s)
ON CONFLICT (node_id) DO UPDATE SET
    noted_at = excluded.noted_at, connections = excluded.connections
"""
