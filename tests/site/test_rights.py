"""Who may do what: every route of the URL table, every method and role, against one table.

``docs/rights.md`` says what is meant; the code's own table must say the same, and each door must do
it. A route that has no row fails here.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from io import StringIO
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.core.management import call_command
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.urls import URLPattern, URLResolver, get_resolver, resolve

import coordinator_site.urls  # noqa: F401  (whose import registers all pages)
from console.admin import gate
from console.admin.gate import REDIRECT
from console.live import consumer, routing, sessions
from console.people import api_tokens, rights, staff_roles
from launcher.installation import CHECKOUT
from tests.admin.visitors import person
from tests.api.conftest import write

pytestmark = pytest.mark.django_db

PAGE = CHECKOUT / "docs" / "rights.md"
NOBODY_IN_PARTICULAR = "no role"
SUPERUSER = "superuser"
WHO = (NOBODY_IN_PARTICULAR, *staff_roles.ROLES, SUPERUSER)
QUICK = (staff_roles.OPERATOR,)
EACH = [pytest.param(w, marks=() if w in QUICK else pytest.mark.long) for w in WHO]
"""Who may do much, and much not; the others are asked at every door in ``make test-long``."""
METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
ALSO = {w: () if w == staff_roles.OPERATOR else ("HEAD", "OPTIONS") for w in WHO}
"""What else somebody asks at each door: HEAD and OPTIONS need the right of a method whose right is
compared for every role, so one who has few rights and one who has all are enough."""

OUTSIDE = {"", "livez", "readyz"}
"""Asked by anybody: a redirect to the admin, and health."""

REST = ("api/v1/", "kafka/v3/")

NOT_FOUND = {"api/v1/^group(/.*)?$", *REST}
"""What answers every other path of REST: that there is nothing."""

ROW = re.compile(r"^\| `(.+)` \| (.+?) \| (\S+) \| (\S+) \| (\S+) \|$", re.MULTILINE)


def routes(patterns: list[Any], before: str = "") -> Iterator[tuple[str, URLPattern]]:
    """Every route of the URL table."""
    for pattern in patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, route)
        else:
            yield route, pattern


ROUTES = dict(routes(get_resolver().url_patterns))


def rows() -> Mapping[str, rights.Row]:
    """The rows of both, by the whole route."""
    both = zip(REST, (rights.REST, rights.CONFLUENT), strict=True)
    return {prefix + route: row for prefix, table in both for route, row in table.items()}


SCHEMA = "api/v1/schema"


def rest(prefix: str = REST[0]) -> dict[str, URLPattern]:
    """The routes of a REST."""
    found = {r: p for r, p in ROUTES.items() if r.startswith(prefix) and r not in NOT_FOUND}
    return {route.removeprefix(prefix): pattern for route, pattern in found.items()}


def pages() -> dict[str, str]:
    """The admin's pages: the name in the table, and the route."""
    found = {}
    for route, pattern in ROUTES.items():
        if route.startswith("admin/") and (pattern.name or not route.endswith(REDIRECT)):
            found[pattern.name or route.removeprefix("admin/")] = route
    return found


@cache
def meant() -> Mapping[str, Mapping[str, bool]]:
    """What the page says: each row's name, and which roles may."""
    return {
        name: dict(zip(staff_roles.ROLES, (mark == "yes" for mark in marks), strict=True))
        for name, _, *marks in ROW.findall(PAGE.read_text())
    }


def test_the_page_is_up_to_date() -> None:
    """After a change: ``manage.py rights > docs/rights.md``, and review the difference."""
    output = StringIO()
    call_command("rights", stdout=output)
    assert output.getvalue().strip() == PAGE.read_text().strip()


def test_every_route_has_a_row_and_every_row_a_route() -> None:
    assert rest().keys() == rights.REST.keys()
    assert rest(REST[1]).keys() == rights.CONFLUENT.keys()
    assert pages().keys() == rights.ADMIN.keys()
    outside = {r for r in ROUTES if not r.startswith(("admin/", *REST))}
    assert outside == OUTSIDE | rights.SERVICES.keys()
    sockets = {str(p.pattern) for p in routing.urlpatterns}
    assert sockets == {*rights.SOCKETS, ""}


