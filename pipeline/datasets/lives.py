"""Silver: one row for each life of a member, and for each interval of ownership."""

from pipeline.datasets.dataset import Column, Dataset


class Lives(Dataset):
    """Members' lives, those that have not ended among them."""

    NAME = "member_lives"
    KEY = ("life",)
    TIMES = ("joined_at", "left_at")
    COLUMNS = (
        Column("life", "bigint", "the life's number"),
        Column("group_id", "string", "the group"),
        Column("member_id", "string", "the member"),
        Column("instance_id", "string", "group.instance.id; null for a dynamic member"),
        Column("client_id", "string", "its client id"),
        Column("client_host", "string", "the address from which it came"),
        Column("software", "string", "the client library with its version; empty if unknown"),
        Column("kind", "string", "the protocol that it spoke"),
        Column("session_timeout_ms", "int", "its session timeout, in milliseconds"),
        Column("protocols", "array<string>", "assignors in its order"),
        Column("joined_at", "timestamp", "its beginning"),
        Column("left_at", "timestamp", "its end; null if it lives"),
        Column("departure", "string", "how it ended; null if it lives"),
        Column("heard_at", "timestamp", "its last sign of life; null if it lives"),
        Column(
            "lived_ms", "bigint", "from its beginning to its end, in milliseconds; null if it lives"
        ),
        Column(
            "back_ms",
            "bigint",
            "from its end to the next beginning of the same client of the group; null if it did not"
            " come back, or if the two overlap",
        ),
    )
    CHECKS = {
        "it does not end before it began": "left_at IS NULL OR left_at >= joined_at",
        "an end has a cause": "(left_at IS NULL) = (departure IS NULL)",
    }


class Ownership(Dataset):
    """Who owned which partition, from when until when."""

    NAME = "intervals"
    KEY = ("life", "topic", "partition", "from_at")
    TIMES = ("from_at",)
    COLUMNS = (
        Column("group_id", "string", "the group"),
        Column("life", "bigint", "the owner's life"),
        Column("topic", "string", "the topic"),
        Column("partition", "int", "the partition"),
        Column("from_at", "timestamp", "since when"),
        Column("until_at", "timestamp", "until when; null: still"),
    )
    CHECKS = {"it does not end before it began": "until_at IS NULL OR until_at >= from_at"}
