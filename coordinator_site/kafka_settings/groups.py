"""Limits and defaults of the groups of each protocol, and how long their data are kept.

Rows of the table of settings (``coordinator_site.kafka_settings``).
"""

from typing import Final

from coordinator_site.setting_kinds import Assignors, Choice, Choices, Flag, Number, Pairs, Setting

ASSIGNORS = ("uniform", "range", "uniform-rack")
DEFAULT_ASSIGNORS = ("uniform", "range")
POLICIES = ("disabled", "upgrade", "downgrade", "bidirectional")

SETTINGS: Final[tuple[Setting, ...]] = (
    # The classic protocol.
    Number(
        "group.initial.rebalance.delay.ms",
        3000,
        "the longest time that the first rebalance of a new group waits for more members",
    ),
    Number(
        "group.quiet.window.ms",
        500,
        "ours: a new group's first rebalance ends once no member has joined for this long",
        most=60_000,
    ),
    Number(
        "group.min.session.timeout.ms",
        6000,
        "with shorter timeouts heartbeats become a load, and a short pause evicts a member",
        least=1,
    ),
    Number(
        "group.max.session.timeout.ms",
        1_800_000,
        "with longer timeouts the work of a dead member stays undone",
        least=1,
    ),
    Number(
        "group.max.size", 10_000, "a group with this many members still rebalances in time", least=1
    ),
    Number(
        "group.heartbeat.hold.ms",
        10_000,
        "ours: the longest time that a heartbeat is held for news, within its client's heartbeat"
        " interval",
        0,
        20_000,
    ),
    # The consumer protocol (KIP-848).
    Number(
        "group.consumer.session.timeout.ms",
        45_000,
        "a member that is silent for longer is removed",
        1,
    ),
    Number(
        "group.consumer.min.session.timeout.ms",
        45_000,
        "lowest value that a group's own configuration may set",
        1,
    ),
    Number(
        "group.consumer.max.session.timeout.ms",
        60_000,
        "highest value that a group's own configuration may set",
        1,
    ),
    Number(
        "group.consumer.heartbeat.interval.ms",
        5000,
        "the heartbeat interval that the coordinator sends to members",
        1,
    ),
    Number(
        "group.consumer.min.heartbeat.interval.ms",
        5000,
        "lowest value that a group's own configuration may set",
        1,
    ),
    Number(
        "group.consumer.max.heartbeat.interval.ms",
        15_000,
        "highest value that a group's own configuration may set",
        1,
    ),
    Number(
        "group.consumer.heartbeat.hold.percent",
        90,
        "ours: a settled member's heartbeat is held for news for this share of its interval; 0:"
        " never",
        0,
        90,
    ),
    Number(
        "group.consumer.pending.heartbeat.interval.ms",
        500,
        "ours: the heartbeat interval of members that wait for partitions or must revoke some;"
        " 0: as for other members",
        0,
        15_000,
    ),
    Number("group.consumer.max.size", 10_000, "as group.max.size", 1),
    Number(
        "group.consumer.assignment.interval.ms",
        200,
        "at most one new target assignment in this time; with Kafka's 1000, ten new members wait"
        " too long",
    ),
    Number(
        "group.consumer.min.assignment.interval.ms",
        0,
        "lowest value that a group's own configuration may set",
    ),
    Number(
        "group.consumer.max.assignment.interval.ms",
        15_000,
        "highest value that a group's own configuration may set",
    ),
    Number(
        "group.consumer.assignment.timeout.ms",
        5_000,
        "how long a member may take to compute an assignment (client-side assignors) before"
        " another member is asked",
    ),
    Number(
        "group.consumer.min.assignment.timeout.ms",
        100,
        "lowest value that a group's own configuration may set",
    ),
    Number(
        "group.consumer.max.assignment.timeout.ms",
        300_000,
        "highest value that a group's own configuration may set",
    ),
    Flag(
        "group.consumer.assignor.offload.enable",
        True,
        "large target assignments are computed outside the event loop",
    ),
    Assignors(
        "group.consumer.assignors",
        DEFAULT_ASSIGNORS,
        "server-side assignors; the first is used if a member names none",
        ASSIGNORS,
    ),
    Choices(
        "group.coordinator.rebalance.protocols",
        ("classic", "consumer"),
        "without consumer, ConsumerGroupHeartbeat and ConsumerGroupDescribe return"
        " UNSUPPORTED_VERSION, as with group.version=0",
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
        "created and deleted topics are noticed at once; this covers changes without a"
        " notification",
        10_000,
    ),
    # The 0.9 draft.
    Number(
        "consumer.min.session.timeout.ms",
        6000,
        "0.9 draft: a join with a shorter one is refused",
        least=1,
    ),
    Number(
        "consumer.max.session.timeout.ms",
        30_000,
        "0.9 draft: a join with a longer one is refused (SessionTimeoutTooHigh)",
        least=1,
    ),
    Pairs(
        "partition.assignment.strategies",
        (),
        "0.9 draft: your own strategies in addition to range and roundrobin, as name=entry point"
        " or name=package.module:function",
    ),
    # The commanded protocol.
    Number(
        "rebalance.max.retries",
        4,
        "commanded groups: how often an unacknowledged command is sent again before its consumer"
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
        "a commit that waits longer for PostgreSQL fails with a retriable error; ours: so does"
        " any other request, and the connection to PostgreSQL is dropped",
        2500,
        60_000,
    ),
    Number(
        "offset.metadata.max.bytes", 4096, "the metadata of a commit is a note, not a data store"
    ),
    Number(
        "offsets.retention.minutes",
        10_080,
        "offsets are kept for a week after the group has become empty",
        1,
    ),
    Number("offsets.retention.check.interval.ms", 600_000, "expiry of offsets is not urgent", 1),
    Number(
        "offsets.history.retention.hours",
        6,
        "ours: a bad deployment is noticed within a working day; 0: no history is kept",
        0,
    ),
    Number("journal.retention.hours", 720, "ours: a month of rebalances is enough history", 1),
    Number(
        "facts.retention.hours",
        720,
        "ours: lives and ownership are kept as long as the journal; dropped in whole days",
        24,
    ),
    Number(
        "operations.retention.hours",
        720,
        "ours: operators' requests are kept as long as the journal",
        1,
    ),
    # Transactions.
    Number(
        "transaction.max.timeout.ms",
        900_000,
        "consumers that require stable offsets wait while a transaction is open",
        1,
    ),
    Number(
        "transactional.id.expiration.ms",
        604_800_000,
        "a producer that sent nothing for a week is not expected back",
        1,
    ),
)
