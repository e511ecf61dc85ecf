"""The series that the web exposes: the state in PostgreSQL, the same in each web process."""

from typing import Final

from groups.metrics.series import COUNTER, GAUGE, SECONDS, Series

STATE: Final = (
    Series(
        "rollcall_database_up", GAUGE, "1: PostgreSQL answered, and the series below are present"
    ),
    Series("rollcall_build_info", GAUGE, "always 1; the version of the program", ("version",)),
    Series("rollcall_groups", GAUGE, "groups by kind and state", ("kind", "state")),
    Series("rollcall_members", GAUGE, "members of all groups"),
    Series("rollcall_topics", GAUGE, "topics in the catalogue"),
    Series("rollcall_partitions", GAUGE, "partitions of all topics"),
    Series("rollcall_slots", GAUGE, "slots, by the node that owns them; none: no owner", ("node",)),
    Series(
        "rollcall_node_beat_age_seconds",
        GAUGE,
        "time since a node's last beat, by PostgreSQL's clock",
        ("node",),
        SECONDS,
    ),
    Series(
        "rollcall_rebalances_1h",
        GAUGE,
        "rebalances completed within an hour, among the newest 20,000 journal entries",
    ),
    Series(
        "rollcall_oldest_open_rebalance_seconds",
        GAUGE,
        "duration of the longest rebalance in progress; 0: none",
        (),
        SECONDS,
    ),
    Series("rollcall_unsettled_groups", GAUGE, "groups that rebalance now"),
    Series(
        "rollcall_waiting_members",
        GAUGE,
        "members of groups that rebalance: awaited by the others, ready (they have done their"
        " part), or new (to be let in or given partitions)",
        ("what",),
    ),
    Series(
        "rollcall_unowned_partitions",
        GAUGE,
        "partitions without a working member during rebalances, as known to the groups' owners",
    ),
    Series("rollcall_stopped_groups", GAUGE, "groups whose work an operator stopped"),
    Series("rollcall_stopped_members", GAUGE, "members whose work an operator stopped"),
    Series("rollcall_frozen_groups", GAUGE, "groups in which no rebalance begins"),
    Series("rollcall_failing_webhooks", GAUGE, "endpoints of webhooks whose last delivery failed"),
    Series(
        "rollcall_disabled_webhooks",
        GAUGE,
        "endpoints that were disabled after days without a successful delivery",
    ),
    Series(
        "rollcall_pending_webhook_deliveries",
        GAUGE,
        "deliveries that wait, to endpoints that are not disabled",
    ),
    Series(
        "rollcall_pending_operations", GAUGE, "operations that no group's owner has decided yet"
    ),
    Series(
        "rollcall_periodic_age_seconds",
        GAUGE,
        "time since the last start of a periodic task; the session sweep is one of them",
        ("task",),
        SECONDS,
    ),
    Series("rollcall_periodic_failed", GAUGE, "1: its last run failed", ("task",)),
    Series("rollcall_periodic_runs_total", COUNTER, "runs of a periodic task", ("task",)),
    Series("rollcall_periodic_failures_total", COUNTER, "runs that failed", ("task",)),
    Series(
        "rollcall_attention",
        GAUGE,
        "lines of a rule in the Overview's list; 0: it does not fire",
        ("rule",),
    ),
    Series(
        "rollcall_group_attention",
        GAUGE,
        "1: the rule fires for this group (it is among the first ten of its rule)",
        ("group", "rule"),
    ),
    Series("rollcall_group_state", GAUGE, "1: the group's state", ("group", "kind", "state")),
    Series("rollcall_group_members", GAUGE, "members of the group", ("group",)),
    Series(
        "rollcall_group_generation", GAUGE, "its generation, or group epoch (KIP-848)", ("group",)
    ),
    Series(
        "rollcall_group_state_seconds",
        GAUGE,
        "time since the group entered its state",
        ("group",),
        SECONDS,
    ),
    Series(
        "rollcall_group_unowned_partitions",
        GAUGE,
        "as above, of a group that rebalances or puts it off",
        ("group",),
    ),
    Series(
        "rollcall_series_left_out",
        GAUGE,
        "groups, offsets or partitions without series of their own, because of a cap (offsets:"
        " 1 means that there are more)",
        ("what",),
    ),
)
"""Exposed by the web. The number of groups with series is limited (``metrics.groups.max``)."""

KAFKA_EXPORTER: Final = (
    Series("kafka_brokers", GAUGE, "live nodes"),
    Series("kafka_topic_partitions", GAUGE, "partitions of the topic", ("topic",)),
    Series(
        "kafka_topic_partition_current_offset",
        GAUGE,
        "the end offset of the partition; no sample if it is unknown",
        ("partition", "topic"),
    ),
    Series("kafka_consumergroup_members", GAUGE, "members of the group", ("consumergroup",)),
    Series(
        "kafka_consumergroup_current_offset",
        GAUGE,
        "the committed offset",
        ("consumergroup", "partition", "topic"),
    ),
    Series(
        "kafka_consumergroup_current_offset_sum",
        GAUGE,
        "of all partitions of the topic that the group has committed",
        ("consumergroup", "topic"),
    ),
    Series(
        "kafka_consumergroup_lag",
        GAUGE,
        "the end offset minus the committed offset; no sample if the end offset is unknown",
        ("consumergroup", "partition", "topic"),
    ),
    Series(
        "kafka_consumergroup_lag_sum",
        GAUGE,
        "of all committed partitions of the topic; no sample unless every end offset is known",
        ("consumergroup", "topic"),
    ),
)
"""Exposed by the web, with the names of danielqsj/kafka_exporter (``metrics.compat``)."""

WEB: Final = (*STATE, *KAFKA_EXPORTER)
