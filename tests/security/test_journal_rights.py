"""Who may read which entries of the journal: every kind, every role, every way to read them.

``docs/rights.md`` says what is meant. The stream of events has its test in ``tests/live``.
"""

import csv
import io
import json
from collections.abc import Iterator, Mapping
from html import unescape
from itertools import cycle
from pathlib import Path
from typing import Any, Final

import pytest
from django.contrib.auth.models import Group as Role
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client

from console.journal_subjects import SUBJECTS, Subject
from console.operations import topic_changes as changes
from console.people import api_tokens, rights, staff_roles
from console.queries.journal_text import sentence
from console.webhooks import endpoints, events
from groups.core.journal import EntryKind
from groups.models import Journal, Topic, Webhook, WebhookDelivery
from launcher.installation import CHECKOUT
from tests.admin.visitors import person, text
from tests.api.conftest import write
from tests.site.test_rights import meant

pytestmark = pytest.mark.django_db

LATER: Final = "kind-of-a-later-version"
KINDS: Final = (*EntryKind, LATER)

GROUPS_ONLY: Final = "Groups only"
"""A role of an installation's own, which sees groups, webhooks and their deliveries."""

WHO: Final = (*staff_roles.ROLES, GROUPS_ONLY)

TOPIC, GROUP = "invoices", "orders"


@pytest.fixture(autouse=True)
def seqs() -> Mapping[str, int]:
    """An entry of each kind, with its number."""
    role = Role.objects.create(name=GROUPS_ONLY)
    names = ("view_group", "view_webhook", "change_webhook", "add_webhook", "view_webhookdelivery")
    role.permissions.set(Permission.objects.filter(codename__in=names))
    write(GROUP)
    changes.create(TOPIC, 1)
    Journal.objects.all().delete()
    return {kind: _entry(kind).pk for kind in KINDS}


def _entry(kind: str) -> Journal:
    about = SUBJECTS.get(kind)  # type: ignore[call-overload]
    details = {
        "author": {"client_id": "x", "client_host": f"/10.0.0.{len(kind)}", "principal": "User:x"},
        "topic": TOPIC,
        "user": "secret-user",
        "mechanism": "PLAIN",
        "acl": {"principal": "User:secret", "host": "10.6.6.6", "name": kind},
        "quota": {"entity_type": "ip", "ip": "10.7.7.7", "key": "connection_creation_rate"},
    }
    return Journal.objects.create(
        at="2026-01-01T00:00:00Z",
        group_id=GROUP if about is Subject.GROUP else "",
        revision=1,
        node_id=1,
        kind=kind,
        trigger="request",
        reason=f"because of {kind}",
        client_id="x",
        generation_before=0,
        generation_after=1,
        waited_for={},
        joined=[],
        left=[],
        details=details,
    )


def allowed(who: str) -> set[str]:
    """What the page says."""
    if who == GROUPS_ONLY:
        return {kind for kind, about in SUBJECTS.items() if about is Subject.GROUP}
    later = {LATER} if who == staff_roles.ADMINISTRATOR else set()
    return {kind for kind in EntryKind if meant()[kind][who]} | later


def rest(who: str) -> Client:
    _, secret = api_tokens.issue(person(f"rest-{who}", who), who)
    return Client(headers={"authorization": f"Bearer {secret}"})


def test_every_kind_has_a_subject_and_every_subject_a_right() -> None:
    """A new kind needs a row of ``SUBJECTS``."""
    assert SUBJECTS.keys() == set(EntryKind)
    assert rights.JOURNAL.keys() == set(Subject)
    assert set(EntryKind) <= meant().keys()


def test_a_viewer_sees_what_the_lists_of_access_show_to_administrators_only() -> None:
    hidden = {kind for kind in EntryKind if kind not in allowed(staff_roles.VIEWER)}
    assert hidden == {
        *(EntryKind.ACL_CREATED, EntryKind.ACL_DELETED, EntryKind.QUOTA_SET),
        *(EntryKind.CREDENTIAL_SET, EntryKind.CREDENTIAL_DELETED, EntryKind.QUOTA_REMOVED),
    }
    assert allowed(staff_roles.ADMINISTRATOR) == set(KINDS)


