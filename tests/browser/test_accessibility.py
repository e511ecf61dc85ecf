"""Nobody is shut out: axe-core (https://github.com/dequelabs/axe-core, MPL 2.0) finds nothing
serious on any page of the admin, in either theme.

The table of rights lists the pages, so a new page is checked without a word
here. Pages of rows are those of one row each.
"""

import hashlib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from console.admin import comparison, group_tabs
from console.people import rights
from console.people.staff_roles import ADMINISTRATOR, OPERATOR
from tests.browser.conftest import LogIn, World
from tests.browser.test_steering import ALL
from tests.clients.conftest import Start

pytestmark = pytest.mark.xdist_group("browser")

AXE: Final = Path(__file__).parent / "vendor" / "axe-4.14.1.min.js"
SHA256: Final = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"

RUN: Final = """
    (only) => axe.run(document, {resultTypes: ["violations"], ...only}).then(it => it.violations)
"""
SERIOUS: Final = ("serious", "critical")
THEMES: Final[Mapping[str, Mapping[str, Any]]] = {
    "light": {},
    "dark": {"runOnly": ["color-contrast", "link-in-text-block"]},
}
"""They differ in colours alone: of the second one, the rules that look at colours are run."""
TABS: Final = (*group_tabs.TABS, comparison.TAB)

NO_PAGES: Final = {
    "autocomplete",
    "jsi18n",
    "search",
    "view_on_site",
    "login",
    "groups_group_live",
    "groups_group_picture",
    "groups_operation_live",
    "groups_operation_many",
    "groups_auditentry_csv",
    "groups_reportrun_download",
}
"""Answers that are no pages by themselves; the login is looked at before anybody is logged in."""

ROWS: Final[Mapping[str, str]] = {
    "groups_node": "SELECT node_id FROM rollcall_node",
    "groups_operation": "SELECT max(id) FROM rollcall_operation",
    "groups_acknowledgement": "SELECT max(id) FROM rollcall_acknowledgement",
    "groups_attentionrule": "SELECT max(id) FROM rollcall_attention_rule",
    "groups_savedview": "SELECT max(id) FROM rollcall_saved_view",
    "groups_auditentry": "SELECT max(id) FROM rollcall_audit",
    "groups_reportrun": "SELECT max(id) FROM rollcall_report_run",
    "groups_apitoken": "SELECT max(id) FROM rollcall_api_token",
    "groups_acl": "SELECT max(id) FROM rollcall_acl",
    "groups_kafkauser": "SELECT max(name) FROM rollcall_credential",
    "groups_quotaentity": "SELECT max(id) FROM rollcall_quota_entity",
    "groups_mark": "SELECT max(id) FROM rollcall_mark",
    "groups_advicedecision": "SELECT max(id) FROM rollcall_advice_decision",
    "groups_webhook": "SELECT max(id) FROM rollcall_webhook",
    "groups_webhookdelivery": "SELECT max(id) FROM rollcall_webhook_delivery",
    "auth_user": "SELECT min(id) FROM auth_user WHERE username = 'viewer'",
    "auth_group": "SELECT min(id) FROM auth_group",
    "otp_totp_totpdevice": "SELECT max(id) FROM otp_totp_totpdevice",
    "django_celery_beat_periodictask": "SELECT min(id) FROM django_celery_beat_periodictask",
    "django_celery_beat_intervalschedule": "SELECT min(id) FROM"
    " django_celery_beat_intervalschedule",
    "django_celery_beat_crontabschedule": "SELECT max(id) FROM django_celery_beat_crontabschedule",
}
"""A row of each model whose rows are not named after the test."""

