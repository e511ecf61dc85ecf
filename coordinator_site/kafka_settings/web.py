"""The web: what it shows, what it may be asked, and what it tells others.

Rows of the table of settings (``coordinator_site.kafka_settings``).
"""

from typing import Final

from coordinator_site.setting_kinds import Choice, Flag, Networks, Number, Setting, Text

SETTINGS: Final[tuple[Setting, ...]] = (
    # What the Overview says needs attention (groups/queries/attention.py).
    Number(
        "attention.unsettled.ms", 60_000, "ours: a rebalance that goes on longer is named", 1_000
    ),
    Number(
        "attention.rebalances.per.hour",
        60,
        "ours: a group with so many within the last hour is named; one each minute is no work done",
        1,
    ),
    Number(
        "attention.stopped.ms",
        900_000,
        "ours: what was stopped or frozen for longer may have been forgotten",
        1_000,
    ),
    Number(
        "attention.drained.ms",
        14_400_000,
        "ours: a node that was drained for longer may have been forgotten: the others do its work",
        1_000,
    ),
    Number(
        "attention.silent.percent",
        50,
        "ours: a group of whose members so many were not heard of for a session is named",
        1,
        100,
    ),
    Number(
        "attention.commit.ms",
        0,
        "ours: a stable group that has not committed for so long is named; 0: none, since groups"
        " differ, and every offset has to be read for it",
    ),
    # The web.
    Number(
        "web.database.connections",
        16,
        "ours: connections to PostgreSQL of one web process; who finds none free within two"
        " seconds is told to come again (503), so that the nodes always find some left",
        2,
        1_000,
    ),
    Number(
        "web.database.connections.total",
        40,
        "ours: those of all web processes together, where they have a login of their own (its"
        " CONNECTION LIMIT): two processes, and their doorbells",
        4,
        10_000,
    ),
    Number(
        "worker.database.connections.total",
        24,
        "ours: the same of all workers and beats: two workers and a beat, with the queue's",
        8,
        10_000,
    ),
    Number(
        "web.requests.max",
        100,
        "ours: requests that the web works on at a time, each in a thread of its own",
        2,
        1_000,
    ),
    Number(
        "web.connections.max",
        1_000,
        "ours: connections of the web; of one more the longest without a request is closed",
        16,
        100_000,
    ),
    Number(
        "web.event.streams.max",
        200,
        "ours: streams of events of a web process; each is a connection of web.connections.max",
        0,
        10_000,
    ),
    Number(
        "web.event.streams.per.user.max",
        10,
        "ours: of these so many may be one user's, or the installation token's",
        1,
        10_000,
    ),
    # Webhooks (docs/webhooks.md).
    Networks(
        "webhooks.networks.allow",
        "",
        "ours: networks that are not public, such as 10.1.0.0/16, and that webhooks may lead to all"
        " the same, also without TLS; whoever makes an endpoint has the worker send there",
    ),
    Number(
        "webhooks.timeout.ms",
        10_000,
        "ours: how long one delivery may take; a thread waits for it",
        100,
        60_000,
    ),
    Number("webhooks.retry.hours", 72, "ours: a delivery is tried for so long", 1, 720),
    Number(
        "webhooks.disable.days",
        5,
        "ours: an endpoint that took nothing for so long is told no more",
        1,
        365,
    ),
    Number(
        "webhooks.deliveries.max",
        10_000,
        "ours: deliveries kept of an endpoint, sent or not; the oldest are forgotten",
        10,
        1_000_000,
    ),
    Number("webhooks.deliveries.retention.hours", 168, "ours: and for so long", 1, 8_760),
    Number("webhooks.max", 50, "ours: endpoints; each event is compared with every one", 0, 1_000),
    Choice(
        "log.format",
        "text",
        "ours: what all processes write to standard error: lines for people, or an object of JSON"
        " a line",
        ("text", "json"),
    ),
    # What Prometheus reads (docs/metrics.md).
    Text(
        "metrics.host",
        "127.0.0.1",
        "ours: where each node's own /metrics listens, if it has a port (ROLLCALL_METRICS_PORT);"
        " elsewhere than on loopback a token is needed",
    ),
    Number(
        "metrics.cache.ms",
        5_000,
        "ours: the rows are looked at no sooner again, however many ask",
        0,
        300_000,
    ),
    Number(
        "metrics.groups.max",
        1_000,
        "ours: groups that have series of their own, the first by id; each series costs Prometheus"
        " some kilobytes for as long as it is kept",
        0,
        50_000,
    ),
    Number(
        "metrics.partitions.max",
        10_000,
        "ours: committed offsets, and partitions of topics, that have series of their own; 0: none",
        0,
        200_000,
    ),
    Choice(
        "metrics.compat",
        "kafka_exporter",
        "ours: whose names are exposed beside our own; none: nobody's",
        ("kafka_exporter", "none"),
    ),
    Flag(
        "metrics.loopback.allow",
        False,
        "ours: whether everybody on the web's machine may read its /metrics, which names groups"
        " and topics",
    ),
)
