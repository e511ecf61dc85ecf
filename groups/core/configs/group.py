"""Settings of single groups: their names, valid values, and effects.

Four names are Kafka's (KIP-848, KIP-1263). Ours are the guard rails, which begin with
``rollcall.``, and the timeout of a client-side assignor, named as Kafka would
(docs/configuration.md). This module only has rules about values, not their storage. Error codes are
Kafka's.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from groups.core.configs.entries import (
    BrokerConfig,
    Change,
    ConfigEntry,
    ConfigOperation,
    ConfigType,
    Source,
    Synonym,
)
from groups.core.errors import ErrorCode, Refuse
from groups.core.group import Guards, Millis, Rules

SESSION_TIMEOUT: Final = "consumer.session.timeout.ms"
HEARTBEAT_INTERVAL: Final = "consumer.heartbeat.interval.ms"
ASSIGNMENT_INTERVAL: Final = "consumer.assignment.interval.ms"
ASSIGNMENT_TIMEOUT: Final = "consumer.assignment.timeout.ms"
ASSIGNOR_OFFLOAD: Final = "consumer.assignor.offload.enable"
REBALANCE_MIN_INTERVAL: Final = "rollcall.rebalance.min.interval.ms"
FREEZE: Final = "rollcall.freeze"
MEMBERS_MAX: Final = "rollcall.max.members"
COMMITS_PER_SECOND_MAX: Final = "rollcall.max.commits.per.second"

REBALANCE_MIN_INTERVAL_MS_MAX: Final[Millis] = 3_600_000
"""An hour: a longer interval is better set by a freeze."""

COMMITS_PER_SECOND: Final = 1_000_000
"""The maximum, far more than a node can write."""

WHOLE: Final = re.compile(r"[+-]?\d{1,19}")
"""As Java reads a number: Python would read ``46_000``, too."""

Values = Mapping[str, str]
"""A group's own settings, by name, as text."""

Broker = Mapping[str, BrokerConfig]
"""A node's settings by name."""


@dataclass(frozen=True, slots=True)
class GroupConfig:
    """One setting. ``inherits`` is the node's setting that applies if the group has none; ``least``
    and ``most`` are numbers, or names of the node's settings that are the bounds."""

    name: str
    type: ConfigType
    documentation: str
    default: str = ""
    inherits: str | None = None
    least: int | str = 0
    most: int | str = 0

    def parse(self, text: str, broker: Broker) -> str:
        """The value in its stored form; INVALID_CONFIG for an invalid text."""
        text = text.strip()
        if self.type is ConfigType.BOOLEAN:
            if text.lower() not in ("true", "false"):
                raise _invalid(f"{self.name} must be true or false, not {text!r}.")
            return text.lower()
        if WHOLE.fullmatch(text) is None:
            raise _invalid(f"{self.name} must be a whole number, not {text!r}.")
        number = int(text)
        self._check_bounds(number, broker)
        return str(number)

    def _check_bounds(self, number: int, broker: Broker) -> None:
        for bound, sign in ((self.least, 1), (self.most, -1)):
            limit = bound if isinstance(bound, int) else int(broker[bound].value)
            if (number - limit) * sign < 0:
                named = f"{bound} ({limit})" if isinstance(bound, str) else str(bound)
                word = "at least" if sign > 0 else "at most"
                raise _invalid(f"{self.name} must be {word} {named}, not {number}.")

    def inherited(self, broker: Broker) -> tuple[Synonym, ...]:
        """The value that applies if the group has none of its own."""
        if self.inherits is None:
            return (Synonym(self.name, self.default, Source.DEFAULT),)
        return broker[self.inherits].synonyms

    def entry(self, values: Values, broker: Broker) -> ConfigEntry:
        """As described for a group with these values."""
        synonyms = self.inherited(broker)
        if self.name in values:
            synonyms = (Synonym(self.name, values[self.name], Source.GROUP), *synonyms)
        value, source = synonyms[0].value, synonyms[0].source
        return ConfigEntry(self.name, value, self.type, source, False, self.documentation, synonyms)


GROUP_CONFIGS: Final[tuple[GroupConfig, ...]] = (
    GroupConfig(
        SESSION_TIMEOUT,
        ConfigType.INT,
        "The silence after which a member of the consumer protocol is removed, in milliseconds.",
        inherits="group.consumer.session.timeout.ms",
        least="group.consumer.min.session.timeout.ms",
        most="group.consumer.max.session.timeout.ms",
    ),
    GroupConfig(
        HEARTBEAT_INTERVAL,
        ConfigType.INT,
        "The heartbeat interval of members of the consumer protocol, in milliseconds.",
        inherits="group.consumer.heartbeat.interval.ms",
        least="group.consumer.min.heartbeat.interval.ms",
        most="group.consumer.max.heartbeat.interval.ms",
    ),
    GroupConfig(
        ASSIGNMENT_INTERVAL,
        ConfigType.INT,
        "The minimum time between two new target assignments of a consumer group, in milliseconds.",
        inherits="group.consumer.assignment.interval.ms",
        least="group.consumer.min.assignment.interval.ms",
        most="group.consumer.max.assignment.interval.ms",
    ),
    GroupConfig(
        ASSIGNOR_OFFLOAD,
        ConfigType.BOOLEAN,
        "Whether large target assignments are computed outside the event loop.",
        inherits="group.consumer.assignor.offload.enable",
    ),
    GroupConfig(
        ASSIGNMENT_TIMEOUT,
        ConfigType.INT,
        "How long a member of a consumer group may take to compute an assignment before another is"
        " asked, in milliseconds.",
        inherits="group.consumer.assignment.timeout.ms",
        least="group.consumer.min.assignment.timeout.ms",
        most="group.consumer.max.assignment.timeout.ms",
    ),
    GroupConfig(
        REBALANCE_MIN_INTERVAL,
        ConfigType.INT,
        "The minimum time from the end of a rebalance to the start of the next, in milliseconds;"
        " 0: none. A rebalance that is due earlier is put off, and members keep working.",
        default="0",
        most=REBALANCE_MIN_INTERVAL_MS_MAX,
    ),
    GroupConfig(
        FREEZE,
        ConfigType.BOOLEAN,
        "While true, no rebalance starts. If one becomes due, it starts when the freeze ends.",
        default="false",
    ),
    GroupConfig(
        MEMBERS_MAX,
        ConfigType.INT,
        "The maximum number of members of this group, as group.max.size.",
        inherits="group.max.size",
        least=1,
        most="group.max.size",
    ),
    GroupConfig(
        COMMITS_PER_SECOND_MAX,
        ConfigType.INT,
        "OffsetCommit requests a second, over all members; 0: no limit. A client that exceeds it"
        " is throttled, not refused.",
        default="0",
        most=COMMITS_PER_SECOND,
    ),
)

