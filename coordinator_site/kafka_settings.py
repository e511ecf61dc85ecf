"""Settings with Kafka's own names: one table, read from the environment, checked.

``group.max.size`` is read from ``ROLLCALL_GROUP_MAX_SIZE`` and becomes Django's setting
``GROUP_MAX_SIZE``. Names, types and defaults are those of Kafka's broker settings, except
where a row says "ours". Standard library only: the launcher reads this table before it
starts anything.
"""

from collections.abc import Mapping

from coordinator_site.setting_kinds import (
    Assignors,
    Choice,
    Choices,
    Flag,
    Mechanisms,
    Networks,
    Number,
    Pairs,
    Pattern,
    Principals,
    Setting,
    SettingError,
    Text,
    Value,
)

DAY_MS = 86_400_000
MECHANISMS = ("SCRAM-SHA-256", "SCRAM-SHA-512", "PLAIN", "OAUTHBEARER")
TOKEN_ALGORITHMS = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "Ed25519"),
)
ASSIGNORS = ("uniform", "range", "uniform-rack")
DEFAULT_ASSIGNORS = ("uniform", "range")
POLICIES = ("disabled", "upgrade", "downgrade", "bidirectional")

SETTINGS: tuple[Setting, ...] = (
    # The classic protocol.
    Number(
        "group.initial.rebalance.delay.ms",
        3000,
        "how long, at most, the first rebalance of a new group waits for more members",
    ),
    Number(
        "group.quiet.window.ms",
        500,
        "ours: a new group's first rebalance ends once nobody has joined for this long",
        most=60_000,
    ),
    Number(
        "group.min.session.timeout.ms",
        6000,
        "shorter ones make heartbeats a load and pauses an eviction",
        least=1,
    ),
    Number(
        "group.max.session.timeout.ms",
        1_800_000,
        "longer ones leave the work of a dead member undone",
        least=1,
    ),
    Number(
        "group.max.size", 10_000, "a group of this many members still rebalances in time", least=1
    ),
    Number(
        "group.heartbeat.hold.ms",
        10_000,
        "ours: so long at most, and within its client's interval, a heartbeat waits for news",
        0,
        20_000,
    ),
    # The consumer protocol (KIP-848).
    Number(
        "group.consumer.session.timeout.ms", 45_000, "a member that is silent longer is gone", 1
    ),
    Number("group.consumer.min.session.timeout.ms", 45_000, "bounds what a group may ask", 1),
    Number("group.consumer.max.session.timeout.ms", 60_000, "bounds what a group may ask", 1),
    Number("group.consumer.heartbeat.interval.ms", 5000, "what members are told", 1),
    Number("group.consumer.min.heartbeat.interval.ms", 5000, "bounds what a group may ask", 1),
    Number("group.consumer.max.heartbeat.interval.ms", 15_000, "bounds what a group may ask", 1),
    Number(
        "group.consumer.heartbeat.hold.percent",
        90,
        "ours: so much of its interval a settled member's heartbeat waits for news; 0: none waits",
        0,
        90,
    ),
    Number(
        "group.consumer.pending.heartbeat.interval.ms",
        500,
        "ours: what members are told that wait for partitions or must give some up; 0: as others",
        0,
        15_000,
    ),
    Number("group.consumer.max.size", 10_000, "as group.max.size", 1),
    Number(
        "group.consumer.assignment.interval.ms",
        200,
        "at most one new target in this time; Kafka's 1000 makes ten newcomers wait for too long",
    ),
    Number("group.consumer.min.assignment.interval.ms", 0, "bounds what a group may ask"),
    Number("group.consumer.max.assignment.interval.ms", 15_000, "bounds what a group may ask"),
    Number(
        "group.consumer.assignment.timeout.ms",
        5_000,
        "how long a member may take to assign (client-side assignors) before another is asked",
    ),
    Number("group.consumer.min.assignment.timeout.ms", 100, "bounds what a group may ask"),
    Number("group.consumer.max.assignment.timeout.ms", 300_000, "bounds what a group may ask"),
    Flag(
        "group.consumer.assignor.offload.enable",
        True,
        "large targets are worked out beside the event loop",
    ),
    Assignors(
        "group.consumer.assignors",
        DEFAULT_ASSIGNORS,
        "server-side assignors; the first is used where a member names none",
        ASSIGNORS,
    ),
    Choices(
        "group.coordinator.rebalance.protocols",
        ("classic", "consumer"),
        "without consumer, ConsumerGroupHeartbeat and -Describe hear UNSUPPORTED_VERSION, as where"
        " group.version is 0",
        ("classic", "consumer"),
        ("classic",),
    ),
    Choice(
        "group.consumer.migration.policy",
        "bidirectional",
        "whether a group may change its protocol while it has members",
        POLICIES,
    ),
    Number(
        "group.consumer.regex.refresh.interval.ms",
        600_000,
        "topics that come or go are noticed at once; this is for what nobody told of",
        10_000,
    ),
    # The 0.9 draft.
    Number(
        "consumer.min.session.timeout.ms", 6000, "0.9 draft: a join below it is refused", least=1
    ),
    Number(
        "consumer.max.session.timeout.ms",
        30_000,
        "0.9 draft: a join above it is refused (SessionTimeoutTooHigh)",
        least=1,
    ),
    Pairs(
        "partition.assignment.strategies",
        (),
        "0.9 draft: strategies of one's own beside range and roundrobin, as name=entry point or"
        " name=package.module:function",
    ),
    # Groups that the coordinator commands.
    Number(
        "rebalance.max.retries",
        4,
        "commanded groups: so often an unacknowledged command is sent again; then its consumer"
        " is expelled",
        0,
        100,
    ),
    Number(
        "rebalance.backoff.ms",
        2_000,
        "commanded groups: how long an attempt waits for acknowledgements",
        50,
        3_600_000,
    ),
    # Offsets.
    Number(
        "offsets.commit.timeout.ms",
        5000,
        "what waits longer for PostgreSQL is told to try again; ours: so is any other request, and"
        " the connection is given up",
        2500,
        60_000,
    ),
    Number("offset.metadata.max.bytes", 4096, "a note beside an offset, not a data store"),
    Number("offsets.retention.minutes", 10_080, "a week after the group's end", 1),
    Number("offsets.retention.check.interval.ms", 600_000, "retention is in no hurry", 1),
    Number(
        "offsets.history.retention.hours",
        6,
        "ours: a bad deployment is noticed within a working day; 0 keeps no history",
        0,
    ),
    Number("journal.retention.hours", 720, "ours: a month of rebalances is history enough", 1),
    Number(
        "operations.retention.hours", 720, "ours: who asked for what, as long as the journal", 1
    ),
    # Transactions.
    Number(
        "transaction.max.timeout.ms",
        900_000,
        "while one is open, consumers that ask for stable offsets wait for it",
        1,
    ),
    Number(
        "transactional.id.expiration.ms",
        604_800_000,
        "a week without a word: the producer is not coming back",
        1,
    ),
    # The catalogue.
    Flag("auto.create.topics.enable", True, "an unknown topic in Metadata is made, as Kafka does"),
    Number("num.partitions", 1, "of a topic that is made without saying", 1, 10_000),
    # How much durable state there may be; what is there already goes on, whatever the limit.
    Number(
        "topics.max", 50_000, "ours: in the catalogue, which every node holds and clients list", 1
    ),
    Number("partitions.max", 1_000_000, "ours: of all topics together", 1),
    Number("groups.max", 200_000, "ours: each node holds those of its slots in memory", 1),
    Number("transactional.ids.max", 100_000, "ours: a row each, for a week after its last use", 1),
    Number(
        "offsets.max",
        10_000_000,
        "ours: some two gigabytes; beyond it groups of many commit no further partitions",
        1,
    ),
    Number("group.offsets.max", 100_000, "ours: partitions that one group commits", 1),
    Number(
        "transactional.offsets.max",
        1_000_000,
        "ours: offsets that wait for the end of a transaction, a row each",
        1,
    ),
    Number("group.configs.max", 100_000, "ours: settings that groups have of their own", 1),
    Number(
        "group.configs.retention.hours",
        168,
        "ours: settings of a group that never came are kept for so long; of others, for ever",
        1,
    ),
    Number(
        "offsets.history.max.mebibytes",
        10_240,
        "ours: beyond it commits are not noted in the history, until old hours have gone",
        1,
    ),
    # Topics of a Kafka cluster, imported into the catalogue.
    Text(
        "import.bootstrap.servers", "", "ours: the cluster whose topics are imported; empty: none"
    ),
    Pattern("import.topics", ".*", "ours: whole names of what is imported; never Kafka's own"),
    Text("import.client.config", "", "ours: a file of librdkafka's names, for TLS and passwords"),
    Number("import.interval.ms", 60_000, "ours: topics come and grow seldom", 1000),
    # Connections and requests.
    Number(
        "connections.max.idle.ms", 600_000, "a peer that says nothing is no peer; -1: for ever", -1
    ),
    Number(
        "connections.gone.ms",
        15_000,
        "ours: a peer whose machine answers no probe for so long is gone, whatever it waits for"
        " (TCP keepalive and TCP_USER_TIMEOUT); 0: the system's own times",
        0,
        7_200_000,
    ),
    Number(
        "connections.first.request.ms",
        10_000,
        "ours: who connects has something to ask; every client does so at once",
        1_000,
        600_000,
    ),
    Number(
        "max.connections",
        20_000,
        "of a node; fewer where it may not open so many files. At the limit a newcomer takes the"
        " place of who has said nothing yet",
        1,
    ),
    Number(
        "max.connections.per.ip",
        1_000,
        "of a node from one address that is not its own machine; an address may be a whole site",
        1,
    ),
    Number(
        "max.connection.creation.rate",
        2_000,
        "a second, of a node: thousands come at once after a failover, and each costs 0.1 ms. Who"
        " comes beyond is served later",
        1,
    ),
    Number(
        "reserved.file.descriptors",
        128,
        "ours: files that connections leave to the node itself: PostgreSQL, listeners, logs",
        32,
        65_536,
    ),
    Number(
        "socket.request.max.bytes",
        8_388_608,
        "decoded in memory, so far below Kafka's 100 MiB: no request here carries records",
        1024,
    ),
    Number(
        "queued.max.request.bytes",
        67_108_864,
        "long requests of a node that are read or wait, together; who has none of it yet is not"
        " read from. At least socket.request.max.bytes",
        1024,
    ),
    Number(
        "queued.max.response.bytes",
        134_217_728,
        "ours: replies of a node that nobody has read, together; beyond it requests with long"
        " replies wait, and who has left one unread for longest is closed",
        1_048_576,
    ),
    Number(
        "request.read.timeout.ms",
        30_000,
        "ours: a request is whole so long after its first byte, or its connection is closed",
        1_000,
        600_000,
    ),
    Number(
        "response.read.timeout.ms",
        30_000,
        "ours: a client that reads none of its replies for so long is closed",
        1_000,
        600_000,
    ),
    # What one request may name; more is refused with the error that its API has for it.
    Number(
        "request.topics.max",
        10_000,
        "ours: names or ids of topics in one request that reads; one that changes topics: 1000",
        1_000,
        100_000,
    ),
    Number(
        "request.groups.max",
        10_000,
        "ours: groups or transactional ids; tools ask for all that a node has at once",
        1_000,
        100_000,
    ),
    Number(
        "request.configs.max",
        1_000,
        "ours: resources whose configuration is read or changed, and names of one; a group's"
        " description is 400 bytes long, a broker's 14,000",
        1_000,
        100_000,
    ),
    Number(
        "request.offsets.max",
        10_000,
        "ours: partitions whose offsets one request writes: as many as a topic has; written in one"
        " transaction",
        1_000,
        100_000,
    ),
    Number("fetch.hold.min.ms", 500, "ours: no client polls faster than this", 0, 60_000),
    Number("fetch.hold.max.ms", 30_000, "ours: no client waits longer for nothing", 0, 300_000),
    # The node.
    Number("coordinator.load.hold.ms", 5000, "ours: requests wait this long for a slot", 0, 60_000),
    Number(
        "coordinator.restart.grace.ms",
        40_000,
        "ours: members that a node loads in its first moments have so long to come back; the longer"
        " it was away, the longer clients wait between attempts, up to 36 s (kafka-python)",
        0,
        300_000,
    ),
    Number(
        "node.lease.ms",
        3000,
        "ours: a node unheard of for this long loses its slots; it stops half a second earlier",
        1_000,
        60_000,
    ),
    Number(
        "member.metadata.max.bytes",
        1_048_576,
        "ours: the subscription of one member; sticky assignors and Kafka Streams send hundreds of"
        " kilobytes",
        64,
    ),
    Number(
        "group.metadata.max.bytes",
        4_194_304,
        "ours: all subscriptions of a classic group, and all assignments of a generation",
        1024,
    ),
    Number(
        "group.consumer.metadata.max.bytes",
        67_108_864,
        "ours: all subscriptions of a consumer group; 10,000 members of 6 KiB",
        1024,
    ),
    Number("group.id.max.bytes", 1024, "ours: an id is an index key, and a line in a log", 1, 1024),
    # Who may come in (docs/security.md).
    Text(
        "listeners",
        "",
        "NAME://host:port, with commas between; ours: empty is PLAINTEXT on the node's own port",
    ),
    Text(
        "advertised.listeners",
        "",
        "what clients of a listener are told where that is not its address, as NAME://host:port",
    ),
    Text(
        "listener.security.protocol.map",
        "PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL",
        "NAME:PROTOCOL for each name in listeners",
    ),
    Flag(
        "insecure.listeners.allow",
        False,
        "ours: whether listeners without TLS and authentication may be elsewhere than on loopback",
    ),
    Text(
        "ssl.keystore.location",
        "",
        "a PEM file with a private key that has no password, and its certificates; read again when"
        " it changes",
    ),
    Text(
        "ssl.truststore.location",
        "",
        "a PEM file with the certificates of those who sign for clients",
    ),
    Choice(
        "ssl.client.auth",
        "none",
        "whether clients show a certificate",
        ("none", "requested", "required"),
    ),
    Text(
        "ssl.principal.mapping.rules",
        "DEFAULT",
        "from a client certificate's subject to a principal",
    ),
    Number(
        "ssl.handshake.timeout.ms",
        10_000,
        "ours: who has not finished the handshake by then is closed",
        100,
        60_000,
    ),
    Mechanisms(
        "sasl.enabled.mechanisms",
        ("SCRAM-SHA-256", "SCRAM-SHA-512"),
        "how clients of SASL listeners say who they are; PLAIN and OAUTHBEARER only over TLS or on"
        " loopback",
        MECHANISMS,
    ),
    Text(
        "sasl.oauthbearer.jwks.endpoint.url",
        "",
        "where the issuer of tokens publishes its keys: https://... or file:///...",
    ),
    Text(
        "https.ca.location",
        "",
        "librdkafka's: a PEM file with whom to trust at that address; by default whom the system"
        " trusts",
    ),
    Text("sasl.oauthbearer.expected.issuer", "", "what a token's iss has to be"),
    Text(
        "sasl.oauthbearer.expected.audience",
        "",
        "what a token's aud has to be, or to have among others: one of these, with commas between",
    ),
    Text("sasl.oauthbearer.sub.claim.name", "sub", "the claim of a token that names the user"),
    Text(
        "sasl.oauthbearer.scope.claim.name",
        "scope",
        "the claim with scopes, which have to be texts where they are there; nothing goes by them",
    ),
    Mechanisms(
        "sasl.oauthbearer.algorithms",
        ("RS256", "PS256", "ES256"),
        "ours: how a token may be signed; never not at all, nor by a secret that both sides know",
        TOKEN_ALGORITHMS,
    ),
    Number(
        "sasl.oauthbearer.clock.skew.seconds",
        30,
        "how far the issuer's clock may be from ours",
        0,
        600,
    ),
    Number(
        "sasl.oauthbearer.jwks.endpoint.refresh.ms",
        3_600_000,
        "how often the issuer's keys are read again; also when a token names an unknown one, every"
        " ten seconds at the most",
        1_000,
        DAY_MS,
    ),
    Number(
        "sasl.oauthbearer.jwks.endpoint.retry.backoff.ms",
        100,
        "until they are asked for again after a failure, twice as long after each more",
        10,
        60_000,
    ),
    Number(
        "sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms",
        10_000,
        "and so long at the most",
        10,
        DAY_MS,
    ),
    Number(
        "sasl.lockout.failures",
        10,
        "ours: after so many failures a name is refused from that address for a while; 0: never",
        0,
        1_000,
    ),
    Number(
        "sasl.lockout.ms",
        300_000,
        "ours: for how long, and how long a failure counts",
        1_000,
        DAY_MS,
    ),
    Number(
        "connection.failed.authentication.delay.ms",
        250,
        "a failed authentication is answered after so long; Kafka's 100 lets guesses come quicker",
        0,
        10_000,
    ),
    Number(
        "connections.max.reauth.ms",
        0,
        "after so long a client has to authenticate again (KIP-368); 0: never",
        0,
        DAY_MS,
    ),
    # Who may do what on the Kafka port (docs/acls.md).
    Choice(
        "authorizer",
        "off",
        "ours, for authorizer.class.name: on, where every request is judged by the ACLs",
        ("off", "on"),
    ),
    Principals(
        "super.users",
        "",
        "principals that may do everything, for instance User:ann;User:ben",
    ),
    Flag(
        "allow.everyone.if.no.acl.found",
        False,
        "whether everybody may do what no ACL speaks of; otherwise nobody may",
    ),
    Number(
        "acls.max",
        10_000,
        "ours: each node has all of them in memory, and reads all of them when one changes",
        1,
        100_000,
    ),
    # How much a client may use (docs/quotas.md).
    Number(
        "client.quotas.max",
        10_000,
        "ours: each node has all of them in memory, and reads all of them when one changes",
        1,
        100_000,
    ),
    Number(
        "client.quotas.metered.max",
        10_000,
        "ours: so many clients' use is counted by a node at once, a kilobyte each; of more, that of"
        " who has asked nothing for longest is forgotten",
        100,
        1_000_000,
    ),
    Number("quota.window.num", 11, "so many windows of what a client used are looked at", 2, 100),
    Number(
        "quota.window.size.seconds",
        1,
        "how long each is, and so the longest pause of who used too much; never more than a third"
        " of the shortest session that a member may have",
        1,
        60,
    ),
    Number(
        "controller.quota.window.num",
        11,
        "with the next: so many seconds' worth of partitions may be made and deleted at once",
        2,
        100,
    ),
    Number("controller.quota.window.size.seconds", 1, "as quota.window.size.seconds", 1, 60),
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

ORDERED = (
    ("group.min.session.timeout.ms", "group.max.session.timeout.ms"),
    ("group.consumer.min.session.timeout.ms", "group.consumer.session.timeout.ms"),
    ("group.consumer.session.timeout.ms", "group.consumer.max.session.timeout.ms"),
    ("group.consumer.min.heartbeat.interval.ms", "group.consumer.heartbeat.interval.ms"),
    ("group.consumer.heartbeat.interval.ms", "group.consumer.max.heartbeat.interval.ms"),
    ("consumer.min.session.timeout.ms", "consumer.max.session.timeout.ms"),
    ("group.consumer.min.assignment.interval.ms", "group.consumer.assignment.interval.ms"),
    ("group.consumer.assignment.interval.ms", "group.consumer.max.assignment.interval.ms"),
    ("group.consumer.min.assignment.timeout.ms", "group.consumer.assignment.timeout.ms"),
    ("group.consumer.assignment.timeout.ms", "group.consumer.max.assignment.timeout.ms"),
    ("fetch.hold.min.ms", "fetch.hold.max.ms"),
    ("member.metadata.max.bytes", "group.metadata.max.bytes"),
    ("member.metadata.max.bytes", "group.consumer.metadata.max.bytes"),
    ("socket.request.max.bytes", "queued.max.request.bytes"),
    (
        "sasl.oauthbearer.jwks.endpoint.retry.backoff.ms",
        "sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms",
    ),
)
"""Pairs of which the first must not be greater than the second."""


def read(environ: Mapping[str, str]) -> dict[str, Value]:
    """All settings by their Django name; raises ``SettingError`` for the first that is wrong."""
    values = {setting.name: value(setting, environ) for setting in SETTINGS}
    for lower, upper in ORDERED:
        check_order(values, lower, upper)
    return {setting.attribute: values[setting.name] for setting in SETTINGS}


def value(setting: Setting, environ: Mapping[str, str]) -> Value:
    """The setting's value; a variable that is set but empty counts as not set."""
    text = environ.get(setting.variable, "").strip()
    return setting.parse(text) if text else setting.default


def check_order(values: Mapping[str, Value], lower: str, upper: str) -> None:
    """Refuse a least that is above its most."""
    low, high = values[lower], values[upper]
    assert isinstance(low, int), lower
    assert isinstance(high, int), upper
    if low > high:
        names = {setting.name: setting.variable for setting in SETTINGS}
        raise SettingError(
            f"{names[lower]} ({lower}, {low}) must not be greater than"
            f" {names[upper]} ({upper}, {high})."
        )


def described(values: Mapping[str, Value]) -> tuple[tuple[str, str, str, str, str], ...]:
    """What admin clients are told: name, type, value, default, meaning; values by Django name."""
    return tuple(
        (s.name, s.kind, text(values[s.attribute]), text(s.default), s.reason) for s in SETTINGS
    )


def text(value: Value) -> str:
    """A value as its variable would have it."""
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(value) if isinstance(value, tuple) else str(value)
