"""Gold: what another setting would have made of what was recorded."""

from pipeline.datasets.dataset import PERIOD, Column, Report


class WhatIf(Report):
    """What a change would have made of it; a row for each group, and one for all of them."""

    NAME = "what-if"
    TITLE = "What if"
    QUESTION = "What would rebalances have cost under other settings?"
    ORDER = "answered_at"
    KEY = (PERIOD, "change", "asked_groups", "group_id")
    COLUMNS = (
        Column(PERIOD, "string", "the period that was replayed"),
        Column("change", "string", "what is other than it was"),
        Column("asked_groups", "string", "the groups that were asked about; empty: all"),
        Column("group_id", "string", "the group; empty: all that have an answer"),
        Column("kind", "string", "the protocol that its members spoke"),
        Column("refused", "string", "why there is no answer; empty where there is one"),
        Column("difference_ms", "bigint", "what the change adds to the cost; negative: it saves"),
        Column("low_ms", "bigint", "the least of what it adds, in nine of ten repetitions"),
        Column("high_ms", "bigint", "and the most; null: it differs in too few hours"),
        Column("recorded_ms", "bigint", "partitions x time without a working owner, as recorded"),
        Column("replayed_ms", "bigint", "the same in a replay without the change"),
        Column("changed_ms", "bigint", "and with it"),
        Column("miss_percent", "double", "by how much replays miss the recorded cost (all groups)"),
        Column("drawn_miss_percent", "double", "the same with reactions drawn by chance"),
        Column("rebalances_recorded", "bigint", "rebalances, as recorded"),
        Column("rebalances", "bigint", "in a replay without the change"),
        Column("rebalances_changed", "bigint", "and with it"),
        Column("moves", "bigint", "partitions that got another owner, in a replay without it"),
        Column("moves_changed", "bigint", "and with it"),
        Column("answered_at", "timestamp", "when it was answered; the period ends there"),
        Column("asked_by", "string", "who asked"),
    )
