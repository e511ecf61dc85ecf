"""Bronze: members' lives and who owned what, as the coordinator recorded them (docs/facts.md).

Each life and each interval has a row when it begins and one when it ends; the latter repeats all of
the former.
"""

from pipeline.datasets.dataset import Column, Dataset

PLACE = (
    Column("at", "timestamp", "when the row was appended"),
    Column("era", "int", "which history of the database, counted from 0"),
    Column("xid", "bigint", "the transaction that appended it"),
    Column("id", "bigint", "the row's number"),
)
"""The order of rows without gaps."""


class LifeEvents(Dataset):
    """Beginnings and ends of members' lives."""

    NAME = "lives"
    KEY = ("id",)
    COLUMNS = (
        *PLACE,
        Column("life", "bigint", "the life's number, unique over all groups and time"),
        Column("group_id", "string", "the group"),
        Column("member_id", "string", "the member"),
        Column("instance_id", "string", "group.instance.id; null for a dynamic member"),
        Column("client_id", "string", "its client id"),
        Column("client_host", "string", "the address from which it came"),
        Column("software_name", "string", "the client library; empty if it did not say"),
        Column("software_version", "string", "and its version"),
        Column("kind", "string", "the protocol that it spoke"),
        Column("session_timeout_ms", "int", "its session timeout, in milliseconds"),
        Column("rebalance_timeout_ms", "int", "its rebalance timeout, in milliseconds"),
        Column("subscription", "array<string>", "topics; null: it could not be read"),
        Column("pattern", "string", "the regular expression of its subscription; empty: none"),
        Column("protocols", "array<string>", "assignors in its order"),
        Column("joined_at", "timestamp", "its first request to join"),
        Column("origin", "string", "joined, returned (static), or known: it began earlier"),
        Column("left_at", "timestamp", "its end; null in the row of its beginning"),
        Column("departure", "string", "how it ended"),
        Column("heard_at", "timestamp", "the last sign of life, in the row of its end"),
    )


class OwnershipEvents(Dataset):
    """Beginnings and ends of the ownership of partitions."""

    NAME = "ownership"
    KEY = ("id",)
    COLUMNS = (
        *PLACE,
        Column("group_id", "string", "the group"),
        Column("life", "bigint", "the owner's life"),
        Column("topic", "string", "the topic"),
        Column(
            "partitions",
            "array<int>",
            "the partitions",
            sql="(SELECT array_agg(n::int ORDER BY n) FROM unnest(partitions) AS r,"
            " generate_series(lower(r), upper(r) - 1) AS n)",
        ),
        Column("from_at", "timestamp", "since when it owned them"),
        Column("until_at", "timestamp", "until when; null in the row of the beginning"),
    )
