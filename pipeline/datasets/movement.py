"""Gold: partitions that move, and that nobody owned."""

from pipeline.datasets.dataset import PERIOD, Column, Report


class Movement(Report):
    """Partitions that moved and that nobody owned, by group and topic."""

    NAME = "movement"
    TITLE = "Movement"
    QUESTION = "Which partitions move, come back, and are without owner meanwhile?"
    ORDER = "without_owner_partition_ms"
    TOTALS = ("moves", "came_back", "without_owner_partition_ms")
    KEY = (PERIOD, "group_id", "topic")
    COLUMNS = (
        Column(PERIOD, "string", "the period"),
        Column("group_id", "string", "the group"),
        Column("topic", "string", "the topic"),
        Column("partitions", "bigint", "partitions that changed their owner"),
        Column("moves", "bigint", "changes of owner"),
        Column("came_back", "bigint", "of these, to the owner before the last one"),
        Column("gaps", "bigint", "times that a partition had no owner between two owners"),
        Column(
            "without_owner_partition_ms", "bigint", "partitions x milliseconds without an owner"
        ),
        Column("longest_gap_ms", "bigint", "the longest of these times"),
    )
