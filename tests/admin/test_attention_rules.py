"""Thresholds of single groups, silences, and thresholds that are proposed."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from console.operations import attention_rules as changes
from console.people.staff_roles import OPERATOR, VIEWER
from console.queries import attention, attention_rules, group_search, overview
from console.queries.attention_rules import TUNABLE, Proposal, of_group
from console.queries.attention_table import OF_GROUPS, RuleInput
from console.queries.sql.attention import LONG
from groups.models import AttentionRule, AuditEntry, Group
from groups.sweeps.ends import end_what_is_over
from tests.admin.test_attention import (
    FREEZE,
    HOUR,
    MINUTE,
    OFFSET,
    PAUSE,
    SECOND,
    TAKEN,
    WAITING,
    silent,
)
from tests.admin.test_dashboard import NODE, OWN_ALL, groups, sql
from tests.admin.visitors import text, visitor
from tests.api.conftest import Api
from tests.api.conftest import api as api
from tests.model_factories import journal

pytestmark = pytest.mark.django_db

ADD = "/admin/groups/attentionrule/add/"
PATH = "/api/v1/attention/rules"
JSON = "application/json"
WHY = "a batch that takes its time"

STORMS = """
INSERT INTO rollcall_journal (at, group_id, revision, node_id, kind, trigger, reason,
    client_reason, generation_before, generation_after, waited_for, joined, "left", details,
    duration_ms)
SELECT now() - %s, %s, 1, 0, 'rebalance-completed', 'member-joined', '', '', 0, n, '{}', '[]',
       '[]', '{}', %s FROM generate_series(1, %s) AS n
