"""A replay without a change does again what was recorded, and each change does what it means.

What is recorded here comes from clients that send every heartbeat (``recorded``), which the replay
knows nothing of.
"""

from dataclasses import replace

import pytest

from groups.core.facts import Departure
from groups.core.group import Rules
from pipeline.what_if.answers import Answer, answer, interval
from pipeline.what_if.changes import Change, planned, refusal, unchanged
from pipeline.what_if.clients import Stop, clients_of
from pipeline.what_if.deploys import deploys
from pipeline.what_if.figures import Figures, total
from pipeline.what_if.fleet import Description, fitted, group_of
from pipeline.what_if.recording import Interval, Life, Recording
from pipeline.what_if.replay import Replayed, recorded_hours, replay
from tests.pipeline import often
from tests.pipeline.what_if.recorded import RULES, recorded

KINDS = ("classic", "consumer")
SEEDS = [*range(3), *(pytest.param(n, marks=pytest.mark.long) for n in range(3, 3 + often.SEEDS))]

MISS_MAX = 0.05
"""Of the partition-seconds of several hours; of one hour it may be twice as much."""


def again(recording: Recording, *, are_drawn: bool = False) -> Replayed:
    clients, _ = clients_of(recording)
    return replay(recording, unchanged(recording, clients, RULES, are_drawn=are_drawn))


def missed(recording: Recording, replayed: Replayed) -> tuple[int, int]:
    was, made = total(recorded_hours(recording)), total(replayed.hours)
    return abs(made.cost_ms - was.cost_ms), was.cost_ms


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_an_hour_is_replayed_as_it_was(kind: str, seed: int) -> None:
    recording = recorded(kind, seed)
    replayed = again(recording)
    missed_ms, cost_ms = missed(recording, replayed)
    assert missed_ms <= 2 * MISS_MAX * cost_ms
    was, made = total(recorded_hours(recording)), total(replayed.hours)
    assert abs(made.rebalances - was.rebalances) <= 0.05 * was.rebalances


@pytest.mark.parametrize("kind", [pytest.param("classic", marks=pytest.mark.long), "consumer"])
def test_several_hours_are_missed_by_less_than_a_twentieth(kind: str) -> None:
    recordings = [recorded(kind, seed) for seed in range(100, 106)]
    for are_drawn in (False, True):
        pairs = [missed(one, again(one, are_drawn=are_drawn)) for one in recordings]
        assert sum(ms for ms, _ in pairs) <= MISS_MAX * sum(cost for _, cost in pairs), are_drawn


@pytest.mark.parametrize("kind", KINDS)
def test_a_replay_is_the_same_each_time(kind: str) -> None:
    recording = recorded(kind, 7)
    change = Change(session_ms=20_000, static=True)
    first, second = (answer(recording, RULES, change) for _ in range(2))
    assert first == second


def test_what_a_replay_makes_can_be_replayed() -> None:
    """Invented members of both protocols: a replay of a replay misses nothing."""
    fleet = Description(members=6, partitions=12, stalls=8.0, crashes=4.0, session_ms=10_000)
    for number in range(4):
        invented = group_of(fleet, number, 1_700_000_000_000).recording
        rules = Rules(group_consumer_session_timeout_ms=10_000)
        clients, _ = clients_of(invented)
        made = replay(invented, unchanged(invented, clients, rules))
        missed_ms, cost_ms = missed(invented, made)
        assert missed_ms <= MISS_MAX * cost_ms


def asked(kind: str, change: Change, seed: int = 3) -> Answer:
    made = answer(recorded(kind, seed), RULES, change)
    assert made.refused == ""
    return made


@pytest.mark.parametrize("kind", KINDS)
def test_a_longer_session_ends_fewer_members_and_leaves_the_dead_longer(kind: str) -> None:
    made = asked(kind, Change(session_ms=30_000))
    assert made.changed.rebalances < made.replayed.rebalances
    assert made.changed.silent_ms > made.replayed.silent_ms
    assert made.changed.stalled_ms > 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_shorter_session_finds_the_dead_sooner(kind: str) -> None:
    made = asked(kind, Change(session_ms=8_000, no_short_pauses=True))
    assert made.changed.silent_ms < made.replayed.silent_ms


@pytest.mark.parametrize("kind", KINDS)
def test_a_shorter_heartbeat_interval_shortens_rebalances(kind: str) -> None:
    made = asked(kind, Change(heartbeat_ms=300))
    assert made.changed.cost_ms < made.replayed.cost_ms


def test_cooperative_members_stop_for_less() -> None:
    made = asked("classic", Change(assignor="cooperative-sticky"))
    assert made.changed.stopped_ms < made.replayed.stopped_ms / 2
    assert made.changed.moves < made.replayed.moves


