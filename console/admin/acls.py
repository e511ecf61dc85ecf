"""ACLs of the Kafka port in the admin: shown, created and deleted, never changed, by the functions
of ``console.operations.acl_changes``, as in REST."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from unfold.decorators import display
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from console.admin.base import RollcallAdmin
from console.admin.curl import curl
from console.admin.form_fields import IdField
from console.operations import acl_changes
from console.plain_text import text_problem
from groups.core.acls import forms as rules
from groups.core.acls.bindings import (
    AclOperation,
    Binding,
    PatternType,
    Permission,
    ResourceType,
)
from groups.core.authors import user
from groups.core.errors import Refuse
from groups.models import Acl

OFF = (
    "The authorizer is off (the setting authorizer): every authenticated client may do everything,"
    " and ACLs can be neither created nor deleted."
)

FIELDS = ("permission", "principal", "operation", "resource_type", "name", "pattern", "host")

EXAMPLE = {
    "resource_type": "TOPIC",
    "name": "NAME",
    "principal": "User:NAME",
    "operation": "READ",
}
"""A placeholder in the command, to be filled in."""


def _words(*words: Any) -> forms.ChoiceField:
    choices = [(word.name, word.name) for word in words]
    return forms.ChoiceField(choices=choices, widget=UnfoldAdminSelectWidget)


class AclForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs alone
    """The form of a new ACL; the rules of ``groups.core.acls`` validate it."""

    permission = _words(Permission.ALLOW, Permission.DENY)
    operation = _words(*(word for word in AclOperation if word >= AclOperation.ALL))
    resource_type = _words(*(word for word in ResourceType if word >= ResourceType.TOPIC))
    pattern = _words(PatternType.LITERAL, PatternType.PREFIXED)

    class Meta:
        model = Acl
        fields = FIELDS
        field_classes = dict.fromkeys(("name", "principal"), IdField)
        widgets = dict.fromkeys(("name", "principal", "host"), UnfoldAdminTextInputWidget)

    def clean(self) -> dict[str, Any]:
        """Whether the rule is valid, and can be created now."""
        values: dict[str, Any] = super().clean() or {}
        for field in ("name", "principal", "host"):
            if problem := text_problem(values.get(field, "")):
                self.add_error(field, problem)
        if self.errors:
            return values
        acl = binding(values)
        if (fault := rules.fault(acl)) is not None:
            self.add_error(*fault)
            return values
        try:
            acl_changes.check(acl)
        except Refuse as refusal:
            self.add_error(None, refusal.detail or refusal.code.name)
        return values


def binding(values: dict[str, Any]) -> Binding:
    """The binding in the form."""
    return Binding.of_words(*(values[field] for field in Binding._fields))


@admin.register(Acl)
class AclAdmin(RollcallAdmin):
    """A rule is never edited: a different one is created instead."""

    list_empty = (
        "There is no ACL: without a configured authorizer clients may do everything, with one"
        " only super users may."
    )
    form = AclForm
    list_display = ("principal", "effect", "operation", "resource", "host", "created_at")
    list_filter = ("permission", "operation", "resource_type", "pattern")
    search_fields = ("principal", "name")
    search_help_text = "Part of a principal or of a resource's name"
    ordering = ("principal", "resource_type", "name", "id")
    list_before_template = "admin/groups/acl/above.html"
    change_form_after_template = "admin/groups/group/curl.html"

    def has_add_permission(self, request: HttpRequest, *_: Any) -> bool:
        """Not without an authorizer."""
        return super().has_add_permission(request) and acl_changes.is_on()

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Not without an authorizer."""
        return super().has_delete_permission(request, obj) and acl_changes.is_on()

    def get_fields(self, request: HttpRequest, obj: Acl | None = None) -> tuple[str, ...]:
        """All fields."""
        return FIELDS if obj is None else (*FIELDS, "created_at")

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """Any host, as in Kafka's tools; of the operations not ALL."""
        return {"host": "*", "operation": AclOperation.READ.name}

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """The list, with a hint if there is no authorizer."""
        if not acl_changes.is_on():
            messages.warning(request, OFF)
        answer: HttpResponse = super().changelist_view(request, extra_context)
        return answer

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """The form, or a rule's page with the REST command to delete it."""
        acl: Acl | None = None if object_id is None else self.get_object(request, object_id)
        if acl is None:
            line = curl(request, "POST", "acls", body=EXAMPLE)
        else:
            query = {name: getattr(acl, name) for name in FIELDS}
            line = curl(request, "DELETE", "acls", body=None, query=query)
        title = "The same over REST" if acl is None else "Delete it over REST"
        context = {**(extra_context or {}), "curl": line, "curl_title": title}
        answer: HttpResponse = super().changeform_view(request, object_id, form_url, context)
        return answer

    def save_model(self, request: HttpRequest, obj: Acl, form: Any, change: bool) -> None:
        """Nodes are notified at once. An existing rule is not created again."""
        acl = binding(form.cleaned_data)
        created, _ = acl_changes.create(acl, user(request.user.get_username()))
        obj.pk, obj.created_at = created.pk, created.created_at

    def delete_model(self, request: HttpRequest, obj: Acl) -> None:
        """Delete one rule."""
        acl_changes.delete_rows([obj], user(request.user.get_username()))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Acl]) -> None:
        """Delete the selected rules."""
        acl_changes.delete_rows(list(queryset), user(request.user.get_username()))

    @display(  # type: ignore[untyped-decorator]
        description="Says", ordering="permission", label={"ALLOW": "success", "DENY": "danger"}
    )
    def effect(self, acl: Acl) -> str:
        """ALLOW or DENY."""
        return acl.permission

    @admin.display(description="Resource", ordering="name")
    def resource(self, acl: Acl) -> str:
        """Its type, and its name or prefix."""
        rest = "…" if acl.pattern == "PREFIXED" else ""
        return f"{acl.resource_type} {acl.name}{rest}"
