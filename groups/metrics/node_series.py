"""The table of what each node counts itself (``protocol.node_report`` fills it). No series names a
group or a topic: what a node exposes does not grow with what it serves.
"""

from typing import Final

from groups.event_loop import BOUNDS_S
from groups.metrics.series import COUNTER, GAUGE, HISTOGRAM, SECONDS, Series

NODE: Final = (
    Series("rollcall_node_info", GAUGE, "always 1; which node answers", ("node",)),
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
    Series("rollcall_draining", GAUGE, "1: the node hands its slots over and ends"),
    Series(
        "rollcall_heartbeats_total",
        COUNTER,
        "heartbeats of the classic and the consumer protocol, by what they were answered at first",
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
        "requests that a handler answered; not what the fast paths did: classic heartbeats and"
        " plain commits",
        ("api", "result"),
    ),
    Series(
        "rollcall_request_seconds",
        HISTOGRAM,
        "how long a handler took, with what it waited for: members (JoinGroup, SyncGroup), news"
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
    Series("rollcall_member_arrivals_total", COUNTER, "members that came"),
    Series(
        "rollcall_member_departures_total",
        COUNTER,
        "members that are gone, by the trigger of the journal; expired: a timer ran out while a"
        " rebalance went on",
        ("cause",),
    ),
    Series(
        "rollcall_batch_seconds",
        HISTOGRAM,
        "transactions of the committers that PostgreSQL took",
        ("queue",),
        SECONDS,
        BOUNDS_S,
    ),
    Series("rollcall_batch_groups_total", COUNTER, "how many groups these wrote", ("queue",)),
    Series(
        "rollcall_batch_failures_total",
        COUNTER,
        "transactions that failed, by what was wrong; most are tried again",
        ("queue", "reason"),
    ),
    Series(
        "rollcall_loop_lag_seconds",
        HISTOGRAM,
        "how much later than asked the event loop woke a timer, twenty times a second",
        (),
        SECONDS,
        BOUNDS_S,
    ),
    Series("rollcall_loop_stalls_total", COUNTER, "how often nobody was heard for over a second"),
    Series(
        "rollcall_unheard_seconds_total",
        COUNTER,
        "how long nobody could be heard: the process stood still, or its lease had ended",
        (),
        SECONDS,
    ),
    Series(
        "rollcall_throttled_seconds_total",
        COUNTER,
        "pauses of clients that used more than a quota lets them, by what it was given to",
        ("entity", "quota"),
        SECONDS,
    ),
    Series("rollcall_throttled_total", COUNTER, "how many pauses those were", ("entity", "quota")),
    Series("rollcall_limit_used", GAUGE, "how much there is of what has a limit", ("limit",)),
    Series("rollcall_limit_max", GAUGE, "how much there may be", ("limit",)),
)
