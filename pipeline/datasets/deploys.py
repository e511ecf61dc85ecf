"""Gold: what replacing a group's members cost."""

from pipeline.datasets.dataset import PERIOD, Column, Report


class Deploys(Report):
    """Deploys: half of a group's members or more were replaced within minutes."""

    NAME = "deploys"
    TITLE = "Deploys"
    QUESTION = "What did one deploy cost?"
    ORDER = "without_owner_ms"
    TOTALS = ("rebalances", "without_owner_ms", "partitions_moved")
    KEY = (PERIOD, "group_id", "began_at")
    COLUMNS = (
        Column(PERIOD, "string", "the period"),
        Column("group_id", "string", "the group"),
        Column("began_at", "timestamp", "when the first new member joined"),
        Column("took_ms", "bigint", "until the last one had"),
        Column("members", "bigint", "members before"),
        Column("replaced", "bigint", "of these, that ended meanwhile"),
        Column("begun", "bigint", "members that joined"),
        Column("at_once", "bigint", "members that were gone before the first new one joined"),
        Column("software", "string", "the client library of the last one, with its version"),
        Column("rebalances", "bigint", "rebalances meanwhile"),
        Column("without_owner_ms", "bigint", "their time without owner, or its bound; summed"),
        Column("partitions_moved", "bigint", "partitions that got a new owner"),
        Column("worst_journal_id", "bigint", "the entry of the one with the most time"),
    )
