"""The columns of each table, as Spark's DDL; times are UTC, durations milliseconds."""

JOURNAL = """
    id bigint, at timestamp, group_id string, node_id int, kind string, trigger string,
    reason string, member_id string, client_id string, generation_before int,
    generation_after int, duration_ms bigint, waited_for string, members int, moved bigint
"""
"""Bronze: the journal as it is, ``waited_for`` as JSON, two of its details as columns."""

WAITED_FOR = "map<string, bigint>"

REBALANCES = """
    journal_id bigint, group_id string, protocol string, trigger string, reason string,
    member_id string, client_id string, generation_before int, generation_after int,
    started_at timestamp, completed_at timestamp, stable_at timestamp, duration_ms bigint,
    sync_ms bigint, without_owner_ms bigint, members int,
    waited_for array<struct<ms: bigint, member_id: string>>, slowest_member string,
    slowest_ms bigint, partitions_moved bigint
"""
"""Silver: one row for each rebalance that was completed."""

COSTS = (
    "group_id",
    "trigger",
    "rebalances",
    "duration_ms",
    "longest_ms",
    "waited_ms",
    "slowest_member",
    "partitions_moved",
    "without_owner_ms",
)
"""Gold: the columns of ``rollcall_rebalance_cost`` behind its run."""