"""

FIRES: Mapping[str, Any] = {
    "unsettled": lambda: sql(
        "UPDATE rollcall_group SET state = 'PreparingRebalance', state_since = now() - interval"
        " '10 min' WHERE group_id = 'orders1'"
    ),
    "unowned": lambda: sql(WAITING, "orders1", 5 * SECOND),
    "storm": lambda: sql(STORMS, SECOND, "orders1", 100, 70),
    "shared-instance": lambda: sql(TAKEN, 10 * MINUTE, "i-7"),
    "silent": silent(4, 2),
    "stopped": lambda: sql(PAUSE, "orders1", 16 * MINUTE),
    "frozen": lambda: sql(FREEZE, "orders1", 16 * MINUTE),
    "no-commit": lambda: sql(OFFSET, "orders1", 2 * HOUR),
}
"""What makes each rule about groups fire for ``orders1``."""

HIGHER: Mapping[str, int] = {
    "unsettled": 3_600_000,
    "storm": 71,
    "silent": 51,
    "stopped": 3_600_000,
    "frozen": 3_600_000,
    "no-commit": 86_400_000,
}
"""Thresholds that are not reached by that."""


@pytest.fixture(autouse=True)
def _healthy(settings: Any) -> None:
    settings.ATTENTION_COMMIT_MS = 3_600_000
    sql(NODE, 0, timedelta())
    sql(OWN_ALL, 0)
    groups("orders", "Stable", 2, 600)


def apply(rule: str, name: str, threshold: int | None = None, **over: Any) -> AttentionRule:
    until = None if threshold is not None else timezone.now() + HOUR
    values = {"is_prefix": False, "reason": WHY, "actor": "olga", "until": until, **over}
    return changes.apply(rule, name, threshold=threshold, **values)


def fires() -> set[str]:
    """Rules that fire for ``orders1``: on the Overview, on its own page, and in the list."""
    fleet = {line.rule for line in attention.fired(overview.look()) if line.key == "orders1"}
    alone = attention.find(None, {}, "orders1")
    group = Group.objects.get(group_id="orders1")
    seen = RuleInput(overview.alone(group, None), alone)  # type: ignore[arg-type]
    is_late = bool(group.state != "Stable" and seen.is_late(group))
    own = {row.rule for row in alone if row.rule in {rule.name for rule in OF_GROUPS}}
    found = group_search.of_rules(Group.objects.all(), [rule.name for rule in OF_GROUPS])
    assert own | ({"unsettled"} if is_late else set()) == fleet
    assert [row.group_id for row in found] == (["orders1"] if fleet else [])
    return fleet


def test_every_rule_about_groups_is_tried() -> None:
    assert set(FIRES) == {rule.name for rule in OF_GROUPS}
    assert set(HIGHER) == set(TUNABLE)


@pytest.mark.parametrize("rule", FIRES)
def test_a_silence_silences_its_rule_for_its_groups_until_its_end(rule: str) -> None:
    FIRES[rule]()
    assert fires() == {rule}
    apply(rule, "orders2")
    assert fires() == {rule}
    apply(rule, "orders", is_prefix=True)
    assert fires() == set()
    sql("UPDATE rollcall_attention_rule SET until = now() - interval '1 s'")
    assert fires() == {rule}


@pytest.mark.parametrize("rule", HIGHER)
def test_a_threshold_of_a_group_counts_instead_of_the_setting(rule: str) -> None:
    FIRES[rule]()
    apply(rule, "orders1", HIGHER[rule])
    assert fires() == set()
    apply(rule, "orders1", 1)
    assert AttentionRule.objects.count() == 1, "the earlier one is replaced"
    assert fires() == {rule}


def test_the_setting_need_not_be_there_for_a_threshold_of_a_group(settings: Any) -> None:
    settings.ATTENTION_COMMIT_MS = 0
    FIRES["no-commit"]()
    assert fires() == set()
    apply("no-commit", "orders1", 60_000)
    assert fires() == {"no-commit"}


def test_its_own_counts_before_a_beginning_and_a_long_one_before_a_short_one() -> None:
    FIRES["stopped"]()
    low, high = 1, HIGHER["stopped"]
    apply("stopped", "", high, is_prefix=True)
    assert fires() == set()
    apply("stopped", "orders", low, is_prefix=True)
    assert fires() == {"stopped"}
    apply("stopped", "orders1", high)
    assert fires() == set()
    assert standing("stopped").threshold == high
    AttentionRule.objects.filter(name="orders1").delete()
    assert standing("stopped").threshold == low
    apply("stopped", "order", is_prefix=True)
    assert fires() == set()
    assert standing("stopped").silence is not None


def standing(rule: str) -> attention_rules.Standing:
    return next(each for each in of_group("orders1")[0] if each.rule == rule)


def proposals() -> list[Proposal]:
    return list(of_group("orders1")[1])


ODD_IDS = ("100%", "a_b", "a*", "Ärger", "a\\b", "'; --", "a\nb")


@pytest.mark.parametrize("group_id", ODD_IDS)
def test_no_character_of_an_id_has_a_meaning(group_id: str) -> None:
    """In every one of them, the beginning matches itself and nothing that is like it."""
    apply("storm", group_id[:2], 7, is_prefix=True)
    sql(STORMS, SECOND, group_id, 100, 8)
    sql(STORMS, SECOND, "x" + group_id, 100, 8)
    found = [line.key for line in attention.fired(overview.look()) if line.rule == "storm"]
    assert found == [group_id]
    assert next(s for s in of_group(group_id)[0] if s.rule == "storm").threshold == 7


def test_ended_ones_are_deleted_and_the_audit_has_them() -> None:
    apply("storm", "orders1")
    apply("storm", "orders1", 7)
    sql("UPDATE rollcall_attention_rule SET until = now() - interval '1 s' WHERE threshold IS NULL")
    end_what_is_over()
    assert [row.threshold for row in AttentionRule.objects.all()] == [7]
    kinds = AuditEntry.objects.filter(kind__startswith="attention-rule").order_by("id")
    last = list(kinds.values_list("kind", flat=True))[-1]
    assert last == "attention-rule-deleted"


def test_too_few_rebalances_propose_nothing() -> None:
    sql(STORMS, HOUR, "orders1", 2_100, 19)
    assert proposals() == []
    sql(STORMS, HOUR, "orders1", 2_100, 1)
    assert proposals() != []


def test_a_threshold_is_proposed_from_what_the_group_did() -> None:
    for hour in range(1, 61):
        sql(STORMS, hour * HOUR, "orders1", 2_100, 5)
    sql(STORMS, HOUR, "orders2", 900_000, 300)
    sql(STORMS, 15 * 24 * HOUR, "orders1", 900_000, 300)
    found = {each.rule: each for each in proposals()}
    assert found["unsettled"][1:] == (6_000, 2_100, 300)
    assert "p99 of the last 14 days is 2.1 s (of 300 rebalances); warn from 6 s on?" in (
        found["unsettled"].text
    )
    assert found["storm"].threshold == 10
    apply("unsettled", "orders1", 6_000)
    apply("storm", "orders1", 11)
    assert proposals() == [], "what applies is near enough"


NIGHT = """
INSERT INTO rollcall_progress (at, era, xid, hour, group_id, topic, partitions, commits,
    first_offsets, last_offsets, pauses_ms, lives, end_offsets)
