"""The form of the admin's login page: name, password and, if configured, the code of a second
factor. The error is the same whichever of them is wrong."""

from typing import Any
from urllib.parse import urlsplit

from django.contrib.auth import authenticate
from django.forms import CharField, TextInput
from unfold.forms import AuthenticationForm
from unfold.widgets import BASE_INPUT_CLASSES

from console.people import openid, second_factor

CODE_MAX = 64
"""The most characters that a user may type for a code."""


class LoginForm(AuthenticationForm):  # type: ignore[misc]  # unfold has no types
    """Checks all fields together, so that an attacker does not learn that a password alone was
    right."""

    one_time_password = CharField(
        required=False,
        max_length=CODE_MAX,
        label="Code",
        help_text="Of your authenticator, or a recovery code. Empty if you have set up neither.",
        widget=TextInput(
            attrs={
                "autocomplete": "one-time-code",
                "inputmode": "text",
                "class": " ".join(BASE_INPUT_CLASSES),
            }
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not second_factor.is_on():
            del self.fields["one_time_password"]

    def clean(self) -> Any:
        """Log in with all fields."""
        name, password = (self.cleaned_data.get(field) for field in ("username", "password"))
        if name is not None and password:
            self.user_cache = authenticate(
                self.request,
                username=name,
                password=password,
                one_time_password=self.cleaned_data.get("one_time_password", ""),
            )
            if self.user_cache is None:
                raise self.get_invalid_login_error()
            self.confirm_login_allowed(self.user_cache)
        return self.cleaned_data

    def get_invalid_login_error(self) -> Any:
        """Mentions the code if one may be needed."""
        error = super().get_invalid_login_error()
        if second_factor.is_on():
            error.message = (
                "Please enter the correct username, password and, if you have set up a second"
                " factor, a code of it that has not been used. After a wrong code, wait a moment."
            )
        return error

    @property
    def provider(self) -> str:
        """The host of the OpenID provider; "" where there is none."""
        return urlsplit(openid.issuer()).hostname or ""
