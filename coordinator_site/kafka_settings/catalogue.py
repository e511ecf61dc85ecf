"""Topics, and how much durable state of each kind there may be.

Rows of the table of settings (``coordinator_site.kafka_settings``).
"""

from typing import Final

from coordinator_site.setting_kinds import Flag, Number, Pattern, Setting, Text

SETTINGS: Final[tuple[Setting, ...]] = (
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
)
