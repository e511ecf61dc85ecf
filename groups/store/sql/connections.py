"""The SQL of clients' connections, which nodes write on request (``client_connections`` in
``groups.runtime`` and ``console.queries``)."""

BELL = "rollcall_connections"
"""The channel that requests the connections; the payload has no meaning."""

FORGET = """
DELETE FROM rollcall_connection c
WHERE c.node_id = %(node_id)s
   OR NOT EXISTS (SELECT FROM rollcall_node n WHERE n.node_id = c.node_id)
"""
"""Rows that this node wrote before, and those of nodes that are gone."""

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
"""``rows`` is one JSON text, which costs the node a fifth of arrays for each column. The last value
of a row is the age of the connection when it was read, ``ago_ms`` before this statement."""

NOTED = """
INSERT INTO rollcall_connections_noted AS n (node_id, noted_at, connections)
VALUES (%(node_id)s, clock_timestamp() - %(ago_ms)s * interval '1 millisecond', %(connections)s)
ON CONFLICT (node_id) DO UPDATE SET
    noted_at = excluded.noted_at, connections = excluded.connections
"""
