"""Topics, and how much durable state of each kind there may be.

Rows of the table of settings (``coordinator_site.kafka_settings``).
"""

from typing import Final

from coordinator_site.setting_kinds import Flag, Number, Pattern, Setting, Text

SETTINGS: Final[tuple[Setting, ...]] = (
    # The catalogue.
    Flag(
        "auto.create.topics.enable",
        True,
        "an unknown topic in a Metadata request is created, as in Kafka",
    ),
    Number(
        "num.partitions", 1, "partitions of a topic that is created without a number", 1, 10_000
    ),
    # How much durable state there may be; existing state keeps working, whatever the limit.
    Number(
        "topics.max",
        50_000,
        "ours: topics in the catalogue, which every node keeps in memory and clients list",
        1,
    ),
    Number("partitions.max", 1_000_000, "ours: partitions of all topics together", 1),
    Number("groups.max", 200_000, "ours: groups; each node keeps those of its slots in memory", 1),
    Number(
        "transactional.ids.max",
        100_000,
        "ours: transactional ids; each is a row until a week after its last use",
        1,
    ),
    Number(
        "offsets.max",
        10_000_000,
        "ours: committed offsets, about two gigabytes; beyond it, groups with many offsets"
        " commit no further partitions",
        1,
    ),
    Number(
        "group.offsets.max",
        100_000,
        "ours: partitions for which one group has committed offsets",
        1,
    ),
    Number(
        "transactional.offsets.max",
        1_000_000,
        "ours: offsets, a row each, that wait for the end of their transaction",
        1,
    ),
    Number("group.configs.max", 100_000, "ours: settings of single groups", 1),
    Number(
        "group.configs.retention.hours",
        168,
        "ours: settings of a group that was never created are deleted after this time; those of"
        " other groups are kept",
        1,
    ),
    Number(
        "offsets.history.max.mebibytes",
        10_240,
        "ours: beyond it, commits are not added to the history until old hours are deleted",
        1,
    ),
    Number(
        "facts.max.mebibytes",
        10_240,
        "ours: beyond it the oldest days of facts are deleted before their time",
        1,
    ),
    # Topics of a Kafka cluster, imported into the catalogue.
    Text(
        "import.bootstrap.servers",
        "",
        "ours: the cluster whose topics are imported; empty: no import",
    ),
    Pattern(
        "import.topics",
        ".*",
        "ours: a pattern for the whole names of imported topics; Kafka's internal topics are"
        " never imported",
    ),
    Text(
        "import.client.config",
        "",
        "ours: a file with librdkafka's properties, for TLS and passwords",
    ),
    Number("import.interval.ms", 60_000, "ours: topics are seldom created or grown", 1000),
    # The pipeline.
    Number(
        "analysis.hour",
        3,
        "ours: the hour (UTC) at which the reports are computed each night, where Spark"
        " is installed; -1: only when somebody asks",
        -1,
        23,
    ),
    Number(
        "analysis.max.minutes",
        360,
        "ours: an analysis that takes longer is ended, so that the next one can begin",
        1,
    ),
    Number(
        "what.if.retention.hours",
        720,
        "ours: how long answers of what-if are shown; as long as the facts that they replay",
        1,
        87_600,
    ),
)
