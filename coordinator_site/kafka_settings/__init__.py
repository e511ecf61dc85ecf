"""Settings with Kafka's own names: one table in five parts, read from the environment, checked.

``group.max.size`` is read from ``ROLLCALL_GROUP_MAX_SIZE`` and becomes Django's setting
``GROUP_MAX_SIZE``. Names, types and defaults are those of Kafka's broker settings, except
where a row says "ours". Standard library only: the launcher reads this table before it
starts anything.
"""

from collections.abc import Mapping
from typing import Final

from coordinator_site.kafka_settings import access, catalogue, groups, server, web
from coordinator_site.setting_kinds import Setting, SettingError, Value

SETTINGS: Final[tuple[Setting, ...]] = (
    *groups.SETTINGS,
    *catalogue.SETTINGS,
    *server.SETTINGS,
    *access.SETTINGS,
    *web.SETTINGS,
)

ORDERED = (
    ("group.min.session.timeout.ms", "group.max.session.timeout.ms"),
    ("group.consumer.min.session.timeout.ms", "group.consumer.session.timeout.ms"),
    ("group.consumer.session.timeout.ms", "group.consumer.max.session.timeout.ms"),
    ("group.consumer.min.heartbeat.interval.ms", "group.consumer.heartbeat.interval.ms"),
    ("group.consumer.heartbeat.interval.ms", "group.consumer.max.heartbeat.interval.ms"),
    ("consumer.min.session.timeout.ms", "consumer.max.session.timeout.ms"),
    ("group.consumer.min.assignment.interval.ms", "group.consumer.assignment.interval.ms"),
    ("group.consumer.assignment.interval.ms", "group.consumer.max.assignment.interval.ms"),
    ("group.consumer.min.assignment.timeout.ms", "group.consumer.assignment.timeout.ms"),
    ("group.consumer.assignment.timeout.ms", "group.consumer.max.assignment.timeout.ms"),
    ("fetch.hold.min.ms", "fetch.hold.max.ms"),
    ("node.restart.backoff.ms", "node.restart.backoff.max.ms"),
    ("member.metadata.max.bytes", "group.metadata.max.bytes"),
    ("member.metadata.max.bytes", "group.consumer.metadata.max.bytes"),
    ("socket.request.max.bytes", "queued.max.request.bytes"),
    (
        "sasl.oauthbearer.jwks.endpoint.retry.backoff.ms",
        "sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms",
    ),
)
"""Pairs of which the first must not be greater than the second."""


def read(environ: Mapping[str, str]) -> dict[str, Value]:
    """All settings by their Django name; raises ``SettingError`` for the first that is wrong."""
    values = {setting.name: value(setting, environ) for setting in SETTINGS}
    for lower, upper in ORDERED:
        check_order(values, lower, upper)
    return {setting.attribute: values[setting.name] for setting in SETTINGS}


def value(setting: Setting, environ: Mapping[str, str]) -> Value:
    """The setting's value; a variable that is set but empty counts as not set."""
    text = environ.get(setting.variable, "").strip()
    return setting.parse(text) if text else setting.default


def check_order(values: Mapping[str, Value], lower: str, upper: str) -> None:
    """Reject a minimum that is above its maximum."""
    low, high = values[lower], values[upper]
    assert isinstance(low, int), lower
    assert isinstance(high, int), upper
    if low > high:
        names = {setting.name: setting.variable for setting in SETTINGS}
        raise SettingError(
            f"{names[lower]} ({lower}, {low}) must not be greater than"
            f" {names[upper]} ({upper}, {high})."
        )


def described(values: Mapping[str, Value]) -> tuple[tuple[str, str, str, str, str], ...]:
    """What admin clients get: name, type, value, default, meaning; values by Django name."""
    return tuple(
        (s.name, s.kind, text(values[s.attribute]), text(s.default), s.reason) for s in SETTINGS
    )


def text(value: Value) -> str:
    """A value in the format of its variable."""
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(value) if isinstance(value, tuple) else str(value)
