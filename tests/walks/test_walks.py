"""Nothing that a group decides changes unnoticed. To accept a change: make scenarios, then review
(docs/testing.md, *Walks*)."""

from copy import copy
from itertools import zip_longest

import pytest

from groups.core import events
from groups.core.classic import live as classic_live
from groups.core.draft import live as draft_live
from groups.core.step import RowsGroup
from tests.walks import desk, recorded
from tests.walks.life import Life


@pytest.mark.parametrize("seed", range(recorded.LIVES))
@pytest.mark.parametrize("kind", recorded.KINDS)
def test_a_walk_is_unchanged_since_the_rules_last_changed(kind: str, seed: int) -> None:
    before, now = recorded.recorded(kind)[seed], recorded.digests_of(kind, seed)
    pairs = enumerate(zip_longest(before, now))
    parted = next((at for at, (was, is_) in pairs if was != is_), None)
    assert parted is None, another(kind, seed, parted)


def another(kind: str, seed: int, step: int) -> str:
    """What a step is now."""
    words = recorded.in_words(kind, seed, step + 1).rpartition("\n")[2]
    return (
        f"step {step} of {kind} {seed} is another now:\n{words}\n"
        f"(python -m tests.walks.recorded {kind} {seed} tells the life in words)"
    )


class Large(Life):
    """A life in which each group counts as large: its earliest deadline is not looked for anew
    after each step. ``deadlines``: how many there were to be missed."""

    deadlines = 0

    def step(self, *said: events.Event) -> None:
        super().step(*said)
        if not isinstance(self.group, RowsGroup):
            return
        exact = copy(self.group)
        exact._earliest = exact._due = None
        due, first = self.group.due(self.now), exact.due(self.now)
        assert first is None or (due is not None and due <= first), "a deadline would be missed"
        self.deadlines += first is not None


@pytest.mark.parametrize("kind", ["classic", "draft", "strangers"])
def test_no_deadline_of_a_large_group_is_missed(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (classic_live, draft_live):
        monkeypatch.setattr(module, "EXACT_MAX", -1)
    # Who was given time to find its new node has less again once it was heard of: by a heartbeat
    # from memory, which no step sees, too.
    monkeypatch.setattr(desk, "GRACE_MS", 0)
    lives = [Large(kind, seed) for seed in range(10)]
    for life in lives:
        life.live()
    assert any(life.deadlines for life in lives)
