"""The first user's password, where the installation made it up: whoever logs in with it changes it
before anything else.

It stood in a log or in a file. A password that is changed by whatever door is another one, and
nothing has to be told so. Only sessions are held up: tokens have no password.
"""

import hashlib
from typing import Any, Final

from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest

from groups.access import rights
from groups.models import FirstPassword

DUE: Final = rights.FIRST_PASSWORD
"""In a session, and an attribute of its user while the request lasts."""

SENTENCE: Final = "The first password was generated: change it in the admin before anything else."


def note(user: Any) -> None:
    """This user's password, as it is now, was made up."""
    FirstPassword.objects.update_or_create(user=user, defaults={"digest": _digest(user)})


def is_due(user: Any) -> bool:
    """Whether the password is still that one."""
    digest = _digest(user)
    return bool(digest) and FirstPassword.objects.filter(user=user.pk, digest=digest).exists()


def holds_up(request: HttpRequest) -> bool:
    """Whether this request's session may do nothing yet; its user is marked then."""
    if not request.session.get(DUE) or not request.user.is_authenticated:
        return False
    if not is_due(request.user):
        del request.session[DUE]
        return False
    setattr(request.user, DUE, True)
    return True


def _digest(user: Any) -> str:
    kept = getattr(user, "password", "")
    return hashlib.sha256(kept.encode()).hexdigest() if kept else ""


@receiver(user_logged_in)
def _logged_in(request: HttpRequest | None, user: Any, **_: Any) -> None:
    if request is not None and is_due(user):
        request.session[DUE] = True
