"""The columns of groups' tables; titles are those of kafka-consumer-groups where it has them."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rollcall.cli.output import Column

Row = Mapping[str, Any]


def _assigned(row: Row) -> int:
    return sum(len(numbers) for numbers in (row["assignment"] or {}).values())


def _parts(row: Row) -> str:
    """An assignment in the format of kafka-consumer-groups: orders:0,1;bills:2."""
    assigned = (row["assignment"] or {}).items()
    return ";".join(f"{topic}:{','.join(map(str, numbers))}" for topic, numbers in assigned)


def _silence(row: Row) -> str | None:
    age = row["heartbeat_age_ms"]
    return None if age is None else f"{age / 1000:.1f} s"


def _coordinator(row: Row) -> str | None:
    node = row["coordinator"]
    return None if node is None else f"{node['host']}:{node['port']} ({node['node_id']})"


GROUP: Final = Column("GROUP", "group_id")
MEMBER: Final = Column("CONSUMER-ID", "member_id")
INSTANCE: Final = Column("GROUP-INSTANCE-ID", "instance_id")
HOST: Final = Column("HOST", "client_host")
CLIENT: Final = Column("CLIENT-ID", "client_id")

LISTED: Final[Sequence[Column]] = (
    GROUP,
    Column("TYPE", "type"),
    Column("STATE", "state"),
    Column("#MEMBERS", "member_count"),
    Column("SITUATION", "situation"),
)

OFFSETS: Final[Sequence[Column]] = (
    GROUP,
    Column("TOPIC", "topic"),
    Column("PARTITION", "partition"),
    Column("CURRENT-OFFSET", "committed_offset"),
    Column("LOG-END-OFFSET", "log_end_offset"),
    Column("LAG", "lag"),
    MEMBER,
    HOST,
    CLIENT,
)

EPOCH: Final = Column("LEADER-EPOCH", "leader_epoch")

MEMBERS: Final[Sequence[Column]] = (
    GROUP,
    MEMBER,
    HOST,
    CLIENT,
    Column("#PARTITIONS", "partitions", _assigned),
)

MEMBERS_MORE: Final[Sequence[Column]] = (
    Column("CURRENT-EPOCH", "epoch"),
    Column("STATE", "state"),
    Column("LAST-HEARD", "heartbeat_age_ms", _silence),
    Column("WORK", "work"),
    Column("CURRENT-ASSIGNMENT", "assignment", _parts),
)

STATE: Final[Sequence[Column]] = (
    GROUP,
    Column("COORDINATOR (ID)", "coordinator", _coordinator),
    Column("ASSIGNMENT-STRATEGY", "protocol"),
    Column("STATE", "state"),
    Column("#MEMBERS", "member_count"),
)

STATE_MORE: Final[Sequence[Column]] = (
    Column("GROUP-EPOCH", "generation"),
    Column("FROZEN", "frozen"),
    Column("PAUSED", "paused"),
    Column("SITUATION", "situation"),
)

CONFIG: Final[Sequence[Column]] = (
    Column("NAME", "name"),
    Column("VALUE", "value"),
    Column("OWN", "is_own"),
    Column("MEANING", "documentation"),
)

CHANGED: Final[Sequence[Column]] = (
    Column("NAME", "name"),
    Column("BEFORE", "before"),
    Column("AFTER", "after"),
)


def members(rows: Sequence[Row], verbose: bool) -> Sequence[Column]:
    """The columns of members; instance ids are shown if there are any, as in Kafka."""
    columns = list(MEMBERS)
    if verbose or any(row["instance_id"] for row in rows):
        columns.insert(2, INSTANCE)
    return [*columns, *MEMBERS_MORE] if verbose else columns
