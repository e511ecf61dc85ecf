"""The members of a group on its page: searched, sorted and paged by the server, so that each of ten
thousand can be found on a small page."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from django.http import QueryDict

from console.queries.groups import MemberView
from console.queries.text_search import has_text

PAGE_SIZE: Final = 40
"""A page of this size is refreshed with less than 30 KB."""

DIGITS_MAX: Final = 6

SORTS: Final[Mapping[str, Callable[[MemberView], Any]]] = {
    "joined": lambda member: (member.joined_at, member.member_id),
    "client": lambda member: (member.client_id, member.member_id),
    "silent": lambda member: (-(member.heartbeat_age_ms or -1), member.member_id),
    "partitions": lambda member: (-member.partition_count, member.member_id),
    "host": lambda member: (member.client_host, member.member_id),
}
"""By the name in the URL; the first is the default."""

SEARCH, SORT, PAGE = "members", "sort", "page"
"""Names of URL parameters."""

TAB: Final = {"tab": "members"}


@dataclass(frozen=True, slots=True)
class Table:
    """One page of members. ``match_count``: the number of matches; ``links``: other pages by
    name."""

    rows: Sequence[MemberView]
    match_count: int
    total: int
    search: str
    sort: str
    page: int
    pages: int
    links: Mapping[str, str]
    sorts: Mapping[str, str]

    @property
    def first(self) -> int:
        """The position of the first shown member, from 1."""
        return (self.page - 1) * PAGE_SIZE + 1

    @property
    def last(self) -> int:
        """The position of the last shown member."""
        return self.first + len(self.rows) - 1

    @property
    def position(self) -> str:
        """What is shown: "1 to 40 of 5,000", or with a search "100 of 5,000 found: 1 to 40"."""
        lines = f"{self.first:,} to {self.last:,}" if self.rows else ""
        if not self.search:
            return f"{lines} of {self.total:,}" if lines else ""
        return f"{self.match_count:,} of {self.total:,} found" + (f": {lines}" if lines else "")


def table(members: Sequence[MemberView], query: QueryDict) -> Table:
    """The page that a URL selects; invalid parameters are ignored."""
    search, sort = query.get(SEARCH, "").strip(), query.get(SORT, "")
    sort = sort if sort in SORTS else next(iter(SORTS))
    matching = sorted((m for m in members if matches(m, search)), key=SORTS[sort])
    pages = max(1, -(-len(matching) // PAGE_SIZE))
    page = min(max(1, _number(query.get(PAGE, ""))), pages)
    parameters = {SEARCH: search, SORT: sort if SORT in query else ""}
    return Table(
        rows=matching[(page - 1) * PAGE_SIZE : page * PAGE_SIZE],
        match_count=len(matching),
        total=len(members),
        search=search,
        sort=sort,
        page=page,
        pages=pages,
        links=_pages(parameters, page, pages),
        sorts={name: _link({**parameters, SORT: name}) for name in SORTS},
    )


def _pages(parameters: Mapping[str, str], page: int, pages: int) -> Mapping[str, str]:
    numbers = {"First": 1, "Previous": page - 1, "Next": page + 1, "Last": pages}
    return {
        name: _link({**parameters, PAGE: str(number)})
        for name, number in numbers.items()
        if 1 <= number <= pages and number != page
    }


def _link(parameters: Mapping[str, str]) -> str:
    return f"?{urlencode({**TAB, **{name: value for name, value in parameters.items() if value}})}"


def matches(member: MemberView, search: str) -> bool:
    """Whether any of a member's names contains the text."""
    names = (member.client_id, member.member_id, member.instance_id or "", member.client_host)
    return any(has_text(name, search) for name in names)


def _number(text: str) -> int:
    plain = text.isascii() and text.isdigit() and len(text) <= DIGITS_MAX
    return int(text) if plain else 1


NAME_LENGTH_MAX: Final = 36


def shortened(text: str, most: int = NAME_LENGTH_MAX) -> str:
    """A name that fits into a table: many have the same beginning, so the end is kept."""
    if len(text) <= most:
        return text
    half = (most - 1) // 2
    return f"{text[:half]}…{text[-half:]}"


def by_topic(
    members: Sequence[MemberView], counts: Mapping[str, int], ranges: Callable[[Sequence[int]], str]
) -> Sequence[Mapping[str, Any]]:
    """For each topic its number of owned partitions and its unowned ones, topics with these first.
    For groups that are too large for a matrix."""
    owned: dict[str, set[int]] = {}
    owners: dict[str, int] = {}
    for member in members:
        for topic, numbers in (member.assignment or {}).items():
            owned.setdefault(topic, set()).update(numbers)
            owners[topic] = owners.get(topic, 0) + bool(numbers)
    rows = []
    for topic in sorted(owned.keys() | counts.keys()):
        has = owned.get(topic, set())
        free = sorted(set(range(counts.get(topic, 0))) - has)
        rows.append(
            {
                "topic": topic,
                "partitions": max(counts.get(topic, 0), len(has)),
                "owners": owners.get(topic, 0),
                "free": len(free),
                "which": shortened(ranges(free), 120),
            }
        )
    return sorted(rows, key=lambda row: (-row["free"], row["topic"]))
