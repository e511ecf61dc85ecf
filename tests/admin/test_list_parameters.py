"""The lists of the admin take the parameters of their pages, and no other lookup of any field."""

import re
from collections.abc import Iterator
from contextlib import suppress
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from django.contrib import admin
from django.contrib.admin.exceptions import DisallowedModelAdminLookup
from django.contrib.auth.models import User
from django.db import models
from django.test import RequestFactory

import coordinator_site.urls  # noqa: F401  (whose import registers all pages)
from console.admin.base import NOT_FILTERED
from console.admin.lists import VALUES_MAX
from console.people.staff_roles import ADMINISTRATOR, VIEWER
from tests.admin.visitors import superuser, text, visitor
from tests.api.conftest import write
from tests.odd_values import query

pytestmark = pytest.mark.django_db

SITES = {f"{m._meta.app_label}_{m._meta.model_name}": s for m, s in admin.site._registry.items()}

TAKEN: dict[str, set[str]] = {
    "auth_group": set(),
    "auth_user": {
        *("is_active__exact", "is_active__isnull", "is_superuser__exact", "is_superuser__isnull"),
        *("groups__id__exact", "groups__isnull"),
    },
    "django_celery_beat_crontabschedule": set(),
    "django_celery_beat_intervalschedule": set(),
    "django_celery_beat_periodictask": {"enabled__exact", "enabled__isnull"},
    "groups_acknowledgement": set(),
    "groups_acl": {
        f"{name}{how}"
        for name in ("permission", "operation", "resource_type", "pattern")
        for how in ("", "__isnull")
    },
    "groups_advicedecision": {"verdict__exact", "verdict__isnull"},
    "groups_apitoken": set(),
    "groups_attentionrule": {"rule", "rule__isnull"},
    "groups_auditentry": {"at__gte", "at__lt", "kind", "outcome"},
    "groups_group": {"state", "attention", "type", "assignor", "node", "topic"},
    "groups_kafkauser": set(),
    "groups_mark": set(),
    "groups_node": set(),
    "groups_operation": {"state__exact", "state__isnull", "verb__exact", "verb__isnull"},
    "groups_quotaentity": {"entity_type", "entity_type__isnull"},
    "groups_reportrun": {"state__exact", "state__isnull"},
    "groups_savedview": set(),
    "groups_topic": set(),
    "groups_webhook": set(),
    "groups_webhookdelivery": {
        *("state__exact", "state__isnull", "webhook__id__exact", "webhook__isnull"),
    },
    "otp_totp_totpdevice": set(),
}
"""Every registered list with what its filters take: a new list needs a row here."""

LOOKUPS = sorted({"", *models.Field.class_lookups, *models.JSONField().get_lookups()})

DEPTH = 2
"""Relations that are followed from a list's model."""


def test_every_list_has_a_row() -> None:
    assert SITES.keys() == TAKEN.keys()


def fields_of(model: Any, depth: int = DEPTH) -> Iterator[str]:
    """Paths of fields, also of related models in both directions."""
    for field in model._meta.get_fields():
        yield field.name
        if getattr(field, "attname", field.name) != field.name:
            yield field.attname
        if field.is_relation and depth and field.related_model is not None:
            for rest in fields_of(field.related_model, depth - 1):
                yield f"{field.name}__{rest}"


def lookups_of(model: Any) -> Iterator[str]:
    """Every field of a model with every lookup; of related models, with some."""
    for path in ("pk", *fields_of(model)):
        some = LOOKUPS if "__" not in path else ("", "exact", "startswith", "regex")
        yield from (f"{path}__{lookup}" if lookup else path for lookup in some)


@pytest.mark.parametrize("label", TAKEN)
def test_a_list_takes_the_parameters_of_its_filters_only(label: str, rf: RequestFactory) -> None:
    site = SITES[label]
    request = rf.get("/")
    request.user = User.objects.create_superuser("root")
    listed: Any = site.get_changelist_instance(request)
    taken = set()
    for parameter in {*lookups_of(site.model), "nonsense", "details__a__b", *TAKEN[label]}:
        listed.filter_params = {parameter: ["1"]}
        with suppress(DisallowedModelAdminLookup):
            listed.get_filters(request)
            taken.add(parameter)
    assert taken == TAKEN[label]