LISTS: Final = (
    "/api/v1/journal?page_size=500",
    "/api/v1/journal?after=0&page_size=500",
    f"/api/v1/groups/{GROUP}/journal?page_size=500",
    "/api/v1/group/journal?group_id=&page_size=500",
    f"/api/v1/groups/{GROUP}/rebalances?page_size=500",
    "/api/v1/group/rebalances?group_id=&page_size=500",
)
FORMATS: Final = ("application/json", "text/csv", "application/x-ndjson")


def read(answer: Any, accepted: str) -> set[str]:
    """The kinds in the answer."""
    body = text(answer)
    if answer.status_code != 200:
        return set()
    if accepted == FORMATS[0]:
        return {entry["kind"] for entry in json.loads(body).get("data", ())}
    if accepted == FORMATS[1]:
        return {entry["kind"] for entry in csv.DictReader(io.StringIO(body))}
    return {json.loads(line)["kind"] for line in body.splitlines()}


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("accepted", FORMATS)
def test_lists_of_rest_have_only_kinds_that_the_role_may_read(who: str, accepted: str) -> None:
    client = rest(who)
    for path in LISTS:
        answer = client.get(path, headers={"accept": accepted})
        assert read(answer, accepted) <= allowed(who), path
    everything = client.get(LISTS[0], headers={"accept": accepted})
    assert read(everything, accepted) == allowed(who)


@pytest.mark.parametrize("who", WHO)
def test_a_kind_that_may_not_be_read_is_refused_by_name(who: str) -> None:
    """By both lists, which share the check, in turn."""
    client = rest(who)
    paths = cycle(("/api/v1/journal", f"/api/v1/groups/{GROUP}/journal"))
    for kind, path in zip(EntryKind, paths, strict=False):
        expected = 200 if kind in allowed(who) else 403
        answer = client.get(path, {"kind": kind})
        assert answer.status_code == expected, (path, kind)
        if expected == 403:
            assert rights.needed_for(kind) in answer.json()["detail"]


@pytest.mark.parametrize("who", staff_roles.ROLES)
def test_the_journal_of_a_topic_is_about_topics(who: str) -> None:
    entries = rest(who).get(f"/api/v1/topics/{TOPIC}/journal").json()["data"]
    assert {entry["kind"] for entry in entries} == {
        kind for kind, about in SUBJECTS.items() if about is Subject.TOPIC
    }


PAGES: Final = (
    "/admin/",
    f"/admin/groups/group/{GROUP}/change/",
    f"/admin/groups/group/{GROUP}/change/?tab=rebalances",
    f"/admin/groups/group/{GROUP}/change/?tab=rebalances&unfolded",
    f"/admin/groups/group/{GROUP}/change/?tab=configuration",
    f"/admin/groups/group/{GROUP}/live/?tab=rebalances&unfolded",
    "/admin/groups/node/",
    "/admin/groups/topic/",
    "/admin/search/?s=secret",
    "/admin/groups/group/?q=secret",
)


def shown(page: str) -> set[str]:
    """The kinds whose sentences, without their ends, a page shows."""
    found = unescape(page)
    entries = Journal.objects.all()
    return {entry.kind for entry in entries if sentence(entry).rstrip(".") in found}


@pytest.mark.parametrize("who", WHO)
def test_pages_show_only_kinds_that_the_role_may_read(who: str) -> None:
    client = Client()
    client.force_login(person("reader", who))
    for path in PAGES:
        page = text(client.get(path, follow=True))
        assert shown(page) <= allowed(who), path
        if who != staff_roles.ADMINISTRATOR:
            assert "10.6.6.6" not in page and "secret-user" not in page, path
    topic = client.get(f"/admin/groups/topic/{Topic.objects.get().pk}/change/")
    assert topic.status_code == (403 if who == GROUPS_ONLY else 200)
    assert shown(text(topic)) <= allowed(who)


def test_pages_show_entries_at_all() -> None:
    """That the test above can fail."""
    client = Client()
    client.force_login(person("reader", staff_roles.VIEWER))
    seen = {path: shown(text(client.get(path))) for path in PAGES}
    assert seen["/admin/groups/node/"] >= {EntryKind.NODE_DRAINED, EntryKind.SLOTS_CLAIMED}
    unfolded = f"/admin/groups/group/{GROUP}/change/?tab=rebalances&unfolded"
    assert len(seen[unfolded]) > 10


# -- Webhooks ---------------------------------------------------------------------------------


