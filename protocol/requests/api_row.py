"""One row of a table of APIs; the tables are ``protocol.apis`` and ``protocol.draft_apis``."""

import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from protocol.requests.call import Call
from rollcall.wire.declare import Message
from rollcall.wire.messages import Messages

Handler = Callable[[Any, Call], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Api:
    """One line of the table; versions are inclusive. ``is_bulky``: a small request may have a large
    reply. ``number_of``: the number of an error code in this API's protocol. ``flexible_since``:
    the first version of a request whose header has tagged fields (KIP-482),
    ``replies_flexible_since`` of a reply; none of ApiVersions, whose client does not know the
    supported versions yet (KIP-511)."""

    key: int
    name: str
    min_version: int
    max_version: int
    request: type[Any]
    response: type[Any]
    handle: Handler
    flexible_since: int
    replies_flexible_since: int
    is_bulky: bool = False
    number_of: Callable[[int], int] = int


API_VERSIONS = 18

BULKY = frozenset({3, 9, 11, 15, 16, 29, 31, 32, 48, 50, 66, 69, 74, 75, 10010})
"""APIs with ``is_bulky``: Metadata, OffsetFetch, JoinGroup (the leader's), the APIs that describe
or list, PrepareAssignment."""


def api_of(messages: Messages, handle: Handler, number_of: Callable[[int], int] = int) -> Api:
    """The row of an API; every declared version is served."""
    key, name, request, response = messages
    lowest, highest = request.versions
    return Api(
        key,
        name,
        lowest,
        highest,
        request,
        response,
        handle,
        flexible_since=_since(request),
        replies_flexible_since=sys.maxsize if key == API_VERSIONS else _since(response),
        is_bulky=key in BULKY,
        number_of=number_of,
    )


def _since(message: type[Message]) -> int:
    return sys.maxsize if message.flexible_since is None else message.flexible_since
