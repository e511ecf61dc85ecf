"""Whether the user is present, and not only their session: password, and a code of those who have a
second factor.

Whatever asks for one of them verifies both here, like a login: failures count, delay further
attempts, lock out, and are in the audit.
"""

from typing import Any, Final

from django.contrib.auth import authenticate
from django.forms import CharField, PasswordInput, TextInput
from django.http import HttpRequest

from console.people import second_factor

CODE_CHARS_MAX: Final = 64

WRONG: Final = "The password or the code is wrong; nothing was changed."
"""The message for a wrong code, also for one that was used before."""


def is_present(request: HttpRequest, password: str, code: str = "") -> bool:
    """Whether the password is the user's, and the code, which is used up by that."""
    user: Any = request.user
    verified = authenticate(
        request, username=user.get_username(), password=password, one_time_password=code
    )
    return verified is not None and verified.pk == user.pk


def needs_code(user: Any) -> bool:
    """Whether the user has a second factor."""
    return second_factor.is_on() and second_factor.device_of(user) is not None


def password_field(**attributes: str) -> CharField:
    """The field for the current password."""
    attrs = {"autocomplete": "current-password", **attributes}
    return CharField(strip=False, label="Your password", widget=PasswordInput(attrs=attrs))


def code_field(**attributes: str) -> CharField:
    """The field for a code."""
    attrs = {"autocomplete": "one-time-code", **attributes}
    return CharField(
        max_length=CODE_CHARS_MAX,
        label="Code",
        help_text="Of your authenticator, or a recovery code.",
        widget=TextInput(attrs=attrs),
    )
