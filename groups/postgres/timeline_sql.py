"""The SQL about PostgreSQL's own history; ``groups.postgres.timeline`` and ``groups.cluster.lease``
execute it."""

READ = """
SELECT s.system_identifier, rollcall_server_timeline(), pg_postmaster_start_time(),
       pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::bigint,
       d.oid::bigint,
       t.system_identifier, t.timeline, t.jump, t.jumped_on, t.generations_after,
       coalesce(t.database, d.oid)::bigint,
       (SELECT beat FROM rollcall_node WHERE node_id = %(node_id)s)
FROM pg_control_system() AS s, rollcall_timeline AS t, pg_database AS d
WHERE d.datname = current_database()
"""
"""The server, the history of its rows, and a node's beat. Fails while the server is a standby."""

SYSTEM = "SELECT system_identifier FROM pg_control_system()"
"""The server's identity, for processes without a node."""

RAISE_EPOCHS = """
SELECT rollcall_raise_epochs(
    %(jump)s::uuid, %(generations_after)s::int, %(node_id)s::int, %(reason)s)
"""
"""Has an effect once for each ``jump``: a second execution changes nothing."""

LOST = """
SELECT seen.slot
FROM unnest(%(slots)s::smallint[], %(epochs)s::bigint[], %(group_ids)s::text[],
            %(revisions)s::bigint[], %(may_be_gone)s::boolean[])
     AS seen(slot, epoch, group_id, revision, may_be_gone)
JOIN rollcall_slot s ON s.slot = seen.slot
LEFT JOIN rollcall_group g ON g.group_id = seen.group_id
WHERE s.epoch < seen.epoch
   OR (s.epoch = seen.epoch AND NOT (g.group_id IS NULL AND seen.may_be_gone)
       AND coalesce(g.revision, 0) < seen.revision)
LIMIT 1
"""
"""Whether something is missing that this node has seen committed: a slot's epoch, or a revision of
a group whose slot still has the epoch of this node."""