MAKE: Final = (
    "INSERT INTO rollcall_operation (group_id, slot, verb, member_id, reason, actor, state, detail,"
    " created_at, finished_at) VALUES (%s, 0, 'rebalance', '', 'seen', 'olga', 'failed', 'why',"
    " now(), now())",
    "INSERT INTO rollcall_report_run (state, requested_by, started_at, detail)"
    " SELECT 'failed', %s, now(), 'why'",
    "INSERT INTO rollcall_api_token (name, user_id, prefix, digest, created_at)"
    " SELECT %s, min(id), 'rc', gen_random_uuid()::text, now() FROM auth_user",
    # For a name alone: the page of the group stays as it was. What does not fire would end.
    "INSERT INTO rollcall_group_config (group_id, slot, name, value, updated_at)"
    " SELECT %s || '-gone', 0, 'rollcall.freeze', 'true', now() - interval '1 hour'",
    "INSERT INTO rollcall_acknowledgement (rule, subject, note, actor, at)"
    " SELECT 'frozen', %s || '-gone', 'seen', 'olga', now()",
    "INSERT INTO rollcall_attention_rule (rule, is_prefix, name, threshold, reason, actor, at)"
    " SELECT 'storm', false, %s || '-gone', 7, 'seen', 'olga', now()",
    "INSERT INTO rollcall_acl (resource_type, name, pattern, principal, host, operation,"
    " permission, created_at)"
    " VALUES ('TOPIC', %s, 'LITERAL', 'User:ann', '*', 'READ', 'ALLOW', now())",
    "INSERT INTO rollcall_credential (name, mechanism, salt, iterations, stored_key, server_key,"
    " updated_at) VALUES (%s, 'SCRAM-SHA-256', '', 4096, '', '', now())",
    "INSERT INTO rollcall_quota (entity_type, user_name, client_id, ip, key, value, updated_at)"
    " VALUES ('user', %s, '', '', 'request_percentage', 1000, now())",
    "INSERT INTO rollcall_webhook (name, url, events, group_prefix, enabled, disabled_because,"
    " created_at, failures)"
    " VALUES (%s, 'https://seen.example/', '[]', '', false, 'seen', now(), 1)",
    "INSERT INTO rollcall_webhook_delivery (message_id, key, type, body, created_at, state,"
    " attempts, next_at, finished_at, error, answer, webhook_id)"
    " SELECT gen_random_uuid(), %s, 'test', '{}', now(), 'failed', 1, now(), now(), 'why', '',"
    " max(id) FROM rollcall_webhook",
    "INSERT INTO rollcall_mark (at, text, group_id, actor, noted_at)"
    " SELECT now(), %s, '', 'olga', now()",
    "INSERT INTO rollcall_fleet_hour SELECT date_trunc('hour', now()) - interval '1 hour', 1, 2, 3,"
    " 4, '{member-joined}', '{1}', ARRAY[%s], '{1}', '{4}' ON CONFLICT DO NOTHING",
    "INSERT INTO rollcall_advice_decision (group_id, rule, subject, verdict, reason, actor, at)"
    " SELECT %s, 'session-timeout', 'worker', 'muted', 'seen', 'olga', now()",
    "INSERT INTO rollcall_saved_view (user_id, name, query, is_shared)"
    " SELECT id, %s, 'q=a', true FROM auth_user WHERE username = 'administrator'",
    # Not confirmed: no codes are required.
    "INSERT INTO otp_totp_totpdevice (name, confirmed, key, step, t0, digits, tolerance, drift,"
    " last_t, throttling_failure_count, user_id)"
    " SELECT %s, false, '', 30, 0, 6, 1, 0, -1, 0, min(id) FROM auth_user",
    "INSERT INTO django_celery_beat_crontabschedule (minute, hour, day_of_week, day_of_month,"
    " month_of_year, timezone) SELECT '1', '1', '*', '*', '*', 'UTC' WHERE %s <> ''",
)


@cache
def axe() -> str:
    """The library, with the checksum of the version that was reviewed."""
    assert hashlib.sha256(AXE.read_bytes()).hexdigest() == SHA256
    return AXE.read_text()


PHONE: Final = {"width": 360, "height": 740}
TOO_WIDE: Final = """() => {
  const width = document.documentElement.clientWidth;
  const told = (e) => `${e.tagName}.${e.className} ${(e.textContent || "").trim().slice(0, 40)}`;
  const sticksOut = (e) => {
    const box = e.getBoundingClientRect(), style = getComputedStyle(e);
    return box.width > 1 && box.height > 1 && (box.right > width + 1 || box.left < -1)
      && style.visibility !== "hidden" && style.position !== "fixed"
      && !e.closest(".rc-matrix, .rc-tl-plot, [x-cloak]");
  };
  const found = [...document.querySelectorAll("body *")].filter(sticksOut);
  const page = document.scrollingElement.scrollWidth - width;
  return [...(page > 0 ? [`the page, by ${page} px`] : []), ...found.slice(0, 3).map(told)];
}"""
"""What is wider than the window, also within what could be scrolled sideways. Who owns what is a
matrix, and a timeline is zoomed into."""


