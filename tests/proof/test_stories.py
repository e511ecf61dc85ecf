"""Each rebalance is explained as it was: random stories of every kind (``python -m proof stories``
has ten thousand of them)."""

import pytest

from proof.stories.command import main, play
from proof.stories.plot import KINDS, Story

STORIES = 40


@pytest.mark.parametrize("kind", KINDS)
def test_no_cause_and_no_member_is_missing_or_invented(kind: str) -> None:
    results = [play(kind, seed) for seed in range(STORIES)]
    assert [result.wrong for result in results if result.wrong] == []
    assert sum(result.removed for result in results) > STORIES // 4, "nobody was removed"
    assert sum(result.causes for result in results) > sum(result.entries for result in results)


@pytest.mark.parametrize(
    "seed",
    [
        pytest.param(910049, id="evicted while a join waits, thawed, and taken over"),
        pytest.param(911593, id="the only client that waits leaves, and a member after it"),
        pytest.param(950442, id="the leader's rejoin is owed, and nobody waits"),
        pytest.param(30755, id="the row owes one for the leader, and is taken over"),
    ],
)
def test_a_classic_rebalance_that_a_freeze_puts_off_is_known(seed: int) -> None:
    assert play("classic", seed).wrong == []


@pytest.mark.parametrize(
    "seed",
    [
        pytest.param(110, id="one that waited for partitions is awaited when they are free"),
        pytest.param(1574, id="a static member that had to revoke is replaced"),
        pytest.param(69, id="upgraded in a freeze, in a sync phase"),
        pytest.param(114, id="put off in both protocols"),
        pytest.param(124, id="downgraded in a freeze, while members revoke"),
        pytest.param(1123, id="downgraded in a freeze, by the step that ends a rebalance"),
        pytest.param(2072, id="thawed and emptied at once"),
        pytest.param(4284, id="downgraded in a freeze, by two members that were silent"),
        pytest.param(5111, id="an eager member is awaited again in the moment of its join"),
        pytest.param(2912112, id="a static member returns by a new owner's first step"),
    ],
)
def test_a_rebalance_of_both_protocols_is_known(seed: int) -> None:
    assert play("mixed", seed).wrong == []


def test_what_a_group_waited_for_before_it_changed_its_kind_is_not_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("groups.core.conversion.upgrade.left_off", lambda work: None)
    assert any(play("mixed", seed).wrong for seed in range(20))
    monkeypatch.undo()
    monkeypatch.setattr(
        "groups.core.consumer.group.ConsumerGroup.left_off", lambda group, now: None
    )
    assert any(play("mixed", seed).wrong for seed in range(20))


def test_the_same_seed_is_the_same_story() -> None:
    told = [Story("classic", 7) for _ in range(2)]
    assert [story.play().told_of for story in told] == [story.truth.told_of for story in told]
    assert told[0].told == told[1].told


@pytest.mark.parametrize("kind", KINDS)
def test_a_wait_that_is_not_noted_is_found(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The checker can fail."""
    monkeypatch.setattr("groups.core.explanation._summed", lambda waits: ())
    assert any(play(kind, seed).wrong for seed in range(5))


def test_the_command_says_what_it_played(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--stories", "2", "--kind", "draft", "--seed", "5"]) == 0
    assert "draft: 2 stories, 0 wrong" in capsys.readouterr().out
