"""How long a heartbeat may be held, as members of either kind come to be known by their pace."""

from collections.abc import Callable
from random import Random

import pytest

from protocol.requests.pace import (
    CLIENTS_MAX,
    MARGIN_S,
    SHARE,
    SHARE_SHORT_SESSION,
    SOON_MAX,
    KnownPaces,
    Pace,
    PacedClient,
)

Due = Callable[[float, float, float], float]
"""When the next heartbeat comes: of one that came, when it was answered, and the interval."""


def from_request(came: float, answered: float, interval: float) -> float:
    """As Java's client, librdkafka and most others: never before the answer is there."""
    return max(came + interval, answered)


def from_answer(_came: float, answered: float, interval: float) -> float:
    return answered + interval


def live(
    pace: Pace, due: Due, interval: float, session: float, beats: int = 8, rng: Random | None = None
) -> tuple[list[float], list[float]]:
    """The gaps between heartbeats and the holds; ``rng``: each comes up to a tenth late, and
    something else ends one hold in four."""
    came, held, gaps, holds = 0.0, 0.0, [], []
    for _ in range(beats):
        late = rng.uniform(0, interval / 10) if rng else 0.0
        following = due(came, came + held, interval) + late
        gaps.append(following - came)
        pace.learn(following - came, held)
        came, held = following, max(0.0, pace.hold_s(session))
        if rng and rng.random() < 1 / 4:
            held *= rng.random()
        holds.append(held)
    return gaps, holds


def test_who_counts_from_the_request_is_held_until_the_next_is_nearly_due() -> None:
    gaps, holds = live(Pace(KnownPaces()), from_request, 3.0, 10.0)

    assert holds[0] == pytest.approx(3.0 * SHARE_SHORT_SESSION)
    assert holds[1:] == pytest.approx([3.0 * SHARE] * 7)
    assert gaps == pytest.approx([3.0] * 8), "holding makes nobody beat more rarely"


def test_a_client_that_counts_from_the_response_is_held_within_its_session() -> None:
    """Three intervals to a session bear a third of one, four a whole one (Java's and librdkafka's
    defaults have fifteen)."""
    for session, most in ((9.0, 1.0), (10.5, 1.0), (13.5, 1.5), (45.0, 3.0 * SHARE)):
        gaps, holds = live(Pace(KnownPaces()), from_answer, 3.0, session)

        assert holds[1:] == pytest.approx([most] * 7), session
        assert max(gaps) <= max(session / 3, 3.0 * (1 + SHARE_SHORT_SESSION)) + 1e-9


def test_short_intervals_keep_a_margin() -> None:
    _gaps, holds = live(Pace(KnownPaces()), from_request, 1.0, 6.0)

    assert holds[-1] == pytest.approx(1.0 - MARGIN_S)


@pytest.mark.parametrize("due", [from_request, from_answer])
def test_an_uneven_pace_costs_at_most_two_thirds_of_a_session(due: Due) -> None:
    """Heartbeats that are late, and holds that end early: whatever is learnt from them."""
    for seed in range(50):
        rng = Random(seed)
        interval = rng.uniform(0.4, 20)
        session = interval * rng.uniform(3, 20)

        gaps, holds = live(Pace(KnownPaces()), due, interval, session, 200, rng)

        assert max(gaps) < session * 2 / 3, seed
        assert all(hold < interval * 1.3 for hold in holds), seed
        if due is from_request:
            assert max(gaps) <= interval * 1.3, seed


def test_a_client_suspended_once_is_recognised_by_its_next_heartbeats() -> None:
    pace = Pace(KnownPaces())
    live(pace, from_request, 3.0, 30.0)
    pace.learn(9.0, 2.85)

    _gaps, holds = live(pace, from_request, 3.0, 30.0, 3)

    assert holds[-1] == pytest.approx(3.0 * SHARE)


def test_a_new_interval_is_learnt() -> None:
    """The worker was restarted with other settings behind the same connection, say."""
    pace = Pace(KnownPaces())
    live(pace, from_request, 3.0, 30.0)

    _gaps, holds = live(pace, from_request, 1.0, 30.0, 4)

    assert holds[-1] == pytest.approx(1.0 - MARGIN_S)


