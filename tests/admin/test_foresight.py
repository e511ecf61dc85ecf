"""What a change would make of a group, as its pages say it, and how certain that is."""

from typing import Final

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from console.operations import topic_changes as changes
from console.people.staff_roles import OPERATOR, VIEWER
from console.queries import foresight, foresight_text, outcomes
from groups.core.operations import Name
from groups.models import Group, Operation
from tests.admin.test_attention import FREEZE, HOUR
from tests.admin.test_dashboard import sql
from tests.admin.test_group_list import execute, work
from tests.admin.test_groups import QUERIES_MAX, page
from tests.admin.visitors import text, visitor

pytestmark = pytest.mark.django_db

UNKNOWN: Final = "How many partitions would move is unknown: "


def expected_moves() -> str:
    """Of a forced rebalance of the group ``packers``."""
    found = foresight.of_operation(Name.REBALANCE, Group.objects.get(group_id="packers"))
    assert found is not None
    return foresight_text.moves(found)


def packers(*owned: int, protocol: str = "range", members: int = 1) -> None:
    """Members on hosts of their own, of which the first owns these of four partitions."""
    changes.create("boxes", 4)
    work("packers", "boxes", *owned, members=members, protocol=protocol)
    execute(f"UPDATE rollcall_group SET protocol_name = '{protocol}'")


@pytest.mark.parametrize(
    ("protocol", "said"),
    [
        ("range", "Exact: no partition would move."),
        ("roundrobin", "Exact: no partition would move."),
        (
            "sticky",
            "Estimated: no partition would move (its leader also looks at what members own,",
        ),
    ],
)
def test_where_nothing_has_changed_nothing_moves(protocol: str, said: str) -> None:
    packers(0, 1, 2, 3, protocol=protocol)
    assert expected_moves().startswith(said)


LIVES: Final = """
INSERT INTO rollcall_life_open (life, group_id, member_id, client_id, client_host, principal,
    software_name, software_version, kind, session_timeout_ms, rebalance_timeout_ms, pattern,
    protocols, revision, joined_generation, joined_at, origin)
SELECT position + 1, group_id, member_id, '', '', '', %s, %s, 'classic', 10000, 10000, '',
       '{}', 1, 1, now(), 'joined' FROM rollcall_member WHERE position < %s
"""


@pytest.mark.parametrize(
    ("version", "lives", "said"),
    [
        ("4.4.0", 2, "Exact: 2 partitions would move. 2 rebalances in all."),
        ("3.7.0", 2, "Estimated: 2 partitions would move (its leader also looks at"),
        ("4.4.0", 1, "Estimated: 2 partitions would move (its leader also looks at"),
    ],
)
def test_stickiness_is_exact_where_every_member_is_a_known_client(
    version: str, lives: int, said: str
) -> None:
    packers(0, 1, 2, 3, protocol="cooperative-sticky", members=2)
    sql(LIVES, "apache-kafka-java", version, lives)
    assert expected_moves().startswith(said)


def test_what_members_subscribe_to_has_to_be_the_same() -> None:
    changes.create("other", 2)
    packers(0, 1, 2, 3, protocol="sticky", members=2)
    sql(LIVES, "apache-kafka-java", "4.4.0", 2)
    execute(
        "UPDATE rollcall_member SET subscription = replace(subscription::text,"
        " encode('boxes', 'hex'), encode('other', 'hex'))::bytea WHERE position = 1"
    )
    assert "and they subscribe to different topics" in expected_moves()


def test_a_partition_without_owner_gets_one() -> None:
    packers(0, 1, 2)
    assert expected_moves() == "Exact: 1 partition would move."


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("UPDATE rollcall_group SET protocol_name = 'ours'", "what its members subscribe to"),
        ("UPDATE rollcall_group SET protocol_name = NULL", "no assignor is chosen yet."),
        (r"UPDATE rollcall_member SET assignment = '\xff'", "what its members own cannot be read."),
    ],
)
def test_what_nobody_can_know_is_said(statement: str, why: str) -> None:
    packers(0, 1, 2, 3)
    execute(statement)
    assert expected_moves().startswith(UNKNOWN + why)


def test_a_foreign_assignor_is_named() -> None:
    packers(0, protocol="ours")
    assert expected_moves() == f"{UNKNOWN}its leader assigns by ours, which is not known here."


def test_in_a_rebalance_it_is_an_estimate() -> None:
    packers(0, 1, 2, 3)
    execute("UPDATE rollcall_group SET state = 'PreparingRebalance'")
    said = "Estimated: no partition would move (the current rebalance has not ended)."
    assert expected_moves() == said


def test_a_page_shows_and_keeps_what_is_expected() -> None:
    packers(0, 1, 2, 3, members=2)
    client = visitor(OPERATOR)
    url = page("packers", "evict") + "?member=packers-m1"
    shown = client.get(url)
    assert "Exact: no partition would move." in text(shown)
    form = shown.context["form"]
    asked = {"reason": "odd", "generation": form.initial["generation"], "form_key": "k"}
    client.post(url, {**asked, **_key(text(shown))})
    kept = Operation.objects.get().prediction or {}
    assert (kept["accuracy"], kept["moved"], kept["members"]) == ("exact", 0, 1)
    operation = f"/admin/groups/operation/{Operation.objects.get().pk}/change/"
    assert "no partition would move" in text(client.get(operation))


