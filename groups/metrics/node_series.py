"""The table of series that each node counts (``protocol.metrics.node_report`` fills it). None has
labels for groups or topics: a node's output does not grow with the number of these."""

from typing import Final

from groups.event_loop import BOUNDS_S
from groups.metrics.series import COUNTER, GAUGE, HISTOGRAM, SECONDS, Series

NODE: Final = (
    Series("rollcall_node_info", GAUGE, "always 1; labels identify the node", ("node",)),
    Series(
        "rollcall_lease_seconds",
        GAUGE,
        "how long the node may still answer from memory; 0: it may not",
        (),
        SECONDS,
    ),
    Series("rollcall_slots_owned", GAUGE, "slots that it owns"),
    Series("rollcall_groups_loaded", GAUGE, "groups that it has in memory"),
    Series("rollcall_connections", GAUGE, "connections of clients"),
    Series("rollcall_draining", GAUGE, "1: the node hands over its slots and stops"),
    Series("rollcall_drained", GAUGE, "1: an operator drained the node"),
    Series(
        "rollcall_heartbeats_total",
        COUNTER,
        "heartbeats of the classic and the consumer protocol, by their first result",
        ("result",),
    ),
    Series(
        "rollcall_held_heartbeats_news_total",
        COUNTER,
        "classic heartbeats that were held (result NONE above) and then answered with news",
    ),
    Series(
        "rollcall_commits_total",
        COUNTER,
        "OffsetCommit requests that a group decided",
        ("result",),
    ),
    Series(
        "rollcall_requests_total",
        COUNTER,
        "requests that a handler answered, and consumer heartbeats answered from memory; without"
        " classic heartbeats and plain commits",
        ("api", "result"),
    ),
    Series(
        "rollcall_request_seconds",
        HISTOGRAM,
        "duration of a handler, with its waits for members (JoinGroup, SyncGroup), news"
        " (ConsumerGroupHeartbeat), PostgreSQL",
        ("api",),
        SECONDS,
        BOUNDS_S,
    ),
    Series("rollcall_rebalances_total", COUNTER, "rebalances completed", ("trigger",)),
    Series(
        "rollcall_rebalance_seconds",
        HISTOGRAM,
        "rebalance: from its start to the next generation; sync: from there to the assignment"
        " (classic groups)",
        ("phase",),
        SECONDS,
        BOUNDS_S,
    ),
    Series("rollcall_moved_partitions_total", COUNTER, "partitions that changed their owner"),
    Series("rollcall_member_arrivals_total", COUNTER, "members that joined"),
    Series(
        "rollcall_member_departures_total",
        COUNTER,
        "members that left or were removed, by the trigger of the journal; expired: a timer"
        " expired during a rebalance",
        ("cause",),
    ),
    Series(
        "rollcall_instance_claims_total",
        COUNTER,
        "claims of an instance id that has a member already: refused (UNRELEASED_INSTANCE_ID),"
        " fenced (FENCED_INSTANCE_ID), taken (a join of the classic protocol replaces the member)",
        ("how",),
    ),
    Series(
        "rollcall_batch_seconds",
        HISTOGRAM,
        "transactions of the committers that PostgreSQL took",
        ("queue",),
        SECONDS,
        BOUNDS_S,
    ),
    Series(
        "rollcall_batch_groups_total", COUNTER, "groups that these transactions wrote", ("queue",)
    ),
    Series(
        "rollcall_batch_failures_total",
        COUNTER,
        "transactions that failed, by error; most are retried",
        ("queue", "reason"),
    ),
    Series(
        "rollcall_loop_lag_seconds",
        HISTOGRAM,
        "delay of a timer of the event loop, measured twenty times a second",
        (),
        SECONDS,
        BOUNDS_S,
    ),
    Series(
        "rollcall_loop_stalls_total",
        COUNTER,
        "pauses of over a second in which the node could receive nothing",
    ),
    Series(
        "rollcall_unheard_seconds_total",
        COUNTER,
        "time in which the node could receive nothing: it was suspended, or its lease had expired",
        (),
        SECONDS,
    ),
    Series(
        "rollcall_throttled_seconds_total",
        COUNTER,
        "pauses of clients over a quota, by the quota's entity type",
        ("entity", "quota"),
        SECONDS,
    ),
    Series(
        "rollcall_throttled_total",
        COUNTER,
        "number of pauses of clients over a quota",
        ("entity", "quota"),
    ),
    Series("rollcall_limit_used", GAUGE, "current amount of state that has a limit", ("limit",)),
    Series("rollcall_limit_max", GAUGE, "the limit", ("limit",)),
)
