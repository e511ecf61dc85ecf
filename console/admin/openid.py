"""Redirects to the login page of the OpenID provider, and handles the return."""

from importlib import import_module
from typing import Any

from django.contrib import auth, messages
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from console.people import audit, audited, openid, people


@never_cache
@require_GET
def login(request: HttpRequest) -> HttpResponse:
    """Redirect to the provider; ``next`` is the page to show afterwards."""
    _check_is_on()
    callback = request.build_absolute_uri(reverse("openid_callback"))
    try:
        then = request.GET.get(REDIRECT_FIELD_NAME, "")
        answer: HttpResponse = _client().begin(request, callback, then)
    except openid.LoginRefused as refusal:
        return _refuse(request, refusal)
    return answer


@never_cache
@require_GET
def callback(request: HttpRequest) -> HttpResponse:
    """The return from the provider: log its user in."""
    _check_is_on()
    name = ""
    try:
        claims, then = _client().finish(request)
        name = people.actor_of(claims)
        with audited.by(request, name):
            user = people.of_claims(claims)
            auth.login(request, user, backend=people.BACKEND)
    except openid.LoginRefused as refusal:
        return _refuse(request, refusal, name)
    is_here = url_has_allowed_host_and_scheme(then, {request.get_host()}, request.is_secure())
    return _forget(redirect(then if is_here and then else "admin:index"))


def _refuse(request: HttpRequest, refusal: openid.LoginRefused, name: str = "") -> HttpResponse:
    if audit.may_note_refusal(request):
        details = {"with": people.OPENID, "reason": refusal.why}
        audit.note(request, "login", name, "failed", **details)
    messages.error(request, str(refusal))
    return _forget(redirect("admin:login"))


def _forget(answer: HttpResponse) -> HttpResponse:
    """The login has ended: remove its cookie."""
    answer.delete_cookie(openid.COOKIE, path=openid.PATH, samesite="Lax")
    return answer


def _client() -> Any:
    """The provider's client, imported here since most installations have no provider."""
    return import_module("console.people.openid_client")


def _check_is_on() -> None:
    if not openid.issuer():
        raise Http404("There is no OpenID provider.")
