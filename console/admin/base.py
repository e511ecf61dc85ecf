"""Shared by all pages of the admin. No model is registered here."""

from collections.abc import Callable, Mapping
from functools import cache, wraps
from typing import Any, Final, TypeVar

from django.contrib import admin, messages
from django.contrib.admin.exceptions import DisallowedModelAdminLookup
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.utils import unquote
from django.contrib.admin.views.main import ERROR_FLAG, SEARCH_VAR
from django.core.exceptions import ObjectDoesNotExist
from django.db import DataError
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import mark_safe
from django.utils.text import capfirst
from unfold.admin import ModelAdmin, checkbox

from console.admin.lists import OwnParameters
from console.people import rights
from console.queries.text_search import any_has_text, is_storable
from groups.core.errors import Refuse

SEARCH_WORDS_MAX, SEARCH_LENGTH_MAX = 16, 2_048
"""Maximum words and length of a search. Each word is compared with several columns of every row."""

TOO_LONG = (
    f"A search has at most {SEARCH_WORDS_MAX} words and {SEARCH_LENGTH_MAX} characters: no search"
    " was made."
)

NOT_FILTERED: Final = "A filter in the address had an invalid value: the list has all rows."

NUL: Final = "\0"
"""The only character that no id contains, since PostgreSQL's texts cannot."""

WHOLE: Final = "="

T = TypeVar("T")


def once(method: Callable[[Any, Any], T]) -> Callable[[Any, Any], T]:
    """A read-only field that is computed once per page, although a form's template reads its value
    several times. The value is kept in the object, which belongs to the request."""

    @wraps(method)
    def kept(site: Any, row: Any) -> T:
        values: dict[str, T] = row.__dict__.setdefault("_shown_once", {})
        if method.__name__ not in values:
            values[method.__name__] = method(site, row)
        return values[method.__name__]

    return kept


def is_refused(request: HttpRequest, search_term: str) -> bool:
    """Whether a search finds nothing because it is too long, which the user is told, or contains
    NUL, which Django says and would then ignore."""
    is_long = len(search_term.split()) > SEARCH_WORDS_MAX or len(search_term) > SEARCH_LENGTH_MAX
    if is_long:
        messages.warning(request, TOO_LONG)
    return is_long or NUL in request.GET.get(SEARCH_VAR, "")


@cache
def _box() -> tuple[str, str]:
    """unfold's checkbox before a row, without its value: rendering its template for each row would
    take a tenth of a list's time."""
    before, _, after = checkbox.render(ACTION_CHECKBOX_NAME, BOX_VALUE).partition(BOX_VALUE)
    return mark_safe(before), mark_safe(after)


BOX_VALUE: Final = "the-value-of-a-box"


class RollcallAdmin(ModelAdmin):  # type: ignore[misc]  # unfold has no types
    """unfold's pages, without a count of all rows beside the count of found ones.

    The table of rights decides who may do what; the gate checks it for each page, and the methods
    here decide which buttons, forms and actions a page has.
    """

    list_empty = ""
    """The text of an empty list without a search: what to do. Each page has one."""

    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER  # no page offers them: a count of all rows for each choice
    list_per_page = 50

    @property
    def rights(self) -> rights.Model:
        """The model's row in the table."""
        return rights.MODELS[f"{self.opts.app_label}_{self.opts.model_name}"]

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whether the list and the pages of rows are shown."""
        return rights.may(request.user, self.rights.view)

    def has_add_permission(self, request: HttpRequest, *_: Any) -> bool:
        """Whether rows can be created here."""
        return rights.may(request.user, self.rights.add)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whether a row's page is a form."""
        return rights.may(request.user, self.rights.change)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whether rows can be deleted here."""
        return rights.may(request.user, self.rights.delete)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The list, titled with what it contains; Django's title asks to select a row."""
        context = {"title": capfirst(self.opts.verbose_name_plural), **(extra_context or {})}
        answer: HttpResponse = super().changelist_view(request, context)
        return answer

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """The form; if a valid form is refused because someone else was faster, a message says
        so."""
        try:
            response: HttpResponse = super().changeform_view(
                request, object_id, form_url, extra_context
            )
        except Refuse as refusal:
            self.message_user(request, refusal.detail or refusal.code.name, messages.ERROR)
            return HttpResponseRedirect(request.get_full_path())
        except ObjectDoesNotExist:
            return self._deleted_meanwhile(request)
        return response

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Django would insert a row again that somebody has deleted since the form was read."""
        if change:
            type(obj)._base_manager.select_for_update(no_key=True).only("pk").get(pk=obj.pk)
        super().save_model(request, obj, form, change)

    def response_action(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        """An action; a message if one of its rows has been deleted meanwhile."""
        try:
            response: HttpResponse | None = super().response_action(request, queryset)
        except ObjectDoesNotExist:
            return self._deleted_meanwhile(request)
        return response

    def _deleted_meanwhile(self, request: HttpRequest) -> HttpResponse:
        name = self.opts.verbose_name
        self.message_user(request, f"The {name} has been deleted meanwhile.", messages.ERROR)
        listed = f"admin:{self.opts.app_label}_{self.opts.model_name}_changelist"
        return HttpResponseRedirect(reverse(listed))

    def get_object(self, request: HttpRequest, object_id: str, from_field: Any = None) -> Any:
        """The row of an address; PostgreSQL would refuse to look for NUL."""
        if NUL in unquote(object_id):
            return None
        return super().get_object(request, object_id, from_field)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[OwnParameters]:
        """Lists take the parameters of their pages only."""
        return OwnParameters

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """The list; without filters and with a message if a filter has an invalid value, such as
        one that PostgreSQL refuses (NUL)."""
        try:
            return super().get_changelist_instance(request)
        except (DataError, IncorrectLookupParameters) as error:
            if ERROR_FLAG in request.GET:  # Django would say that the database was not set up
                raise DisallowedModelAdminLookup(str(error)) from error
            messages.warning(request, NOT_FILTERED)
            raise IncorrectLookupParameters from error

    def to_field_allowed(self, request: HttpRequest, to_field: str) -> bool:
        """A form in a window of its own returns a row's key, and no other field."""
        return to_field in ("pk", self.opts.pk.name, self.opts.pk.attname)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """The rows that match every word, in one of ``search_fields`` (with "=" before it: the
        whole field is the word); none if the search is too long, which would take seconds."""
        if is_refused(request, search_term):
            return queryset.none(), False
        fields = self.get_search_fields(request)
        wholes = [field.removeprefix(WHOLE) for field in fields if field.startswith(WHOLE)]
        parts = [field for field in fields if not field.startswith(WHOLE)]
        for word in search_term.split():
            is_whole = Q(*((field, word) for field in wholes if is_storable(word)), _connector=Q.OR)
            queryset = queryset.filter(any_has_text(word, *parts) | is_whole)
        return queryset, False

    @admin.display(description=ModelAdmin.action_checkbox.short_description)
    def action_checkbox(self, obj: Any) -> str:
        """The checkbox before a row."""
        before, after = _box()
        return format_html("{}{}{}", before, str(obj.pk), after)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """The actions that this user may apply to selected rows."""
        found: Mapping[str, Any] = super().get_actions(request)
        needed = self.rights.actions
        return {
            name: action
            for name, action in found.items()
            if rights.may(request.user, needed.get(name, rights.NOBODY))
        }