ROUNDS: Final = """
INSERT INTO rollcall_round (at, era, xid, group_id, generation, kind, outcome, started_at, ended_at,
    is_partial, members, moved, stopped_ms, silent_ms, unowned_ms, triggers, cause_members,
    cause_ids, cause_at_ms, cause_ms, acts, ends, counts, lives, waited_ms)
SELECT ended, 0, n, 'packers', n, 'classic', 'assigned', ended - interval '1 s', ended, false, 2, n,
       0, 0, 1000, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}'
FROM (SELECT n, now() + n * interval '1 s' AS ended FROM generate_series(1, 3) AS n) AS rounds
"""


@pytest.mark.parametrize(
    ("rebalances", "said"),
    [(1, "1 partition moved in 1.0 s; 1.0 partition-seconds"), (2, "3 partitions moved in 2.0 s")],
)
def test_what_followed_is_told_of_as_many_rebalances_as_were_expected(
    rebalances: int, said: str
) -> None:
    """Of a cooperative group the second one assigns what the first one took away."""
    packers(0, 1, 2, 3)
    now = timezone.now()
    told = {"accuracy": "exact", "moved": 3, "rebalances": rebalances}
    asked = Operation(group_id="packers", verb="rebalance", state="succeeded", prediction=told)
    asked.created_at = asked.finished_at = now
    execute(ROUNDS)
    seen = outcomes.seen(asked)
    assert seen is not None and seen.text.startswith(said)
    assert seen.differs is (rebalances == 1)


def _key(shown: str) -> dict[str, str]:
    """The page's hidden key."""
    mark = 'name="key" value="'
    return {} if mark not in shown else {"key": shown.split(mark)[1].split('"')[0]}


def what_if(query: str) -> str:
    """The tab's answer, its white space made even."""
    client = visitor(VIEWER, name=f"vera {query}")
    return " ".join(text(client.get(f"{page('packers')}?tab=what-if&{query}")).split())


def test_the_loss_of_a_host() -> None:
    packers(0, 1, 2, 3, members=2)
    shown = what_if("host=/10.7.0.1")
    assert "If host 10.7.0.1 dies" in shown
    assert (
        "1 member owns 4 partitions, which stand still until their sessions end, for at most"
        " 10.0 s: at most 40.0 partition-seconds. Exact: 4 partitions would move."
    ) in shown
    assert "If host 10.7.0.1 dies" in what_if("host=10.7.0.1")
    assert what_if("host=/nowhere").count("no member is on host nowhere") == 1


ANSWERS: Final = {
    "more=1": "With 1 more member",
    "more=-1": "With 1 member fewer",
    "partitions=4&grown=boxes": "Exact: 4 partitions would move.",
    "assignor=roundrobin": "With the assignor roundrobin",
    "at_once=1": "4 rebalances in all.",
    "at_once=1&static=1": "With static ids".lower(),
    "gone=packers-m0": "If client-of-packers-0 dies",
    "session_timeout_ms=20000": "If client-of-packers-0 dies, with a session timeout of 20.0 s",
    "host=/10.7.0.1&session_timeout_ms=20000": "20.0 s: at most 80.0 partition-seconds. Exact",
    "protocol=consumer": "After a rebalance, with the protocol consumer",
    "protocol=consumer&assignor=range": "With the assignor range, with the protocol consumer",
    "at_once=1&protocol=consumer": "In a deploy of 1 at a time, with the protocol consumer",
}


@pytest.mark.parametrize("query", ANSWERS)
def test_other_questions(query: str) -> None:
    packers(0, 1, 2, 3, members=2)
    assert ANSWERS[query] in what_if(query)


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("more=0", "a whole number is needed"),
        ("more=-9", "the group has 2 members"),
        ("more=zz", "a whole number is needed"),
        ("partitions=3&grown=none", "no member subscribes to none"),
        ("partitions=-3&grown=boxes", "not positive"),
        ("partitions=3", "the topic that grows is not named"),
        ("grown=boxes", "grown says more of partitions, which is not given"),
        ("more=1&static=1", "static says more of at_once, which is not given"),
        ("host=nowhere", "no member is on host nowhere"),
        ("assignor=uniform", "is not known for this kind"),
        ("at_once=-1", "not positive"),
        ("gone=%00", "is no member"),
        ("session_timeout_ms=1", "takes session timeouts of 6,000 to 1,800,000 ms"),
        ("more=1&session_timeout_ms=20000", "matters where a host or a member dies"),
        ("protocol=draft", "members could change to consumer, not to draft"),
        ("protocol=consumer&assignor=sticky", "is not known for this kind"),
        ("more=99999999", "too large"),
        ("partitions=99999999&grown=boxes", "too large"),
    ],
)
def test_questions_without_sense_are_refused(query: str, why: str) -> None:
    packers(0, 1, 2, 3, members=2)
    shown = what_if(query)
    assert 'id="problem"' in shown and why in shown and 'id="answer"' not in shown


def test_only_an_eager_protocol_stops_what_members_own() -> None:
    packers(0, 1, 2, 3, members=2, protocol="sticky")
    assert "Members stop 4 partitions" in what_if("assignor=range")
    for query in ("assignor=cooperative-sticky", "protocol=consumer"):
        assert "Members stop" not in what_if(query), query


def test_nothing_moves_in_a_frozen_group() -> None:
    packers(0, 1, 2, 3, members=2)
    sql(FREEZE, "packers", HOUR)
    shown = what_if("host=/10.7.0.1")
    assert "Exact: nothing moves, since the group is frozen" in shown
    assert "4 partitions would have no owner" in shown


def test_the_tab_takes_few_statements() -> None:
    packers(0, 1, 2, 3, members=2)
    viewer = visitor(VIEWER)
    with CaptureQueriesContext(connection) as queries:
        viewer.get(f"{page('packers')}?tab=what-if&host=/10.7.0.1")
    assert len(queries) <= QUERIES_MAX
