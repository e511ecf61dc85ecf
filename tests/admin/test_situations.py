"""What is going on with a group, in a sentence: the words, the facts behind them, and where they
stand."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from console.operations import topic_changes as topics
from console.people.staff_roles import OPERATOR, VIEWER
from console.queries import situation as situations
from console.queries import situation_text as words
from console.queries.situation_text import Facts, Member, Order, Stopped, Tone, situation
from groups.core.assignment import assignment_of
from groups.core.subscription import pack_protocols
from groups.core.waiting import Act, Phase
from groups.models import Group, Liveness, Waiting
from rollcall.client.assignors.formats import Claim, subscription
from tests.admin.test_groups import LIST, page
from tests.admin.visitors import text, visitor
from tests.api.conftest import api, viewer, write

__all__ = ["api", "viewer"]

NOW = datetime(2026, 5, 4, 14, 30, tzinfo=UTC)
AT_TWO = datetime(2026, 5, 4, 14, 2, tzinfo=UTC)


def ben(act: str = Act.REJOIN, silent_s: int = 88, left_s: int = 32, partitions: int = 0) -> Member:
    return Member("ben-1", "ben", act, silent_s * 1_000, left_s * 1_000, partitions)


def waiting(phase: str, *awaited: Member, **more: Any) -> words.Waiting:
    more.setdefault("awaited_count", len(awaited))
    return words.Waiting(phase, awaited=awaited, **more)


SENTENCES: Mapping[str, tuple[Facts, Tone]] = {
    "Waiting for ben (silent 88 s, removed in 32 s); 6 partitions stand still; dan waits to"
    " join.": (
        Facts(
            "PreparingRebalance",
            False,
            waiting=waiting(Phase.JOIN, ben(), still=6, newcomers=["dan"], newcomers_count=1),
        ),
        Tone.BAD,
    ),
    "Waiting for ben (removed in 2 min 5 s).": (
        Facts("PreparingRebalance", False, waiting=waiting(Phase.JOIN, ben("rejoin", 1, 125))),
        Tone.WARN,
    ),
    "Waiting for ben to revoke 3 partitions (silent 4 s, removed in 32 s), ben (removed in 9 s)"
    " and 7 more; dan and eva wait for partitions.": (
        Facts(
            "Reconciling",
            False,
            waiting=waiting(
                Phase.RECONCILE,
                ben(Act.REVOKE, 4, 32, 3),
                ben(Act.HEARTBEAT, 0, 9),
                awaited_count=9,
                newcomers=["dan", "eva"],
                newcomers_count=2,
            ),
        ),
        Tone.BAD,
    ),
    "Waiting for ben to fetch its assignment (removed in 32 s); 1 partition stands still.": (
        Facts("CompletingRebalance", False, waiting=waiting(Phase.SYNC, ben(Act.SYNC, 0), still=1)),
        Tone.WARN,
    ),
    "Waiting for ben to acknowledge its command (removed in 32 s).": (
        Facts("PreparingRebalance", False, waiting=waiting(Phase.STOP, ben(Act.ACKNOWLEDGE, 0))),
        Tone.WARN,
    ),
    "Waiting for more members before the first assignment; it begins in 3 s; ana waits to join.": (
        Facts(
            "PreparingRebalance",
            False,
            waiting=waiting(Phase.WINDOW, left_ms=3_000, newcomers=["ana"], newcomers_count=1),
        ),
        Tone.WARN,
    ),
    "Waiting for 2 clients to join with the member id that they received.": (
        Facts("PreparingRebalance", False, waiting=waiting(Phase.JOIN, handed_out=2)),
        Tone.WARN,
    ),
    "The assignment is being computed.": (
        Facts("Assigning", False, waiting=waiting(Phase.ASSIGN)),
        Tone.WARN,
    ),
    "A rebalance is put off (rollcall.rebalance.min.interval.ms): it begins in 32 s.": (
        Facts("Stable", True, members=2, waiting=waiting(Phase.PUT_OFF, left_ms=32_000)),
        Tone.WARN,
    ),
    "PreparingRebalance for 12 s; its owner has not reported yet which members it waits for.": (
        Facts("PreparingRebalance", False, 12_000),
        Tone.WARN,
    ),
    "Frozen by alice since 14:02 UTC: nothing moves.": (
        Facts("Stable", True, members=3, frozen=Order("alice", AT_TWO)),
        Tone.WARN,
    ),
    "Frozen by alice since 2026-05-03 14:02 UTC: nothing moves; a rebalance is due; dan"
    " waits to join.": (
        Facts(
            "Stable",
            True,
            members=3,
            frozen=Order("alice", AT_TWO - timedelta(days=1)),
            waiting=waiting(Phase.PUT_OFF, newcomers=["dan"], newcomers_count=1),
        ),
        Tone.WARN,
    ),
    "Frozen since 14:02 UTC: the current rebalance ends, and no other begins; waiting for ben"
    " (removed in"
    " 32 s).": (
        Facts(
            "PreparingRebalance",
            False,
            frozen=Order("", AT_TWO),
            waiting=waiting(Phase.JOIN, ben(silent_s=0)),
        ),
        Tone.WARN,
    ),
    "Stopped by olga since 14:02 UTC (the database is moved): 2 of 4 members have stopped, 1 does"
    " not support it and continues.": (
        Facts(
            "Stable",
            True,
            members=4,
            stopped=Stopped(Order("olga", AT_TWO, "the database is moved"), 3, 2, 1),
        ),
        Tone.WARN,
    ),
    "1 member has been stopped by operators; settled: 4 members own 8 partitions.": (
        Facts("Stable", True, members=4, owned=8, stopped_members=1),
        Tone.WARN,
    ),
    "Deleted by olga at 14:02 UTC: not needed. Its journal is kept.": (
        Facts("Dead", True, deleted=Order("olga", AT_TWO, "not needed")),
        Tone.PLAIN,
    ),
    "No node owns the group's slot: its members are not served until one takes it.": (
        Facts("Stable", True, members=4, is_served=False),
        Tone.BAD,
    ),
    "Settled: 1 member owns 6 partitions.": (
        Facts("Stable", True, members=1, owned=6, unowned=0),
        Tone.GOOD,
    ),
    "1 member without work: no topic of the subscription exists.": (
        Facts("Stable", True, members=1, owned=0, unowned=0),
        Tone.WARN,
    ),
    "2 partitions have no owner.": (
        Facts("Stable", True, members=3, owned=6, unowned=2),
        Tone.WARN,
    ),
    "Settled: 1 member owns 6 partitions; 4 owned partitions do not exist.": (
        Facts("Stable", True, members=1, owned=6, unowned=0, gone=4),
        Tone.WARN,
    ),
    "No heartbeat of ben for 88 s (removed in 32 s).": (
        Facts("Stable", True, members=3, owned=6, unowned=0, silent=[ben("")]),
        Tone.WARN,
    ),
    "The group has no members.": (Facts("Empty", True), Tone.PLAIN),
}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_the_sentence_names_members_waited_for_and_the_deadline(sentence: str) -> None:
    facts, tone = SENTENCES[sentence]
    described = situation(facts, NOW)
    assert (described.text, described.tone) == (sentence, tone)


def test_only_a_silent_member_is_offered_for_eviction() -> None:
    lively = Facts("PreparingRebalance", False, waiting=waiting(Phase.JOIN, ben(silent_s=1)))
    silent = Facts("PreparingRebalance", False, waiting=waiting(Phase.JOIN, ben()))
    assert situation(lively, NOW).evict == []
    assert situation(silent, NOW).evict == [ben()]


# -- from rows

NODE = "INSERT INTO rollcall_node VALUES (0, gen_random_uuid(), 1, 'h', 1, now(), now())"


def tells(group_id: str, ago: str = "0 s", **over: Any) -> None:
    """The state that the group's owner recorded so long ago."""
    details = {
        "phase": "join",
        "since_ms": 5_000,
        "left_ms": 60_000,
        "awaited": [
            {
                "member_id": "m-1",
                "name": "ben",
                "act": "rejoin",
                "silent_ms": 88_000,
                "left_ms": 32_000,
                "partitions": 0,
            }
        ],
        "awaited_count": 1,
        "ready": 1,
        "newcomers": ["dan"],
        "newcomers_count": 1,
        "handed_out": 0,
        "still": 6,
        **over,
    }
    told_at = datetime.now(UTC) - timedelta(seconds=int(ago.split()[0]))
    Waiting.objects.create(
        group_id=group_id, node_id=0, revision=2, details=details, told_at=told_at
    )


