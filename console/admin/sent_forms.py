"""A form that is sent twice asks once: also after Back, which loads it anew with what was typed.

Pages of the admin are not cached, so what Back shows is a new page, and a key in it would be new.
So the key is in the address: a browser that opens a form is sent on to an address with a key of its
own, which Back and a reload keep. What is sent from there twice, with the same contents, is one
request.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any, Final
from uuid import UUID, uuid4, uuid5

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from groups.models import Operation

ONCE: Final = "once"
"""The parameter with the key."""

SENT_BEFORE: Final = (
    "This form had been sent already: this is the operation that it asked for, and nothing more was"
    " asked. To ask again, open the form anew."
)

DIGEST_HEX: Final = 32

OF_A_LIST: Final = UUID("5b0d3ac0-6e0f-4c34-9d0c-6a3f0c1f7f0e")
"""The namespace of keys that are made of what a list sent."""

Page = Callable[[HttpRequest, str], HttpResponse]


def keyed(page: Page) -> Page:
    """The page of a form; a browser that opens it gets an address with a key. Only browsers say
    that they navigate (Fetch Metadata); a program that reads the form sends it as it is."""

    def opened(request: HttpRequest, object_id: str) -> HttpResponse:
        navigates = request.headers.get("Sec-Fetch-Mode") == "navigate"
        if request.method != "GET" or not navigates or _once(request) is not None:
            return page(request, object_id)
        query = request.GET.copy()
        query[ONCE] = str(uuid4())
        path = request.get_full_path().partition("?")[0]
        return HttpResponseRedirect(f"{path}?{query.urlencode()}")

    return opened


def key_of(request: HttpRequest, *contents: Any) -> str | None:
    """The idempotency key of what a form sent; None: its address has no key."""
    once = _once(request)
    if once is None:
        return None
    document = json.dumps(contents, default=str, sort_keys=True)
    digest = hashlib.sha256(document.encode()).hexdigest()[:DIGEST_HEX]
    return f"{begin(request, once)}{digest}"


def begin(request: HttpRequest, once: UUID) -> str:
    """The beginning of the keys of what a user asked for with one form."""
    return f"admin:{request.user.get_username()}:{once}:"


def earlier(key: str | None) -> Operation | None:
    """The operation that was asked for with this key."""
    return None if key is None else Operation.objects.filter(idempotency_key=key).first()


def once_of_list(request: HttpRequest) -> UUID:
    """The key of a form that a list's action opens: the same if the browser sends the action again
    (Back), since the token of a list's page differs each time it is loaded."""
    sent: Mapping[str, Any] = {name: request.POST.getlist(name) for name in sorted(request.POST)}
    if "csrfmiddlewaretoken" not in sent:
        return uuid4()
    return uuid5(OF_A_LIST, f"{request.user.pk} {json.dumps(sent)}")


def _once(request: HttpRequest) -> UUID | None:
    try:
        return UUID(request.GET.get(ONCE, ""))
    except ValueError:
        return None
