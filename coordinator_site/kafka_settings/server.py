"""Connections, requests and the node that serves them.

Rows of the table of settings (``coordinator_site.kafka_settings``).
"""

from typing import Final

from coordinator_site.setting_kinds import Number, Setting

SETTINGS: Final[tuple[Setting, ...]] = (
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
        "node.drain.retention.hours",
        168,
        "ours: a drained node that was away for so long has left for good; its drain is removed",
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
        "ours: all subscriptions of a consumer group; 10,000 members of 6 KiB",
        1024,
    ),
    Number("group.id.max.bytes", 1024, "ours: an id is an index key, and a line in a log", 1, 1024),
)
