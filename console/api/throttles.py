"""Rate limits of users and tokens in REST: a runaway script does not block the web for others.

Counted by each web process, for each scope of ``console.people.rights`` separately: a client that
reads too much may still evict a member. Only requests that the table of rights allows are counted.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from console.people import rights
from groups.models import ApiToken

MINUTE_S: Final = 60.0

READ: Final = "read"
LIMITS: Final = ("WEB_REST_READS_PER_MINUTE", "WEB_REST_CHANGES_PER_MINUTE")
"""Of the read-only scope, and of each of the others."""

COUNTED_MAX: Final = 10_000
"""Maximum number of counters, 100 bytes each; the least recently used ones are reset."""


class Caller(NamedTuple):
    """The caller and the scope: a token, or else a user; the installation's token has neither."""

    token: int | None
    user: int | None
    scope: str


@dataclass(slots=True)
class Left:
    """Requests that a caller may make at a time."""

    requests: float
    at: float


class Counts:
    """What each caller has left: at most one minute's limit, refilled evenly."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._left: OrderedDict[Caller, Left] = OrderedDict()

    def take(self, caller: Caller, per_minute: int) -> float:
        """Take one request; returns 0, or how many seconds to wait."""
        with self._lock:
            now = self._now()
            left = self._left.setdefault(caller, Left(per_minute, now))
            self._left.move_to_end(caller)
            if len(self._left) > COUNTED_MAX:
                self._left.popitem(last=False)
            gained = (now - left.at) * per_minute / MINUTE_S
            left.requests, left.at = min(left.requests + gained, per_minute), now
            if left.requests < 1:
                return (1 - left.requests) * MINUTE_S / per_minute
            left.requests -= 1
            return 0.0


COUNTS: Final = Counts()
"""The counters of this process."""


class Throttle(BaseThrottle):
    """429 with ``Retry-After`` for a caller over its limit."""

    _wait_s = 0.0

    def allow_request(self, request: Request, view: object) -> bool:
        """Whether there is one left."""
        scope = _scope_of(request)
        per_minute = getattr(settings, LIMITS[scope != READ])
        if not per_minute:
            return True
        self._wait_s = COUNTS.take(_caller(request, scope), per_minute)
        return not self._wait_s

    def wait(self) -> float:
        """Seconds."""
        return self._wait_s


def _scope_of(request: Request) -> str:
    match = request._request.resolver_match
    row = None if match is None else rights.of_route(match.route)
    needed = None if row is None else rights.needed(row, str(request.method))
    return READ if needed is None else rights.scope_of(needed)


def _caller(request: Request, scope: str) -> Caller:
    token = request.auth.pk if isinstance(request.auth, ApiToken) else None
    return Caller(token, request.user.pk, scope)
