"""What is the same on every page: the frame around it, also where there is no page."""

import re
from html import unescape
from http import HTTPStatus
from typing import Final
from uuid import uuid4

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.test import Client
from django.utils.timezone import now

from console.admin import role_words
from console.people.staff_roles import VIEWER
from console.webhooks.events import WORDS
from groups.models import Node, Operation, Topic
from tests.admin.visitors import superuser, text, visitor

pytestmark = pytest.mark.django_db

PAGES = (
    "/admin/",
    "/admin/groups/group/",
    "/admin/groups/apitoken/add/",
    "/admin/auth/user/",
    "/admin/password_change/",
    "/admin/groups/group/missing/change/",
    "/admin/nothing-here/",
    "/nothing-here",
)


def test_every_page_of_the_frame_makes_its_main_part_a_landmark() -> None:
    root = superuser()
    for page in PAGES:
        shown = text(root.get(page))
        assert "rollcall/frame.js" in shown and shown.count('id="main"') == 1, page
    assert text(Client().get("/admin/login/")).count("<main") == 1


def test_every_empty_list_says_what_to_do() -> None:
    sites = admin.site._registry.items()
    silent = [name for name, site in sites if not getattr(site, "list_empty", "")]
    assert silent == []
    assert "Add an endpoint" in text(superuser().get("/admin/groups/webhook/"))


def test_what_a_webhook_may_get_and_a_role_may_do_is_chosen_in_words() -> None:
    root = superuser()
    hooks = unescape(text(root.get("/admin/groups/webhook/add/")))
    assert all(words in hooks for words in WORDS.values())
    role = unescape(text(root.get("/admin/auth/group/add/")))
    assert all(deed in role for deed in role_words.DEEDS)
    assert role.count('name="permissions"') == Permission.objects.count()


def test_a_missing_page_is_reported_within_the_site() -> None:
    answer = superuser().get("/admin/groups/group/%3Cb%3E/change/")
    assert answer.status_code == HTTPStatus.NOT_FOUND
    assert "There is no group &lt;b&gt;." in text(answer)
    assert 'href="/admin/groups/group/"' in text(answer)  # the sidebar


def test_a_forbidden_page_is_reported_within_the_site() -> None:
    answer = visitor(VIEWER).get("/admin/auth/user/")
    assert answer.status_code == HTTPStatus.FORBIDDEN
    assert "None of your roles has the right to this." in text(answer)
    assert 'href="/admin/groups/group/"' in text(answer)
    alone = visitor(VIEWER, name="vic").get("/admin/auth/user/", headers={"accept": "text/plain"})
    assert alone.status_code == HTTPStatus.FORBIDDEN
    assert text(alone).startswith("None of your roles has the right to this.")
    assert "<" not in text(alone)


def test_anonymous_users_get_no_details(client: Client) -> None:
    answer = client.get("/nothing-here")
    assert answer.status_code == HTTPStatus.NOT_FOUND
    assert "Rollcall" not in text(answer)


INLINE = re.compile(r"<script(?![^>]*\bsrc=)[^>]*>|\son\w+=|javascript:", re.IGNORECASE)


@pytest.mark.parametrize("page", [*PAGES, "/api/v1/docs"])
def test_pages_have_no_inline_script_and_their_policy_forbids_it(page: str) -> None:
    answer = superuser().get(page)
    assert INLINE.findall(text(answer)) == []
    policy = answer.headers["Content-Security-Policy"].split("; ")
    assert "default-src 'self'" in policy
    assert "script-src 'self' 'unsafe-eval'" in policy


LISTS: Final = {
    "/admin/groups/topic/": "Topics",
    "/admin/groups/operation/": "Operations",
    "/admin/groups/auditentry/": "Audit",
    "/admin/groups/apitoken/": "API tokens",
    "/admin/django_celery_beat/periodictask/": "Periodic tasks",
    "/admin/auth/user/": "Users",
    "/admin/auth/group/": "Roles",
}


def test_a_list_title_names_its_content() -> None:
    """Not "Select topic to change"."""
    root = superuser()
    titles = {page: titled(text(root.get(page))) for page in LISTS}
    assert titles == {page: f"{title} | Rollcall" for page, title in LISTS.items()}


def titled(shown: str) -> str:
    """The title of a page."""
    return " ".join(shown.partition("<title>")[2].partition("</title>")[0].split())


SHOWN: Final = re.compile(r"\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\b(?! UTC)")


def test_times_state_their_zone() -> None:
    root = superuser()
    topic = Topic.objects.create(name="t", topic_id=uuid4(), partitions=1, created_at=now())
    Node.objects.create(
        node_id=1, incarnation=uuid4(), beat=1, host="h", port=1, started_at=now(), beat_at=now()
    )
    Operation.objects.create(group_id="g", slot=0, verb="freeze", reason="r", actor="a")
    pages = ("topic/", f"topic/{topic.pk}/change/", "node/", "operation/", "auditentry/")
    for page in (*(f"/admin/groups/{page}" for page in pages), "/admin/auth/user/"):
        shown = text(root.get(page))
        assert " UTC" in shown and not SHOWN.search(shown), page
