"""Gold: what rebalances cost."""

from pipeline.datasets.dataset import PERIOD, Chart, Column, Report

FIGURES = (
    Column("rebalances", "bigint", "rebalances; each counts with every cause it had"),
    Column("duration_ms", "bigint", "their durations, or the causes' shares of them, summed"),
    Column("longest_ms", "bigint", "the longest of them"),
    Column("p50_ms", "bigint", "half of them took at most this"),
    Column("p95_ms", "bigint", "95 % of them took at most this"),
    Column("p99_ms", "bigint", "99 % of them took at most this"),
    Column("waited_ms", "bigint", "the wait for the slowest member of each, summed"),
    Column("slowest_member", "string", "the member with the longest single wait"),
    Column("partitions_moved", "bigint", "partitions that got a new owner"),
    Column(
        "without_owner_ms", "bigint", "time without owner: measured, or its upper bound; summed"
    ),
    Column("without_owner_known_ms", "bigint", "the part that was measured"),
    Column("unknown_rebalances", "bigint", "rebalances without a measured time"),
    Column("worst_journal_id", "bigint", "the entry of the one with the most time without owner"),
)
"""What is summed over rebalances, whatever they are grouped by."""


class Cost(Report):
    """What rebalances cost, by group and cause."""

    NAME = "cost"
    TITLE = "Cost of rebalances"
    QUESTION = "What do rebalances cost, and what causes them?"
    ORDER = "without_owner_ms"
    TOTALS = ("rebalances", "without_owner_ms", "partitions_moved")
    CHART = Chart("bars", "group_id", "trigger", "without_owner_ms")
    KEY = (PERIOD, "group_id", "trigger")
    COLUMNS = (
        Column(PERIOD, "string", "the period"),
        Column("group_id", "string", "the group"),
        Column("trigger", "string", "the cause"),
        *FIGURES,
    )


class Clients(Report):
    """What rebalances cost, by the client that began them."""

    NAME = "clients"
    TITLE = "Cost by client"
    QUESTION = "Which clients begin the rebalances?"
    ORDER = "without_owner_ms"
    KEY = (PERIOD, "group_id", "client_id")
    COLUMNS = (
        Column(PERIOD, "string", "the period"),
        Column("group_id", "string", "the group"),
        Column("client_id", "string", "the client id of the member that began it"),
        *FIGURES,
    )


class Software(Report):
    """What rebalances cost, by the client library and the address of the member that began them."""

    NAME = "software"
    TITLE = "Cost by software and host"
    QUESTION = "Which client libraries, versions and hosts begin the rebalances?"
    ORDER = "without_owner_ms"
    KEY = (PERIOD, "group_id", "software", "client_host")
    COLUMNS = (
        Column(PERIOD, "string", "the period"),
        Column("group_id", "string", "the group"),
        Column("software", "string", "the client library with its version; empty if unknown"),
        Column("client_host", "string", "the address from which the member came"),
        *FIGURES,
    )


class Hours(Report):
    """The same by the hour: what a chart shows."""

    NAME = "hours"
    TITLE = "Cost by the hour"
    QUESTION = "When did rebalances happen, and why?"
    ORDER = "hour"
    CHART = Chart("time", "hour", "trigger", "without_owner_ms")
    KEY = (PERIOD, "hour", "trigger")
    COLUMNS = (
        Column(PERIOD, "string", "the period"),
        Column("hour", "timestamp", "the beginning of the hour in which they were completed"),
        Column("trigger", "string", "the cause"),
        Column("rebalances", "bigint", "completed rebalances"),
        Column("groups", "bigint", "groups that had one"),
        Column("partitions_moved", "bigint", "partitions that got a new owner"),
        Column("without_owner_ms", "bigint", "time without owner, or its bound; summed"),
    )
