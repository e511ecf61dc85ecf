"""The history of committed offsets, partition by partition, for every statement that reads it."""

COMMITS = """(
    SELECT at, group_id, topic, member_id, client_id, client_host, principal, each.*
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
