"""When committed offsets expire, for every kind of group (KIP-211 and later).

Ages come from the rows, since offsets are not in memory; the group adds which topics its members
subscribe to, and whether it is at rest.
"""

from collections.abc import Collection, Iterable
from typing import NamedTuple

MS_PER_MINUTE = 60_000


class Age(NamedTuple):
    """One committed offset's age. ``left_ms``: until the time that its client set (OffsetCommit v2
    to v4), None if it set none. Milliseconds. ``is_pending``: a transaction may still commit the
    partition, whether or not it has an offset now."""

    topic: str
    partition: int
    age_ms: int
    left_ms: int | None = None
    is_pending: bool = False


def expired(
    ages: Iterable[Age], retention_ms: int, empty_ms: int | None, subscribed: Collection[str]
) -> list[tuple[str, int]]:
    """The (topic, partition) pairs whose offsets may be deleted.

    ``empty_ms``: for how long the group has had no members, if that determines the expiry; None:
    each commit's own age does. Offsets of subscribed topics stay, and so do those that a
    transaction may still commit.
    """
    return [
        (age.topic, age.partition)
        for age in ages
        if not age.is_pending
        and age.topic not in subscribed
        and _is_over(age, retention_ms, empty_ms)
    ]


def _is_over(age: Age, retention_ms: int, empty_ms: int | None) -> bool:
    if age.left_ms is not None:
        return age.left_ms <= 0
    return (age.age_ms if empty_ms is None else empty_ms) >= retention_ms
