"""The rules of what needs attention: each fires beyond its threshold, and not before."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from console.queries import attention, attention_table, overview
from console.queries.attention_table import UNSETTLED_AFTER
from console.queries.thresholds import Thresholds
from tests.admin.test_dashboard import JOURNAL, NODE, OWN_ALL, groups, page, sql
from tests.docs.test_pages import leads_somewhere

DOCS = Path(__file__).parents[2] / "docs"

pytestmark = pytest.mark.django_db

MEMBERS = """
INSERT INTO rollcall_member (group_id, member_id, client_id, client_host, session_timeout_ms,
    rebalance_timeout_ms, position, subscription, assignment, details, joined_at)
SELECT %s, 'm-' || n, 'c', '/h', 10000, 20000, n, '', '', '{}', now() FROM generate_series(1, %s) n
"""

LIVENESS = """
INSERT INTO rollcall_liveness (group_id, member_id, heard_at, deadline_at)
SELECT %s, 'm-' || n, now() - interval '1 minute', now() - interval '50 s'
FROM generate_series(1, %s) n
"""

PAUSE = """
INSERT INTO rollcall_pause (group_id, scope, name, slot, pause_id, actor, reason, since)
VALUES (%s, 'group', '', 1, 7, 'olga', 'a move', now() - %s)
"""

PAUSE_OF_MEMBER = """
INSERT INTO rollcall_pause (group_id, scope, name, slot, pause_id, actor, reason, since)
VALUES (%s, 'member', %s, 1, 7, 'otto', 'odd', now() - %s)
"""

FREEZE = """
INSERT INTO rollcall_group_config (group_id, name, slot, value, updated_at)
VALUES (%s, 'rollcall.freeze', 1, 'true', now() - %s)
"""

WAITING = """
INSERT INTO rollcall_waiting (group_id, node_id, revision, details, told_at)
VALUES (%s, 0, 1, '{"phase": "put-off", "still": 3}', now() - %s)
"""

OFFSET = """
INSERT INTO rollcall_offset (group_id, topic, partition, committed_offset, leader_epoch, metadata,
                             committed_at)
VALUES (%s, 't', 0, 1, -1, '', now() - %s)
"""

NEAR = """
INSERT INTO rollcall_journal (at, group_id, revision, node_id, kind, trigger, reason,
    client_reason, generation_before, generation_after, waited_for, joined, "left", details)
VALUES (now() - %s, '', 0, 0, 'limit-near', 'total', '950 of 1,000 topics', '', 0, 0, '{}', '[]',
        '[]', '{}')
"""

TAKEN = """
INSERT INTO rollcall_journal (at, group_id, revision, node_id, kind, trigger, reason,
    client_reason, generation_before, generation_after, waited_for, joined, "left", details)
VALUES (now() - %s, 'orders1', 1, 0, 'instance-taken', '', '', '', 0, 0, '{}', '[]', '[]',
        jsonb_build_object('instance', %s::text, 'seconds', 70, 'refused', 1200,
                           'holder', '{"client_id": "anna", "host": "10.0.0.1"}'::jsonb,
                           'others', '[{"client_id": "ben", "host": "10.0.0.2"}]'::jsonb))
