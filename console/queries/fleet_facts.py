"""Members' lives, who owned a partition, and which groups committed, over all groups. Reads only, a
page at a time (docs/facts.md)."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from django.utils import timezone

from console.queries.facts import ALWAYS, Life, Owned
from console.queries.many_rows import many_rows
from console.queries.sql import fleet_fact_reads as sql

DAY: Final = timedelta(days=1)
"""What is read if no beginning is asked for: no index leads to a host or a partition."""

FORGOTTEN: Final = ("", None, "", "")
"""Of a life that has left the tables in between."""


class Page(NamedTuple):
    """Which rows: at most so many, after the one with this time and life; that reach into the time
    from ``since``, by default a day before ``until``, by default now."""

    since: datetime | None
    until: datetime | None
    after: tuple[datetime, int] | None
    most: int

    def parameters(self) -> Mapping[str, Any]:
        """Of the statements."""
        last = self.until or timezone.now()
        after_at, after = self.after or (ALWAYS, 0)
        place = {"after_at": after_at, "after": after, "most": self.most}
        return {"first": self.since or last - DAY, "last": last, **place}


class LifeOfGroup(NamedTuple):
    """A member's life, and whose member it was."""

    group_id: str
    life: Life


class OwnedByGroup(NamedTuple):
    """Partitions that a member owned for some time, and of which group."""

    group_id: str
    owned: Owned


class ProgressOfGroup(NamedTuple):
    """How often a group committed partitions in hours that are over, the last of these with a
    commit, and when it committed last of all."""

    group_id: str
    commits: int
    last_hour: datetime | None
    committed_at: datetime


def lives(page: Page, host: str | None, client_id: str | None) -> Sequence[LifeOfGroup]:
    """The lives of members on this host, with this client id, in order of joining."""
    who = {"host": None if host is None else host.lstrip("/"), "client_id": client_id}
    with many_rows() as cursor:
        cursor.execute(sql.LIVES, {**page.parameters(), **who})
        return [LifeOfGroup(group_id, Life(*row)) for *row, group_id in cursor.fetchall()]


def owners(page: Page, topic: str, partition: int) -> Sequence[OwnedByGroup]:
    """Which members of which groups had the partition, in order."""
    parameters = {**page.parameters(), "topic": topic, "partition": partition}
    with many_rows() as cursor:
        cursor.execute(sql.OWNERS, parameters)
        found = cursor.fetchall()
        of = {"lives": [row[6] for row in found], "group_ids": [*{row[7] for row in found}]}
        cursor.execute(sql.NAMES, {**parameters, **of})
        names = {life: rest for life, *rest in cursor.fetchall()}
    return [
        OwnedByGroup(group_id, Owned(*row, *names.get(row[-1], FORGOTTEN)))
        for *row, group_id in found
    ]


def progress(page: Page, after: str, *, idle: bool) -> Sequence[ProgressOfGroup]:
    """The groups with committed offsets after this id, in its order; ``idle``: only those without a
    commit in these hours."""
    parameters = {**page.parameters(), "after": after, "idle": idle}
    with many_rows() as cursor:
        cursor.execute(sql.PROGRESS, parameters)
        return [ProgressOfGroup(*row) for row in cursor.fetchall()]
