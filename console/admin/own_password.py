"""The form for a new password of one's own. The current one is verified like a login
(``console.admin.presence``): Django's form takes any number of guesses, and no code."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.views import PasswordChangeView
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse
from unfold.forms import AdminOwnPasswordChangeForm
from unfold.widgets import INPUT_CLASSES

from console.admin import presence

TEMPLATE = "admin/own_password.html"


class OwnPasswordForm(AdminOwnPasswordChangeForm):  # type: ignore[misc]  # unfold has no types
    """The current password, a code if the user has a second factor, and the new password."""

    def __init__(self, user: Any, http_request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().__init__(user, *args, **kwargs)
        self.http_request = http_request
        if presence.needs_code(user):
            self.fields["code"] = presence.code_field(**{"class": " ".join(INPUT_CLASSES)})
            self.order_fields(["old_password", "code"])

    def clean_old_password(self) -> str:
        """It is verified with the code, when the new password is valid."""
        password: str = self.cleaned_data["old_password"]
        return password

    def clean(self) -> dict[str, Any]:
        """Whether the user is present."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if not self.errors and not presence.is_present(
            self.http_request, cleaned["old_password"], cleaned.get("code", "")
        ):
            self.add_error("old_password", presence.WRONG)
        return cleaned


class OwnPassword(PasswordChangeView):
    """The page; other sessions of the user end with the old password."""

    form_class = OwnPasswordForm
    template_name = TEMPLATE

    def get_form_kwargs(self) -> dict[str, Any]:
        """With the request, by whose address failures count."""
        return {**super().get_form_kwargs(), "http_request": self.request}


def page(request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponseBase:
    """The page of the admin."""
    context = {**admin.site.each_context(request), **(extra_context or {})}
    done = reverse("admin:password_change_done")
    return OwnPassword.as_view(success_url=done, extra_context=context)(request)


setattr(admin.site, "password_change", page)  # noqa: B010  (the site's, whose URL is made of it)
