"""The web's part of the audit: the author, address and result of its requests.

Triggers of the database record changes of rows (migration 0028), in the transaction of the change;
they read the author from settings of the session, which ``authored`` sets during a request. Events
without a change of rows (logins, refusals) are recorded here.

Nothing is changed without an author in the audit: a request is not begun if the session does not
accept the author's name, and a login succeeds only after it is recorded. Results of requests and
refusals are logged instead if the database does not accept them.
"""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.http import HttpRequest

from console.people.shares import Shares
from groups.models import AuditEntry
from groups.postgres import roles

logger = logging.getLogger(__name__)

SAY: Final = (
    "SELECT set_config('rollcall.actor', %s, false), set_config('rollcall.address', %s, false),"
    " set_config('rollcall.request_id', %s, false), set_config('statement_timeout', %s, false)"
)
"""Also the time limit of each statement: that of the web's connections is for reads alone."""

READ_TIMEOUT: Final = "WEB_READ_TIMEOUT_MS"
CHANGE_TIMEOUT: Final = roles.BY_NAME["rollcall_web"].settings["statement_timeout"]
NOBODY: Final = ("", "", "")

READS: Final = frozenset(["GET", "HEAD", "OPTIONS"])
"""HTTP methods that change nothing."""

REFUSALS_PER_S, REFUSALS_OF_ONE_PER_S = 20, 5
"""Of refused requests and failed logins, of all and of one address, and as many at once: whoever is
let in nowhere shall fill no disk, nor hide what others try. The log has the others."""

TEXT_MAX: Final = 256
"""Maximum length of a name, path or id from an unauthenticated client."""

ACTOR, REQUEST_ID = "rollcall_actor", "rollcall_request_id"
"""Attributes of a request: its author, and its id."""

WAY = "rollcall_login_way"
"""An attribute of a user who logs in: the method, if it is more than a password."""

_refusals = Shares(REFUSALS_OF_ONE_PER_S, REFUSALS_PER_S)
_lockouts = Shares(REFUSALS_OF_ONE_PER_S, REFUSALS_PER_S)
"""Apart: the failures before a lock-out may have taken the room of that second."""


@contextmanager
def authored(request: HttpRequest) -> Iterator[None]:
    """Set the author in the connection's session until the request is answered. Raises Django's
    errors if the database is unavailable."""
    _set_author(*_of(request))
    try:
        yield
    finally:
        try:
            _set_author(*NOBODY)
        except DatabaseError:
            connection.close()  # the session must not keep this author


def set_author(request: HttpRequest, who: str) -> None:
    """Set the author again: REST knows it only after authentication, by a token."""
    setattr(request, ACTOR, who)
    if request.method not in READS:
        _set_author(*_of(request))


def note(
    request: HttpRequest | None, kind: str, who: str, outcome: str, target: str = "", **details: Any
) -> None:
    """Add an entry; if the database does not accept it, log it."""
    try:
        append(request, kind, who, outcome, target, **details)
    except DatabaseError as error:
        _, address, request_id = NOBODY if request is None else _of(request)
        values = (kind, who, address, target, outcome, request_id, error)
        logger.error("not in the audit: %s by %r from %s: %r %s, request %s: %s", *values)


def append(
    request: HttpRequest | None, kind: str, who: str, outcome: str, target: str = "", **details: Any
) -> None:
    """Add an entry. Raises Django's errors if the database does not accept it."""
    _, address, request_id = NOBODY if request is None else _of(request)
    with transaction.atomic():
        AuditEntry.objects.create(
            kind=kind,
            who=_short(who),
            address=address,
            request_id=request_id,
            target=_short(target),
            outcome=outcome,
            details=details,
        )


def may_note_refusal(request: HttpRequest | None) -> bool:
    """Whether one more refusal of this address has room in the audit now."""
    return _refusals.take(_address(request), int(time.monotonic() * 1000))


def may_note_lockout(request: HttpRequest | None) -> bool:
    """The same for a lock-out."""
    return _lockouts.take(_address(request), int(time.monotonic() * 1000))


def _of(request: HttpRequest) -> tuple[str, str, str]:
    """Who asks, from where, under which name."""
    return getattr(request, ACTOR, ""), _address(request), getattr(request, REQUEST_ID, "")


def _address(request: HttpRequest | None) -> str:
    """The client's own, behind a proxy that is believed (``web.forwarded``)."""
    return "" if request is None else str(request.META.get("REMOTE_ADDR", ""))


def _set_author(*values: str) -> None:
    limit = CHANGE_TIMEOUT if values != NOBODY else f"{getattr(settings, READ_TIMEOUT)}ms"
    with connection.cursor() as cursor:
        cursor.execute(SAY, [*(value.replace("\0", "") for value in values), limit])


def _short(text: str) -> str:
    """PostgreSQL's texts cannot contain NUL, and single surrogates cannot be sent."""
    sendable = text.replace("\0", "").encode(errors="replace").decode()
    return sendable if len(sendable) <= TEXT_MAX else sendable[: TEXT_MAX - 1] + "…"
