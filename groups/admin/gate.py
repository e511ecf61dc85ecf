"""The admin's gate: each page is looked up in the table of rights before it is shown.

Whoever is not logged in is let through, to be sent to the login page by Django itself.
"""

from collections.abc import Callable
from typing import Any, Final

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect

from groups.access import held_up, rights

NAMESPACE: Final = "admin"

PROBES: Final = ("/livez", "/readyz")
"""They ask nobody who it is, and answer while the database is away, too."""

OPEN: Final = ("login", "logout", "jsi18n")
"""Pages for who has to do something else first, beside that of what it is."""

REDIRECT: Final = "<path:object_id>/"
"""Django's old form of a change page's URL, which leads to the new one."""


class Gate:
    """Middleware, behind that of sessions and users."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """The page is known only later; who has to do something else first, now."""
        if settings.SESSION_COOKIE_NAME in request.COOKIES and request.path not in PROBES:
            held_up.mark(request)
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_: Any) -> HttpResponse | None:
        """None where the page may be shown."""
        match = request.resolver_match
        if match is None or NAMESPACE not in match.namespaces:
            return None
        user: Any = request.user
        if not (user.is_active and user.is_staff):
            return None
        duty = held_up.duty_of(user)
        if duty is not None and match.url_name not in (duty.page, *duty.open, *OPEN):
            messages.warning(request, duty.sentence)
            return redirect(f"admin:{duty.page}")
        row = row_of(match.url_name, match.route)
        permission = rights.needed(row, str(request.method))
        if permission is None:
            return HttpResponseNotAllowed(row)
        if not rights.may(user, permission):
            raise PermissionDenied
        return None


def row_of(name: str | None, route: str) -> rights.Row:
    """What a page needs, by its URL's name, or by its route where it has none."""
    if name is None:
        if route.endswith(REDIRECT):
            return {"GET": rights.LOGGED_IN}
        name = route.removeprefix("admin/")
    return rights.ADMIN.get(name, dict.fromkeys(rights.BOTH, rights.NOBODY))
