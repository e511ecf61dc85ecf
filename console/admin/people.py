"""Users and their roles: Django's pages in unfold's style.

An Administrator manages people up to the role Administrator: only superusers change superusers.
Rollcall's own roles (``console.people.staff_roles``) are read-only here: the next migration would
restore them.
"""

from copy import copy
from typing import Any

from django.contrib import admin
from django.contrib.admin import AdminSite
from django.contrib.admin.models import LogEntry
from django.contrib.admin.utils import unquote
from django.contrib.admin.views.main import ChangeList
from django.contrib.auth.admin import GroupAdmin as DjangoRoleAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group as Role
from django.contrib.auth.models import Permission, User
from django.db.models import ManyToManyField, Prefetch, QuerySet
from django.db.models.deletion import ProtectedError
from django.db.models.signals import pre_delete
from django.dispatch import receiver
from django.forms import ModelMultipleChoiceField
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from console.admin import role_words
from console.admin.base import RollcallAdmin
from console.people import staff_roles

admin.site.unregister(User)
admin.site.unregister(Role)

SUPERUSERS_ONLY = ("is_superuser", "user_permissions")


@admin.register(User)
class UserAdmin(DjangoUserAdmin, RollcallAdmin):  # type: ignore[misc, type-arg]  # generic in the stubs
    """Users who may log in."""

    list_empty = "Nobody can log in: manage.py createsuperuser makes the first user."
    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = ("username", "first_name", "last_name", "email", "roles", "last_login")
    list_filter = ("is_active", "is_superuser", "groups")
    filter_horizontal = ()
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("Person", {"fields": ("first_name", "last_name", "email")}),
        (
            "What they may do",
            {
                "fields": ("is_active", "is_staff", "groups", "is_superuser", "user_permissions"),
                "description": "Users of this admin are staff and have a role.",
            },
        ),
        ("Dates", {"fields": ("last_login", "date_joined")}),
    )
    readonly_fields = ("last_login", "date_joined")

    def get_queryset(self, request: HttpRequest) -> Any:
        """With their roles, in one more statement."""
        return super().get_queryset(request).prefetch_related("groups")

    @admin.display(description="Roles")
    def roles(self, user: User) -> str:
        """Their roles, in words."""
        names = sorted(role.name for role in user.groups.all())
        words = ["Superuser"] * user.is_superuser + names + ["inactive"] * (not user.is_active)
        return ", ".join(words) or "none"

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Users cannot extend their own rights."""
        fields = tuple(super().get_readonly_fields(request, obj))
        return fields if request.user.is_superuser else (*fields, *SUPERUSERS_ONLY)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Only superusers change a superuser, including the password."""
        return super().has_change_permission(request, obj) and _may_touch(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Only superusers delete a superuser."""
        return super().has_delete_permission(request, obj) and _may_touch(request, obj)

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> Any:
        """Somebody else's. One's own is changed on its page, which asks for the old one."""
        if unquote(id) == str(request.user.pk):
            return redirect("admin:password_change")
        return super().user_change_password(request, id, form_url)

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """A user who has done something here cannot be deleted, since the log refers to them."""
        *found, protected = super().get_deleted_objects(objs, request)
        written = LogEntry.objects.filter(user__in=objs).values_list("user__username", flat=True)
        kept = [
            f"The records of {name}'s actions: make {name} inactive instead"
            for name in set(written)
        ]
        return *found, [*protected, *sorted(kept)]

    def formfield_for_manytomany(
        self, db_field: "ManyToManyField[Any, Any]", request: HttpRequest, **kwargs: Any
    ) -> "ModelMultipleChoiceField[Any] | None":
        """Django calls roles "groups"; here that word has another meaning."""
        field: ModelMultipleChoiceField[Any] | None = super().formfield_for_manytomany(
            db_field, request, **kwargs
        )
        if field is not None and db_field.name == "groups":
            field.label = "Roles"
            field.help_text = "Viewer, Operator, Administrator, or your own roles."
        return field


@receiver(pre_delete, sender=LogEntry)
def _is_kept(instance: LogEntry, **_: Any) -> None:
    """Entries are only added. The existence of a receiver also keeps Django from deleting a user's
    entries without loading them, which the web's role may not do, even if there are none."""
    raise ProtectedError("Records of actions in the admin are never deleted.", {instance})


def _may_touch(request: HttpRequest, user: Any) -> bool:
    return user is None or request.user.is_superuser or not user.is_superuser


@admin.register(Role)
class RoleAdmin(DjangoRoleAdmin, RollcallAdmin):  # type: ignore[misc]  # whose stubs differ
    """The permissions of people, by role."""

    list_empty = "There is no role: manage.py setup makes Rollcall's own."
    list_display = ("name", "made_by")
    filter_horizontal = ()
    list_before_template = "admin/auth/group/above.html"

    def __init__(self, model: type[Role], site: AdminSite) -> None:
        super().__init__(model, site)
        # A group is something else here. Django would make a migration if the model's name changed.
        self.opts = copy(model._meta)
        self.opts.verbose_name, self.opts.verbose_name_plural = "role", "roles"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """With their permissions and these with their models: a permission's name has its model,
        which would be a statement for each."""
        permissions = Permission.objects.select_related("content_type")
        found: QuerySet[Any] = super().get_queryset(request)
        return found.prefetch_related(Prefetch("permissions", permissions))

    def formfield_for_manytomany(
        self,
        db_field: "ManyToManyField[Any, Any]",
        request: HttpRequest | None = None,
        **kwargs: Any,
    ) -> "ModelMultipleChoiceField[Any] | None":
        """Permissions as what people do."""
        kwargs["widget"] = UnfoldAdminCheckboxSelectMultipleWidget
        field: ModelMultipleChoiceField[Any] | None = super().formfield_for_manytomany(
            db_field, request, **kwargs
        )
        if field is not None:
            field.choices = role_words.choices(Permission.objects.select_related("content_type"))
            field.help_text = "Whoever has the role may do what is selected."
        return field

    @admin.display(description="Made by")
    def made_by(self, role: Role) -> str:
        """Whether it is Rollcall's or the installation's."""
        return "Rollcall" if role.name in staff_roles.ROLES else "you"

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Not of Rollcall's roles."""
        return super().has_change_permission(request, obj) and not _is_ours(obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Not of Rollcall's roles."""
        return super().has_delete_permission(request, obj) and not _is_ours(obj)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """With what each role may do."""
        context = {"matrix": role_words.matrix(), **(extra_context or {})}
        return super().changelist_view(request, context)

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """It counts roles."""
        found = super().get_changelist_instance(request)
        found.opts = self.opts
        return found


def _is_ours(role: Any) -> bool:
    return role is not None and role.name in staff_roles.ROLES