BY_NAME: Final[Mapping[str, GroupConfig]] = {config.name: config for config in GROUP_CONFIGS}


def entries(values: Values, broker: Broker) -> Sequence[ConfigEntry]:
    """All settings of a group with their current values."""
    return [config.entry(values, broker) for config in GROUP_CONFIGS]


def changed(values: Values, changes: Sequence[Change], broker: Broker) -> Values:
    """The group's values after the changes, all of them or none.

    INVALID_REQUEST for a malformed request, INVALID_CONFIG for an invalid name or value. Deleting a
    setting that is not set is no error, whatever its name, as in Kafka.
    """
    check_form(changes)
    after = dict(values)
    for change in changes:
        if change.operation == ConfigOperation.DELETE:
            after.pop(change.name, None)
            continue
        config = BY_NAME.get(change.name)
        if config is None:
            raise _invalid(f"Unknown group config name: {change.name}")
        if change.operation != ConfigOperation.SET:
            raise _invalid(f"{change.name} is not a list: APPEND and SUBTRACT are not possible.")
        assert change.value is not None
        after[change.name] = config.parse(change.value, broker)
    _check_together(after, broker)
    return after


def check_form(changes: Sequence[Change]) -> None:
    """Refuse changes that are invalid for every resource: INVALID_REQUEST."""
    if len({change.name for change in changes}) < len(changes):
        raise Refuse(ErrorCode.INVALID_REQUEST, "A name appears more than once.")
    for change in changes:
        if change.operation not in tuple(ConfigOperation):
            detail = f"There is no operation {change.operation}."
            raise Refuse(ErrorCode.INVALID_REQUEST, detail)
        if change.value is None and change.operation != ConfigOperation.DELETE:
            raise Refuse(ErrorCode.INVALID_REQUEST, f"{change.name} needs a value.")


def _check_together(values: Values, broker: Broker) -> None:
    """A session timeout must be longer than the heartbeat interval, inherited values included."""
    session, interval = (
        int(BY_NAME[name].entry(values, broker).value or 0)
        for name in (SESSION_TIMEOUT, HEARTBEAT_INTERVAL)
    )
    own = {SESSION_TIMEOUT, HEARTBEAT_INTERVAL} & values.keys()
    if own and session <= interval:
        raise _invalid(f"{SESSION_TIMEOUT} must be greater than {HEARTBEAT_INTERVAL}.")


def rules_of(values: Values, rules: Rules) -> Rules:
    """The rules of a group with these values; a limit is never above the node's own.

    Names that this version does not know are ignored (a rolling upgrade).
    """
    guards = Guards(
        rebalance_min_interval_ms=int(values.get(REBALANCE_MIN_INTERVAL, 0)),
        frozen=values.get(FREEZE) == "true",
    )
    most = int(values.get(MEMBERS_MAX, rules.group_max_size))
    session = values.get(SESSION_TIMEOUT, rules.group_consumer_session_timeout_ms)
    interval = values.get(HEARTBEAT_INTERVAL, rules.group_consumer_heartbeat_interval_ms)
    between = values.get(ASSIGNMENT_INTERVAL, rules.group_consumer_assignment_interval_ms)
    patience = values.get(ASSIGNMENT_TIMEOUT, rules.group_consumer_assignment_timeout_ms)
    offload = values.get(ASSIGNOR_OFFLOAD)
    return replace(
        rules,
        group_consumer_assignment_interval_ms=int(between),
        group_consumer_assignment_timeout_ms=int(patience),
        group_consumer_assignor_offload_enable=rules.group_consumer_assignor_offload_enable
        if offload is None
        else offload == "true",
        group_max_size=min(rules.group_max_size, most),
        group_consumer_max_size=min(rules.group_consumer_max_size, most)
        if MEMBERS_MAX in values
        else rules.group_consumer_max_size,
        group_consumer_session_timeout_ms=int(session),
        group_consumer_heartbeat_interval_ms=int(interval),
        guards=guards,
    )


def commits_per_second_max(values: Values) -> int:
    """The OffsetCommit requests per second that the group may make; 0: no limit."""
    return int(values.get(COMMITS_PER_SECOND_MAX, 0))


def _invalid(detail: str) -> Refuse:
    return Refuse(ErrorCode.INVALID_CONFIG, detail)