def too_wide(page: Page) -> list[str]:
    """What does not fit a phone. The window is as before afterwards."""
    size = page.viewport_size
    page.set_viewport_size(PHONE)
    found: list[str] = page.evaluate(TOO_WIDE)
    page.set_viewport_size(size or PHONE)
    return found


def troubles(page: Page, theme: str) -> list[Any]:
    """What is seriously wrong with a page in a theme."""
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.reload()  # the theme is chosen as a page comes
    page.evaluate(axe())
    wrong = page.evaluate(RUN, THEMES[theme])
    found = [one for one in wrong if one["impact"] in SERIOUS]
    return [(theme, one["id"], [node["html"][:200] for node in one["nodes"][:3]]) for one in found]


@pytest.fixture
def group(world: World, start: Start, topic: str) -> str:
    """A group with a member at work, and a row of everything else."""
    one = start("kafka-python", world.kafka, topic)
    one.until(lambda: one.owned == ALL, "it has all six")
    for statement in MAKE:
        world.execute(statement, topic)
    return topic


def test_the_group_page_is_accessible(log_in: LogIn, group: str) -> None:
    page = log_in(OPERATOR, f"/admin/groups/group/{group}/change/")
    expect(page.locator("#situation")).to_contain_text("Settled")
    assert [told for theme in THEMES for told in troubles(page, theme)] == []


def paths(world: World, group: str) -> Iterator[str]:
    """Every page of the admin, of one row each."""
    member = world.execute("SELECT member_id FROM rollcall_member WHERE group_id = %s", group)
    for name, row in rights.ADMIN.items():
        if name in NO_PAGES or row.get("GET", rights.NOBODY) == rights.NOBODY:
            continue
        path = _path(world, name, group)
        if path is not None:
            queries = {
                "groups_group_evict": f"?member={quote(member[0][0])}",
                "groups_group_drain": f"?member={quote(member[0][0])}",
                "groups_group_undrain": f"?member={quote(member[0][0])}",
                "groups_group_configure": "?name=rollcall.max.members",
            }
            yield path + queries.get(name, "")
    yield from (f"/admin/groups/group/{group}/change/?tab={tab}" for tab in TABS)
    yield f"/admin/groups/group/{group}/change/?tab=offsets&partition={group}:0"


def _path(world: World, name: str, group: str) -> str | None:
    label = next((label for label in rights.MODELS if name.startswith(f"{label}_")), None)
    if label is None:
        return SITE.get(name)
    tail = name.removeprefix(f"{label}_")
    app, _, model = label.rpartition("_")
    base = f"/admin/{app}/{model}/"
    if tail in ("changelist", "add", "newest", "now", "mine"):
        return base + ("" if tail == "changelist" else f"{tail}/")
    row = group if label in ("groups_group", "groups_topic") else world.execute(ROWS[label])[0][0]
    end = "password" if tail == "password_change" else tail
    return f"{base}{row}/{end}/"


SITE: Final[Mapping[str, str]] = {
    "index": "/admin/",
    "app_list": "/admin/groups/",
    "password_change": "/admin/password_change/",
    "password_change_done": "/admin/password_change/done/",
    "(?P<url>.*)$": "/admin/nothing-here/",
}


@pytest.mark.long
@pytest.mark.timeout(1_200)
def test_every_page_is_accessible_and_fits_a_phone(log_in: LogIn, world: World, group: str) -> None:
    page = log_in(ADMINISTRATOR)
    found = []
    for path in paths(world, group):
        page.goto(path)
        found += [(path, *told) for theme in THEMES for told in troubles(page, theme)]
        found += [(path, told) for told in too_wide(page)]
    assert found == []


@pytest.mark.long
def test_the_login_is_accessible(log_in: LogIn) -> None:
    page = log_in(OPERATOR)
    page.context.clear_cookies()
    page.goto("/admin/login/")
    assert [told for theme in THEMES for told in troubles(page, theme)] == []
