"""API tokens: created, shown and revoked. A token's text is only in the response to the form that
created it; its digest is stored (``console.people.api_tokens``)."""

from datetime import timedelta
from typing import Any

from django.contrib import admin
from django.contrib.auth import get_user_model
from django.db.models import ForeignKey, QuerySet
from django.forms import (
    BooleanField,
    ModelChoiceField,
    ModelForm,
    MultipleChoiceField,
    SplitDateTimeField,
)
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from unfold.decorators import display
from unfold.widgets import (
    BASE_INPUT_CLASSES,
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminSplitDateTimeWidget,
    UnfoldBooleanSwitchWidget,
)

from console.admin import presence
from console.admin.base import RollcallAdmin
from console.admin.form_fields import not_past
from console.people import api_tokens, rights
from groups.models import ApiToken

SECRET = "rollcall_issued_token"
"""The attribute of the request that creates a token, from saving to the response."""


READ_ONLY = ("prefix", "made_by", "created_at", "used_at")


class TokenForm(ModelForm):  # type: ignore[type-arg]  # generic in the stubs
    """A new token."""

    expires_at = SplitDateTimeField(validators=[not_past], widget=UnfoldAdminSplitDateTimeWidget)
    scopes = MultipleChoiceField(
        choices=[(name, f"{name}: {meaning}") for name, meaning in rights.SCOPES.items()],
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        help_text="The token gets only these of its user's rights. A token for monitoring needs"
        " only read.",
    )
    ends_with_password = BooleanField(
        required=False,
        widget=UnfoldBooleanSwitchWidget,
        label="Ends with the password",
        help_text="The token becomes invalid when its user's password changes.",
    )

    password = presence.password_field(**{"class": " ".join(BASE_INPUT_CLASSES)})
    code = presence.code_field(**{"class": " ".join(BASE_INPUT_CLASSES)})
    """Of users with a second factor: a token outlasts their session, and needs no code."""

    http_request: HttpRequest

    class Meta:
        model = ApiToken
        fields = ("name", "user", "expires_at", "scopes")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not presence.needs_code(self.http_request.user):
            del self.fields["password"], self.fields["code"]

    def clean(self) -> dict[str, Any]:
        """Whether the user is present, when all else is valid."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if not self.errors and "code" in self.fields:
            if not presence.is_present(self.http_request, cleaned["password"], cleaned["code"]):
                self.add_error("password", presence.WRONG)
        return cleaned


@admin.register(ApiToken)
class ApiTokenAdmin(RollcallAdmin):
    """A token is never edited: a different one is created instead."""

    list_empty = "You have no API token. Add one for a script, the command line or an agent."
    form = TokenForm
    list_display = ("name", "begins", "user", "scopes_text", "made_by", "used_at", "expires")
    list_select_related = ("user",)
    search_fields = ("name", "user__username")
    ordering = ("name",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[ApiToken]:
        """One's own; with the permission, those of all users."""
        found: QuerySet[ApiToken] = super().get_queryset(request)
        if rights.may(request.user, "groups.view_apitoken"):
            return found
        return found.filter(user=request.user.pk)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """One's own; with the permission, those of all users."""
        if not super().has_delete_permission(request, obj):
            return False
        is_own = obj is None or obj.user_id == request.user.pk
        return is_own or rights.may(request.user, "groups.delete_apitoken")

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any
    ) -> Any:
        """The form for this user; an existing token is shown, and has none."""
        form_class = super().get_form(request, obj, change, **kwargs)
        return type("Own", (form_class,), {"http_request": request})

    def get_fields(self, request: HttpRequest, obj: ApiToken | None = None) -> tuple[str, ...]:
        """The fields of a new token; others are computed."""
        if obj is None:
            proof = ("password", "code") if presence.needs_code(request.user) else ()
            return ("name", "user", "expires_at", "scopes", "ends_with_password", *proof)
        return ("name", "user", "expires_at", "scopes_text", *READ_ONLY)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """All: tokens are not edited."""
        return () if obj is None else ("scopes_text", *READ_ONLY)

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """For oneself, read-only, with the default lifetime."""
        ends = timezone.now() + timedelta(days=api_tokens.DAYS)
        return {"user": request.user.pk, "scopes": ["read"], "expires_at": ends}

    def formfield_for_foreignkey(
        self, db_field: "ForeignKey[Any, Any]", request: HttpRequest, **kwargs: Any
    ) -> "ModelChoiceField[Any] | None":
        """Users create their own; only a superuser creates those of others."""
        users = get_user_model().objects.filter(is_active=True).order_by("username")
        if not request.user.is_superuser:
            users = users.filter(username=request.user.get_username())
        kwargs |= {"queryset": users}
        field: ModelChoiceField[Any] | None = super().formfield_for_foreignkey(
            db_field, request, **kwargs
        )
        return field

    def save_model(self, request: HttpRequest, obj: ApiToken, form: Any, change: bool) -> None:
        """Create it, and keep its text for the response to this request."""
        token, secret = api_tokens.issue(
            obj.user,
            obj.name,
            obj.expires_at,
            scopes=obj.scopes,
            made_by=request.user.get_username(),
            ends_with_password=form.cleaned_data["ends_with_password"],
        )
        obj.pk, obj.prefix = token.pk, token.prefix
        setattr(request, SECRET, secret)

    def response_add(
        self, request: HttpRequest, obj: ApiToken, post_url_continue: str | None = None
    ) -> HttpResponse:
        """The page with the text. It is the direct response, not a page that can be opened again; a
        reload sends the form again, and its name is taken then."""
        context = {
            **self.admin_site.each_context(request),
            "title": "Token made",
            "opts": self.opts,
            "token": obj,
            "secret": getattr(request, SECRET),
        }
        return TemplateResponse(request, "admin/groups/apitoken/issued.html", context)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Deletion is named revocation."""
        actions: dict[str, Any] = super().get_actions(request)
        if "delete_selected" in actions:
            function, name, _ = actions["delete_selected"]
            actions["delete_selected"] = (function, name, "Revoke selected tokens")
        return actions

    @admin.display(description="Scopes")
    def scopes_text(self, token: ApiToken) -> str:
        """Its scopes."""
        return ", ".join(token.scopes)

    @admin.display(description="Begins with")
    def begins(self, token: ApiToken) -> str:
        """Its first characters, to tell tokens apart."""
        return f"{token.prefix}…"

    @display(  # type: ignore[untyped-decorator]
        description="Expires", ordering="expires_at", label={"expired": "danger", "never": "info"}
    )
    def expires(self, token: ApiToken) -> str:
        """When it expires; an expired one is marked."""
        if token.expires_at is None:
            return "never"
        if token.expires_at <= timezone.now():
            return "expired"
        return f"{timezone.localtime(token.expires_at):%Y-%m-%d %H:%M}"