def suspended(
    pace: Pace, due: Due, interval: float, session: float, rng: Random
) -> tuple[list[float], list[float]]:
    """A client that is suspended now and then, for less than its session: heartbeats that are due
    meanwhile come when it continues. The gaps and holds of those beats before which it was left
    alone for ``CALM`` of them."""
    came, held, gaps, holds, calm = 0.0, 0.0, [], [], 0
    for _ in range(300):
        following = due(came, came + held, interval)
        if rng.random() < 1 / 15:
            following = max(following, came + rng.random() * session)
            calm = 0
        pace.learn(following - came, held)
        if calm > CALM:
            gaps.append(following - came)
        came, held = following, max(0.0, pace.hold_s(session))
        if calm > CALM:
            holds.append(held)
        calm += 1
    return gaps, holds


def client(number: int) -> PacedClient:
    return PacedClient("g", f"client {number}", "library", "1")


def test_the_next_connection_of_a_client_begins_with_what_was_learnt() -> None:
    known = KnownPaces()
    first, other = Pace(known), Pace(known)
    first.is_of(client(1))
    live(first, from_request, 3.0, 10.0)
    following = Pace(known)

    following.is_of(client(1))
    other.is_of(client(2))

    assert following.hold_s(10.0) == pytest.approx(3.0 * SHARE)
    assert other.hold_s(10.0) <= 0


@pytest.mark.parametrize("due", [from_request, from_answer])
def test_a_wrong_beginning_costs_no_session(due: Due) -> None:
    """The client has been restarted with another interval, or its namesake has another one."""
    for seed in range(200):
        rng = Random(seed)
        interval = rng.uniform(0.4, 20)
        session = interval * rng.uniform(3, 20)
        known = KnownPaces()
        known.note(client(1), rng.uniform(0.1, session), rng.choice([True, False, None]))
        pace = Pace(known)
        pace.is_of(client(1))
        held = max(0.0, pace.hold_s(session))
        pace.learn(due(0.0, held, interval), held)

        gaps, _holds = live(pace, due, interval, session, 20)

        assert held + interval < session * 2 / 3 + 1e-9, seed
        assert max(gaps) < session * 2 / 3 + 1e-9, seed


def test_the_latest_clients_are_kept() -> None:
    known = KnownPaces()
    for number in (0, *range(1, CLIENTS_MAX), 0, CLIENTS_MAX):
        known.note(client(number), 1.0, None)

    assert len(known) == CLIENTS_MAX
    assert known.get(client(0)) == (1.0, None)
    assert known.get(client(1)) == (0.0, None)


def test_a_node_asks_only_so_many_members_for_a_heartbeat_soon() -> None:
    known = KnownPaces()

    assert sum(known.may_come_soon(7.0 + n / 4000) for n in range(2000)) == SOON_MAX
    assert known.may_come_soon(8.0)


CALM = 8
"""Heartbeats after which a suspension has no effect any more."""


@pytest.mark.parametrize("due", [from_request, from_answer])
def test_occasional_suspensions_of_a_client_do_not_change_its_hold(due: Due) -> None:
    """SIGSTOP, a long garbage collection, a laptop that sleeps. Afterwards hold and interval are a
    third of the session again, or the hold a third of the interval (decision 17), and holds are as
    long as before."""
    usual = all_holds = 0
    for seed in range(200):
        rng = Random(seed)
        interval = rng.uniform(0.8, 10)
        session = interval * rng.uniform(2.2, 15)
        _gaps, calm = live(Pace(KnownPaces()), due, interval, session, 12)

        gaps, holds = suspended(Pace(KnownPaces()), due, interval, session, rng)

        most = max(session / 3, interval * (1 + SHARE_SHORT_SESSION)) + 0.02
        assert max(gaps) <= most, (seed, interval, session, max(gaps))
        usual += sum(hold >= 0.9 * calm[-1] for hold in holds)
        all_holds += len(holds)
    assert usual >= 0.95 * all_holds, usual / all_holds
