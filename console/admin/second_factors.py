"""Second factors: one's own page, and the list of users who have one, for those who manage
people."""

from base64 import b32encode
from binascii import unhexlify
from typing import Any, Final

from django import forms
from django.contrib import admin, messages
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, path
from django.views.decorators.debug import sensitive_post_parameters
from django_otp.plugins.otp_static import admin as _theirs  # noqa: F401  (it registers its pages)
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp import admin as _also_theirs  # noqa: F401
from django_otp.plugins.otp_totp.models import TOTPDevice

from console.admin import presence
from console.admin.base import RollcallAdmin
from console.people import held_up, rights, second_factor

admin.site.unregister(TOTPDevice)
admin.site.unregister(StaticDevice)

KEY: Final = "rollcall_second_factor_key"
"""Key of a session: the secret of an authenticator that is being set up. It is stored with the
first correct code, so opening the page changes nothing."""

NEW_CODES, REMOVE = "codes", "remove"
PAGE: Final = "admin:otp_totp_totpdevice_mine"
TEMPLATE: Final = "admin/groups/secondfactor/mine.html"


class Proof(forms.Form):
    """Password and code: shows that the user, not only the session, is present."""

    password = presence.password_field()
    code = presence.code_field()


@admin.register(TOTPDevice)
class SecondFactorAdmin(RollcallAdmin):
    """Users with a second factor. It is never edited; an administrator removes a lost one."""

    list_empty = "Nobody has a second factor. Everyone sets up their own, under Second factor."
    list_display = ("user", "created_at", "last_used_at", "recovery_codes")
    list_select_related = ("user",)
    search_fields = ("user__username",)
    ordering = ("user__username",)
    fields = readonly_fields = ("user", "created_at", "last_used_at", "recovery_codes")

    def get_urls(self) -> list[URLPattern]:
        """The URL of one's own page before that of a row."""
        view = self.admin_site.admin_view(sensitive_post_parameters()(self.mine))
        return [path("mine/", view, name="otp_totp_totpdevice_mine"), *super().get_urls()]

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Only superusers remove a superuser's. One's own is removed on its page, which asks for
        password and code."""
        if obj is not None and obj.user_id == request.user.pk:
            return False
        is_above = obj is not None and obj.user.is_superuser and not request.user.is_superuser
        return super().has_delete_permission(request, obj) and not is_above

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """With the number of unused recovery codes, in one statement."""
        found: QuerySet[Any] = super().get_queryset(request)
        left = StaticToken.objects.filter(device__user=OuterRef("user")).order_by()
        counted = left.values("device__user").annotate(n=Count("id")).values("n")
        counted_too: QuerySet[Any] = found.annotate(codes_left=Coalesce(Subquery(counted), 0))
        return counted_too

    @admin.display(description="Recovery codes left")
    def recovery_codes(self, device: Any) -> int:
        """The number of unused codes."""
        return int(device.codes_left)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The list under its own title."""
        context = {"title": "Second factors", **(extra_context or {})}
        response: HttpResponse = super().changelist_view(request, context)
        return response

    def mine(self, request: HttpRequest) -> HttpResponse:
        """Set-up, new recovery codes, removal."""
        if not second_factor.is_on():
            raise Http404("Second factors are off (web.second.factor).")
        has_one = second_factor.device_of(request.user) is not None
        form = Proof(request.POST or None)
        if request.method == "POST" and form.is_valid():
            done = (_change if has_one else _set_up)(request, **form.cleaned_data)
            if done is not None:
                return self._done(request, done)
            form.add_error(None, presence.WRONG)
        context = _left(request) if has_one else _offered(request)
        sees_all = rights.may(request.user, self.rights.view)
        return self._page(request, form=form, has_one=has_one, sees_all=sees_all, **context)

    def _done(self, request: HttpRequest, codes: list[str]) -> HttpResponse:
        if not codes:
            held_up.judge(request, request.user)
            messages.success(request, "Your second factor was removed.")
            return redirect(PAGE)
        return self._page(request, codes=codes)

    def _page(self, request: HttpRequest, **context: Any) -> HttpResponse:
        site = self.admin_site.each_context(request)
        title = "Your second factor"
        return render(request, TEMPLATE, {**site, "title": title, "opts": self.opts, **context})


def _set_up(request: HttpRequest, password: str, code: str) -> list[str] | None:
    """The recovery codes; None if the password or the code is wrong."""
    user: Any = request.user
    key = request.session.get(KEY)
    if key is None or not presence.is_present(request, password):
        return None
    codes = second_factor.set_up(user, key, code)
    if codes is not None:
        del request.session[KEY]
    return codes


def _change(request: HttpRequest, password: str, code: str) -> list[str] | None:
    """New recovery codes; none after a removal; None if something is wrong."""
    if not presence.is_present(request, password, code):
        return None
    if request.POST.get("verb") == REMOVE:
        second_factor.remove(request.user)
        return []
    return second_factor.new_codes(request.user)


def _left(request: HttpRequest) -> dict[str, Any]:
    return {"left": second_factor.codes_left(request.user)}


def _offered(request: HttpRequest) -> dict[str, Any]:
    """The secret for an authenticator, as a picture and as text."""
    key = request.session.setdefault(KEY, second_factor.new_key())
    import segno  # takes half a megabyte, which few processes need

    url = second_factor.unconfirmed(request.user, key).config_url
    return {
        "picture": segno.make(url, error="m").svg_data_uri(scale=5, light="#fff"),
        "secret": b32encode(unhexlify(key)).decode(),
    }