"""

DRAIN = """
INSERT INTO rollcall_drain (node_id, actor, reason, since, seen_at)
VALUES (%s, 'olga', 'a new disk', now() - %s, now())
"""

HOUR, MINUTE, SECOND = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)


@pytest.fixture(autouse=True)
def _healthy() -> None:
    sql(NODE, 0, timedelta())
    sql(OWN_ALL, 0)
    groups("orders", "Stable", 1, 600)


def fired() -> list[tuple[str, str]]:
    """Rules and sentences."""
    return [(line.rule, line.sentence) for line in attention.fired(overview.look())]


Act = Callable[[], None]


def silent(members: int, late: int) -> Act:
    def act() -> None:
        sql(MEMBERS, "orders1", members)
        sql(LIVENESS, "orders1", late)

    return act


FIRES: Mapping[str, tuple[str, Act, Act]] = {
    "storm": (
        "Group orders rebalances again and again",
        lambda: sql(JOURNAL, SECOND, "rebalance-completed", 59),
        lambda: sql(JOURNAL, SECOND, "rebalance-completed", 60),
    ),
    "stopped": (
        "Work of orders1 is stopped",
        lambda: sql(PAUSE, "orders1", 14 * MINUTE),
        lambda: sql(PAUSE, "orders1", 16 * MINUTE),
    ),
    "frozen": (
        "Group orders1 is frozen",
        lambda: sql(FREEZE, "orders1", 14 * MINUTE),
        lambda: sql(FREEZE, "orders1", 16 * MINUTE),
    ),
    "silent": ("Most members of orders1 are silent", silent(5, 2), silent(4, 2)),
    "unowned": (
        "3 partitions of orders1 have no owner",
        lambda: sql(WAITING, "orders1", 20 * SECOND),
        lambda: sql(WAITING, "orders1", 5 * SECOND),
    ),
    "drain": (
        "Node 7 is drained",
        lambda: sql(DRAIN, 7, 3 * HOUR),
        lambda: sql(DRAIN, 7, 5 * HOUR),
    ),
    "shared-instance": (
        "Instance i-7 is used by two workers of orders1",
        lambda: sql(TAKEN, 12 * MINUTE, "i-7"),
        lambda: sql(TAKEN, 10 * MINUTE, "i-7"),
    ),
    "limit": (
        "A limit is near",
        lambda: sql(NEAR, 25 * HOUR),
        lambda: sql(NEAR, 23 * HOUR),
    ),
}


@pytest.mark.parametrize("rule", FIRES)
def test_a_rule_does_not_fire_before_its_threshold(rule: str) -> None:
    _, before, _ = FIRES[rule]
    before()
    assert fired() == []


@pytest.mark.parametrize("rule", FIRES)
def test_a_rule_fires_beyond_its_threshold_on_the_overview(rule: str) -> None:
    sentence, _, beyond = FIRES[rule]
    beyond()
    assert fired() == [(rule, sentence)]
    assert sentence in page()


def test_both_users_of_an_instance_are_named() -> None:
    for instance in ("i-1", "i-2", "i-2"):
        sql(TAKEN, MINUTE, instance)
    (line,) = attention.fired(overview.look())
    assert line.detail == (
        "Client anna at 10.0.0.1 has it, client ben at 10.0.0.2 claimed it (refused 1,200 times"
        " within 70 s). So is 1 more instance."
    )
    assert attention.groups_of(["shared-instance"]) == {"orders1"} == {line.subject}


def test_a_drained_node_that_keeps_its_slots_is_named() -> None:
    sql(DRAIN, 0, MINUTE)
    assert fired() == []
    sql("UPDATE rollcall_drain SET since = now() - interval '3 minutes'")
    assert fired() == [("drain", "Node 0 was drained and still owns 64 slots")]
    assert "by olga: a new disk." in page()


def test_a_node_that_crashes_again_and_again_is_named_while_it_waits() -> None:
    """And its page has the same as its journal says."""
    sql(NODE, 1, timedelta())
    sql(
        "UPDATE rollcall_node SET unclean_ends = 3, takes_slots = false,"
        " steady_since = now() - interval '39 seconds' WHERE node_id = 1"
    )
    [line] = attention.fired(overview.look())
    assert (line.rule, line.sentence) == (
        "node-unsteady",
        "Node 1 waits before it takes slots",
    )
    assert "3 times in a row" in line.detail and "beaten steadily for 40 s" in line.detail
    assert line.sentence in page()
    sql("UPDATE rollcall_node SET steady_since = now() - interval '41 seconds'")
    assert fired() == [], "it takes none for another reason"
    sql("UPDATE rollcall_node SET steady_since = now(), takes_slots = true")
    assert fired() == [], "no other node could serve"


WHY = {
    "No other node takes slots": "UPDATE rollcall_node SET takes_slots = (node_id = 0)",
    "Others take slots, but not these": "SELECT",
    "The node is away": "DELETE FROM rollcall_node WHERE node_id = 0",
}


@pytest.mark.parametrize("why", WHY)
def test_the_reason_why_a_drain_does_not_end_is_shown(why: str) -> None:
    sql(NODE, 1, timedelta())
    sql(DRAIN, 0, HOUR)
    sql(WHY[why])
    [line] = attention.fired(overview.look())
    assert line.rule == "drain" and f"by olga: a new disk. {why}" in line.detail


def test_two_nodes_that_were_drained_are_no_takers_for_each_other() -> None:
    sql(NODE, 1, timedelta())
    sql(DRAIN, 0, HOUR)
    sql(DRAIN, 1, MINUTE)
    [line] = attention.fired(overview.look())
    assert "No other node takes slots: start one, or withdraw another drain." in line.detail


def test_a_group_that_does_not_commit_is_named_where_a_time_is_set(settings: Any) -> None:
    sql(OFFSET, "orders1", HOUR)
    assert fired() == []
    settings.ATTENTION_COMMIT_MS = 7_200_000
    assert fired() == []
    settings.ATTENTION_COMMIT_MS = 1_800_000
    assert fired() == [("no-commit", "Group orders1 does not commit")]


LATER = """
UPDATE rollcall_journal SET at = now() - %s, era = rollcall_current_era(),
    xid = pg_current_xact_id()::text::bigint + %s