def owned() -> None:
    """A node owns every slot."""
    with connection.cursor() as cursor:
        cursor.execute(NODE)
        cursor.execute("UPDATE rollcall_slot SET node_id = 0")


@pytest.fixture
def stuck(db: None) -> None:
    write("orders", state="PreparingRebalance")
    tells("orders")


STUCK = re.compile(
    r"Waiting for ben \(silent (\d+) s, removed in (\d+) s\); 6 partitions stand still;"
    r" dan waits to join\."
)


def is_stuck(shown: str) -> bool:
    """Whether the sentence is there, however long it took to come."""
    match = STUCK.search(shown)
    if match is None:
        return False
    silent, left = map(int, match.groups())
    return silent >= 88 and abs(silent + left - 120) <= 1  # each is rounded


@pytest.mark.usefixtures("stuck")
def test_page_list_and_overview_agree() -> None:
    owned()
    with connection.cursor() as cursor:
        cursor.execute("UPDATE rollcall_group SET state_since = now() - interval '2 minutes'")
    operator = visitor(OPERATOR, name="olga")
    for path in (page("orders"), page("orders", "live"), LIST, "/admin/"):
        assert is_stuck(text(operator.get(path))), path
    shown = text(operator.get(page("orders")))
    assert ">Evict ben</a>" in shown and "evict/?member=m-1" in shown
    assert "Evict ben" not in text(visitor(VIEWER).get(page("orders")))