@pytest.fixture
def webhook() -> Webhook:
    """An Administrator's endpoint, to which every entry was delivered."""
    made, _ = endpoints.create(
        {"name": "all", "url": "https://example.org/h", "events": [], "enabled": True}
    )
    queued = [(events.of_entry(entry), [made.pk]) for entry in Journal.objects.all()]
    endpoints.queue(queued)
    endpoints.test(made, "somebody")
    return made


def delivered(types: Iterator[str]) -> set[str]:
    names = set(types)
    assert "webhook.test" in names
    return {name.removeprefix("journal.") for name in names - {"webhook.test"}}


@pytest.mark.parametrize("who", [staff_roles.ADMINISTRATOR, GROUPS_ONLY])
def test_deliveries_are_shown_by_what_they_tell(who: str, webhook: Webhook) -> None:
    client = rest(who)
    rows = client.get(f"/api/v1/webhooks/{webhook.pk}/deliveries?page_size=500").json()["data"]
    assert delivered(row["type"] for row in rows) == allowed(who)
    pages = Client()
    pages.force_login(person("reader", who))
    for row in WebhookDelivery.objects.all():
        may = row.type == "webhook.test" or row.type.removeprefix("journal.") in allowed(who)
        page = pages.get(f"/admin/groups/webhookdelivery/{row.pk}/change/")
        assert (page.status_code == 200) == may, row.type
        again = f"/api/v1/webhooks/{webhook.pk}/deliveries/{row.pk}/redeliveries"
        assert client.post(again).status_code == (202 if may else 404)


REFUSED: Final[tuple[list[str], ...]] = (
    [],
    ["journal.*"],
    ["journal.acl-created"],
    ["journal.topic-created"],
)


def test_nobody_has_entries_sent_that_they_may_not_read(webhook: Webhook) -> None:
    client, url = rest(GROUPS_ONLY), "https://example.org/mine"
    for wanted in REFUSED:
        body = {"name": "mine", "url": url, "events": wanted}
        made = client.post("/api/v1/webhooks", body, content_type="application/json")
        assert made.status_code == 403 and "You may not read" in made.json()["detail"]
    moved = client.patch(
        f"/api/v1/webhooks/{webhook.pk}", {"url": url}, content_type="application/json"
    )
    assert moved.status_code == 403
    webhook.refresh_from_db()
    assert webhook.url == "https://example.org/h"
    body = {"name": "mine", "url": url, "events": ["journal.stable", "attention.*"]}
    assert client.post("/api/v1/webhooks", body, "application/json").status_code == 201
    pages = Client()
    pages.force_login(person("reader", GROUPS_ONLY))
    sent = {"name": "other", "url": url, "events": ["journal.acl-created"], "enabled": "on"}
    assert "You may not read acl-created" in text(pages.post("/admin/groups/webhook/add/", sent))
    assert set(Webhook.objects.values_list("name", flat=True)) == {"all", "mine"}


# -- The one query ----------------------------------------------------------------------------

ELSEWHERE: Final[Mapping[str, str]] = {
    "console/queries/group_rows.py": "counts rebalances of groups",
    "console/queries/groups.py": "the newest rebalance of groups",
    "console/queries/journal_rows.py": "the one query, and positions",
    "console/queries/member_names.py": "client ids of a group's members",
    "console/queries/overview.py": "rebalances of groups, and numbers",
    "console/queries/situation.py": "who froze a group",
    "console/webhooks/outbox.py": "deliveries: whoever sets up or reads one has the right",
}
"""Files that read the journal by another query, with what they read."""


def test_what_shows_entries_reads_them_by_the_one_query() -> None:
    found = {
        str(path.relative_to(CHECKOUT))
        for room in ("groups", "console", "web", "coordinator_site")
        for path in Path(CHECKOUT, room).rglob("*.py")
        if "Journal.objects" in path.read_text()
    }
    assert found == ELSEWHERE.keys()


@pytest.mark.parametrize("who", WHO)
def test_the_query_uses_the_journals_indexes(who: str) -> None:
    """Whatever a reader may not read: the newest entries are found from the end."""
    from console.queries.journal_rows import entries

    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
    plan = entries(rights.kinds(person("reader", who))).order_by("-id")[:100].explain()
    assert "rollcall_journal_pkey" in plan