"""


def test_a_transaction_that_keeps_readers_waiting_is_named() -> None:
    """The test's own is open: what was committed after it began stands behind the horizon."""
    sql(NEAR, 11 * MINUTE)
    assert "horizon" not in dict(fired()), "its own entries are nobody else's"
    sql(LATER, 9 * MINUTE, 1)
    assert "horizon" not in dict(fired())
    sql(LATER, 11 * MINUTE, -1_000_000)
    assert "horizon" not in dict(fired()), "readers have it"
    sql(LATER, 11 * MINUTE, 1)
    assert ("horizon", "A transaction of PostgreSQL has been open for long") in fired()
    assert "do not see 1 of the newest entries of the journal" in page()
    assert {row.rule for row in attention.find(None, {}, "orders1")} == {UNSETTLED_AFTER}


def test_a_queue_of_notifications_that_fills_is_named(settings: Any) -> None:
    """As it would at a quarter: it has room for a flood of a minute."""
    assert fired() == []
    settings.ATTENTION_NOTIFY_QUEUE_PERCENT = 0
    assert fired() == [("notify-queue", "PostgreSQL's queue of notifications is 0 % full")]
    assert "Somebody floods NOTIFY" in page()
    assert {row.rule for row in attention.find(None, {}, "orders1")} == {UNSETTLED_AFTER}


def test_long_lists_are_cut_and_the_rest_is_counted() -> None:
    for number in range(12):
        sql(PAUSE, f"g-{number:02}", HOUR)
    lines = fired()
    assert len(lines) == 11 and lines[-1] == ("stopped", "2 more such groups")


def test_removed_members_are_not_reported_as_silent() -> None:
    """Notes about them stay until the clean-up."""
    sql(LIVENESS, "orders1", 4)
    sql(MEMBERS, "orders1", 1)
    sql("DELETE FROM rollcall_liveness WHERE member_id = 'm-1'")
    assert fired() == []


def test_short_times_are_shown_in_seconds() -> None:
    sql(MEMBERS, "orders1", 1)
    sql(LIVENESS, "orders1", 1)
    (line,) = attention.fired(overview.look())
    assert line.detail == "1 of 1 members, the first for 60 s."


def test_a_group_with_stopped_members_is_not_shown_as_stopped() -> None:
    sql(PAUSE_OF_MEMBER, "orders1", "m-1", 2 * HOUR)
    assert fired() == [("stopped", "1 member of orders1 is stopped")]
    sql(PAUSE_OF_MEMBER, "orders1", "m-2", HOUR)
    assert fired() == [("stopped", "2 members of orders1 are stopped")]
    sql(PAUSE, "orders1", HOUR)
    assert fired() == [("stopped", "Work of orders1 is stopped")]
    assert "by olga: a move." in page()


def test_every_rule_has_a_unique_name_and_an_existing_setting() -> None:
    names = [rule.name for rule in attention_table.RULES]
    assert len(set(names)) == len(names)
    known = {field.name for field in fields(Thresholds)} - {"node_restart_backoff_max_ms"}
    said = {rule.setting.replace(".", "_") for rule in attention_table.RULES} - {""}
    assert said == known


def test_every_rule_names_a_page_that_says_more() -> None:
    for rule in attention_table.RULES:
        page, *anchor = rule.docs.split("#")
        assert leads_somewhere(DOCS / "README.md", "#".join((f"{page}.md", *anchor))), rule.name


def test_a_finding_links_to_the_documentation_where_that_is_served(settings: Any) -> None:
    settings.WEB_DOCS_URL = "https://docs.example/rollcall/"
    sql(PAUSE, "orders1", HOUR)
    sql(FREEZE, "orders2", HOUR)
    shown = page()
    assert 'href="https://docs.example/rollcall/pause.html"' in shown
    assert 'href="https://docs.example/rollcall/operating.html#what-needs-attention"' in shown


def test_without_such_a_place_there_is_no_link() -> None:
    sql(PAUSE, "orders1", HOUR)
    assert "More in the documentation" not in page()


def test_the_operators_page_documents_every_rule() -> None:
    page = (DOCS / "operating.md").read_text()
    for rule in attention_table.RULES:
        threshold = f" `{rule.setting}` " if rule.setting else "  "
        row = f"| {rule.name} | {rule.meaning} |{threshold}| {rule.advice} |"
        assert rule.advice and row in page, rule.name