def test_the_consumer_protocol_stops_nobody() -> None:
    made = asked("classic", Change(protocol="consumer"))
    assert made.replayed.stopped_ms > 0
    assert made.changed.stopped_ms == 0


def test_a_sticky_assignor_moves_less() -> None:
    made = asked("classic", Change(assignor="sticky"))
    assert made.changed.moves < made.replayed.moves


def test_more_members_have_more_rebalances_of_their_own_and_fewer_have_fewer() -> None:
    recording = recorded("classic", 3)
    clients, _ = clients_of(recording)
    ran = sum(until - since for client in clients for since, until in client.spans)
    for members in (2, -2):
        plan = planned(recording, clients, RULES, Change(members=members))
        now = sum(until - since for client in plan.clients for since, until in client.spans)
        lasted = recording.end - recording.begin
        assert abs(now - ran - members * lasted) <= lasted


def test_while_a_group_is_frozen_partitions_of_the_gone_have_no_owner() -> None:
    made = asked("classic", Change(freezes=((0, 24 * 60 - 1),)))
    assert made.changed.rebalances <= 1
    assert made.changed.unowned_ms > made.replayed.cost_ms


def test_without_a_delay_the_first_members_rebalance_more() -> None:
    fleet = Description(groups=1, members=20, classic=1.0, crashes=0, stalls=0, deploys=0)
    invented = group_of(fleet, 0, 1_700_000_000_000).recording
    rules = Rules(group_quiet_window_ms=0)
    made = answer(invented, rules, Change(delay_ms=40_000))
    assert made.changed.rebalances == 1 < made.replayed.rebalances


def deployed(static: float) -> Recording:
    """A group in which nothing happens but deploys, which wait for nobody."""
    fleet = Description(
        members=6, classic=1.0, static=static, crashes=0, stalls=0, deploys=6.0,
        session_ms=60_000, away_ms=15_000,
    )  # fmt: skip
    return group_of(fleet, 1, 1_700_000_000_000).recording


def test_static_members_restart_without_a_rebalance() -> None:
    made = answer(deployed(static=0.0), Rules(), Change(static=True))
    assert made.refused == ""
    assert made.changed.rebalances < made.replayed.rebalances / 4
    known = answer(deployed(static=1.0), Rules(), Change(at_once=1))
    assert known.replayed.rebalances <= made.changed.rebalances + 2


def test_a_deploy_one_by_one_begins_a_restart_when_the_one_before_is_back() -> None:
    recording = deployed(static=0.0)
    clients, _ = clients_of(recording)
    before = list(deploys(clients))
    assert before and all(len(deploy) >= 2 for deploy in before)
    plan = planned(recording, clients, Rules(), Change(at_once=1))
    for client, was in zip(plan.clients, clients, strict=True):
        assert client.name == was.name
        downs = [b.start - a.end for a, b in zip(client.runs, client.runs[1:], strict=False)]
        assert downs == [b.start - a.end for a, b in zip(was.runs, was.runs[1:], strict=False)]
    ends = sorted(run.end for c in plan.clients for run in c.runs if run.stop is Stop.LEAVES)
    assert len(set(ends)) == len(ends)


LIFE = Life(
    1, "m-1", None, "m", "/h", "classic", 10_000, 60_000, ("t",), ("range",), 0
)  # fmt: skip
SMALL = Recording("g", 0, 60_000, [LIFE], [Interval(1, ("t", 0), 1_000, None)], [])

