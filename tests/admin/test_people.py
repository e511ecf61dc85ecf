"""The three roles: what each may do, and that nobody can raise their own rights."""

from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.forms import UserChangeForm
from django.contrib.auth.models import Group as Role
from django.contrib.auth.models import Permission, User
from django.db.models.deletion import ProtectedError
from django.test import Client

from console.admin import role_words
from console.people import rights, staff_roles
from console.people.staff_roles import ADMINISTRATOR, OPERATOR, VIEWER
from tests.admin.visitors import person, superuser, text, visitor

pytestmark = pytest.mark.django_db

MAY = {
    "groups.view_group": {VIEWER, OPERATOR, ADMINISTRATOR},
    "groups.view_journal": {VIEWER, OPERATOR, ADMINISTRATOR},
    "groups.view_reportrun": {VIEWER, OPERATOR, ADMINISTRATOR},
    "django_celery_beat.view_periodictask": {VIEWER, OPERATOR, ADMINISTRATOR},
    "groups.rebalance_group": {OPERATOR, ADMINISTRATOR},
    "groups.evict_member": {OPERATOR, ADMINISTRATOR},
    "groups.add_topic": {OPERATOR, ADMINISTRATOR},
    "groups.change_topic": {OPERATOR, ADMINISTRATOR},
    "groups.add_reportrun": {OPERATOR, ADMINISTRATOR},
    "groups.view_apitoken": {ADMINISTRATOR},
    "groups.add_apitoken": {ADMINISTRATOR},
    "groups.delete_apitoken": {ADMINISTRATOR},
    "auth.add_user": {ADMINISTRATOR},
    "auth.view_group": {ADMINISTRATOR},
    "django_celery_beat.change_periodictask": {ADMINISTRATOR},
    "admin.delete_logentry": set(),
    "sessions.view_session": set(),
}


@pytest.mark.parametrize("permission", MAY)
def test_each_role_has_the_rights_of_the_table(permission: str) -> None:
    label, codename = permission.split(".")
    assert Permission.objects.filter(content_type__app_label=label, codename=codename).exists()

    allowed = {role for role in staff_roles.ROLES if person(role, role).has_perm(permission)}

    assert allowed == MAY[permission]


def test_one_statement_reads_all_rights_that_django_reads(django_assert_num_queries: Any) -> None:
    user = person("vera", VIEWER, OPERATOR)
    user.user_permissions.set(Permission.objects.filter(codename__in=["add_user", "view_group"]))
    by_django = ModelBackend().get_all_permissions(User.objects.get(pk=user.pk))

    with django_assert_num_queries(1):
        assert user.get_all_permissions() == by_django
        assert user.has_perm("auth.add_user") and not user.has_perm("auth.delete_user")
    assert by_django > {"auth.add_user", "groups.rebalance_group"}

    user = User.objects.get(pk=user.pk)
    user.is_active = False
    assert not user.get_all_permissions()


def test_a_viewer_can_change_nothing() -> None:
    held = Role.objects.get(name=VIEWER).permissions.values_list("codename", flat=True)

    assert held
    assert all(codename.startswith("view_") for codename in held)


def test_a_migration_restores_the_roles_and_leaves_others_alone() -> None:
    viewer, own = Role.objects.get(name=VIEWER), Role.objects.create(name="Night shift")
    changed = Permission.objects.get(codename="rebalance_group")
    viewer.permissions.set([changed])
    own.permissions.set([changed])

    staff_roles.sync_people(apps.get_app_config("groups"))

    assert not viewer.permissions.filter(codename="rebalance_group").exists()
    assert viewer.permissions.filter(codename="view_group").exists()
    assert list(own.permissions.all()) == [changed]


# -- the pages


@pytest.mark.parametrize("page", ["/admin/auth/user/", "/admin/auth/group/"])
def test_only_administrators_manage_users(page: str) -> None:
    assert visitor(ADMINISTRATOR, name="a").get(page).status_code == 200
    assert visitor(OPERATOR, name="o").get(page).status_code == 403


