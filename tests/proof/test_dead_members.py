"""When a dead member was removed too late: its session, outages, and one grace."""

import pytest

from proof.chaos import dead_members
from proof.chaos.dead_members import GRACE_S, LATE_S, Outcome
from proof.chaos.draft import DraftMember
from proof.chaos.member import Member
from proof.chaos.probe import Served

SESSION_S = 6.0


class Dead(Member):
    """One of which only its name, its group and its session count."""

    def __init__(self) -> None:
        self.name, self.group_id, self.session_s = "ben", "g", SESSION_S

    def rejoin(self) -> None:
        """It does not."""

    async def leave(self) -> int:
        """It did not."""
        return 0

    async def step(self) -> float:
        """It takes none."""
        return 0.0


@pytest.mark.parametrize(
    ("away_s", "allowed_s"),
    [
        pytest.param(0.0, SESSION_S, id="always served"),
        pytest.param(2.0, SESSION_S + 2.0, id="handed over"),
        pytest.param(5.0, SESSION_S + 5.0 + GRACE_S, id="an outage longer than a lease"),
    ],
)
@pytest.mark.parametrize("more_s", [-0.2, 0.2])
def test_a_grace_needs_an_outage(away_s: float, allowed_s: float, more_s: float) -> None:
    took = allowed_s + LATE_S + more_s
    probes = [n / 10 for n in range(round(took * 10))]
    served = Served({"g": [at for at in probes if not 1.0 < at < 1.0 + away_s]}, {"g": []})
    outcome = Outcome({"ben": took})
    dead_members.account(outcome, [Dead()], 0.0, served)
    assert abs(outcome.away_s["ben"] - away_s) < 0.11
    assert outcome.late == (["ben"] if more_s > 0 else [])


class DeadOfDraft(Dead, DraftMember):
    """The others are told of its silence by their heartbeats, and it is removed when they have
    joined."""

    beats_s = 2.0


@pytest.mark.parametrize("more_s", [-0.2, 0.2])
def test_in_the_draft_the_others_have_to_be_told(more_s: float) -> None:
    took = SESSION_S + LATE_S + DeadOfDraft.beats_s + more_s
    served = Served({"g": [n / 10 for n in range(round(took * 10))]}, {"g": []})
    outcome = Outcome({"ben": took})
    dead_members.account(outcome, [DeadOfDraft()], 0.0, served)
    assert outcome.late == (["ben"] if more_s > 0 else [])


def test_one_that_is_still_there_is_late() -> None:
    outcome = Outcome({"ben": None})
    dead_members.account(outcome, [Dead()], 0.0, Served({"g": []}, {"g": []}))
    assert outcome.late == ["ben"]
