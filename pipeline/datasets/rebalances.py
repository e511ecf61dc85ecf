"""Silver: one row for each rebalance that was completed."""

from pipeline.datasets.dataset import Column, Dataset


class Rebalances(Dataset):
    """Completed rebalances (docs/pipeline.md, *What it computes*)."""

    NAME = "rebalances"
    KEY = ("journal_id",)
    TIMES = ("completed_at",)
    COLUMNS = (
        Column("group_id", "string", "the group"),
        Column("kind", "string", "classic or consumer; empty where the entries do not show it"),
        Column("trigger", "string", "why it began, in one word"),
        Column(
            "causes",
            "array<struct<trigger:string,ms:bigint>>",
            "all its causes in their order, each with its share of the duration",
        ),
        Column("reason", "string", "why, in words"),
        Column("client_reason", "string", "the client's own words"),
        Column("member_id", "string", "the member that began it"),
        Column("client_id", "string", "its client id"),
        Column("generation_before", "int", "the generation or epoch before"),
        Column("generation_after", "int", "and after"),
        Column("started_at", "timestamp", "its first cause"),
        Column("completed_at", "timestamp", "the end of the join phase, or of the rebalance"),
        Column("stable_at", "timestamp", "when the leader's assignment was stored"),
        Column("duration_ms", "bigint", "until it was completed, in milliseconds"),
        Column("sync_ms", "bigint", "from there to the assignment, in milliseconds"),
        Column("without_owner_ms", "bigint", "the measured time without owner, or its bound"),
        Column("without_owner_known_ms", "bigint", "the measured one; empty if there is none"),
        Column(
            "waited_for",
            "array<struct<member_id:string,ms:bigint>>",
            "the members that were waited for, the slowest first",
        ),
        Column("slowest_member", "string", "the slowest of them"),
        Column("slowest_ms", "bigint", "its time, in milliseconds"),
        Column("members", "int", "the group's members"),
        Column("partitions_moved", "bigint", "partitions that have a new owner"),
        Column("journal_id", "bigint", "the entry of its completion"),
    )
    CHECKS = {
        "it does not end before it began": "started_at <= completed_at + interval 1 millisecond",
        "times are not negative": "duration_ms >= 0 AND without_owner_ms >= 0",
        "the slowest was waited for": "slowest_ms IS NULL OR waited_for[0].ms = slowest_ms",
        "a cause is named": "trigger <> ''",
        "it has a cause, with a share": "causes[0].ms >= 0",
    }