def test_a_user_is_created_and_given_a_role() -> None:
    administrator = visitor(ADMINISTRATOR)
    secret = "correct horse battery"

    answer = administrator.post(
        "/admin/auth/user/add/",
        {
            "username": "new",
            "usable_password": "true",
            "password1": secret,
            "password2": secret,
        },
    )
    new = User.objects.get(username="new")
    assert answer.headers["Location"] == f"/admin/auth/user/{new.pk}/change/"
    role = Role.objects.get(name=OPERATOR)
    answer = administrator.post(
        answer.headers["Location"],
        {"username": "new", "is_active": "on", "is_staff": "on", "groups": [role.pk]},
    )

    assert answer.status_code == 302
    assert User.objects.get(username="new").has_perm("groups.rebalance_group")
    assert "Operator" in text(administrator.get("/admin/auth/user/"))


def test_an_administrator_cannot_grant_superuser() -> None:
    administrator = visitor(ADMINISTRATOR)
    other = person("other")
    every = [p.pk for p in Permission.objects.all()]

    administrator.post(
        f"/admin/auth/user/{other.pk}/change/",
        {
            "username": "other",
            "is_active": "on",
            "is_staff": "on",
            "is_superuser": "on",
            "user_permissions": every,
        },
    )

    other = User.objects.get(username="other")
    assert other.is_staff
    assert not other.is_superuser
    assert not other.user_permissions.exists()


@pytest.mark.parametrize("page", ["change", "password", "delete"])
def test_an_administrator_cannot_change_a_superuser(page: str) -> None:
    chief = User.objects.create_superuser("chief")
    at = f"/admin/auth/user/{chief.pk}/{page}/"
    secret = {"password1": "taken over now", "password2": "taken over now", "post": "yes"}

    assert visitor(ADMINISTRATOR).post(at, secret).status_code == 403

    assert User.objects.filter(username="chief", password=chief.password).exists()


def test_a_superuser_can_change_every_user() -> None:
    other = person("other")

    page = superuser().get(f"/admin/auth/user/{other.pk}/change/")

    assert 'name="is_superuser"' in text(page)


@pytest.mark.parametrize("role", list(staff_roles.ROLES))
def test_built_in_roles_are_read_only(role: str) -> None:
    row = Role.objects.get(name=role)
    client: Client = superuser()

    assert client.get(f"/admin/auth/group/{row.pk}/change/").status_code == 200
    assert client.post(f"/admin/auth/group/{row.pk}/change/", {"name": "x"}).status_code == 403
    assert client.post(f"/admin/auth/group/{row.pk}/delete/", {"post": "y"}).status_code == 403


def test_a_custom_role_can_be_edited() -> None:
    held = Permission.objects.get(codename="view_group", content_type__app_label="groups")

    made = {"name": "Night shift", "permissions": [held.pk]}
    shown = text(superuser().post("/admin/auth/group/add/", made, follow=True))

    assert list(Role.objects.get(name="Night shift").permissions.all()) == [held]
    assert "4 roles" in " ".join(shown.split())


def test_a_user_with_recorded_actions_cannot_be_deleted() -> None:
    client, idle, busy = superuser(), person("idle"), person("busy", ADMINISTRATOR)
    active = Client()
    active.force_login(busy)
    active.post("/admin/auth/group/add/", {"name": "Night shift"})

    assert "make busy inactive instead" in text(client.get(f"/admin/auth/user/{busy.pk}/delete/"))
    for each in (idle, busy):
        client.post(f"/admin/auth/user/{each.pk}/delete/", {"post": "yes"})

    assert User.objects.filter(username__in=("idle", "busy")).get() == busy
    with pytest.raises(ProtectedError):
        busy.delete()


def test_the_matrix_of_roles_lists_every_right_of_operators() -> None:
    held = {name: role_words.held(Role.objects.get(name=name)) for name in (VIEWER, OPERATOR)}
    named = {permission for needed in role_words.DEEDS.values() for permission in needed}
    assert held[OPERATOR] - held[VIEWER] <= named
    assert {rights.DELETE, "groups.delete_topic"} <= named


def test_a_user_who_is_deleted_while_a_form_is_saved_stays_deleted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Django inserts a row again that is not there any more. (Here the deletion is part of the
    request's transaction, and is rolled back with it.)"""
    client, other = superuser(), person("other", VIEWER)

    def clean(form: "UserChangeForm[User]") -> Any:
        User.objects.filter(pk=other.pk).delete()
        return form.cleaned_data

    monkeypatch.setattr(UserChangeForm, "clean", clean)
    values = {"username": "other", "is_active": "on", "date_joined_0": "2026-01-01"}
    answer = client.post(
        f"/admin/auth/user/{other.pk}/change/", {**values, "date_joined_1": "10:00"}, follow=True
    )

    assert "The user has been deleted meanwhile." in text(answer)
