"""A group's offsets on its page: its progress, a page of partitions, and on demand the commits of
one partition with their authors."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone

from console.admin import fleet_charts
from console.admin.standing import Standing, number_of
from console.people import rights
from console.queries import groups
from console.queries.member_names import Names, names_of
from console.queries.progress import (
    Commit,
    Draining,
    history_of,
    progress_of,
    rates_of,
)
from console.queries.situation_text import seconds
from console.queries.text_search import any_has_text
from groups.core.authors import ANONYMOUS, principal_of
from groups.models import Offset

PAGE_SIZE: Final = 50

TOPIC_LENGTH_MAX: Final = 249
"""Kafka's maximum for a topic's name."""

INT32_MAX: Final = 2**31 - 1


def context(seen: Standing, request: HttpRequest) -> Mapping[str, Any]:
    """The tab. At most six statements."""
    group_id, search, now = seen.group.group_id, _searched(request), timezone.now()
    rows = Offset.objects.filter(group_id=group_id).order_by("topic", "partition")
    if search:
        rows = rows.filter(any_has_text(search, "topic"))
    after = _after(request)
    if after is not None:
        rows = rows.filter(Q(topic__gt=after[0]) | Q(topic=after[0], partition__gt=after[1]))
    page = list(rows[: PAGE_SIZE + 1])
    offsets = groups.views_of(page[:PAGE_SIZE], seen.members)
    names = names_of(group_id, [], seen.members)
    progress = progress_of(group_id)
    rates = rates_of(group_id, [(one.topic, one.partition) for one in offsets], now)
    return {
        "offsets": [
            {
                **_row(view, names, search),
                "spark": spark(rates.a_minute[view.topic, view.partition]),
            }
            for view in offsets
        ],
        "has_rates": any(any(each) for each in rates.a_minute.values()),
        "has_ends": any(offset.lag is not None for offset in offsets),
        "has_metadata": any(offset.metadata for offset in offsets),
        "lag": total_lag(offsets),
        "drained": None if progress.draining is None else drained(progress.draining),
        "search": search,
        "may_reset": rights.may(request.user, rights.RESTORE),
        "progress": progress,
        "stalled_after": seconds(progress.stalled_ms),
        "per_minute": None if progress.per_minute is None else f"{progress.per_minute:,.0f}",
        "first_link": _link(topic=search) if after is not None else None,
        "next_link": _next(offsets, search) if len(page) > PAGE_SIZE else None,
        **_one(seen, request, names),
        **fleet_charts.commits_of_group(rates.of_group, now),
    }


def _searched(request: HttpRequest) -> str:
    return request.GET.get("topic", "").strip()[:TOPIC_LENGTH_MAX]


def _after(request: HttpRequest) -> tuple[str, int] | None:
    """The partition after which a page begins, from a link: "orders:3"."""
    return part_of(request.GET.get("after", ""))


def part_of(text: str) -> tuple[str, int] | None:
    """A partition in a URL; None for other texts."""
    topic, _, number = text.rpartition(":")
    partition = number_of(number)
    if not topic or "\0" in topic or partition is None or partition > INT32_MAX:
        return None
    return topic, partition


def _link(**parameters: str) -> str:
    return f"?{urlencode({'tab': 'offsets', **{k: v for k, v in parameters.items() if v}})}"


def _next(offsets: Sequence[groups.OffsetView], search: str) -> str:
    last = offsets[-1]
    return _link(topic=search, after=f"{last.topic}:{last.partition}")


def _row(view: groups.OffsetView, names: Names, search: str) -> Mapping[str, Any]:
    return {
        "view": view,
        "owner": names(view.owner) if view.owner else "",
        "link": _link(topic=search, partition=f"{view.topic}:{view.partition}"),
    }


class Spark(NamedTuple):
    """A line through figures: the points of an SVG, and what it says."""

    points: str
    told: str


SPARK: Final = (3, 16)
"""The width of an hour, and the height of the whole line."""


def spark(rates: Sequence[float]) -> Spark:
    """Commits a minute of a partition, hour by hour."""
    width, height = SPARK
    top = max(rates, default=0) or 1
    points = " ".join(
        f"{n * width},{height - 1 - rate * (height - 2) / top:.1f}" for n, rate in enumerate(rates)
    )
    most = (
        f"at most {max(rates, default=0):,.1f}, {rates[-1] if rates else 0:,.1f} in the last hour"
    )
    return Spark(points, f"Commits a minute in the last 24 h: {most}")


def _one(seen: Standing, request: HttpRequest, names: Names) -> Mapping[str, Any]:
    """The history of the partition that a URL names."""
    part = part_of(request.GET.get("partition", ""))
    if part is None:
        return {}
    commits = history_of(seen.group.group_id, *part)
    earlier = [*(commit.offset for commit in commits[1:]), None]
    return {
        "part": f"{part[0]}-{part[1]}",
        "history": [
            {
                "commit": commit,
                "step": None if before is None else f"{commit.offset - before:+,}",
                "by": _author(commit, names),
            }
            for commit, before in zip(commits, earlier, strict=False)
        ],
    }


def _author(commit: Commit, names: Names) -> str:
    """The author: a member by its name, else a client or a person."""
    name = commit.client_id or "somebody"
    if commit.member_id:
        name = f"member {names(commit.member_id, commit.client_id)}"
    is_known = commit.principal not in (None, "", ANONYMOUS, principal_of(name))
    return f"{name} ({commit.principal})" if is_known else name


def drained(told: Draining) -> str:
    """When a group will have caught up, in words."""
    if not told.lag:
        return "caught up"
    by = told.lag - told.before
    went = f"grew by {by:,}" if by > 0 else f"shrank by {-by:,}" if by else "stayed the same"
    when = "not in sight" if told.left_ms is None else seconds(told.left_ms)
    return f"{when}: the lag of {told.lag:,} {went} in an hour"


def total_lag(offsets: Sequence[groups.OffsetView]) -> int | None:
    """The sum over partitions with a known end offset."""
    lags = [offset.lag for offset in offsets if offset.lag is not None]
    return sum(lags) if lags else None
