"""API tokens: made, looked at and revoked. A token's text is in one answer, the one to the form
that made it, and is kept nowhere; what is stored is its digest (``groups.access.api_tokens``)."""

from typing import Any

from django.contrib import admin
from django.contrib.auth import get_user_model
from django.db.models import ForeignKey
from django.forms import ModelChoiceField
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from unfold.decorators import display

from groups.access import api_tokens
from groups.admin.base import RollcallAdmin
from groups.models import ApiToken

SECRET = "rollcall_issued_token"
"""The attribute of the one request that made a token, from its saving to its answer."""


@admin.register(ApiToken)
class ApiTokenAdmin(RollcallAdmin):
    """A token is never edited: one that should do something else is another one."""

    list_display = ("name", "begins", "user", "created_at", "used_at", "expires")
    list_select_related = ("user",)
    search_fields = ("name", "user__username")
    ordering = ("name",)

    def get_fields(self, request: HttpRequest, obj: ApiToken | None = None) -> tuple[str, ...]:
        """Three things make a token; the rest is told by it."""
        told = ("prefix", "created_at", "used_at")
        return ("name", "user", "expires_at", *(told if obj is not None else ()))

    def formfield_for_foreignkey(
        self, db_field: "ForeignKey[Any, Any]", request: HttpRequest, **kwargs: Any
    ) -> "ModelChoiceField[Any] | None":
        """Only a superuser makes tokens that may do what a superuser may."""
        users = get_user_model().objects.filter(is_active=True).order_by("username")
        if not request.user.is_superuser:
            users = users.filter(is_superuser=False)
        kwargs |= {"queryset": users, "initial": request.user.pk}
        field: ModelChoiceField[Any] | None = super().formfield_for_foreignkey(
            db_field, request, **kwargs
        )
        return field

    def save_model(self, request: HttpRequest, obj: ApiToken, form: Any, change: bool) -> None:
        """Issue it, and remember its text for the answer to this request."""
        made, secret = api_tokens.issue(obj.user, obj.name, obj.expires_at)
        obj.pk, obj.prefix = made.pk, made.prefix
        setattr(request, SECRET, secret)

    def response_add(
        self, request: HttpRequest, obj: ApiToken, post_url_continue: str | None = None
    ) -> HttpResponse:
        """The page with the text. It is the answer itself, not a page that one could return to;
        a reload sends the form again, and its name is taken now."""
        context = {
            **self.admin_site.each_context(request),
            "title": "Token made",
            "opts": self.opts,
            "token": obj,
            "secret": getattr(request, SECRET),
        }
        return TemplateResponse(request, "admin/groups/apitoken/issued.html", context)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Deleting is what revoking is."""
        actions: dict[str, Any] = super().get_actions(request)
        if "delete_selected" in actions:
            function, name, _ = actions["delete_selected"]
            actions["delete_selected"] = (function, name, "Revoke selected tokens")
        return actions

    @admin.display(description="Begins with")
    def begins(self, token: ApiToken) -> str:
        """Enough to tell tokens apart."""
        return f"{token.prefix}…"

    @display(  # type: ignore[untyped-decorator]
        description="Expires", ordering="expires_at", label={"expired": "danger", "never": "info"}
    )
    def expires(self, token: ApiToken) -> str:
        """When it ends; one that has ended is marked."""
        if token.expires_at is None:
            return "never"
        if token.expires_at <= timezone.now():
            return "expired"
        return f"{timezone.localtime(token.expires_at):%Y-%m-%d %H:%M}"
