"""Checks each page of the admin by the table of rights before it is shown.

A user who is not logged in is passed on to Django, which redirects to the login page.
"""

from collections.abc import Callable
from typing import Any, Final

from django.conf import settings
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect, render

from console.people import held_up, rights

NAMESPACE: Final = "admin"

PROBES: Final = ("/livez", "/readyz")
"""Paths without authentication, which answer even if the database is unavailable."""

OPEN: Final = ("login", "logout", "jsi18n")
"""Pages for users with a duty, besides the duty's own page."""

ONLY_SENT: Final = (
    "Nothing was done. This address takes what a page's button sends: go to that page and press it"
    " again. After a login in between you come here without what you had sent."
)

TOO_LATE: Final = "Nothing was done: your session had ended. Fill in the form and send it again."

REDIRECT: Final = "<path:object_id>/"
"""Django's old form of a change page's URL, which redirects to the new one."""


class Gate:
    """Middleware, after those of sessions and users."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """The page is not known yet; users with a duty are redirected now."""
        if settings.SESSION_COOKIE_NAME in request.COOKIES and request.path not in PROBES:
            held_up.mark(request)
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_: Any) -> HttpResponse | None:
        """None if the page may be shown."""
        match = request.resolver_match
        if match is None or NAMESPACE not in match.namespaces:
            return None
        user: Any = request.user
        if not (user.is_active and user.is_staff):
            if request.method == "POST" and match.url_name not in OPEN:
                messages.warning(request, TOO_LATE)  # shown by the page after the login
            return None
        duty = held_up.duty_of(user)
        if duty is not None and match.url_name not in (duty.page, *duty.open, *OPEN):
            messages.warning(request, duty.sentence)
            return redirect(f"admin:{duty.page}")
        row = row_of(match.url_name, match.route)
        permission = rights.needed(row, str(request.method))
        if permission is None:
            return _not_so(request, row)
        shown = rights.SHOWN.get(str(match.url_name), rights.LOGGED_IN)
        if not (rights.may(user, permission) and rights.may(user, shown)):
            raise PermissionDenied
        return None


def _not_so(request: HttpRequest, row: rights.Row) -> HttpResponse:
    """405; with a page for people, whom a login leads here with GET if their session had ended."""
    answer = HttpResponseNotAllowed(row)
    if "GET" not in row and request.accepts("text/html"):
        context: dict[str, Any] = admin.site.each_context(request)
        context |= {"title": "Nothing was done", "sentence": ONLY_SENT}
        page = render(request, "admin/refused.html", context)
        answer.content, answer["Content-Type"] = page.content, page["Content-Type"]
    return answer


def row_of(name: str | None, route: str) -> rights.Row:
    """The row of a page, by its URL's name, or by its route if it has none."""
    if name is None:
        if route.endswith(REDIRECT):
            return {"GET": rights.LOGGED_IN}
        name = route.removeprefix("admin/")
    return rights.ADMIN.get(name, dict.fromkeys(rights.BOTH, rights.NOBODY))