REFUSED = {
    "No life": (replace(SMALL, lives=[]), Change(static=True)),
    "kind draft": (replace(SMALL, lives=[LIFE._replace(kind="draft")]), Change(static=True)),
    "both protocols": (
        replace(SMALL, lives=[LIFE, LIFE._replace(life=2, kind="consumer")]),
        Change(static=True),
    ),
    "could not be read": (replace(SMALL, lives=[LIFE._replace(topics=None)]), Change(static=True)),
    "opaque": (replace(SMALL, intervals=[]), Change(static=True)),
    "acme is not known": (
        replace(SMALL, lives=[LIFE._replace(protocols=("acme",))]),
        Change(static=True),
    ),
    "no assignor of the classic": (SMALL, Change(assignor="uniform")),
    "no assignor of the consumer": (SMALL, Change(assignor="sticky", protocol="consumer")),
    "from the classic to the consumer": (
        replace(SMALL, lives=[LIFE._replace(kind="consumer", protocols=())]),
        Change(protocol="classic"),
    ),
    "Pauses shorter": (SMALL, Change(session_ms=9_999)),
    "accepts session timeouts": (SMALL, Change(session_ms=5_999)),
    "Two heartbeats": (SMALL, Change(heartbeat_ms=5_001)),
    "Fewer than 20 waits": (SMALL, Change(heartbeat_ms=1_000)),
    "about 1 members": (SMALL, Change(members=-1)),
    "at most 10000": (SMALL, Change(members=10_001)),
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_was_not_recorded_is_not_answered(words: str) -> None:
    recording, change = REFUSED[words]
    assert words in refusal(recording, change)
    made = answer(recording, RULES, change)
    assert made.refused == refusal(recording, change)
    assert made.changed == Figures()


def test_one_member_is_enough_for_an_answer() -> None:
    made = answer(SMALL, RULES, Change(session_ms=20_000))
    assert (made.refused, made.changed.moves) == ("", 0)


def test_members_that_a_coordinator_of_today_would_refuse_live_again() -> None:
    """An installation may have allowed other session timeouts than it does now."""
    short = replace(SMALL, end=86_400_000, lives=[LIFE._replace(session_ms=500)])
    clients, _ = clients_of(short)
    replayed = replay(short, unchanged(short, clients, Rules()))
    assert replayed.events < 20
    assert [life.left for life in replayed.recording.lives] == [None]


def test_a_member_that_is_always_refused_asks_more_and_more_seldom() -> None:
    """It has no assignor of the others', as in a group that was moved to another one by a deploy
    that its replay stretches. It joined four times a second, for all of the time."""
    other = LIFE._replace(
        life=2, member_id="m-2", client_id="b", joined=10_000, protocols=("cooperative-sticky",)
    )
    apart = replace(SMALL, end=86_400_000, lives=[LIFE, other])
    clients, _ = clients_of(apart)
    assert replay(apart, unchanged(apart, clients, RULES)).events < 20_000


def test_a_first_delay_may_be_extended_many_times() -> None:
    """While members come, a window without a quiet time goes on: each extension is a tick."""
    lives = [
        LIFE._replace(life=n, member_id="", client_id=f"m{n}", joined=n * 700) for n in range(60)
    ]
    coming = replace(SMALL, lives=lives)
    clients, _ = clients_of(coming)
    rules = Rules(group_quiet_window_ms=0, group_initial_rebalance_delay_ms=1_000)
    made = replay(coming, unchanged(coming, clients, rules))
    assert len(made.recording.rebalances) == 1
    assert made.recording.rebalances[0].completed > 59 * 700


def test_a_client_that_was_back_soon_only_stalled_and_one_that_was_not_died() -> None:
    expired = LIFE._replace(left=20_000, departure=Departure.EXPIRED, heard=10_000)
    for back, runs in ((29_000, 1), (31_000, 2)):
        after = LIFE._replace(life=2, member_id="m-2", joined=back)
        (client,), owners = clients_of(replace(SMALL, lives=[expired, after]))
        assert len(client.runs) == runs
        assert owners == {1: client.name, 2: client.name}
    (client,), _ = clients_of(replace(SMALL, lives=[expired]))
    assert (client.runs[0].end, client.runs[0].stop) == (10_000, Stop.DIES)


def test_ten_thousand_lives_of_one_name_are_as_many_clients_as_overlapped() -> None:
    lives = [
        LIFE._replace(life=n, member_id=f"m-{n}", joined=n * 10, left=n * 10 + 25, departure="left")
        for n in range(10_000)
    ]
    clients, owners = clients_of(replace(SMALL, lives=lives))
    assert len(clients) == 3
    assert len(owners) == 10_000


def test_an_interval_needs_three_hours_and_holds_the_sum() -> None:
    assert interval([5, 5]) is None
    low, high = interval([100, 120, 80, 110, 90]) or (0, 0)
    assert 0 < low < 500 < high < 1_100
    low, high = interval([-100] * 50) or (0, 0)
    assert low < -5_000 < high < 0


def test_a_fleet_is_fitted_by_what_it_was_invented_of() -> None:
    fleet = Description(
        groups=30, members=8, partitions=16, classic=1.0, crashes=1.0, stalls=0.0, deploys=2.0,
        session_ms=20_000, away_ms=60_000,
    )  # fmt: skip
    made = fitted(group_of(fleet, n, 1_700_000_000_000).recording for n in range(fleet.groups))
    same = ("groups", "members", "partitions", "classic", "session_ms", "rebalance_ms")
    assert [getattr(made, name) for name in same] == [getattr(fleet, name) for name in same]
    assert made.crashes == pytest.approx(fleet.crashes, rel=0.3)
    assert made.deploys == pytest.approx(fleet.deploys, rel=0.3)
