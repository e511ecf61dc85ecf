"""What is the same on every page: the frame around it, also where there is no page."""

import re
from http import HTTPStatus

import pytest
from django.test import Client

from groups.access.staff_roles import VIEWER
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


def test_what_is_missing_is_told_within_the_site() -> None:
    answer = superuser().get("/admin/groups/group/%3Cb%3E/change/")
    assert answer.status_code == HTTPStatus.NOT_FOUND
    assert "There is no group &lt;b&gt;." in text(answer)
    assert 'href="/admin/groups/group/"' in text(answer)  # the sidebar


def test_who_may_not_is_told_so_within_the_site() -> None:
    answer = visitor(VIEWER).get("/admin/auth/user/")
    assert answer.status_code == HTTPStatus.FORBIDDEN
    assert "None of your roles has the right to this." in text(answer)
    assert 'href="/admin/groups/group/"' in text(answer)
    alone = visitor(VIEWER, name="vic").get("/admin/auth/user/", headers={"accept": "text/plain"})
    assert alone.status_code == HTTPStatus.FORBIDDEN
    assert text(alone).startswith("None of your roles has the right to this.")
    assert "<" not in text(alone)


def test_strangers_are_told_no_more_than_that(client: Client) -> None:
    answer = client.get("/nothing-here")
    assert answer.status_code == HTTPStatus.NOT_FOUND
    assert "Rollcall" not in text(answer)


INLINE = re.compile(r"<script(?![^>]*\bsrc=)[^>]*>|\son\w+=|javascript:", re.IGNORECASE)


@pytest.mark.parametrize("page", [*PAGES, "/api/v1/docs"])
def test_no_script_stands_in_a_page_and_browsers_would_run_none(page: str) -> None:
    answer = superuser().get(page)
    assert INLINE.findall(text(answer)) == []
    policy = answer.headers["Content-Security-Policy"].split("; ")
    assert "default-src 'self'" in policy
    assert "script-src 'self' 'unsafe-eval'" in policy
