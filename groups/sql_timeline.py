"""The SQL about PostgreSQL's own history; ``groups.timeline`` and ``groups.lease`` execute it."""

READ = """
SELECT s.system_identifier, rollcall_server_timeline(), pg_postmaster_start_time(),
       pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::bigint,
       t.system_identifier, t.timeline, t.jump, t.jumped_on, t.generations_after,
       (SELECT beat FROM rollcall_node WHERE node_id = %(node_id)s)
FROM pg_control_system() AS s, rollcall_timeline AS t
"""
"""The server that answers, the history that its rows belong to, and a node's beat. An error while
the server is a standby."""

RAISE_EPOCHS = """
SELECT rollcall_raise_epochs(
    %(jump)s::uuid, %(generations_after)s::int, %(node_id)s::int, %(reason)s)
"""
"""Once for each ``jump``: who comes second changes nothing."""
