"""The settings of a topic's log that Kafka accepts, which have no effect here.

There is no log, so a topic's settings are always Kafka's defaults and described as read-only.
CreateTopics accepts and ignores values, since tools always send some; later changes are refused.
Other names, and values that are invalid in Kafka, are refused as in Kafka.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from groups.core.configs.entries import Change, ConfigEntry, ConfigOperation, ConfigType, Source
from groups.core.errors import ErrorCode, Refuse

LONG_MAX: Final = str(2**63 - 1)

_BOOLEAN, _DOUBLE, _INT = ConfigType.BOOLEAN, ConfigType.DOUBLE, ConfigType.INT
_LIST, _LONG, _STRING = ConfigType.LIST, ConfigType.LONG, ConfigType.STRING

DOCUMENTATION: Final = "A setting of a topic's log. Rollcall keeps none, so it changes nothing."

DEFAULTS: Final[Mapping[str, tuple[ConfigType, str | None]]] = {
    "cleanup.policy": (_LIST, "delete"),
    "compression.gzip.level": (_INT, "-1"),
    "compression.lz4.level": (_INT, "9"),
    "compression.type": (_STRING, "producer"),
    "compression.zstd.level": (_INT, "3"),
    "delete.retention.ms": (_LONG, "86400000"),
    "errors.deadletterqueue.group.enable": (_BOOLEAN, None),
    "file.delete.delay.ms": (_LONG, "60000"),
    "flush.messages": (_LONG, LONG_MAX),
    "flush.ms": (_LONG, LONG_MAX),
    "follower.replication.throttled.replicas": (_LIST, ""),
    "index.interval.bytes": (_INT, "4096"),
    "leader.replication.throttled.replicas": (_LIST, ""),
    "local.retention.bytes": (_LONG, "-2"),
    "local.retention.ms": (_LONG, "-2"),
    "max.compaction.lag.ms": (_LONG, LONG_MAX),
    "max.message.bytes": (_INT, "1048588"),
    "message.downconversion.enable": (_BOOLEAN, None),
    "message.format.version": (_STRING, None),
    "message.timestamp.after.max.ms": (_LONG, "3600000"),
    "message.timestamp.before.max.ms": (_LONG, LONG_MAX),
    "message.timestamp.difference.max.ms": (_LONG, None),
    "message.timestamp.type": (_STRING, "CreateTime"),
    "min.cleanable.dirty.ratio": (_DOUBLE, "0.5"),
    "min.compaction.lag.ms": (_LONG, "0"),
    "min.insync.replicas": (_INT, "1"),
    "preallocate": (_BOOLEAN, "false"),
    "remote.copy.lag.bytes": (_LONG, None),
    "remote.copy.lag.ms": (_LONG, None),
    "remote.log.copy.disable": (_BOOLEAN, "false"),
    "remote.log.delete.on.disable": (_BOOLEAN, "false"),
    "remote.storage.enable": (_BOOLEAN, "false"),
    "retention.bytes": (_LONG, "-1"),
    "retention.ms": (_LONG, "604800000"),
    "segment.bytes": (_INT, "1073741824"),
    "segment.index.bytes": (_INT, "10485760"),
    "segment.jitter.ms": (_LONG, "0"),
    "segment.ms": (_LONG, "604800000"),
    "unclean.leader.election.enable": (_BOOLEAN, "false"),
}
"""Every accepted name, with type and default as Kafka 4.3 describes them. None: a name of another
version without a default in 4.3; it is accepted but not described."""


_CHOICES: Final[Mapping[str, frozenset[str]]] = {
    "cleanup.policy": frozenset(("delete", "compact")),
    "compression.type": frozenset(("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer")),
    "message.timestamp.type": frozenset(("CreateTime", "LogAppendTime")),
}
"""Names whose value is one of few words, or a list of them."""

_NUMBERS: Final[Mapping[ConfigType, Callable[[str], object]]] = {
    _INT: int,
    _LONG: int,
    _DOUBLE: float,
}


def check_new(configs: Mapping[str, str | None]) -> None:
    """Refuse settings with which no topic can be created: INVALID_CONFIG."""
    for name, value in configs.items():
        if name not in DEFAULTS:
            raise Refuse(ErrorCode.INVALID_CONFIG, f"Unknown topic config name: {name}")
        if value is None:
            raise Refuse(ErrorCode.INVALID_CONFIG, f"The topic config {name} needs a value.")
        if not _is_readable(name, value.strip()):
            raise Refuse(ErrorCode.INVALID_CONFIG, f"Invalid value {value} for {name}.")


def _is_readable(name: str, value: str) -> bool:
    if name in _CHOICES:
        return set(value.split(",")) <= _CHOICES[name]
    kind = DEFAULTS[name][0]
    if kind is _BOOLEAN:
        return value.lower() in ("true", "false")
    try:
        _NUMBERS.get(kind, str)(value)
    except ValueError:
        return False
    return True


def entries() -> Sequence[ConfigEntry]:
    """The settings of any topic."""
    return [
        ConfigEntry(name, value, kind, Source.DEFAULT, True, DOCUMENTATION)
        for name, (kind, value) in DEFAULTS.items()
        if value is not None
    ]


def check_names(changes: Sequence[Change]) -> None:
    """Refuse unknown names, whether or not the topic exists: INVALID_CONFIG."""
    for change in changes:
        if change.operation != ConfigOperation.DELETE and change.name not in DEFAULTS:
            raise Refuse(ErrorCode.INVALID_CONFIG, f"Unknown topic config name: {change.name}")


def check(changes: Sequence[Change]) -> None:
    """Refuse changes that would have no effect: INVALID_REQUEST. Setting the current value, and
    deleting, are accepted. Form and names were checked before."""
    for change in changes:
        if change.operation == ConfigOperation.DELETE:
            continue
        if change.operation != ConfigOperation.SET or change.value != DEFAULTS[change.name][1]:
            raise Refuse(
                ErrorCode.INVALID_REQUEST,
                f"Rollcall keeps no log, so {change.name} of a topic cannot be changed.",
            )
