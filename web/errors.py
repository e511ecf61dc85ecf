"""Responses to failed requests: 503 if the database could not be reached, was slow or lacks a
table, else 500.

REST views report errors in their own format (``console.api.problems``). This is for errors outside
of views, and for the admin's pages, also for 404 and 403.
"""

import logging
import sys
from copy import copy
from http import HTTPStatus
from typing import Any

from django.contrib import admin
from django.contrib.admin.exceptions import DisallowedModelAdminLookup
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views import defaults

from console import unavailable
from console.api.paths import error_format_of
from web.outages import is_outage

logger = logging.getLogger(__name__)

RETRY_AFTER_S = "1"
LATER = " Reload this page in a few seconds."
IN_DOUBT = (
    " What you asked for may have been done or not: look before you ask for it again, in a few"
    " seconds."
)
MEANWHILE = (
    "Workers keep their partitions and go on meanwhile; nobody is removed, and commits wait for"
    " the database."
)
"""Where the database is away: what whoever reads the page would ask next."""

OWN_FAULT = (
    "The web process failed to answer. Its log has the error, at {}. What you asked for may have"
    " been done or not: look before you ask for it again."
)
STALE = (
    "Nothing was changed: this form was opened before you last logged in, or by another site. Go"
    " back, reload the page, and send the form again."
)
UNKNOWN_HOST = (
    "This site does not know the name by which you called it. Whoever runs it adds the name to"
    " ROLLCALL_ALLOWED_HOSTS, or calls the site by a name that is there."
)
UNREADABLE = (
    "Nothing was done: the request was not readable, or too large. Go back, reload the page, and"
    " try it again with less."
)
NO_SUCH_FILTER = (
    "Nothing was read: this list has no such filter. Open the list, and choose among its filters,"
    " or search."
)
MAY_NOT = "None of your roles has the right to this. An Administrator assigns roles."


def failed(request: HttpRequest) -> HttpResponse:
    """Django's ``handler500``: called while the error is being handled."""
    error = sys.exc_info()[1]
    if error is None or not _is_the_databases(error):
        return _failed_ourselves(request)
    why = unavailable.sentence(error)
    if unavailable.is_lacking(error):
        logger.warning("%s %s", why, error)  # Django's own line of a 503 has no name
    status = HTTPStatus.SERVICE_UNAVAILABLE
    error_format = error_format_of(request.path_info)
    if error_format is not None:
        answer = error_format(request, status, "unavailable", why)
    else:
        answer = _unavailable(request, status, why)
    answer["Retry-After"] = RETRY_AFTER_S
    return answer


def _is_the_databases(error: BaseException) -> bool:
    """Whether the database failed, and not the web."""
    return is_outage(error) or unavailable.is_slow(error) or unavailable.is_lacking(error)


def _unavailable(request: HttpRequest, status: HTTPStatus, why: str) -> HttpResponse:
    """A page of the admin that needs no database: it does not ask who the user is. Plain text for
    other clients, and for other paths."""
    is_read = request.method in ("GET", "HEAD")
    sentence = why + (LATER if is_read else IN_DOUBT)
    if not (request.accepts("text/html") and request.path_info.startswith(reverse("admin:index"))):
        return HttpResponse(sentence + "\n", status=status, content_type="text/plain")
    nobodys = copy(request)
    nobodys.user = AnonymousUser()  # the lazy one would read the session
    context: dict[str, Any] = admin.site.each_context(nobodys)
    context |= {"title": "Unavailable", "sentence": sentence}
    context["again"] = request.get_full_path() if is_read else ""
    context["meanwhile"] = MEANWHILE if why == unavailable.AWAY else ""
    return render(nobodys, "admin/unavailable.html", context, status=status)


def _failed_ourselves(request: HttpRequest) -> HttpResponse:
    """Plain text without a page around it: rendering a page may be what failed."""
    if not request.accepts("text/html"):
        return defaults.server_error(request)
    sentence = OWN_FAULT.format(f"{timezone.now():%Y-%m-%d %H:%M:%S} UTC")
    status = HTTPStatus.INTERNAL_SERVER_ERROR
    return HttpResponse(sentence + "\n", status=status, content_type="text/plain")


def stale_form(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Django's ``CSRF_FAILURE_VIEW``: after another login, older forms are rejected."""
    if not _is_staff(request):
        status = HTTPStatus.FORBIDDEN
        return HttpResponse(STALE + "\n", status=status, content_type="text/plain")
    return _page(request, HTTPStatus.FORBIDDEN, "Nothing was changed", STALE)


def unreadable(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's ``handler400``. Plain text: a page would ask for the name of this site."""
    if isinstance(exception, DisallowedModelAdminLookup):
        return _page(request, HTTPStatus.BAD_REQUEST, "No such filter", NO_SUCH_FILTER)
    why = UNKNOWN_HOST if isinstance(exception, DisallowedHost) else UNREADABLE
    status = HTTPStatus.BAD_REQUEST
    error_format = error_format_of(request.path_info)
    if error_format is not None:
        return error_format(request, status, "invalid", why)
    return HttpResponse(why + "\n", status=status, content_type="text/plain")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's ``handler404``."""
    reason = exception.args[0] if exception.args else None
    if not _is_staff(request):
        return defaults.page_not_found(request, exception)
    sentence = reason if isinstance(reason, str) else "There is no page at this address."
    return _page(request, HTTPStatus.NOT_FOUND, "Not found", sentence)


def refused(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's ``handler403``."""
    if not _is_staff(request):
        return defaults.permission_denied(request, exception)
    return _page(request, HTTPStatus.FORBIDDEN, "Not permitted", MAY_NOT)


def _is_staff(request: HttpRequest) -> bool:
    """Whether the user may see the admin; False if the session was not read."""
    return hasattr(request, "user") and admin.site.has_permission(request)


def _page(request: HttpRequest, status: HTTPStatus, title: str, sentence: str) -> HttpResponse:
    """The sentence in a page of the admin; as plain text if the client does not accept HTML."""
    if not request.accepts("text/html"):
        return HttpResponse(sentence + "\n", status=status, content_type="text/plain")
    context: dict[str, Any] = admin.site.each_context(request)
    context |= {"title": title, "sentence": sentence}
    return render(request, "admin/refused.html", context, status=status)
