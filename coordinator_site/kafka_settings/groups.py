"""What a group of each protocol may be told and may tell, and what is kept of it.

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
)
