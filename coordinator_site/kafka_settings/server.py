"""Connections, requests and the node that serves them.

Rows of the table of settings (``coordinator_site.kafka_settings``).
"""

from typing import Final

from coordinator_site.setting_kinds import Number, Setting

SETTINGS: Final[tuple[Setting, ...]] = (
    # Connections and requests.
    Number(
        "connections.max.idle.ms",
        600_000,
        "a connection without requests is closed after this time; -1: never",
        -1,
    ),
    Number(
        "connections.gone.ms",
        15_000,
        "ours: a connection is closed when the peer's machine has answered no probe for this"
        " long, even if the client waits for a reply (TCP keepalive and TCP_USER_TIMEOUT); 0:"
        " the system's own times",
        0,
        7_200_000,
    ),
    Number(
        "connections.first.request.ms",
        10_000,
        "ours: a connection without a first request is closed after this time; every client"
        " sends one at once",
        1_000,
        600_000,
    ),
    Number(
        "max.connections",
        20_000,
        "connections of a node; fewer if the limit of open files is lower. At the limit, a new"
        " connection replaces one that has not sent anything",
        1,
    ),
    Number(
        "max.connections.per.ip",
        1_000,
        "connections of a node from one address other than its own machine; an address may be a"
        " whole site",
        1,
    ),
    Number(
        "max.connection.creation.rate",
        2_000,
        "new connections of a node each second: after a failover thousands arrive at once, and"
        " each costs 0.1 ms. Those beyond it are served later",
        1,
    ),
    Number(
        "reserved.file.descriptors",
        128,
        "ours: file descriptors of a node that client connections do not use: for PostgreSQL,"
        " listeners, logs",
        32,
        65_536,
    ),
    Number(
        "socket.request.max.bytes",
        8_388_608,
        "requests are decoded in memory, so it is far below Kafka's 100 MiB; no request carries"
        " records",
        1024,
    ),
    Number(
        "queued.max.request.bytes",
        67_108_864,
        "long requests of a node that are being read or wait, together; beyond it, no further"
        " long request is read. At least socket.request.max.bytes",
        1024,
    ),
    Number(
        "queued.max.response.bytes",
        134_217_728,
        "ours: unread replies of a node, together; beyond it, requests with long replies wait,"
        " and the connection that has left a reply unread for longest is closed",
        1_048_576,
    ),
    Number(
        "request.read.timeout.ms",
        30_000,
        "ours: a connection is closed if a request is not complete this long after its first byte",
        1_000,
        600_000,
    ),
    Number(
        "response.read.timeout.ms",
        30_000,
        "ours: a connection is closed if its client has read no reply for this long",
        1_000,
        600_000,
    ),
    # How much one request may name; more is rejected with the error code that its API has for it.
    Number(
        "request.topics.max",
        10_000,
        "ours: topic names or ids in one request that reads; 1000 in one that changes topics",
        1_000,
        100_000,
    ),
    Number(
        "request.groups.max",
        10_000,
        "ours: groups or transactional ids in one request; tools request all groups of a node at"
        " once",
        1_000,
        100_000,
    ),
    Number(
        "request.configs.max",
        1_000,
        "ours: resources in one request for configuration, and names for each; the description"
        " of a group has 400 bytes, of a broker 14,000",
        1_000,
        100_000,
    ),
    Number(
        "request.offsets.max",
        10_000,
        "ours: partitions whose offsets one request writes, in one transaction: as many as a"
        " topic may have",
        1_000,
        100_000,
    ),
    Number(
        "fetch.hold.min.ms",
        500,
        "ours: the wait of a fetch whose client names less than 50 ms; none polls without a pause",
        0,
        60_000,
    ),
    Number(
        "fetch.hold.max.ms",
        30_000,
        "ours: the longest wait of a fetch, which returns no records",
        0,
        300_000,
    ),
    # The node.
    Number(
        "coordinator.load.hold.ms",
        5000,
        "ours: how long requests wait for a slot to be loaded",
        0,
        60_000,
    ),
    Number(
        "coordinator.restart.grace.ms",
        40_000,
        "ours: how long members have to reconnect after an outage longer than a lease, once in"
        " a silence; clients wait longer between attempts the longer nobody served, up to 36 s"
        " (kafka-python)",
        0,
        300_000,
    ),
    Number(
        "node.lease.ms",
        3000,
        "ours: a node without a beat for this long loses its slots; it stops serving half a"
        " second earlier",
        1_000,
        60_000,
    ),
    Number(
        "node.still.max.ms",
        60_000,
        "ours: a node whose event loop has not turned for this long ends, and what supervises it"
        " starts it again; nothing is served meanwhile, and other nodes have had its groups since"
        " its lease ended. Only time in which the process runs counts",
        10_000,
        3_600_000,
    ),
    Number(
        "node.restart.backoff.ms",
        10_000,
        "ours: a node that ended, or lost its slots, without handing them over takes none until it"
        " has beaten for this long, doubled at each such end in sequence, while others serve: each"
        " end costs its groups a second or more; 0: it takes slots at once",
        0,
        600_000,
    ),
    Number(
        "node.restart.backoff.max.ms",
        600_000,
        "ours: the longest such wait; after twice this time without such an end the next is the"
        " first",
        0,
        86_400_000,
    ),
    Number(
        "node.retention.hours",
        24,
        "ours: a node without slots that has been silent for this long has left for good; its row"
        " is removed",
        1,
        8_760,
    ),
    Number(
        "node.drain.retention.hours",
        168,
        "ours: a drained node that was away for so long has left for good; its drain is removed."
        " So is the lease of a node id, which other hosts may then have",
        1,
        8_760,
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
        "ours: all subscriptions of a consumer group: 10,000 members with 6 KiB each",
        1024,
    ),
    Number(
        "group.id.max.bytes",
        1024,
        "ours: a group id is an index key, and part of log lines",
        1,
        1024,
    ),
)
