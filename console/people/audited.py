"""Records every request that may change something, and every login, in the audit.

The middleware gives such a request its id, sets the author in the database, and records the result;
the database itself records changes of rows.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, Final
from uuid import uuid4

from axes.signals import user_locked_out
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.db import DatabaseError
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse

from console.people import audit

NAME: Final = re.compile(r"[!-~]{1,128}", re.ASCII)
"""A request id of a client."""


READ_ONLY: Final = frozenset(["/livez", "/readyz", "/metrics"])
"""Paths without changes or authors: they answer even if the database is unavailable."""


class Audited:
    """Middleware, after those of sessions and users."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """The response; that of a request that may change something is recorded."""
        if request.method in audit.READS or request.path in READ_ONLY:
            return self.get_response(request)
        if not hasattr(request, audit.REQUEST_ID):  # REST has set it already
            setattr(request, audit.REQUEST_ID, _named(request))
        user = request.user
        if user.is_authenticated:
            setattr(request, audit.ACTOR, user.get_username())
        with audit.authored(request):
            response = self.get_response(request)
        _note(request, response.status_code)
        return response


@contextmanager
def by(request: HttpRequest, who: str) -> Iterator[None]:
    """A GET that changes something does so as this user, as other methods do."""
    setattr(request, audit.REQUEST_ID, _named(request))
    setattr(request, audit.ACTOR, who)
    with audit.authored(request):
        yield


def _named(request: HttpRequest) -> str:
    """The client's id for the request, or a new one."""
    sent_id = request.headers.get("X-Request-ID", "")
    return sent_id if NAME.fullmatch(sent_id) else uuid4().hex


def _note(request: HttpRequest, status: int) -> None:
    if status >= HTTPStatus.BAD_REQUEST and not audit.may_note_refusal(request):
        return
    who = getattr(request, audit.ACTOR, "") or "anonymous"
    audit.note(request, "write", who, str(status), f"{request.method} {request.path}")


@receiver(user_logged_in)
def _logged_in(request: HttpRequest | None, user: Any, **_: Any) -> None:
    """A login succeeds only if it is recorded: otherwise the session is reset."""
    try:
        way = getattr(user, audit.WAY, "")
        audit.append(
            request, "login", user.get_username(), "done", **({"with": way} if way else {})
        )
    except DatabaseError:
        if request is not None:
            request.session.clear()
        raise


@receiver(user_logged_out)
def _logged_out(request: HttpRequest | None, user: Any, **_: Any) -> None:
    if user is not None:
        audit.note(request, "logout", user.get_username(), "done")


@receiver(user_login_failed)
def _failed(credentials: Any, request: HttpRequest | None = None, **_: Any) -> None:
    if audit.may_note_refusal(request):
        audit.note(request, "login", str(credentials.get("username") or ""), "failed")


@receiver(user_locked_out)
def _locked_out(request: HttpRequest | None, username: str | None = None, **_: Any) -> None:
    if audit.may_note_lockout(request):
        audit.note(request, "login", str(username or ""), "locked out")
