"""Silver: what an hour was like, one row for each member or partition."""

from pipeline.datasets.dataset import Column, Dataset


class SilentHours(Dataset):
    """How silent each member was in an hour."""

    NAME = "silences"
    KEY = ("hour", "group_id", "life")
    TIMES = ("hour",)
    COLUMNS = (
        Column("hour", "timestamp", "the hour's beginning"),
        Column("group_id", "string", "the group"),
        Column("life", "bigint", "the member's life; null: unknown"),
        Column("longest_ms", "int", "its longest silence, in milliseconds"),
        Column("near", "bigint", "looks at which more than three quarters of it were over"),
    )
    CHECKS = {"times are not negative": "longest_ms >= 0 AND near >= 0"}


class PartitionHours(Dataset):
    """What was committed for each partition in an hour."""

    NAME = "partition_hours"
    KEY = ("hour", "group_id", "topic", "partition")
    TIMES = ("hour",)
    COLUMNS = (
        Column("hour", "timestamp", "the hour's beginning"),
        Column("group_id", "string", "the group"),
        Column("topic", "string", "the topic"),
        Column("partition", "int", "the partition"),
        Column("commits", "bigint", "commits"),
        Column("first_offset", "bigint", "the first offset that was committed"),
        Column("last_offset", "bigint", "the last one"),
        Column("pause_ms", "int", "the longest time without a commit, in milliseconds"),
        Column("life", "bigint", "the member of the last commit; null: no member"),
        Column("end_offset", "bigint", "the partition's end, where it was known"),
    )
    CHECKS = {"it has a commit": "commits > 0"}
