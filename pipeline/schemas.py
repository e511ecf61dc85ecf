"""The columns of each table, as Spark's DDL; times are UTC, durations milliseconds."""

JOURNAL = """
    id bigint, at timestamp, group_id string, kind string, trigger string, reason string,
    client_reason string, member_id string, client_id string, generation_before int,
    generation_after int, duration_ms bigint, waited_for string, members int, moved bigint,
    waited_for_count int, unowned_longest_ms bigint
"""
"""Bronze: entries of the journal, ``waited_for`` as JSON, the last four columns from its
details."""

WAITED_FOR = "map<string, bigint>"

REBALANCES = """
    group_id string, kind string, trigger string, reason string, client_reason string,
    member_id string, client_id string, generation_before int, generation_after int,
    started_at timestamp, completed_at timestamp, stable_at timestamp, duration_ms bigint,
    sync_ms bigint, without_owner_ms bigint, without_owner_known_ms bigint,
    waited_for array<struct<member_id: string, ms: bigint>>, slowest_member string,
    slowest_ms bigint, members int, partitions_moved bigint, journal_id bigint
"""
"""Silver: one row for each rebalance that was completed."""

COSTS = """
    group_id string, trigger string, rebalances bigint, duration_ms bigint, longest_ms bigint,
    waited_ms bigint, slowest_member string, partitions_moved bigint, without_owner_ms bigint,
    without_owner_known_ms bigint, unknown_rebalances bigint
"""
"""Gold: the columns of ``rollcall_rebalance_cost`` except its run."""


def columns(ddl: str) -> tuple[tuple[str, str], ...]:
    """Name and type of each column; no type may contain a comma."""
    pairs = (column.split(maxsplit=1) for column in ddl.split(","))
    return tuple((name, kind.strip()) for name, kind in pairs)
