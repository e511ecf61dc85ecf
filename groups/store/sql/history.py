"""The history of committed offsets, partition by partition, for every statement that reads it."""

COMMITS = """(
    SELECT at, group_id, topic, member_id, client_id, client_host, principal,
           is_gone IS TRUE AS is_gone, each.*
    FROM rollcall_offset_history AS h CROSS JOIN LATERAL (
        SELECT h.partition, h.committed_offset, h.leader_epoch, h.metadata
        UNION ALL
        SELECT more.partition, more.committed_offset,
               coalesce(more.leader_epoch, h.leader_epoch), coalesce(more.metadata, h.metadata)
        FROM unnest(h.more_partitions, h.more_offsets, h.more_leader_epochs, h.more_metadata)
             AS more(partition, committed_offset, leader_epoch, metadata)
    ) AS each
) AS commits"""
"""A row for each partition of each commit. A row of the table has all partitions of a topic that
one client committed at once: the first, and arrays with the others (migration 0046)."""

NOTE_GONE = """
    INSERT INTO rollcall_offset_history (
        at, group_id, topic, partition, committed_offset, leader_epoch, metadata, member_id,
        client_id, client_host, more_partitions, is_gone)
    SELECT clock_timestamp(), group_id, topic, partitions[1], -1, -1, '', '', '', '',
           nullif(partitions[2:], '{}'), true
    FROM (
        SELECT group_id, topic, array_agg(partition) AS partitions FROM erased
        GROUP BY group_id, topic OFFSET 0
    ) AS gone WHERE rollcall_has_history(group_id)
"""
"""What was deleted, ``erased``, in the history of groups that have one: otherwise these offsets
would still be there at every later time. A row for a group and a topic, and a look-up in the index
(migration 0048), which is not made for each partition because of the OFFSET."""
