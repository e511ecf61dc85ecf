"""A group's journal on its page: a line for each rebalance, with its entries on demand. Queries are
in ``console.queries``, texts in ``console.queries.journal_folds``."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from django.http import HttpRequest

from console.admin.standing import number_of
from console.people import rights
from console.queries import groups, journal_times
from console.queries.journal_folds import Line, folded, line, single
from console.queries.journal_text import sentence
from console.queries.member_names import Names, names_of
from groups.models import Journal

LINES_MAX: Final = 30
READ_MAX: Final = 300
"""Entries that are read for a page of lines: a rebalance usually has four."""

NEWEST_LINES: Final = 5
NEWEST_READ: Final = 60
"""The same for the newest lines below the owners."""

OPENED_MAX: Final = 12
"""Entries that an opened line shows; a link leads to the others."""


def read(group_id: str, request: HttpRequest) -> list[Journal]:
    """Entries of a page, newest first, and one more; ``?before=`` is an earlier page. One
    statement."""
    entries = groups.journal_of(group_id, rights.kinds(request.user))
    before = number_of(request.GET.get("before", ""))
    if before is not None:
        entries = entries.filter(id__lt=before)
    entries = journal_times.between(entries, None, until_of(request))
    return list(entries[: READ_MAX + 1])


def until_of(request: HttpRequest) -> datetime | None:
    """``?until=``: only entries before this time, in UTC and without zone; None for other texts."""
    try:
        until = datetime.fromisoformat(request.GET.get("until", ""))
    except ValueError:
        return None
    return until.replace(tzinfo=UTC) if until.tzinfo is None else None


def page(
    group_id: str,
    entries: Sequence[Journal],
    request: HttpRequest,
    members: Iterable[groups.MemberView] = (),
) -> dict[str, Any]:
    """A page of lines; with ``?unfolded`` of entries."""
    is_unfolded, until = "unfolded" in request.GET, until_of(request)
    lines = [[entry] for entry in entries] if is_unfolded else folded(entries[:READ_MAX])
    page_lines = _whole(lines, has_more=len(entries) > READ_MAX)[:LINES_MAX]
    names = names_of(group_id, [e for some in page_lines for e in some], members)
    last = min((entry.pk for some in page_lines for entry in some), default=None)
    has_older = bool(entries) and last is not None and entries[-1].pk < last
    return {
        "journal": [
            _single(some[0], names) if is_unfolded else line_values(some, names)
            for some in page_lines
        ],
        "is_unfolded": is_unfolded,
        "is_old": number_of(request.GET.get("before", "")) is not None or until is not None,
        "until": until,
        "older": last if has_older else None,
    }


def _whole(lines: Sequence[Sequence[Journal]], *, has_more: bool) -> Sequence[Sequence[Journal]]:
    """Without the last rebalance, if it may have begun before these entries: the next page has
    it."""
    return lines[:-1] if has_more and 1 < len(lines) <= LINES_MAX else lines


def newest(group_id: str, members: Iterable[groups.MemberView]) -> list[dict[str, Any]]:
    """The newest lines. At most two statements."""
    entries = list(groups.journal_of(group_id)[:NEWEST_READ])
    lines = folded(entries)[:NEWEST_LINES]
    names = names_of(group_id, [e for some in lines for e in some], members)
    return [{**line_values(some, names), "opened": []} for some in lines]


def line_values(entries: Sequence[Journal], names: Names) -> dict[str, Any]:
    """One line for the template; ``opened``: its entries, if they say more."""
    folded_line = line(entries, names)
    return _values(folded_line, entries if len(entries) > 1 else [], names.among(entries))


def _single(entry: Journal, names: Names) -> dict[str, Any]:
    return _values(single(entry, names.among([entry])), [], names)


def _values(folded_line: Line, opened: Sequence[Journal], name: Names) -> dict[str, Any]:
    entries = folded_line.entries
    return {
        "pk": entries[-1].pk,
        "at": folded_line.at,
        "tone": folded_line.tone,
        "text": folded_line.text,
        "opened": [_entry(entry, name) for entry in opened[-OPENED_MAX:]],
        "earlier": max(0, len(opened) - OPENED_MAX),
        "next": entries[-1].pk + 1,
    }


def _entry(entry: Journal, name: Names) -> Mapping[str, Any]:
    return {"at": entry.at, "text": sentence(entry, name)}