@pytest.mark.usefixtures("stuck")
def test_rest_has_the_sentence_and_the_facts(viewer: Client) -> None:
    one = viewer.get("/api/v1/groups/orders").json()
    (listed,) = viewer.get("/api/v1/groups").json()["data"]
    assert STUCK.fullmatch(listed["situation"]) and is_stuck(listed["situation"])
    for found in (one, listed):
        waits = found["waiting"]
        assert (waits["phase"], waits["still"], waits["newcomers"]) == ("join", 6, ["dan"])
        (awaited,) = waits["awaited"]
        assert (awaited["member_id"], awaited["act"]) == ("m-1", "rejoin")
        assert awaited["silent_ms"] >= 88_000 and awaited["left_ms"] <= 32_000


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("claim", "said"),
    [
        (subscription(Claim(("gone",))), "2 members without work: no topic of the"),
        (b"abc", "Settled: 2 members own 0 partitions"),
        (b"", "Settled: 2 members own 0 partitions"),
    ],
)
def test_a_subscription_that_cannot_be_decoded_is_not_without_topics(
    viewer: Client, claim: bytes, said: str
) -> None:
    """As those of Kafka Connect, whose workers may have nothing to do either."""
    write("odd", state="Stable")
    owned()
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE rollcall_member SET subscription = %s, assignment = '' WHERE group_id = 'odd'",
            [pack_protocols((("range", claim),))],
        )
    assert viewer.get("/api/v1/groups/odd").json()["situation"].startswith(said)


@pytest.mark.django_db
def test_partitions_of_a_topic_made_again_smaller_are_told_and_hide_no_others(
    viewer: Client,
) -> None:
    """Its members learn of it with their next look at the topics, minutes later."""
    write("shrunk", state="Stable", size=1)
    owned()
    topics.create("boxes", 2)
    topics.create("crates", 3)
    both = subscription(Claim(("boxes", "crates")))
    has = assignment_of([*(("boxes", n) for n in range(6)), ("crates", 0)], 0)
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE rollcall_member SET subscription = %s, assignment = %s WHERE group_id = %s",
            [pack_protocols((("range", both),)), has, "shrunk"],
        )
    one = viewer.get("/api/v1/groups/shrunk").json()
    said = "2 partitions have no owner; 4 owned partitions do not exist."
    assert (one["partition_count"], one["unowned"], one["situation"].capitalize()) == (5, 2, said)


@pytest.mark.django_db
def test_the_report_of_a_removed_owner_is_ignored() -> None:
    write("orders", state="PreparingRebalance")
    owned()
    tells("orders", ago="20 s")
    shown = text(visitor(VIEWER).get(page("orders", "live")))
    assert (
        "ben" not in shown and "its owner has not reported yet which members it waits for" in shown
    )


@pytest.mark.django_db
def test_a_group_that_settled_after_its_owners_report_waits_for_nothing() -> None:
    """A settled group that waits, as a frozen one does, was recorded later."""
    write("orders")
    owned()
    tells("orders", ago="1 s")
    assert "ben" not in text(visitor(VIEWER).get(page("orders", "live")))
    with connection.cursor() as cursor:
        cursor.execute("UPDATE rollcall_group SET state_since = now() - interval '9 seconds'")
    assert "Waiting for ben" in text(visitor(VIEWER, name="vito").get(page("orders", "live")))


@pytest.mark.django_db
def test_ages_grow_after_the_owners_report() -> None:
    write("orders", state="PreparingRebalance")
    tells("orders", ago="10 s")
    (group,) = Group.objects.all()
    recorded = situations.waiting_of([group], datetime.now(UTC))["orders"]
    assert recorded.awaited[0].silent_ms >= 98_000 and recorded.awaited[0].left_ms <= 22_000
    assert recorded.left_ms is not None and recorded.left_ms <= 50_000
    assert recorded.since_ms is not None and recorded.since_ms >= 15_000


@pytest.mark.django_db
def test_a_member_of_a_settled_group_that_falls_silent_is_named() -> None:
    write("orders")
    owned()
    heard_at = datetime.now(UTC) - timedelta(seconds=9)
    Liveness.objects.create(
        group_id="orders", member_id="m-0", heard_at=heard_at, deadline_at=heard_at
    )
    shown = text(visitor(VIEWER).get(page("orders", "live")))
    match = re.search(r"No heartbeat of a-client for (\d+) s", shown)
    assert match is not None and int(match[1]) >= 9


@pytest.mark.django_db
def test_the_page_of_a_frozen_group_promises_no_rebalance() -> None:
    write("orders")
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO rollcall_group_config (group_id, name, slot, value, updated_at)"
            " VALUES ('orders', 'rollcall.freeze', 1, 'true', now())"
        )
    operator = visitor(OPERATOR, name="olga")
    shown = text(operator.get(page("orders", "rebalance")))
    assert "The group is frozen: no rebalance begins" in shown and "to rejoin" not in shown
    owned()
    assert "Frozen since" in text(operator.get(page("orders", "live")))
