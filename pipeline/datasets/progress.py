"""Gold: how far groups get."""

from pipeline.datasets.dataset import PERIOD, Column, Report


class Progress(Report):
    """What groups have committed, by topic, and what is left."""

    NAME = "progress"
    TITLE = "Progress"
    QUESTION = "How fast do groups get on, and where do they not?"
    ORDER = "lag"
    TOTALS = ("commits", "records", "stalled", "lag")
    KEY = (PERIOD, "group_id", "topic")
    COLUMNS = (
        Column(PERIOD, "string", "the period"),
        Column("group_id", "string", "the group"),
        Column("topic", "string", "the topic"),
        Column("partitions", "bigint", "partitions with commits"),
        Column("commits", "bigint", "commits"),
        Column("records", "bigint", "offsets by which they moved on; nothing where one went back"),
        Column("records_per_hour", "bigint", "the same for each hour in which there were commits"),
        Column("stalled", "bigint", "partitions whose offset stayed although there was more"),
        Column("longest_pause_ms", "bigint", "the longest time without a commit in an hour"),
        Column("ends_known", "bigint", "partitions of which the end is known"),
        Column("lag", "bigint", "what was left of these, at the end of their last hours"),
        Column("drain_ms", "bigint", "the time for that at the same rate, if nothing is added"),
        Column("slowest_member", "string", "the client that has committed last where most is left"),
    )
