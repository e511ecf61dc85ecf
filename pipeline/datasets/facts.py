"""Bronze: members' lives, who owned what, rebalances and hours, as the coordinator recorded them
(docs/facts.md).

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


def _of_runs(name: str) -> str:
    """The word of each wait, of words that stand for runs of waits."""
    return (
        f"(SELECT array_agg({name}[i] ORDER BY i) FROM generate_subscripts(counts, 1) AS i,"
        " generate_series(1, counts[i]))"
    )


class RoundEvents(Dataset):
    """Rebalances that have ended, those in which nothing moved among them."""

    NAME = "rounds"
    KEY = ("id",)
    COLUMNS = (
        *PLACE,
        Column("group_id", "string", "the group"),
        Column("generation", "int", "the generation to which it led"),
        Column("kind", "string", "the group's kind"),
        Column("outcome", "string", "assigned, interrupted (by another one) or emptied"),
        Column("started_at", "timestamp", "its beginning"),
        Column("ended_at", "timestamp", "its end"),
        Column("is_partial", "boolean", "another node began it: known since the takeover"),
        Column("members", "int", "members afterwards"),
        Column("moved", "int", "partitions with another owner than before"),
        Column(
            "stopped_ms", "bigint", "partitions times milliseconds for which members had stopped"
        ),
        Column("silent_ms", "bigint", "the same of removed members since their last sign of life"),
        Column("unowned_ms", "bigint", "the same of partitions without an owner"),
        Column("triggers", "array<string>", "its causes, in order"),
        Column("cause_members", "array<int>", "how many members each cause was"),
        Column("cause_ids", "array<string>", "the first member of each cause"),
        Column("cause_at_ms", "array<bigint>", "when each came, in milliseconds since the start"),
        Column("cause_ms", "array<bigint>", "the share of each, in milliseconds"),
        Column("lives", "array<bigint>", "awaited members; null: one that never joined"),
        Column("waited_ms", "array<int>", "how long each was waited for, in milliseconds"),
        Column("acts", "array<string>", "what was awaited of each", sql=_of_runs("acts")),
        Column("ends", "array<string>", "how each wait ended", sql=_of_runs("ends")),
    )


class SilenceHours(Dataset):
    """How silent members were in an hour, as far as their group's owner looked."""

    NAME = "silence_hours"
    KEY = ("id",)
    COLUMNS = (
        *PLACE,
        Column("hour", "timestamp", "the hour's beginning"),
        Column("group_id", "string", "the group"),
        Column("lives", "array<bigint>", "members; null: unknown"),
        Column("longest_ms", "array<int>", "the longest silence of each, in milliseconds"),
        Column(
            "looks",
            "array<int>",
            "eight counts for each: how often its silence was in which eighth of its session",
            sql="(SELECT array_agg(n::int ORDER BY i)"
            " FROM unnest(looks) WITH ORDINALITY AS each(n, i))",
        ),
    )


class ProgressHours(Dataset):
    """What was committed in an hour, by group and topic."""

    NAME = "progress_hours"
    KEY = ("id",)
    COLUMNS = (
        *PLACE,
        Column("hour", "timestamp", "the hour's beginning"),
        Column("group_id", "string", "the group"),
        Column("topic", "string", "the topic"),
        Column("partitions", "array<int>", "partitions with a commit in the hour"),
        Column("commits", "array<int>", "commits of each"),
        Column("first_offsets", "array<bigint>", "the first offset committed for each"),
        Column("last_offsets", "array<bigint>", "the last one"),
        Column("pauses_ms", "array<int>", "the longest time of the hour without a commit of each"),
        Column("lives", "array<bigint>", "the member of each last commit; null: no member"),
        Column("end_offsets", "array<bigint>", "the topic's ends, where they were known"),
    )
