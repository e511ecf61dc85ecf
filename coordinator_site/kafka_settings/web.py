"""The web: what it shows, which requests it accepts, and what it sends to others.

Rows of the table of settings (``coordinator_site.kafka_settings``).
"""

from typing import Final

from coordinator_site.setting_kinds import (
    Choice,
    Flag,
    Link,
    Networks,
    Number,
    RoleNames,
    Setting,
    Text,
)

SETTINGS: Final[tuple[Setting, ...]] = (
    # What the Overview lists as needing attention (console/queries/attention_table.py).
    Number(
        "attention.unsettled.ms",
        60_000,
        "ours: a rebalance that takes longer needs attention",
        1_000,
    ),
    Number(
        "attention.rebalances.per.hour",
        60,
        "ours: a group with this many rebalances within the last hour needs attention; with one"
        " each minute no work is done",
        1,
    ),
    Number(
        "attention.stopped.ms",
        900_000,
        "ours: a group or member that was stopped or frozen for longer may have been forgotten",
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
        "ours: a group needs attention when this share of its members was silent for a session"
        " timeout",
        1,
        100,
    ),
    Number(
        "attention.commit.ms",
        0,
        "ours: a stable group that has not committed for this long needs attention; 0: off,"
        " since groups differ and the rule reads every offset",
    ),
    Number(
        "attention.notify.queue.percent",
        25,
        "ours: PostgreSQL's queue of notifications is nearly empty unless somebody floods it or"
        " does not read it; beyond half of it Rollcall does not notify",
        1,
        100,
    ),
    # The web.
    Number(
        "web.database.connections",
        16,
        "ours: connections to PostgreSQL of one web process; a request that finds none free"
        " within two seconds gets 503, so that nodes always have connections",
        2,
        1_000,
    ),
    Number(
        "web.database.connections.total",
        40,
        "ours: connections of all web processes together, if they have a login of their own (its"
        " CONNECTION LIMIT): two processes, and their LISTEN connections",
        4,
        10_000,
    ),
    Number(
        "worker.database.connections.total",
        24,
        "ours: the same for all workers and beats: two workers and a beat, including the queue's"
        " connections",
        8,
        10_000,
    ),
    Number(
        "web.read.timeout.ms",
        10_000,
        "ours: the longest statement of a request that only reads, such as a list or a search;"
        " beyond it 503. It holds a connection, of which others need one; changes have 30 s",
        100,
        30_000,
    ),
    Number(
        "web.requests.max",
        100,
        "ours: requests that the web processes at once, each in its own thread",
        2,
        1_000,
    ),
    Number(
        "web.connections.max",
        1_000,
        "ours: connections of the web; beyond it, the connection that has been without a request"
        " for longest is closed",
        16,
        100_000,
    ),
    Number(
        "web.event.streams.max",
        200,
        "ours: event streams of a web process; each is a connection of web.connections.max",
        0,
        10_000,
    ),
    Number(
        "web.event.streams.per.user.max",
        10,
        "ours: how many of these one user, or the installation token, may have",
        1,
        10_000,
    ),
    Number(
        "web.rest.reads.per.minute",
        6_000,
        "ours: reads over REST of one token or user and web process, more than which one process"
        " hardly answers; beyond it 429; 0: unlimited",
        0,
        1_000_000,
    ),
    Number(
        "web.rest.changes.per.minute",
        6_000,
        "ours: the same for changes, for each scope of tokens separately; 0: unlimited",
        0,
        1_000_000,
    ),
    Link(
        "web.docs.url",
        "",
        "ours: where the site of the documentation is served (make docs), to which what needs"
        " attention links; by default none",
    ),
    # Logins to the admin (docs/security.md).
    Choice(
        "web.second.factor",
        "off",
        "ours: one-time passwords (TOTP) beside passwords. optional: for users who set them up;"
        " required: users can do nothing else in the admin until they have set them up",
        ("off", "optional", "required"),
    ),
    Text(
        "web.oidc.issuer",
        "",
        "ours: the URL of an OpenID provider whose users may log in to the admin; by default none",
    ),
    Text("web.oidc.client.id", "", "ours: the name under which the provider knows the web"),
    Text("web.oidc.scopes", "openid profile", "ours: scopes to ask for, separated by blanks"),
    Text(
        "web.oidc.username.claim",
        "preferred_username",
        "ours: the claim with the name that a new user gets",
    ),
    Text("web.oidc.roles.claim", "groups", "ours: the claim with the groups of a user"),
    RoleNames(
        "web.oidc.roles",
        "",
        "ours: which group has which role, as in ops=Operator;cn=adm,ou=x=Administrator; who is in"
        " none of them is refused",
    ),
    # Webhooks (docs/webhooks.md).
    Networks(
        "webhooks.networks.allow",
        "",
        "ours: networks that are not public, such as 10.1.0.0/16, to which webhooks may connect,"
        " also without TLS; the author of an endpoint makes the worker connect there",
    ),
    Number(
        "webhooks.timeout.ms",
        10_000,
        "ours: the longest duration of one delivery, which occupies a thread",
        100,
        60_000,
    ),
    Number("webhooks.retry.hours", 72, "ours: how long a delivery is retried", 1, 720),
    Number(
        "webhooks.disable.days",
        5,
        "ours: an endpoint without a successful delivery for this long is disabled",
        1,
        365,
    ),
    Number(
        "webhooks.deliveries.max",
        10_000,
        "ours: stored deliveries of an endpoint, sent or not; beyond it, the oldest are deleted",
        10,
        1_000_000,
    ),
    Number(
        "webhooks.deliveries.retention.hours", 168, "ours: how long deliveries are stored", 1, 8_760
    ),
    Number(
        "webhooks.max", 50, "ours: endpoints; each event is compared with all of them", 0, 1_000
    ),
    Choice(
        "log.format",
        "text",
        "ours: the format in which all processes log to standard error: lines for people, or one"
        " JSON object each line",
        ("text", "json"),
    ),
    # What Prometheus reads (docs/metrics.md).
    Text(
        "metrics.host",
        "127.0.0.1",
        "ours: the address on which each node's /metrics listens, if it has a port"
        " (ROLLCALL_METRICS_PORT); other addresses than loopback require a token",
    ),
    Number(
        "metrics.cache.ms",
        5_000,
        "ours: values are cached for this long, however many scrapes there are",
        0,
        300_000,
    ),
    Number(
        "metrics.groups.max",
        1_000,
        "ours: groups with series of their own, the first by id; each series costs Prometheus"
        " some kilobytes for as long as it is kept",
        0,
        50_000,
    ),
    Number(
        "metrics.partitions.max",
        10_000,
        "ours: committed offsets, and partitions of topics, with series of their own; 0: none",
        0,
        200_000,
    ),
    Choice(
        "metrics.compat",
        "kafka_exporter",
        "ours: the exporter whose names are exposed in addition to Rollcall's own",
        ("kafka_exporter", "none"),
    ),
    Flag(
        "metrics.loopback.allow",
        False,
        "ours: whether every process on the web's machine may read its /metrics, which names"
        " groups and topics",
    ),
)