def test_a_route_without_a_row_is_forbidden(monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client()
    client.force_login(user(SUPERUSER))
    paths = ("/api/v1/groups", "/kafka/v3/clusters/x/consumer-groups", "/admin/groups/group/")
    assert [client.get(path).status_code for path in paths] == [200, 404, 200]
    monkeypatch.setattr(rights, "REST", {})
    monkeypatch.setattr(rights, "CONFLUENT", {})
    monkeypatch.setattr(rights, "ADMIN", {})
    assert [client.get(path).status_code for path in paths] == [403, 403, 403]


@pytest.fixture(autouse=True)
def _authorizer(settings: Any) -> None:
    """ACLs are created only where they are enforced, with any rights."""
    settings.AUTHORIZER = "on"


def test_every_operation_of_a_view_has_a_row() -> None:
    for route, row in rows().items():
        view: Any = ROUTES[route].callback.cls  # type: ignore[attr-defined]
        has = {m for m in METHODS if m not in ("HEAD", "OPTIONS") and hasattr(view, m.lower())}
        assert has == row.keys(), route


def user(who: str) -> Any:
    """Somebody with a role."""
    if who == SUPERUSER:
        return get_user_model().objects.create_superuser("root")
    return person(who.replace(" ", "-"), *([who] if who in staff_roles.ROLES else []))


def path(route: str) -> str:
    """A path of the route; a missing row is reported only after the right was checked."""
    plain = re.sub(r"<int:\w+>|<id>", "999999", route)
    plain = re.sub(r"<uuid:\w+>", "00000000-0000-4000-8000-000000000000", plain)
    plain = re.sub(r"<\w+:\w+>", "nobodys", plain)
    plain = plain.replace("^(?P<app_label>groups|auth|django_celery_beat)/$", "groups/")
    return "/" + plain.replace("(?P<url>.*)$", "nothing-here/")


def may(who: str, permission: str, row: str) -> bool:
    """Whether a user may do what a row of the page is about."""
    if who == SUPERUSER:
        return permission != rights.NOBODY
    if who == NOBODY_IN_PARTICULAR:
        return permission in (rights.ANYBODY, rights.LOGGED_IN)
    return meant()[row][who]


@pytest.mark.parametrize("who", EACH)
def test_rest_rights_match_the_table(who: str, broker: Any) -> None:
    _, secret = api_tokens.issue(user(who), "automation")
    client = Client(headers={"authorization": f"Bearer {secret}"})
    told = set()
    for route, row in rows().items():
        some = METHODS if who == staff_roles.ADMINISTRATOR else (*row, *ALSO[who])
        for method in some if route != SCHEMA else row:  # it takes a second to make
            permission = rights.needed(row, method)
            said = method if method in row else _looks(row)
            named = re.sub("|".join(REST), "", route)
            expected = permission is None or may(who, permission, f"{said} {named}")
            answer = client.generic(method, path(route), "{}", content_type="application/json")
            if (answer.status_code != 403) != expected:
                told.add((method, route, answer.status_code))
            if permission is None:
                assert answer.status_code == 405, (method, route, answer.status_code)
    assert told == set()


OTHER_SCOPES: Mapping[str, Collection[str]] = {
    "operate": {
        "groups/<id:group_id>/rebalances",
        "groups:rebalance",
        "groups:pause",
        "groups:resume",
        "groups:freeze",
        "groups:thaw",
        "groups/<id:group_id>/config",
        "groups/<id:group_id>/freeze",
        "groups/<id:group_id>/members/<id:member_id>/drain",
        "groups/<id:group_id>/members/<id:member_id>/undrain",
        "groups/<id:group_id>/thaw",
        "groups/<id:group_id>/pause",
        "groups/<id:group_id>/resume",
        "groups/<id:group_id>/members/<id:member_id>",
        "groups/<id:group_id>/members/<id:member_id>/pause",
        "groups/<id:group_id>/members/<id:member_id>/resume",
        "nodes/<int:node_id>/drain",
        "nodes/<int:node_id>/undrain",
        "nodes/<int:node_id>/forget",
        "reports",
        "attention/acknowledgements",
        "attention/acknowledgements/<int:acknowledgement_id>",
        "attention/rules",
        "attention/rules/<int:rule_id>",
        "marks",
        "marks/<int:mark_id>",
        "advice/decisions",
        "advice/decisions/<int:decision_id>",
    },
    "offsets": {
        "groups/<id:group_id>/offsets/restores",
        "groups/<id:group_id>/offsets/resets",
        "groups/<id:group_id>/offsets",
        "operations/<int:operation_id>/undo",
    },
    "catalogue": {"topics", "topics/<id:name>", "topics/<id:name>/racks"},
    "admin": {
        "groups/<id:group_id>",
        "groups:delete",
        "topics/<id:name>",  # its deletion
        "acls",
        "quotas",
        "users/<id:user>",
        "webhooks",
        "webhooks/<int:webhook_id>",
        "webhooks/<int:webhook_id>/secrets",
        "webhooks/<int:webhook_id>/tests",
        "webhooks/<int:webhook_id>/deliveries/<int:delivery_id>/redeliveries",
    },
}
"""What changes something; all else is to read."""

SHORT_SCOPES = ("read", "operate")
"""Of those that change something one is asked in ``make test``, which has the most routes."""


@pytest.mark.parametrize(
    "scope",
    [pytest.param(s, marks=() if s in SHORT_SCOPES else pytest.mark.long) for s in rights.SCOPES],
)
def test_a_scoped_token_opens_only_its_scope(scope: str, broker: Any) -> None:
    _, secret = api_tokens.issue(user(SUPERUSER), "automation", scopes=[scope])
    client = Client(headers={"authorization": f"Bearer {secret}"})
    opened = set()
    for route, row in rows().items():
        for method in row if route != SCHEMA else ():
            answer = client.generic(method, path(route), "{}", content_type="application/json")
            if answer.status_code != 403:
                opened.add((method == "GET", route))
    if scope == "read":
        assert opened == {(True, r) for r, row in rows().items() if "GET" in row} - {(True, SCHEMA)}
    else:
        assert opened == {(False, REST[0] + route) for route in OTHER_SCOPES[scope]}


def _looks(row: rights.Row) -> str:
    """The method whose right HEAD and OPTIONS need."""
    return "GET" if "GET" in row else next(iter(row))


def test_rest_without_credentials_is_refused(client: Client) -> None:
    for route, row in rows().items():
        for method in row:
            assert client.generic(method, path(route)).status_code == 401, route


@pytest.mark.parametrize("who", EACH)
def test_admin_rights_match_the_table(who: str, rf: RequestFactory) -> None:
    """Who may not is refused by the site; who may is let through by its gate (what is behind it
    has tests of its own)."""
    somebody, client = user(who), Client(headers={"accept": "text/plain"})  # a page takes longer
    client.force_login(somebody)
    others = (*ALSO[who], "DELETE") if ALSO[who] else ()
    for name, route in pages().items():
        row = rights.ADMIN[name]
        for method in (*row, *others):
            permission = rights.needed(row, method)
            said = method if method in row else _looks(row)
            if permission is not None and may(who, permission, f"{said} {name}"):
                request = rf.generic(method, path(route))
                request.user, request.resolver_match = somebody, resolve(path(route))
                assert gate.Gate(_never).process_view(request) is None, (method, name)
            else:
                refused = 405 if permission is None else 403
                assert client.generic(method, path(route)).status_code == refused, (method, name)


def test_a_page_before_an_act_needs_the_right_to_see_what_it_shows(client: Client) -> None:
    """It has the group's members, and a topic's groups."""
    write("orders")
    client.force_login(person("ann"))
    ann = get_user_model().objects.get()
    acts = ("rebalance_group", "evict_member", "pause_group", "restore_offsets", "freeze_group")
    ann.user_permissions.set(Permission.objects.filter(codename__in=acts))
    pages = [f"/admin/groups/group/orders/{page}/" for page in ("rebalance", "pause", "reset")]
    assert [client.get(page).status_code for page in pages] == [403] * 3
    ann.user_permissions.add(
        Permission.objects.get(codename="view_group", content_type__app_label="groups")
    )
    assert [client.get(page).status_code for page in pages] == [200] * 3


def _never(request: HttpRequest) -> HttpResponse:
    """What is behind the gate."""
    raise AssertionError(request)


def test_the_admin_refuses_anonymous_and_non_staff_users(client: Client) -> None:
    stranger = get_user_model().objects.create_user("stranger")
    for visitor in (client, Client()):
        if visitor is not client:
            visitor.force_login(stranger)
        for name, route in pages().items():
            for method in rights.ADMIN[name]:
                if rights.ANYBODY in rights.ADMIN[name].values() or name == "logout":
                    continue
                answer = visitor.generic(method, path(route))
                assert answer.status_code == 302, (name, answer.status_code)
                assert "/admin/login/" in answer.headers["Location"]


@pytest.mark.parametrize("who", WHO)
def test_bulk_actions_match_the_table(who: str, rf: RequestFactory) -> None:
    """Also that each model has just the actions of its rows."""
    request = rf.get("/")
    request.user = user(who)
    found = {
        f"{model._meta.app_label}_{model._meta.model_name}": set(site.get_actions(request))
        for model, site in admin.site._registry.items()
    }
    expected = {
        label: {a for a, needed in model.actions.items() if may(who, needed, f"{label}: {a}")}
        for label, model in rights.MODELS.items()
    }
    assert found == expected


@pytest.mark.parametrize("who", WHO)
def test_buttons_and_forms_match_the_table(who: str, rf: RequestFactory) -> None:
    """What a page offers is what its gate lets through."""
    request = rf.get("/")
    request.user = user(who)
    for model, site in admin.site._registry.items():
        label = f"{model._meta.app_label}_{model._meta.model_name}"
        row = rights.MODELS[label]
        assert site.has_view_permission(request) == may(who, row.view, f"GET {label}_changelist"), (
            label
        )
        assert site.has_add_permission(request) == may(who, row.add, f"GET {label}_add"), label
        assert site.has_delete_permission(request) == may(who, row.delete, f"GET {label}_delete"), (
            label
        )


@pytest.mark.parametrize("who", WHO)
def test_websocket_rights_match_the_table(who: str) -> None:
    somebody = user(who)
    refused: Any = consumer.refused.func  # without its thread
    for socket, permission in rights.SOCKETS.items():
        expected = None if may(who, permission, socket) else sessions.NOT_ALLOWED
        assert refused(somebody) == expected
