"""Saving a view of the list of groups, and deleting it."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse

from console.admin import group_list
from console.admin.base import RollcallAdmin
from console.plain_text import text_problem
from groups.models import SavedView


class SavedViewForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs alone
    """A name for a query. ``user`` is set before validation, since names are unique per user."""

    class Meta:
        model = SavedView
        fields = ("name", "query", "is_shared")
        labels = {"is_shared": "Shared"}
        help_texts = {
            "query": "The filters, search and order of the list, as in its URL.",
            "is_shared": "Everyone who sees groups sees this view; only you can delete it.",
        }

    def clean(self) -> dict[str, Any]:
        """Not more than are offered."""
        others = SavedView.objects.filter(user=self.instance.user_id)
        if self.instance._state.adding and others.count() >= group_list.SAVED_MAX:
            raise forms.ValidationError(
                f"You have {group_list.SAVED_MAX} views already: delete one first."
            )
        return super().clean() or self.cleaned_data

    def clean_name(self) -> str:
        """Displayable, and not used by this user already."""
        name: str = self.cleaned_data["name"].strip()
        problem = text_problem(name)
        if problem is not None:
            raise forms.ValidationError(problem)
        others = SavedView.objects.filter(user=self.instance.user_id, name=name)
        if others.exclude(pk=self.instance.pk).exists():
            raise forms.ValidationError("You have a view with this name already.")
        return name

    def clean_query(self) -> str:
        """In the form in which the list compares it."""
        sent = QueryDict(self.cleaned_data["query"].lstrip("?"))
        query = group_list.query_of(sent)
        if not query:
            raise forms.ValidationError("This has no filter, search or order.")
        unknown = sorted(sent.keys() - group_list.PARAMETERS)
        if unknown:
            raise forms.ValidationError(f"The list has no filter {', '.join(unknown)}.")
        return query


@admin.register(SavedView)
class SavedViewAdmin(RollcallAdmin):
    """One's own views; the list of groups links here."""

    list_empty = (
        "There is no view. Search or filter the list of groups, and save it under a name there."
    )
    form = SavedViewForm
    list_display = ("name", "query", "is_shared")
    ordering = ("name",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[SavedView]:
        """One's own views."""
        found: QuerySet[SavedView] = super().get_queryset(request)
        return found.filter(user=request.user.pk)

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any
    ) -> Any:
        """The form for this user."""
        form_class = super().get_form(request, obj, change, **kwargs)

        class Own(form_class):  # type: ignore[misc, valid-type]  # made at run time
            def __init__(self, *args: Any, **more: Any) -> None:
                super().__init__(*args, **more)
                self.instance.user_id = request.user.pk

        return Own

    def response_add(
        self, request: HttpRequest, obj: SavedView, post_url_continue: str | None = None
    ) -> HttpResponse:
        """Return to the list in its former state."""
        messages.success(request, f"The view {obj} was saved.")
        return HttpResponseRedirect(f"{reverse('admin:groups_group_changelist')}?{obj.query}")

    def response_delete(self, request: HttpRequest, obj_display: str, obj_id: int) -> HttpResponse:
        """Return to the list."""
        messages.success(request, f"The view {obj_display} was deleted.")
        return HttpResponseRedirect(reverse("admin:groups_group_changelist"))
