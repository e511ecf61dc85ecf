"""The time that a timeline shows, from a URL and to URLs: ``?last=1h``, or ``?since=`` and
``?until=`` in UTC."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from urllib.parse import urlencode

from django.http import QueryDict

from console.queries.journal_times import EARLIEST, LATEST
from console.queries.timeline import LENGTH_MAX, LENGTH_MIN, PARTS, Window

LENGTHS: Final[Mapping[str, timedelta]] = {
    "15m": timedelta(minutes=15),
    "1h": timedelta(hours=1),
    "6h": timedelta(hours=6),
    "24h": timedelta(days=1),
    "7d": timedelta(days=7),
    "30d": timedelta(days=30),
}
DEFAULT: Final = "1h"

COSTS_WITHIN: Final = timedelta(minutes=15)
"""The time after a mark in which rebalances are counted as its cost."""

HOST_LENGTH_MAX: Final = 255


def window(query: QueryDict, now: datetime) -> tuple[Window, str]:
    """The time that a URL selects, and the name of its length; "" for one between two times."""
    host = query.get("host", "")[:HOST_LENGTH_MAX].replace("\0", "") or None
    since, until = moment(query.get("since", "")), moment(query.get("until", ""))
    if since is not None and since < now:
        last = min(until or since + LENGTHS[DEFAULT], now)
        last = min(max(last, since + LENGTH_MIN), since + LENGTH_MAX)
        return Window(since, last, host), ""
    name = query.get("last", "")
    name = name if name in LENGTHS else DEFAULT
    end = _next(now, LENGTHS[name] / PARTS)
    return Window(end - LENGTHS[name], end, host), name


def moment(text: str) -> datetime | None:
    """A time of a URL, in UTC if it has no zone; None for other texts, and times of other ages."""
    try:
        found = datetime.fromisoformat(text)
        found = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return found if EARLIEST < found < LATEST else None


def _next(now: datetime, step: timedelta) -> datetime:
    zero = datetime(1970, 1, 1, tzinfo=UTC)
    return zero + -((zero - now) // step) * step


def text(at: datetime) -> str:
    """A time in a URL."""
    form = "milliseconds" if at.microsecond else "seconds"
    return at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec=form)


def query(since: datetime, until: datetime, host: str | None = None, **more: str) -> str:
    """The query that selects a time."""
    own = {"tab": "timeline", "since": text(since), "until": text(until)}
    return f"?{urlencode({**own, **({'host': host} if host else {}), **more})}"


def after(at: datetime, until: datetime | None = None) -> str:
    """The query of the time in which rebalances are counted as the cost of what happened."""
    return query(at, max(at + COSTS_WITHIN, until or at))


def links(shown: Window, name: str, now: datetime) -> Mapping[str, Any]:
    """The URLs of neighbouring times: without scripts they zoom and pan."""
    since, until, host = shown
    length = until - since
    more = {"host": host} if host else {}
    now = _next(now, length / PARTS)  # of a page that is refreshed nothing changes until then
    later = min(length / 2, now - until)
    half = max(length / 4, LENGTH_MIN / 2)
    middle = since + length / 2
    wide = min(length, (LENGTH_MAX - length) / 2)
    return {
        "lengths": [
            {
                "name": each,
                "query": f"?{urlencode({'tab': 'timeline', 'last': each, **more})}",
                "is_shown": each == name,
            }
            for each in LENGTHS
        ],
        "earlier": query(since - length / 2, until - length / 2, host),
        "later": query(since + later, until + later, host) if later > timedelta(0) else "",
        "zoom_in": query(middle - half, middle + half, host),
        "zoom_out": query(since - wide / 2, min(until + wide / 2, now), host) if wide else "",
    }