@pytest.mark.parametrize("label", TAKEN)
def test_links_of_a_list_are_taken(label: str) -> None:
    """What a page links to is what it takes: also that the table above is not too narrow."""
    write("orders")
    client = superuser()
    path = "/admin/{}/{}/".format(*label.rsplit("_", 1))
    links = {unescape(each) for each in re.findall(r'href="(\?[^"]+)"', text(client.get(path)))}
    for link in links:
        assert client.get(path + link).status_code == 200, link
    for parameter in TAKEN[label]:
        answer = client.get(path, {parameter: "1"})
        assert answer.status_code in (200, 302), parameter
    named = {name for link in links for name in parse_qs(urlsplit(link).query)}
    assert named - {"q", "o", "p", "all", "e"} <= TAKEN[label]


ATTACKS = (
    ("groups/group", {"group_id__regex": "(.*)*x"}),
    ("groups/group", {"group_id__startswith": "lookup"}),
    ("groups/group", {"details__has_key": "x"}),
    ("groups/group", {"members__client_id__iregex": "(.*)*x"}),
    ("groups/group", {"state": "Stable", "group_id__gt": "a"}),
    ("groups/group", {"o": "1." * 1_000}),
    ("groups/operation", {"state__exact": ["failed"] * (VALUES_MAX + 1)}),
    ("groups/reportrun", {"_to_field": "detail"}),
)


@pytest.mark.parametrize(("page", "query"), ATTACKS)
def test_other_lookups_are_refused_with_a_sentence(page: str, query: dict[str, Any]) -> None:
    write("lookup-one")
    path = f"/admin/{page}/?{urlencode(query, doseq=True)}"
    answer = visitor(VIEWER).get(path, headers={"accept": "text/html"})
    assert answer.status_code == 400 and "lookup-one" not in text(answer)
    if "_to_field" not in query:
        assert "this list has no such filter" in text(answer)


def test_the_secret_of_an_authenticator_is_not_guessed_letter_by_letter() -> None:
    client = visitor(ADMINISTRATOR)
    for name in ("key", "key__startswith", "key__lt", "user__password__startswith"):
        assert client.get(f"/admin/otp_totp/totpdevice/?{name}=a").status_code == 400


def test_facets_are_not_counted() -> None:
    write("orders")
    page = text(visitor(VIEWER).get("/admin/groups/group/?_facets=True"))
    assert "Show counts" not in page and "Stable (1)" not in page


def test_an_audit_is_ordered_by_time_only(rf: RequestFactory) -> None:
    """A URL with the number of another column sorted all rows."""
    request = rf.get("/", {"o": "3"})
    request.user = User.objects.create_superuser("root")
    site: Any = SITES["groups_auditentry"]
    assert site.get_changelist_instance(request).queryset.query.order_by == ("-id",)


@pytest.mark.parametrize("query", ["at__gte=%00", "at__gte=tomorrow"])
def test_an_invalid_value_is_not_the_fault_of_the_database(query: str) -> None:
    client = visitor(ADMINISTRATOR)
    path = "/admin/groups/auditentry/"
    answer = client.get(f"{path}?{query}", follow=True)
    assert answer.status_code == 200 and NOT_FILTERED in text(answer)
    assert client.get(f"{path}?{query}&e=1").status_code == 400


def test_only_keys_are_returned_to_other_windows() -> None:
    """``_to_field`` names the field that a form in a window of its own returns."""
    request: Any = None
    for site in SITES.values():
        key = site.model._meta.pk
        for field in site.model._meta.get_fields():
            is_key = field.name == key.name
            assert site.to_field_allowed(request, field.name) == is_key, (site, field)


def test_a_view_holds_what_the_list_takes() -> None:
    client = visitor(VIEWER)
    sent = {"name": "mine", "query": "group_id__regex=(.*)*x"}
    assert "The list has no filter group_id__regex." in text(
        client.post("/admin/groups/savedview/add/", sent)
    )
    kept = {"name": "mine", "query": "state=Stable&q=a&o=-size"}
    assert client.post("/admin/groups/savedview/add/", kept).status_code == 302


OWN = ("q", "o", "p", "all", "e")
"""The parameters of every list of Django's admin."""


@pytest.mark.filterwarnings("ignore:DateTimeField .* received a naive datetime")
@pytest.mark.parametrize(
    ("first", "step"), [(0, 3), *(pytest.param(n, 1, marks=pytest.mark.long) for n in (0, 5, 9))]
)
def test_odd_values_of_a_parameter_are_no_error_of_the_server(first: int, step: int) -> None:
    write("orders")
    client = superuser()
    every = [(label, name) for label, taken in TAKEN.items() for name in sorted({*OWN, *taken})]
    assert len(every) > 150
    for number, (label, name) in [*enumerate(every, first)][::step]:
        path = "/admin/{}/{}/".format(*label.rsplit("_", 1))
        odd = query(name, number)
        answer = client.get(f"{path}?{odd}")
        assert answer.status_code < 500, (path, odd[:100])
