"""Duties after a login, before anything else: change a generated password, set up a second factor.

Only sessions have duties: API tokens have no password. A session has a mark for each duty, so that
other sessions need no query for each request.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest

from console.people import first_password, rights, second_factor


@dataclass(frozen=True, slots=True)
class Duty:
    """``mark`` stays in a session until ``is_due`` is false; ``page`` and ``open`` are the names of
    the admin's URLs for it; ``code`` is REST's."""

    mark: str
    is_due: Callable[[Any], bool]
    page: str
    open: tuple[str, ...]
    sentence: str
    code: str


DUTIES: Final = (
    Duty(
        "rollcall_first_password",
        first_password.is_due,
        "password_change",
        ("password_change_done",),
        first_password.SENTENCE,
        "password_change_required",
    ),
    Duty(
        "rollcall_second_factor",
        second_factor.is_missing,
        "otp_totp_totpdevice_mine",
        (),
        second_factor.SENTENCE,
        "second_factor_required",
    ),
)
"""The duties, in order."""


JUDGED: Final = "rollcall_judged_by"
"""Key of a session: the requirements of the installation when its duties were determined."""


def judge(request: HttpRequest, user: Any) -> None:
    """Determine the duties of a session: at its login, when its user removed a required second
    factor, and when an installation begins to require one while users are logged in."""
    request.session[JUDGED] = _demanded()
    for duty in DUTIES:
        if duty.is_due(user):
            request.session[duty.mark] = True


def _demanded() -> str:
    return str(getattr(settings, second_factor.SETTING))


def mark(request: HttpRequest) -> None:
    """Mark the user of a request whose session has a duty."""
    if request.user.is_authenticated and request.session.get(JUDGED) != _demanded():
        judge(request, request.user)
    for duty in DUTIES:
        if not request.session.get(duty.mark) or not request.user.is_authenticated:
            continue
        if duty.is_due(request.user):
            setattr(request.user, rights.HELD_UP, duty)
            return
        del request.session[duty.mark]


def duty_of(user: Any) -> Duty | None:
    """The first duty of the user of this request."""
    duty: Duty | None = getattr(user, rights.HELD_UP, None)
    return duty


def is_due(user: Any) -> bool:
    """Whether there is a duty, regardless of the session."""
    return any(duty.is_due(user) for duty in DUTIES)


@receiver(user_logged_in)
def _logged_in(request: HttpRequest | None, user: Any, **_: Any) -> None:
    if request is not None:
        judge(request, user)
