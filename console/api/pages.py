"""Pages of lists, by key: the last page costs the same as the first.

A page begins after (or ends before) the key of a row, which the cursor contains. So inserted and
deleted rows shift nothing, and no page counts or skips earlier rows.
"""

import base64
import json
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from http import HTTPStatus
from typing import Any, Final, Self, TypeVar

from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet
from rest_framework.request import Request

from console.api.problems import Problem
from console.api.sent_paths import sent

SIZE: Final = 100
SIZE_MAX: Final = 500
CURSOR_MAX: Final = 8_192
"""Maximum length in characters; longer than any key."""

BIGINT: Final = 1 << 63

KeyT = TypeVar("KeyT", bound=tuple[str | int, ...])
"""The key of a row."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """A page's position: after a row's key, or, with ``before``, before it."""

    key: Sequence[str | int]
    before: bool = False

    def text(self) -> str:
        """The form in a link."""
        document = json.dumps([int(self.before), *self.key], separators=(",", ":"))
        return base64.urlsafe_b64encode(document.encode()).decode().rstrip("=")

    @classmethod
    def read(cls, text: str, checks: Sequence[Callable[[Any], object]]) -> Self:
        """The cursor in a link; a problem if it is invalid, or of another list. ``checks`` raise if
        a part of the key is invalid."""
        try:
            padded = text[:CURSOR_MAX] + "=" * (-len(text) % 4)
            before, *key = json.loads(base64.b64decode(padded, b"-_", validate=True))
            for check, value in zip(checks, key, strict=True):
                check(value)
        except (ValueError, TypeError, RecursionError, ValidationError):
            detail = "The cursor is not valid for this list; use the one in `next` or `previous`."
            raise Problem(HTTPStatus.BAD_REQUEST, "invalid_cursor", detail) from None
        return cls(key, bool(before))


def _check(rows: QuerySet[Any], name: str, value: Any) -> None:
    """Raise if a column cannot hold this value."""
    if not isinstance(value, str | int) or "\0" in str(value):
        raise TypeError(name)
    added = rows.query.annotations.get(name)
    field: Any = rows.model._meta.get_field(name) if added is None else added.output_field
    if _key_part(field.to_python(value)) != value:
        raise TypeError(name)


def _key_part(value: Any) -> Any:
    """A part of a key in a cursor. A time needs its zone."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat() if value.tzinfo else None
    return value


def ordered(
    query: Mapping[str, Any], columns: Mapping[str, str], keys: Sequence[str]
) -> Sequence[str]:
    """A page's keys in the requested order: first by one of these columns, then by ``keys``, all in
    the same direction."""
    requested = query.get("ordering")
    if requested is None:
        return keys
    column, sign = columns[requested.removeprefix("-")], "-" if requested.startswith("-") else ""
    names = [column, *(key.removeprefix("-") for key in keys)]
    return [sign + name for name in dict.fromkeys(names)]


def linked(neighbours: Mapping[str, Any]) -> Mapping[str, str]:
    """The neighbouring pages as a header (RFC 8288): files have no other place for them."""
    rels = {"next": "next", "previous": "prev"}
    links = [f'<{neighbours[name]}>; rel="{rel}"' for name, rel in rels.items() if neighbours[name]]
    return {"Link": ", ".join(links)} if links else {}


def is_like(kind: type[Any], value: Any) -> None:
    """Raise if a key has no such part, or PostgreSQL cannot hold it."""
    if type(value) is not kind or "\0" in str(value):
        raise TypeError(kind)
    if kind is int and not -BIGINT <= value < BIGINT:
        raise TypeError(kind)


def paged(
    request: Request, rows: QuerySet[Any], keys: Sequence[str], query: Mapping[str, Any]
) -> tuple[list[Any], Any]:
    """A page of rows, and its neighbours as ``{"next": URL or None, "previous": ...}``.

    ``keys`` are columns that together identify a row, with "-" for descending order; ``query`` the
    request's validated parameters.
    """
    names = [key.removeprefix("-") for key in keys]
    text = query.get("cursor")
    checks = [partial(_check, rows, name) for name in names]
    cursor = Cursor.read(text, checks) if text else None
    backwards = cursor is not None and cursor.before
    if cursor is not None:
        rows = rows.filter(_beyond(keys, cursor))
    size = query.get("page_size", SIZE)
    read = list(rows.order_by(*(_turned(key) if backwards else key for key in keys))[: size + 1])
    more, page = len(read) > size, read[:size]
    if backwards:
        page.reverse()
    has_next = bool(page) and (backwards or more)
    has_previous = bool(page) and (more if backwards else cursor is not None)
    return page, {
        "next": _link(request, Cursor(_key(page[-1], names))) if has_next else None,
        "previous": _link(request, Cursor(_key(page[0], names), True)) if has_previous else None,
    }


def paged_values(
    request: Request, values: Sequence[tuple[str, int]], query: Mapping[str, Any]
) -> tuple[Sequence[tuple[str, int]], str | None]:
    """A page of sorted values that are not rows, each its own key; and the URL of the next page or
    None."""
    after = position(query)
    begin = bisect_right(values, after) if after else 0
    return first_page(request, values[begin : begin + size_of(query) + 1], query)


def position(query: Mapping[str, Any]) -> tuple[str, int] | None:
    """The value after which the page begins; None: at the beginning."""
    text = query.get("cursor")
    if not text:
        return None
    name, number = Cursor.read(text, [partial(is_like, kind) for kind in (str, int)]).key
    return str(name), int(number)


def size_of(query: Mapping[str, Any]) -> int:
    """How many values the page has at most."""
    return int(query.get("page_size", SIZE))


def first_page(
    request: Request, values: Sequence[KeyT], query: Mapping[str, Any]
) -> tuple[Sequence[KeyT], str | None]:
    """The page that these values begin; one more than a page has says that another follows."""
    page = values[: size_of(query)]
    return page, _link(request, Cursor(page[-1])) if len(values) > len(page) else None


def _turned(key: str) -> str:
    return key.removeprefix("-") if key.startswith("-") else f"-{key}"


def _key(row: Any, names: Sequence[str]) -> list[str | int]:
    return [_key_part(getattr(row, name)) for name in names]


def _beyond(keys: Sequence[str], cursor: Cursor) -> Q:
    """Rows after the cursor: later in the first column, or equal there and later in the next.

    The first column's bound is repeated by itself, since PostgreSQL cannot use an index with an OR.
    """
    beyond, equal = Q(), Q()
    for key, value in zip(keys, cursor.key, strict=True):
        name, sign = key.removeprefix("-"), _sign(key, cursor)
        beyond |= equal & Q((f"{name}__{sign}", value))
        equal &= Q((name, value))
    first = Q((f"{keys[0].removeprefix('-')}__{_sign(keys[0], cursor)}e", cursor.key[0]))
    return first & beyond if len(keys) > 1 else beyond


def _sign(key: str, cursor: Cursor) -> str:
    return "lt" if key.startswith("-") != cursor.before else "gt"


def _link(request: Request, cursor: Cursor) -> str:
    query = request.query_params.copy()
    query["cursor"] = cursor.text()
    path = request.META.get("SCRIPT_NAME", "") + sent(request._request)
    return request.build_absolute_uri(f"{path}?{query.urlencode()}")