SELECT hour + interval '62 min', 0, 1, hour, %s, topic, '{0,1}', '{1,1}', '{7,7}', '{7,7}',
       pauses, '{1,1}', '{9,9}'
FROM (SELECT date_trunc('hour', now()) - n * interval '1 hour' AS hour FROM
      generate_series(%s::int, %s::int, %s::int) AS n) AS hours,
     (VALUES ('slow', '{900000,3600000}'::int[]), ('quick', %s)) AS topics(topic, pauses)
"""
"""Hours of two topics: before which hour, until which, how many apart, and the pauses of one."""

SILENCES = """
INSERT INTO rollcall_silence (at, era, xid, hour, group_id, lives, longest_ms, looks)
SELECT hour + interval '1 hour', 0, 1, hour, %s, '{1,2,3}', %s, '{}'
FROM (SELECT date_trunc('hour', now()) - n * interval '1 hour' AS hour FROM
      generate_series(%s::int, %s::int) AS n) AS hours
"""

LIFE = """
INSERT INTO rollcall_life_open (life, group_id, member_id, client_id, client_host, principal,
    software_name, software_version, kind, session_timeout_ms, rebalance_timeout_ms, pattern,
    protocols, revision, joined_generation, joined_at, origin)
VALUES (%s, 'orders1', %s, '', '', '', '', '', 'classic', %s, 1, '', '{}', 1, 1, now(), 'joined')
"""


def by_rule() -> dict[str, Proposal]:
    return {each.rule: each for each in proposals()}


def test_when_commits_are_missing_is_proposed_from_hours(settings: Any) -> None:
    """The partition that committed most often says how long the group did not."""
    settings.ATTENTION_COMMIT_MS = 0
    sql(NIGHT, "orders1", 1, 19, 1, [30_000, 40_000])
    sql(NIGHT, "orders2", 1, 60, 1, [30_000, 40_000])
    assert "no-commit" not in by_rule(), "too few hours"
    sql(NIGHT, "orders1", 20, 320, 1, [30_000, 40_000])
    sql(NIGHT, "orders1", 321, 322, 1, [600_000, 600_000])
    assert by_rule()["no-commit"][1:] == (90_000, 30_000, 322)
    assert by_rule()["no-commit"].text == (
        "no-commit: p99 of the last 14 days is 30 s (of 322 hours); warn from 1 min 30 s on?"
    )
    apply("no-commit", "orders1", 90_000)
    assert "no-commit" not in by_rule()


def test_hours_without_a_commit_count_as_a_pause() -> None:
    sql(NIGHT, "orders1", 1, 300, 12, [60_000, 60_000])
    assert by_rule()["no-commit"].p99 == 11 * 3_600_000 + 60_000


def test_of_large_groups_the_newest_hours_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    sql(NIGHT, "orders1", 1, 100, 1, [30_000, 40_000])
    monkeypatch.setattr(attention_rules, "HOURS_READ_MAX", 2_000)
    assert 20 <= by_rule()["no-commit"].counted < 50


def test_how_many_members_are_silent_is_proposed_from_hours(settings: Any) -> None:
    settings.ATTENTION_SILENT_PERCENT = 20
    sql(SILENCES, "orders1", [1_000, 9_999, 0], 1, 40)
    assert "silent" not in by_rule(), "nobody is there now: it has no session"
    sql(LIFE, 1, "anna", 45_000)
    sql(LIFE, 2, "ben", 10_000)
    assert by_rule()["silent"][1:] == (10, 0, 40)
    sql(SILENCES, "orders1", [1_000, 10_000, 0], 41, 42)
    assert by_rule()["silent"].p99 == 34
    apply("silent", "orders1", 60)
    assert "silent" not in by_rule()
    sql(SILENCES, "orders1", [10_000, 10_000, 10_000], 43, 50)
    assert by_rule()["silent"].threshold == 100, "no more than all of them"


def test_packed_hours_propose_the_same() -> None:
    """The days that are over, packed as the clean-up does it."""
    sql(LIFE, 1, "anna", 10_000)
    sql(NIGHT, "orders1", 1, 300, 5, [30_000, 40_000])
    sql(SILENCES, "orders1", [1_000, 10_000, 0], 1, 300)
    before = proposals()
    assert {each.basis for each in before} == {"hours"}
    for table in ("progress", "silence"):
        column, packed = PACKED[table]
        sql(PACK_ALL.format(table=table, column=column, packed=packed))
        sql(f"DELETE FROM rollcall_{table}")
    assert proposals() == before


PACKED = {
    "progress": ("hour_rows", "rollcall_pack_hour(r)"),
    "silence": ("silence_rows", "r"),
}
PACK_ALL = """
INSERT INTO rollcall_facts_packed (table_name, of_group, began, last_at, last_era, last_xid,
    {column})
