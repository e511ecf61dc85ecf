"""Validates arguments when a member is created, not later when nobody would see the error.

Each function raises ``ValueError``; limits of one protocol are in ``protocols``.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import fields
from math import isnan
from typing import Any, Final

from rollcall.client.core.events import Identity, Partitions, Subscription, TopicPartition
from rollcall.client.metrics import Metrics

NAME_BYTES_MAX: Final = 2**15 - 1
MOST: Final = 2**31 - 1
OFFSET_MAX: Final = 2**63 - 1


def name(what: str, value: Any) -> None:
    """A name that Kafka's messages can contain."""
    if not isinstance(value, str) or not value:
        raise ValueError(f"{what} must be a name, not {value!r}")
    try:
        size = len(value.encode())
    except UnicodeEncodeError as error:
        raise ValueError(f"{what} cannot be encoded: {error}") from None
    if size > NAME_BYTES_MAX:
        raise ValueError(f"{what} has {size} bytes; {NAME_BYTES_MAX} are possible")


def identity(wanted: Identity) -> None:
    """Valid names, and possible times."""
    name("group", wanted.group)
    for what in ("instance_id", "rack"):
        if getattr(wanted, what) is not None:
            name(what, getattr(wanted, what))
    for each in wanted.assignors:
        name("assignor", each)
    for field in fields(wanted):
        if field.type is int:
            _number(field.name, getattr(wanted, field.name), 1)
    if wanted.retry_backoff_ms > wanted.retry_backoff_max_ms:
        raise ValueError("retry_backoff_ms must not be longer than retry_backoff_max_ms")


def subscription(wanted: Subscription) -> None:
    """Valid topics, and numbers of threads."""
    for topic in wanted.topics:
        name("a topic", topic)
    for what in ("pattern", "blacklist"):
        if getattr(wanted, what) is not None:
            name(what, getattr(wanted, what))
    for topic, threads in {"": wanted.threads, **wanted.threads_by_topic}.items():
        _number(f"threads of {topic!r}" if topic else "threads", threads, 1)


def own_pattern(wanted: Subscription) -> str | None:
    """The error in a pattern that the member matches itself (Python's ``re``)."""
    try:
        re.compile(wanted.pattern or "")
    except re.error as error:
        return f"{wanted.pattern!r} is no regular expression: {error}"
    return None


def partition(value: Any) -> TopicPartition:
    """A topic's name and a number; any pair of these will do."""
    # Every unit of work is noted: for a usual one nothing is called, encoded or put into words.
    if (
        value.__class__ is TopicPartition
        and value[0].__class__ is str
        and value[0].isascii()
        and 0 < len(value[0]) <= NAME_BYTES_MAX
        and value[1].__class__ is int
        and 0 <= value[1] <= MOST
    ):
        return value
    if not isinstance(value, tuple) or len(value) != 2:
        raise ValueError(f"a partition is TopicPartition(topic, number), not {value!r}")
    name("a topic", value[0])
    _number(f"a partition of {value[0]!r}", value[1], 0)
    return value if isinstance(value, TopicPartition) else TopicPartition(*value)


def partitions(value: Iterable[Any]) -> Partitions:
    """Partitions, not the name of a topic."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ValueError(f"partitions are a collection of TopicPartition, not {value!r}")
    return frozenset(map(partition, value))


def offsets(value: Mapping[Any, Any]) -> dict[TopicPartition, int]:
    """Offsets by partition."""
    if not isinstance(value, Mapping):
        raise ValueError(f"offsets are a mapping from TopicPartition to a number, not {value!r}")
    found = {partition(each): number for each, number in value.items()}
    for each, number in found.items():
        offset(each, number)
    return found


def seconds(what: str, value: Any) -> None:
    """A time to wait, or None."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if value is not None and (not is_number or isnan(value) or value < 0):
        raise ValueError(f"{what} must be a number of seconds from 0, or None, not {value!r}")


def hooks(value: Any) -> None:
    """Metrics of an application."""
    if not isinstance(value, Metrics):
        raise ValueError(f"metrics must be a rollcall.client.Metrics, not {value!r}")


def offset(partition: TopicPartition, number: Any) -> None:
    """A partition's offset."""
    if number.__class__ is int and 0 <= number <= OFFSET_MAX:
        return  # no text is made for a usual one: every unit of work has one
    _number(f"the offset of {partition[0]}-{partition[1]}", number, 0, OFFSET_MAX)


def _number(what: str, value: Any, least: int, most: int = MOST) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise ValueError(f"{what} must be a whole number from {least} to {most}, not {value!r}")
