"""Gold: what to change, with the evidence for it."""

from pipeline.datasets.dataset import PERIOD, Chart, Column, Report


class Advice(Report):
    """What to change, each with its evidence; nothing where there is none."""

    NAME = "advice"
    TITLE = "Advice"
    QUESTION = "What should be changed, and what would it save?"
    ORDER = "cost_ms"
    TOTALS = ("cost_ms",)
    CHART = Chart("cards", "group_id", "confidence", "saves_partition_ms")
    KEY = (PERIOD, "group_id", "rule", "subject")
    COLUMNS = (
        Column(PERIOD, "string", "the period"),
        Column("group_id", "string", "the group"),
        Column("rule", "string", "what kind of advice it is (docs/pipeline.md, *Advice*)"),
        Column("subject", "string", "the client, host or group that it is about"),
        Column("finding", "string", "what was seen, in a sentence"),
        Column("change", "string", "what to set, run or look at"),
        Column("evidence", "bigint", "how often it was seen"),
        Column("confidence", "string", "by the evidence: low, medium (5 and more), high (20)"),
        Column("cost_ms", "bigint", "time without owner of the rebalances that it caused"),
        Column(
            "saves_partition_ms",
            "bigint",
            "the expected effect: partitions that moved x milliseconds without owner of these, the"
            " most that it would have saved",
        ),
        Column("worst_journal_id", "bigint", "the journal's entry of the costliest of these"),
        Column("entries", "string", "the entries of the five costliest of these, by commas"),
        Column("lives", "string", "the newest five lives in which it was seen, by commas"),
        Column("what_if", "string", "the options of `what-if` that try it; empty if none can"),
    )