SELECT 'rollcall_{table}', group_id, min(hour), max(at), 0, 1, array_agg({packed} ORDER BY hour)
FROM rollcall_{table} AS r GROUP BY group_id, date_trunc('day', at)
"""


@pytest.fixture
def rest(api: Api) -> Client:
    return api("view_group", "add_acknowledgement")


def form(**over: Any) -> dict[str, Any]:
    said = {"rule": "storm", "name": "orders1", "threshold": "7"}
    return {**said, "reason": WHY, "until_0": "", "until_1": "", **over}


@pytest.fixture
def operator() -> Client:
    return visitor(OPERATOR, name="olga")


def test_the_tab_shows_what_applies_and_its_proposal_becomes_a_threshold(operator: Client) -> None:
    for hour in range(1, 31):
        sql(STORMS, hour * HOUR, "orders1", 2_100, 1)
    tab = text(operator.get("/admin/groups/group/orders1/change/?tab=configuration"))
    assert "warn from 6 s on?" in tab
    link = tab.partition('class="rc-button rc-small" href="')[2].partition('"')[0]
    shown = text(operator.get(link.replace("&amp;", "&")))
    assert 'value="6000"' in shown and 'value="orders1"' in shown and "p99" in shown
    operator.post(ADD, form(rule="unsettled", threshold="6000"))
    assert standing("unsettled").threshold == 6_000
    tab = text(operator.get("/admin/groups/group/orders1/change/?tab=configuration"))
    assert WHY in tab and "warn from 6 s" not in tab


WRONG = {
    "no end": {"threshold": ""},
    "an end that has passed": {"threshold": "", "until_0": "2020-01-01", "until_1": "10:00"},
    "no threshold has": {"rule": "unowned"},
    "too low": {"threshold": "0"},
    "too high": {"rule": "silent", "threshold": "101"},
    "nobody": {"name": ""},
    "no reason": {"reason": " "},
    "an unknown rule": {"rule": "drain"},
    "beyond a number": {"threshold": str(10**30)},
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_makes_no_sense_is_refused_by_page_and_rest(
    operator: Client, rest: Client, wrong: str
) -> None:
    said = form(**WRONG[wrong])
    answer = operator.post(ADD, said)
    assert answer.status_code == 200
    until = said.pop("until_0") and "2020-01-01T10:00:00Z"
    del said["until_1"]
    body = {**said, "until": until or None, "threshold": said["threshold"] or None}
    assert rest.post(PATH, body, JSON).status_code in (400, 422)
    assert not AttentionRule.objects.exists()


def test_a_viewer_sees_and_changes_nothing() -> None:
    viewer = visitor(VIEWER, name="vera")
    assert viewer.post(ADD, form()).status_code == 403
    tab = text(viewer.get("/admin/groups/group/orders1/change/?tab=configuration"))
    assert "When it needs attention" in tab and "Change storm" not in tab


def test_rest_makes_shows_and_withdraws_them(rest: Client) -> None:
    until = datetime.now(UTC) + HOUR
    silence = {"rule": "storm", "is_prefix": True, "name": "ord", "reason": WHY}
    made = rest.post(PATH, {**silence, "until": until.isoformat()}, JSON)
    assert made.status_code == 201 and made.json()["threshold"] is None
    rest.post(PATH, {**silence, "is_prefix": False, "name": "orders1", "threshold": 7}, JSON)
    assert [row["name"] for row in rest.get(PATH).json()["data"]] == ["ord", "orders1"]
    shown = rest.get("/api/v1/groups/orders1/attention").json()
    storm = next(rule for rule in shown["rules"] if rule["rule"] == "storm")
    assert shown["proposals"] == []
    sql(NIGHT, "orders1", 1, 60, 1, [30_000, 40_000])
    (proposal,) = rest.get("/api/v1/groups/orders1/attention").json()["proposals"]
    assert (proposal["rule"], proposal["counted"], proposal["basis"]) == ("no-commit", 60, "hours")
    assert (storm["threshold"], storm["own"]["name"]) == (7, "orders1")
    assert storm["silence"]["name"] == "ord" and storm["text"] == "7 an hour"
    assert rest.delete(f"{PATH}/{made.json()['id']}?dry_run=true").status_code == 200
    assert rest.delete(f"{PATH}/{made.json()['id']}").status_code == 200
    assert rest.delete(f"{PATH}/{made.json()['id']}").status_code == 404
    assert AttentionRule.objects.count() == 1


def test_there_is_a_maximum(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "MAX", 2)
    apply("storm", "a", 7)
    apply("storm", "b", 7)
    apply("storm", "b", 8)
    with pytest.raises(ValueError, match="2 such rules"):
        apply("storm", "c", 7)
    assert connection.in_atomic_block and AttentionRule.objects.count() == 2


def test_the_form_says_when_there_are_too_many(
    operator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "MAX", 1)
    apply("storm", "a", 7)
    answer = operator.post(ADD, form(), follow=True)
    assert answer.status_code == 200 and "Nothing was saved: there are 1 such" in text(answer)
    assert AttentionRule.objects.count() == 1


def test_rows_below_the_lowest_threshold_look_no_rule_up() -> None:
    """Each rebalance of the last hour was compared with each rule: a thousand rules cost the
    Overview two seconds."""
    for number in range(30):
        journal(f"g{number}", duration_ms=5)
    apply("unsettled", "team-", 9, is_prefix=True)
    with connection.cursor() as cursor:
        cursor.execute(
            "EXPLAIN (ANALYZE, FORMAT JSON)"
            f" SELECT id FROM rollcall_journal WHERE kind = 'rebalance-completed' AND {LONG}",
            [60_000] * 2,
        )
        ((plan,),) = cursor.fetchall()
    looked_up = [
        node["Actual Loops"]
        for node in nodes(plan[0]["Plan"])
        if node.get("Parent Relationship") == "SubPlan"
    ]
    assert looked_up == [0]


def nodes(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A plan's nodes."""
    yield plan
    for below in plan.get("Plans", ()):
        yield from nodes(below)
