"""Bronze: the entries of the journal that reports are made of."""

from pipeline.datasets.dataset import Column, Dataset

# Details of a newer version may be of any type: what is no number is left out.
NUMBER = "CASE jsonb_typeof(details -> '{0}') WHEN 'number' THEN (details -> '{0}')::{1} END"


class Journal(Dataset):
    """Entries about groups, as the coordinator wrote them (docs/rebalances.md)."""

    NAME = "journal"
    KEY = ("id",)
    COLUMNS = (
        Column("id", "bigint", "the entry's number"),
        Column("at", "timestamp", "when it was decided"),
        Column("group_id", "string", "the group"),
        Column("kind", "string", "what was decided"),
        Column("trigger", "string", "why, in one word"),
        Column("reason", "string", "why, in words"),
        Column("client_reason", "string", "the client's own words (KIP-800)"),
        Column("member_id", "string", "the member that it is about, or that began it"),
        Column("client_id", "string", "that member's client id"),
        Column("generation_before", "int", "the group's generation or epoch before"),
        Column("generation_after", "int", "and after"),
        Column("duration_ms", "bigint", "how long it took, in milliseconds"),
        Column(
            "waited_for", "string", "milliseconds by member that was waited for, as JSON",
            sql="waited_for::text",
        ),
        Column(
            "causes",
            "string",
            "its causes in their order, each with its share of the time, as JSON",
            sql="(details -> 'why' -> 'causes')::text",
        ),
        Column(
            "waits",
            "string",
            "whom it waited for, by act and end, as JSON",
            sql="(details -> 'why' -> 'waits')::text",
        ),
        Column(
            "members", "int", "the group's members", sql=NUMBER.format("members", "int")
        ),
        Column(
            "moved", "bigint", "partitions that have a new owner",
            sql=NUMBER.format("moved", "bigint"),
        ),
        Column(
            "waited_for_count", "int", "how many members were waited for",
            sql=NUMBER.format("waited_for_count", "int"),
        ),
        Column(
            "unowned_longest_ms", "bigint",
            "the longest time for which a partition had no owner, where it was measured",
            sql=NUMBER.format("unowned_longest_ms", "bigint"),
        ),
    )  # fmt: skip
