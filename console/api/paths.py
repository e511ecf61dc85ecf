"""Ids in paths: any character, percent-encoded, including "/". No resource is here.

Servers decode a path before Django sees it, and then a "/" in an id cannot be distinguished from a
separator. So paths under /api/ and /kafka/ are resolved in their encoded form, and each id is
decoded here. Some proxies decode paths too, or resolve ".."; for such ids each path under /api/v1
has a twin with the ids in the query.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import quote, unquote

from django.http import HttpRequest, HttpResponse
from django.middleware.gzip import GZipMiddleware
from django.urls import register_converter

from console.api.confluent import errors as confluent
from console.api.problems import problem
from console.api.request_ids import ErrorFormat, identified
from console.api.sent_paths import sent
from console.known_answers import known_is_not_sent
from groups.core.operations import OPERATIONS, Target

ERROR_FORMATS: Final[Mapping[str, ErrorFormat]] = {"/api/": problem, "/kafka/": confluent.problem}
"""The prefixes of REST paths, and the format of their errors outside of views."""

TWIN = re.compile(r"(?P<root>/api/v1)/group(?P<tail>/.+)?")
"""``/group/offsets?group_id=a/b`` is ``/groups/a%2Fb/offsets``."""

MEMBERS_TWIN: Final = "/api/v1/group/members"
"""The twin of two paths: of a list, and, with ``member_id``, of one member."""

_OPERATIONS: Final = "|".join(n.tail for n in OPERATIONS if Target.MEMBER in n.row.says and n.tail)
NO_ID: Final = "%"
"""The empty id in a resolved path; no other id is encoded so, and no client may send it. Kafka
allows commits for this id; only a twin names it, so that a path with a missing id is an error."""

OF_A_MEMBER = re.compile(f"/members(/({_OPERATIONS}))?")


class Id:
    """An id in a path; one that is sent without encoding may contain a "/" as "%2F" or plain."""

    regex = ".+"

    def to_python(self, value: str) -> str:
        """The id."""
        return "" if value == NO_ID else unquote(value)

    def to_url(self, value: str) -> str:
        """The id in its form in a path."""
        return encoded(value)


register_converter(Id, "id")


def encoded(value: str) -> str:
    """An id in its form in a path."""
    return quote(value, safe="")


def resolved(request: HttpRequest) -> str:
    """The path to resolve: the sent one, with the ids of a twin's query inserted."""
    path = sent(request)
    twin = TWIN.fullmatch(path)
    group_id = request.GET.get("group_id")
    if twin is None or group_id is None:
        return path
    tail = twin["tail"] or ""
    if OF_A_MEMBER.fullmatch(tail) and request.GET.get("member_id"):
        member = f"/members/{encoded(request.GET['member_id'])}"
        tail = tail.replace("/members", member, 1)
    return f"{twin['root']}/groups/{encoded(group_id) or NO_ID}{tail}"


def names_ids_in_query(request: HttpRequest) -> bool:
    """Whether the path is a twin, with its ids in the query."""
    return TWIN.fullmatch(sent(request)) is not None


def error_format_of(path: str) -> ErrorFormat | None:
    """The format of errors for this path; None if it is no REST path."""
    return next(
        (error_format for prefix, error_format in ERROR_FORMATS.items() if path.startswith(prefix)),
        None,
    )


def as_sent(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[..., HttpResponse]:
    """Middleware of REST: paths in their percent-encoded form, an id for each request, and
    responses no larger than necessary."""
    compressed: Any = GZipMiddleware(known_is_not_sent(get_response))
    answered = identified(compressed)

    def middleware(request: HttpRequest) -> HttpResponse:
        error_format = error_format_of(request.path_info)
        if error_format is None:
            return get_response(request)
        twin = request.path_info == MEMBERS_TWIN
        request.path_info = resolved(request)
        answer = answered(request, error_format)
        if twin and "Allow" in answer:
            answer["Allow"] = "GET, DELETE, HEAD, OPTIONS"
        return answer

    return middleware
